// The place where an output file will stand: checked before anything is written, and held against other writers.
//
//     const OutputPlace place("run.h5");
//     …write place.target() + ".part", rename it to place.target()…
//
// Symbolic links are followed, also where what they name is not there yet: the target is written and the link stays.
// What exists and is no regular file (folder, device, pipe, socket) is refused, and so is a file that may not be
// written. One writer at a time: the second is refused, in this process or another. The lock is one of the system on a
// file beside the target, NAME.lock, which goes away with the place; whoever is killed leaves it behind without the
// lock, and the next writer takes it.
#pragma once

#include <string>

namespace stiction {

class OutputPlace {
 public:
  // Throws std::invalid_argument where it is no place for a file, std::runtime_error where another writer holds it or
  // the system refuses; both name the path.
  explicit OutputPlace(const std::string& path);
  ~OutputPlace();
  OutputPlace(OutputPlace&& other) noexcept;
  OutputPlace& operator=(OutputPlace&&) = delete;

  const std::string& target() const { return target_; }

  // Where the file will stand; the same checks without holding it.
  static std::string follow_links(const std::string& path);

 private:
  void lock(const std::string& path);

  std::string target_;
  int descriptor_ = -1;
  int process_ = 0;  // that holds it: a forked child does not
};

}  // namespace stiction
