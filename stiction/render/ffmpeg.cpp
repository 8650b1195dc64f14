// Films by the program ffmpeg: pictures go to its standard input as they are.
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "stiction/math/refuse.h"
#include "stiction/render/film.h"

extern char** environ;

namespace stiction::raster {
namespace {

namespace fs = std::filesystem;

class Ffmpeg : public FilmFormat {
 public:
  Ffmpeg(const std::string& path, double frames_per_second)
      : path_(path), program_(find_ffmpeg(path)), place_(path), rate_(message(frames_per_second)) {
    // The ending stays at the end: it tells ffmpeg the format.
    const fs::path target = place_.target();
    part_ = (target.parent_path() / (target.stem().string() + ".part" + target.extension().string())).string();
  }
  ~Ffmpeg() override {
    if (process_ > 0) wait_for_end();
    std::error_code ignored;
    if (!is_complete_) fs::remove(part_, ignored);
    if (errors_) std::fclose(errors_);
  }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  void add(const Image& image) override {
    if (process_ == 0) start(image);
    const std::uint8_t* bytes = image.bytes().data();
    std::size_t left = image.bytes().size();
    while (left > 0) {
      const ssize_t sent = ::send(socket_, bytes, left, MSG_NOSIGNAL);  // who has ended is an error, not a signal
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) fail();
      bytes += sent, left -= static_cast<std::size_t>(sent);
    }
  }

  void close() override {
    if (wait_for_end() != 0) fail();
    fs::rename(part_, place_.target());
    is_complete_ = true;
  }

 private:
  void start(const Image& image) {
    int ends[2];
    // A socket, not a pipe: writing to a pipe that nobody reads ends this process.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_by_system();
    errors_ = std::tmpfile();
    if (!errors_) fail_by_system();
    const std::string size = std::to_string(image.width()) + "x" + std::to_string(image.height());
    std::vector<std::string> words = {
        program_, "-nostdin",    "-y", "-loglevel",  "error", "-f", "rawvideo", "-pixel_format",
        "rgb24",  "-video_size", size, "-framerate", rate_,   "-i", "pipe:0",   "-an"};
    // Players want colours at half the resolution, and so even sides.
    words.insert(words.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "file:" + part_});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(errors_), STDERR_FILENO);
    const int error = ::posix_spawn(&process_, program_.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    socket_ = ends[0];
    if (error == 0) return;
    process_ = 0;
    ::close(socket_);
    errno = error;
    fail_by_system();
  }

  // Its exit code, −1 where it was killed.
  int wait_for_end() {
    if (process_ <= 0) return code_;
    ::close(socket_);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return code_;
  }

  [[noreturn]] void fail_by_system() const {
    throw std::runtime_error(path_ + ": " + program_ + " cannot be run: " + std::strerror(errno));
  }
  [[noreturn]] void fail() {
    const int code = wait_for_end();
    std::string said, line;
    std::rewind(errors_);
    for (int c = std::fgetc(errors_); c != EOF; c = std::fgetc(errors_)) {
      if (c != '\n') line += static_cast<char>(c);
      if (c == '\n' && !line.empty()) said = line, line.clear();
    }
    if (!line.empty()) said = line;
    throw std::runtime_error(path_ + ": ffmpeg ended with code " + std::to_string(code) +
                             (said.empty() ? "" : ": " + said));
  }

  std::string path_, program_;
  OutputPlace place_;
  std::string rate_, part_;
  pid_t process_ = 0;
  int socket_ = -1, code_ = 0;
  std::FILE* errors_ = nullptr;
  bool is_complete_ = false;
};

}  // namespace

std::string find_ffmpeg(const std::string& path) {
  const char* folders = std::getenv("PATH");
  std::string rest = folders ? folders : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / "ffmpeg";
    std::error_code error;
    if (end > 0 && fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.erase(0, end + 1);
  }
  refuse(path,
         ": needs the program ffmpeg, which is not on the PATH; install it, or write a .gif, an animated .png or a ",
         "folder of pictures, which need nothing");
}

std::unique_ptr<FilmFormat> make_ffmpeg(const std::string& path, double frames_per_second) {
  return std::make_unique<Ffmpeg>(path, frames_per_second);
}

}  // namespace stiction::raster
