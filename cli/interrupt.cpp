#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace stiction::cli {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch nothing else");

stiction::Interrupt stop;

extern "C" void remember(int signal) {
  received = signal;
  stop.request();
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  received = 0;
  stop.clear();
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int Interrupt::signal() const {
  return received;
}

stiction::Interrupt& Interrupt::for_solvers() {
  return stop;
}

}  // namespace stiction::cli
