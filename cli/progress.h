// One line on a terminal that says where a long run is; nothing in pipes and during the first second.
#pragma once

#include <chrono>
#include <string>

namespace stiction::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether a line would be seen now; asked often, it answers yes at most ten times a second.
  bool due();
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_, shown_ = false;
  Clock::time_point start_, next_;
};

// "[######....]" of `width` places.
std::string bar(double fraction, int width = 24);

}  // namespace stiction::cli
