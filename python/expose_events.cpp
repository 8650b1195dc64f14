// The room `sim`: simulation from event to event.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "expose.h"
#include "fields.h"
#include "stiction/sim/event_simulator.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using S = EventSettings;

const std::vector<std::string> integrators = {"rk4", "rk45"};
const std::vector<std::string> impact_laws = {"newton", "poisson"};
const std::vector<std::string> impact_orders = {"at_once", "pairwise"};

const Fields<S>& fields() {
  static const Fields<S> all = {
      {"integrator", "str = 'rk4'",
       [](S& s, const Argument& a) { s.integrator = static_cast<Integrator>(read_choice(a, integrators)); }},
      field<&S::step>("step", "float = 1e-3"),
      field<&S::largest_step>("largest_step", "float = 0.05"),
      field<&S::relative_tolerance>("relative_tolerance", "float = 1e-9"),
      field<&S::absolute_tolerance>("absolute_tolerance", "float = 1e-11"),
      field<&S::event_tolerance>("event_tolerance", "float = 1e-9"),
      field<&S::rest_speed>("rest_speed", "float = 1e-7"),
      field<&S::slip_speed>("slip_speed", "float = 1e-5"),
      field<&S::restitution_threshold>("restitution_threshold", "float = 1e-2"),
      {"impact_law", "str = 'newton'",
       [](S& s, const Argument& a) { s.impact_law = static_cast<ImpactLaw>(read_choice(a, impact_laws)); }},
      {"impact_order", "str = 'at_once'",
       [](S& s, const Argument& a) { s.impact_order = static_cast<ImpactOrder>(read_choice(a, impact_orders)); }},
      field<&S::solver>("solver", "str = 'auto'"),
      field<&S::tolerance>("tolerance", "float = 1e-9"),
      field<&S::acceptable_tolerance>("acceptable_tolerance", "float = 1e-6"),
      field<&S::max_iterations>("max_iterations", "int = 300"),
      field<&S::energy_tolerance>("energy_tolerance", "float = 1e-6"),
      field<&S::minimum_interval>("minimum_interval", "float = 1e-5"),
      field<&S::most_close_events>("most_close_events", "int = 20"),
      field<&S::keep_events>("keep_events", "bool = True"),
  };
  return all;
}

void expose_records(nb::module_& module) {
  nb::class_<MotionEvent>(module, "MotionEvent", "What ended a smooth part of a motion")
      .def_ro("time", &MotionEvent::time, "s")
      .def_prop_ro(
          "kind", [](const MotionEvent& e) { return to_string(e.kind); }, "impact, touch, slip_end or time_step")
      .def_ro("shape_a", &MotionEvent::shape_a, "that approached fastest; -1: no contact")
      .def_ro("shape_b", &MotionEvent::shape_b)
      .def_ro("dof", &MotionEvent::dof, "whose limit or dry friction it was; -1: none")
      .def_ro("speed", &MotionEvent::speed, "of the fastest approach, m/s or rad/s")
      .def_ro("num_rows", &MotionEvent::num_rows, "constraints of the impact")
      .def_prop_ro("status", [](const MotionEvent& e) { return to_string(e.status); })
      .def_ro("residual", &MotionEvent::residual, "eps_nat by the judge")
      .def_ro("energy_change", &MotionEvent::energy_change, "of the impact, J")
      .def_ro("solve_seconds", &MotionEvent::solve_seconds, "wall time of the solver")
      .def("__repr__", [](const MotionEvent& e) {
        return nb::str("MotionEvent({} at {:.9g} s, speed={:.6g})").format(to_string(e.kind), e.time, e.speed);
      });
  using R = EventReport;
  nb::class_<R>(module, "EventReport", "What an EventSimulator did since begin_report()")
      .def_ro("time", &R::time, "s")
      .def_ro("num_events", &R::num_events)
      .def_ro("num_impacts", &R::num_impacts)
      .def_ro("num_slip_ends", &R::num_slip_ends)
      .def_ro("num_time_steps", &R::num_time_steps, "by which crowds of events were passed")
      .def_ro("num_steps", &R::num_steps, "of the integrator")
      .def_ro("num_rejected_steps", &R::num_rejected_steps)
      .def_ro("num_evaluations", &R::num_evaluations, "accelerations")
      .def_ro("num_looks", &R::num_looks, "pairs looked at while events were sought")
      .def_ro("num_rest_solves", &R::num_rest_solves, "instants with resting contacts")
      .def_ro("num_rest_problems", &R::num_rest_problems, "those that asked the solver")
      .def_ro("num_unsure", &R::num_unsure, "searches for an event that were cut short")
      .def_ro("num_resting", &R::num_resting, "contacts at rest now")
      .def_ro("impact_residuals", &R::impact_residuals, "the worst, by the judge")
      .def_ro("rest_residuals", &R::rest_residuals, "the worst, by the judge")
      .def_prop_ro("status", [](const R& r) { return to_string(r.status); })
      .def_ro("largest_penetration", &R::largest_penetration, "m")
      .def_ro("kinetic_energy", &R::kinetic_energy, "J")
      .def_ro("potential_energy", &R::potential_energy, "J")
      .def_ro("work", &R::work, "of all but gravity, springs and impacts, J")
      .def_ro("impact_change", &R::impact_change, "energy that impacts added, J")
      .def_ro("largest_impact_gain", &R::largest_impact_gain, "energy that one impact added, at most, J")
      .def_ro("time_step_change", &R::time_step_change, "energy that time steps added, J")
      .def_ro("time_step_gain", &R::time_step_gain, "energy that time steps gained without cause, J")
      .def_ro("energy_error", &R::energy_error, "sum of what smooth parts lost or gained without cause, J")
      .def_ro("law_certified", &R::law_certified)
      .def_ro("geometry_certified", &R::geometry_certified)
      .def_ro("energy_certified", &R::energy_certified)
      .def_prop_ro("certified", &R::certified)
      .def("__repr__", [](const R& r) {
        return nb::str("EventReport(time={:.6g}, events={}, certified={})").format(r.time, r.num_events, r.certified());
      });
  using D = PairDistance;
  nb::class_<D>(module, "PairDistance", "How far two shapes that may touch are apart")
      .def_ro("shape_a", &D::shape_a)
      .def_ro("shape_b", &D::shape_b)
      .def_ro("distance", &D::distance, "m; negative: depth; where is_bound, a proven lower bound")
      .def_ro("is_bound", &D::is_bound)
      .def_prop_ro("point_a", view_of_member(&D::point_a), "nearest, or deepest; world")
      .def_prop_ro("point_b", view_of_member(&D::point_b))
      .def_prop_ro("normal", view_of_member(&D::normal), "unit, from b to a")
      .def("__repr__", [](const D& d) {
        return nb::str("PairDistance({} and {}, {:.6g} m)").format(d.shape_a, d.shape_b, d.distance);
      });
}

}  // namespace

void expose_events(nb::module_& module) {
  expose_records(module);
  using E = EventSimulator;
  const std::string constructor = "def __init__(self, model: Model, *, " + stub_of(fields()) + ") -> None";
  nb::class_<E>(
      module, "EventSimulator",
      "Simulates from event to event: Runge-Kutta between them, impacts in no time. See docs/event-driven.md.")
      .def(
          "__init__",
          [](E* self, std::shared_ptr<const Model> model, const nb::kwargs& keywords) {
            S settings;
            set_fields("EventSimulator", fields(), settings, keywords);
            new (self) E(std::move(model), settings);
          },
          "model"_a, "settings"_a, nb::sig(keep_text(constructor)))
      .def_prop_ro("time", &E::time, "s")
      .def_prop_ro(
          "q", [](const E& e) { return copy_to_numpy(e.q()); }, "positions, a copy")
      .def_prop_ro(
          "v", [](const E& e) { return copy_to_numpy(e.v()); }, "velocities, a copy")
      .def(
          "set_position", [](E& e, const ArrayLike& q) { e.set_position(VectorArgument(q, "q").view()); }, "q"_a)
      .def(
          "set_velocity", [](E& e, const ArrayLike& v) { e.set_velocity(VectorArgument(v, "v").view()); }, "v"_a)
      .def(
          "set_control", [](E& e, const ArrayLike& u) { e.set_control(VectorArgument(u, "control").view()); },
          "control"_a)
      .def(
          "set_joint_force", [](E& e, const ArrayLike& f) { e.set_joint_force(VectorArgument(f, "force").view()); },
          "force"_a)
      .def(
          "add_external_force",
          [](E& e, int body, const ArrayLike& force, const ArrayLike& point, const ArrayLike& torque) {
            e.add_external_force(body, to_vector3(force, "force"), to_vector3(point, "point"),
                                 to_vector3(torque, "torque"));
          },
          "body"_a, "force"_a, "point"_a, "torque"_a = nb::make_tuple(0.0, 0.0, 0.0), "World axes; stays until cleared")
      .def("clear_external_forces", &E::clear_external_forces)
      .def("set_solver_option", &E::set_solver_option, "name"_a, "value"_a)
      .def("reset", &E::reset)
      .def(
          "advance",
          [](E& e, double duration) { return watched(e, [&]() -> EventReport { return e.advance(duration); }); },
          "duration"_a, "Goes on for so long, s. Ctrl-C leaves it where the last smooth part ended")
      .def(
          "advance_to",
          [](E& e, double time) { return watched(e, [&]() -> EventReport { return e.advance_to(time); }); }, "time"_a,
          "Goes on until then, s")
      .def(
          "next_event",
          [](E& e, double duration) { return watched(e, [&]() -> EventReport { return e.next_event(duration); }); },
          "duration"_a, "Goes on to just after the next event, or for so long where there is none")
      .def("report", &E::report, nb::rv_policy::copy)
      .def("begin_report", &E::begin_report)
      .def(
          "events", [](const E& e) { return std::vector<MotionEvent>(e.events().begin(), e.events().end()); },
          "since the last clear_events()")
      .def("clear_events", &E::clear_events)
      .def(
          "body_position",
          [](E& e, int body) {
            const Pose pose = e.body_pose(body);
            VectorX position(3);
            for (int k = 0; k < 3; ++k) position[k] = pose.position[k];
            return to_numpy(std::move(position));
          },
          "body"_a, "world, m")
      .def(
          "body_rotation",
          [](E& e, int body) {
            const Pose pose = e.body_pose(body);
            MatrixX rotation(3, 3);
            for (int r = 0; r < 3; ++r) {
              for (int c = 0; c < 3; ++c) rotation(r, c) = pose.rotation(r, c);
            }
            return to_numpy(std::move(rotation));
          },
          "body"_a)
      .def("pair_distances", &E::pair_distances, "within"_a,
           "Of every pair that may touch: distance, normal and nearest points up to `within`, proven bounds beyond");
}

}  // namespace stiction::python
