// Ctrl-C inside of long calls, seen by the thread that made this object: what has the interrupt stops, and the caller
// throws what Python's handler raised.
//
//     Watched watched;
//     {
//       const nb::gil_scoped_release released;
//       …work with watched.interrupt()…
//     }
//     watched.raise();
#pragma once

#include <nanobind/nanobind.h>

#include "stiction/sim/simulator.h"
#include "stiction/solvers/interrupt.h"

namespace stiction::python {

class Watched {
 public:
  Interrupt* interrupt() { return &interrupt_; }
  // With the GIL: throws where a signal came. Python's error is set then, also where the work came to its end.
  void raise() const {
    if (interrupt_.requested()) throw nanobind::python_error();
  }
  static bool is_signalled() {
    const nanobind::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
  }

 private:
  Interrupt interrupt_{&Watched::is_signalled};
};

// The same for a Simulator or an EventSimulator, which then throws StepInterrupted and is as it was before.
template <class Stepper>
class WatchedStepper {
 public:
  explicit WatchedStepper(Stepper& stepper) : stepper_(stepper) { stepper_.set_interrupt(watched_.interrupt()); }
  ~WatchedStepper() { stepper_.set_interrupt(nullptr); }
  WatchedStepper(const WatchedStepper&) = delete;
  WatchedStepper& operator=(const WatchedStepper&) = delete;

 private:
  Stepper& stepper_;
  Watched watched_;
};
using WatchedSimulator = WatchedStepper<Simulator>;

// What `work` returns, with the GIL; throws what Python's handler raised where it was stopped.
template <class Stepper, class Work>
auto watched(Stepper& stepper, Work&& work) {
  try {
    const WatchedStepper watch(stepper);
    return work();
  } catch (const StepInterrupted&) {
    throw nanobind::python_error();
  }
}

}  // namespace stiction::python
