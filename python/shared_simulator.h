// A simulator that several Python threads may share, in turns, for the files that expose sim and dynamics.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/io/loaded_model.h"
#include "stiction/sim/simulator.h"
#include "stiction/viewer/live_view.h"

namespace stiction::python {

struct SharedSimulator {
  SharedSimulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings)
      : simulator(std::move(model), settings) {}

  Simulator simulator;
  std::mutex mutex;
  LiveView* view = nullptr;  // that looks on; steps go through it, so that they are shown and pulls act in them
  // With the mutex held.
  const StepReport& step() { return view ? view->step() : simulator.step(); }

  std::vector<IgnoredElement> ignored;  // of the file that it was made of

  // Answers questions about the current state; the simulator's own factor contains implicit terms.
  std::optional<DynamicsData> dynamics;
};

// The simulator is this thread's while it lives. Another thread's step is waited for without the GIL: that thread needs
// it to come back.
class Turn {
 public:
  explicit Turn(SharedSimulator& shared) : lock_(shared.mutex, std::try_to_lock) {
    if (lock_) return;
    const nanobind::gil_scoped_release released;
    lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// The rest of the room `sim`, and the room `dynamics`: as functions of (model, q, v) and of a simulator's state.
void expose_step_results(nanobind::module_& module);
void expose_dynamics(nanobind::module_& module, nanobind::class_<SharedSimulator>& simulator);
// Joints by name, bodies that are moved, questions to the world, inverse kinematics, copies.
void expose_access(nanobind::module_& module, nanobind::class_<SharedSimulator>& simulator);
void expose_step_problem(nanobind::module_& module, nanobind::class_<SharedSimulator>& simulator);

// Settings of the step, of constraints and of collision, by one flat list of names; dt is short for time_step.
nanobind::dict settings_of(const SimulatorSettings& values);
SimulatorSettings to_settings(const nanobind::kwargs& keywords);
std::string settings_stub();  // the arguments, as a stub has them

// An index that exists, or a name that is looked up.
int to_frame(const Model& model, const nanobind::object& frame);
// A body by index, or the body that carries the frame of that name.
int to_body(const Model& model, const nanobind::object& body);

}  // namespace stiction::python
