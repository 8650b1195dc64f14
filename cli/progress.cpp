#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace stiction::cli {

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_ + std::chrono::seconds(1)) {}

bool Progress::due() {
  if (!terminal_) return false;
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

void Progress::show(const std::string& text) {
  if (!terminal_ || Clock::now() - start_ < std::chrono::seconds(1)) return;
  std::cerr << "\r\033[K" << text << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

std::string bar(double fraction, int width) {
  const std::size_t places = static_cast<std::size_t>(width);
  std::string text(places + 2, '.');
  text.front() = '[', text.back() = ']';
  const double full = std::clamp(fraction, 0.0, 1.0) * width;
  std::fill_n(text.begin() + 1, static_cast<std::size_t>(full), '#');
  return text;
}

}  // namespace stiction::cli
