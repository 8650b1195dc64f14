#include "stiction/render/video.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "stiction/math/refuse.h"
#include "stiction/render/film.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

bool wants_ffmpeg(const std::string& ending) {
  return ending == ".mp4" || ending == ".webm" || ending == ".mkv" || ending == ".mov";
}

// Endings of other films and pictures are no names of folders: the user means a file.
void refuse_unknown_ending(const std::string& path) {
  for (const char* ending : {".avi", ".mpg", ".mpeg", ".m4v", ".ogv", ".wmv", ".jpg", ".jpeg", ".webp", ".bmp"}) {
    if (ending_of(path) != ending) continue;
    refuse(path, ": films are .mp4, .webm, .mkv, .mov (by ffmpeg), .gif, .png, or a folder of pictures");
  }
}

class Folder : public raster::FilmFormat {
 public:
  explicit Folder(const std::string& path) : path_(path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!fs::is_directory(path)) {
      throw std::runtime_error(path + ": no folder can be made: " + (error ? error.message() : "a file is there"));
    }
  }
  void add(const Image& image) override {
    char name[32];
    std::snprintf(name, sizeof name, "frame_%05lld.png", static_cast<long long>(count_++));
    image.save((fs::path(path_) / name).string());
  }
  void close() override {}

 private:
  std::string path_;
  std::int64_t count_ = 0;
};

}  // namespace

namespace raster {

GrowingFile::GrowingFile(const std::string& path) : path_(path), place_(path), part_(place_.target() + ".part") {
  out_.open(part_, std::ios::binary | std::ios::trunc);
  if (!out_) throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
}

GrowingFile::~GrowingFile() {
  if (is_complete_) return;
  out_.close();
  std::error_code ignored;
  fs::remove(part_, ignored);
}

void GrowingFile::check(const char* what) {
  if (!out_) throw std::runtime_error(path_ + ": " + what + ": " + std::strerror(errno));
}

void GrowingFile::write(const void* bytes, std::size_t size) {
  out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  out_.flush();  // a full disk is told by the picture that does not fit
  check("not everything could be written");
}

void GrowingFile::rewrite(std::size_t place, const void* bytes, std::size_t size) {
  out_.seekp(static_cast<std::streamoff>(place));
  write(bytes, size);
  out_.seekp(0, std::ios::end);
}

void GrowingFile::close() {
  out_.close();
  check("not everything could be written");
  fs::rename(part_, place_.target());
  is_complete_ = true;
}

std::unique_ptr<FilmFormat> make_folder(const std::string& path) {
  return std::make_unique<Folder>(path);
}

}  // namespace raster

void VideoSettings::validate() const {
  require(frames_per_second >= 0.1 && frames_per_second <= 1000.0, "frames_per_second", frames_per_second,
          "0.1 … 1000");
}

struct VideoWriter::Film {
  std::string path;
  std::unique_ptr<raster::FilmFormat> format;
  int width = 0, height = 0;
  std::int64_t count = 0;
  bool is_closed = false;
};

bool VideoWriter::is_file(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".gif" || ending == ".png" || ending == ".apng" || wants_ffmpeg(ending);
}

void VideoWriter::check(const std::string& path) {
  if (path.empty()) refuse("the path of a film is empty");
  refuse_unknown_ending(path);
  if (is_file(path)) static_cast<void>(OutputPlace::follow_links(path));
  if (wants_ffmpeg(ending_of(path))) static_cast<void>(raster::find_ffmpeg(path));
  std::error_code error;
  if (!is_file(path) && fs::exists(path, error) && !fs::is_directory(path, error)) {
    refuse(path, ": is a file, and a folder of pictures would stand there; films end in .gif, .png, .mp4 or .webm");
  }
}

VideoWriter::VideoWriter(const std::string& path, const VideoSettings& settings) : film_(std::make_unique<Film>()) {
  settings.validate();
  check(path);
  film_->path = path;
  const std::string ending = ending_of(path);
  const double fps = settings.frames_per_second;
  film_->format = ending == ".gif"                        ? raster::make_gif(path, fps)
                  : ending == ".png" || ending == ".apng" ? raster::make_animated_png(path, fps)
                  : wants_ffmpeg(ending)                  ? raster::make_ffmpeg(path, fps)
                                                          : raster::make_folder(path);
}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::add(const Image& image) {
  if (film_->is_closed) refuse(film_->path, ": the film is closed");
  if (image.width() < 1) refuse(film_->path, ": a picture without pixels");
  if (film_->count == 0) film_->width = image.width(), film_->height = image.height();
  if (image.width() != film_->width || image.height() != film_->height) {
    refuse(film_->path, ": a picture of ", image.width(), " × ", image.height(), "; those before have ", film_->width,
           " × ", film_->height);
  }
  film_->format->add(image);
  ++film_->count;
}

void VideoWriter::close() {
  if (film_->is_closed) return;
  if (film_->count == 0) refuse(film_->path, ": a film without pictures");
  film_->format->close();
  film_->is_closed = true;
}

const std::string& VideoWriter::path() const {
  return film_->path;
}
std::int64_t VideoWriter::num_frames() const {
  return film_->count;
}

}  // namespace stiction
