#include "stiction/math/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path + ": cannot be written: " + reason);
}

const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::character:
    case fs::file_type::block:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "something else";
  }
}

// Whether `descriptor` is still the file that stands under `path`.
bool is_under(int descriptor, const std::string& path) {
  struct stat open_file{}, named_file{};
  return ::fstat(descriptor, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

std::string OutputPlace::follow_links(const std::string& path) {
  if (path.empty()) refuse("the name of the file to write is empty");
  if (path.find('\0') != std::string::npos) refuse(path.c_str(), ": the name holds a zero byte");
  std::error_code error;
  const fs::file_status at_end = fs::status(path, error);
  if (fs::exists(at_end) && !fs::is_regular_file(at_end)) {
    refuse(path, ": is ", kind_of(at_end.type()), "; only a regular file can be written");
  }
  if (fs::exists(at_end) && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    fail(path, std::strerror(errno));
  }
  constexpr int most_links = 40;  // as the kernel
  fs::path target = path;
  for (int k = 0; fs::is_symlink(fs::symlink_status(target, error)); ++k) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.message());
    if (k == most_links) refuse(path, ": its symbolic links lead in a circle");
    target = target.parent_path() / next;  // an absolute `next` replaces all
  }
  if (!target.has_filename()) refuse(path, ": names a folder; only a regular file can be written");
  return target.string();
}

OutputPlace::OutputPlace(const std::string& path) : target_(follow_links(path)), process_(::getpid()) {
  lock(path);
}

// A holder removes the lock file while it still has the lock; who waited with the old one open sees that it is gone.
void OutputPlace::lock(const std::string& path) {
  const std::string name = target_ + ".lock";
  for (;;) {
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0 && (errno == ENOENT || errno == ENOTDIR)) {
      fail(path, "there is no folder " + fs::path(target_).parent_path().string());
    }
    if (descriptor_ < 0) fail(path, name + ": " + std::strerror(errno));
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(descriptor_, F_OFD_SETLK, &whole) != 0) {
      const int reason = errno;
      ::close(std::exchange(descriptor_, -1));
      if (reason == EAGAIN || reason == EACCES) {
        throw std::runtime_error(path + ": is being written by another process, or by another writer of this one");
      }
      fail(path, name + " cannot be locked: " + std::strerror(reason));
    }
    if (is_under(descriptor_, name)) return;
    ::close(std::exchange(descriptor_, -1));
  }
}

OutputPlace::~OutputPlace() {
  if (descriptor_ < 0) return;
  const std::string name = target_ + ".lock";
  if (process_ == ::getpid() && is_under(descriptor_, name)) ::unlink(name.c_str());
  ::close(descriptor_);
}

OutputPlace::OutputPlace(OutputPlace&& other) noexcept
    : target_(std::move(other.target_)), descriptor_(std::exchange(other.descriptor_, -1)), process_(other.process_) {}

}  // namespace stiction
