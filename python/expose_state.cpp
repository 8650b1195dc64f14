// The room `sim`: State, StepReport, Contact and SolverFailure.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstring>
#include <iomanip>
#include <sstream>

#include "fields.h"
#include "shared_simulator.h"
#include "stiction/math/refuse.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// ---- report

double total_seconds(const StepReport& r) {
  double sum = 0.0;
  for (const double seconds : r.seconds) sum += seconds;
  return sum;
}

const char* verdict(const StepReport& r) {
  return r.certified() ? "certified" : r.accepted ? "accepted, not certified" : "NOT CERTIFIED";
}

std::string repr(const StepReport& r) {
  std::ostringstream out;
  out << "StepReport(time=" << r.time << ", " << r.num_contacts << " contacts, " << to_string(r.status)
      << ", eps_nat=" << std::setprecision(3) << r.residuals.eps_nat << ", " << verdict(r) << ')';
  return out.str();
}

// The certificate in a few lines.
std::string describe(const StepReport& r) {
  std::ostringstream out;
  out << "step to t = " << r.time << " s: " << verdict(r) << std::setprecision(3) << ", eps_nat " << r.residuals.eps_nat
      << "\n  contacts   " << r.num_contacts << " (" << r.num_sticking << " sticking, " << r.num_sliding << " sliding, "
      << r.num_open << " open)";
  if (r.num_limits) out << ", limits " << r.num_limits;
  if (r.num_dry_frictions) out << ", dry frictions " << r.num_dry_frictions;
  if (r.num_loops) out << ", loops " << r.num_loops;
  if (r.num_friction_torques) out << ", friction torques " << r.num_friction_torques;
  if (r.num_servos) out << ", servos at their limit " << r.num_saturated_servos << " of " << r.num_servos;
  out << ", islands " << r.num_islands;
  if (r.num_jammed_islands) out << " (" << r.num_jammed_islands << " jammed: penetrations not driven out)";
  if (r.num_sleeping_bodies) out << ", sleeping bodies " << r.num_sleeping_bodies;
  if (!r.is_rigid()) {
    out << "\n  compliant  " << r.num_compliant_contacts << " contacts, up to " << r.largest_compliance
        << " m/N, compressed by at most " << r.largest_static_depth << " m";
    if (r.num_softened_contacts) out << "; " << r.num_softened_contacts << " softened: NOT the rigid law";
    if (r.num_relaxed_contacts) out << "; " << r.num_relaxed_contacts << " relaxed: NOT Coulomb's law";
  }
  out << "\n  solver     " << to_string(r.status) << ", " << r.iterations << " iterations, " << r.factorisations
      << " factorisations";
  out << "\n  residuals  penetrating " << r.residuals.signorini_penetration << " m/s, complementarity "
      << r.residuals.signorini_complementarity << " J, Coulomb " << r.residuals.coulomb << " N s, dissipation "
      << r.residuals.dissipation << " N s; friction off by " << r.friction_error << " N";
  if (r.worst_contact >= 0) out << "; worst contact " << r.worst_contact;
  out << std::setprecision(6) << "\n  energy     kinetic " << r.kinetic_energy << " J, potential " << r.potential_energy
      << " J; work of constraints " << std::setprecision(3) << r.constraint_work << " J, dissipated " << r.dissipated
      << " J";
  if (r.actuator_work != 0.0 || r.applied_work != 0.0)
    out << ", work of actuators " << r.actuator_work << " J, of applied forces " << r.applied_work << " J";
  if (r.damped != 0.0) out << ", damped " << r.damped << " J";
  out << "; error " << r.energy_error << " J";
  if (r.num_braked_trees) out << ", braked trees " << r.num_braked_trees;
  if (!r.energy_certified) out << " (NOT CERTIFIED)";
  out << "\n  geometry   largest penetration " << r.largest_penetration << " m, unforeseen " << r.unforeseen_penetration
      << " m, gaps off by " << r.largest_gap_error << " m, normals by " << r.largest_normal_error << " rad";
  if (r.num_rechecks) out << ", rechecked " << r.num_rechecks << " times";
  if (!r.geometry_certified) out << " (NOT CERTIFIED)";
  out << "\n  time       " << 1e6 * total_seconds(r) << " us";
  return out.str();
}

void expose_report(nb::module_& module) {
  nb::class_<StepReport>(module, "StepReport", "The certificate of a step; print it")
      .def_ro("time", &StepReport::time, "at the end of the step, s")
      .def_ro("num_contacts", &StepReport::num_contacts)
      .def_ro("num_sticking", &StepReport::num_sticking)
      .def_ro("num_sliding", &StepReport::num_sliding)
      .def_ro("num_open", &StepReport::num_open)
      .def_ro("num_limits", &StepReport::num_limits)
      .def_ro("num_dry_frictions", &StepReport::num_dry_frictions)
      .def_ro("num_loops", &StepReport::num_loops)
      .def_ro("num_friction_torques", &StepReport::num_friction_torques,
              "torsion and rolling of contacts, each counted")
      .def_ro("num_servos", &StepReport::num_servos, "servos at or near their limit")
      .def_ro("num_saturated_servos", &StepReport::num_saturated_servos, "those at it")
      .def_ro("num_islands", &StepReport::num_islands)
      .def_ro("num_sleeping_bodies", &StepReport::num_sleeping_bodies)
      .def_ro("num_jammed_islands", &StepReport::num_jammed_islands,
              "islands solved without driving penetrations out, because no motion did that for all of their contacts")
      .def_ro("num_held_contacts", &StepReport::num_held_contacts,
              "contacts that no joint moves along their normal: they do nothing")
      .def_ro("num_compliant_contacts", &StepReport::num_compliant_contacts)
      .def_ro("num_softened_contacts", &StepReport::num_softened_contacts,
              "contacts that relative_compliance made softer than their materials: not the rigid law")
      .def_ro("largest_compliance", &StepReport::largest_compliance, "of a contact, as it acts in the step, m/N")
      .def_ro("largest_static_depth", &StepReport::largest_static_depth,
              "how far a contact is compressed by what it carries, m")
      .def_ro(
          "num_relaxed_contacts", &StepReport::num_relaxed_contacts,
          "contacts whose friction gives, by tangential_compliance or relative_tangent_compliance: not Coulomb's law")
      .def_ro("largest_relaxed_slip", &StepReport::largest_relaxed_slip,
              "velocity that it lets one of these slip by, m/s")
      .def_prop_ro("is_rigid", &StepReport::is_rigid, "no contact has compliance")
      .def_ro("friction_error", &StepReport::friction_error, "beyond the cone, or not against the slip, N")
      .def_ro("num_redundant_rows", &StepReport::num_redundant_rows, "rows of loops that others say already")
      .def_ro("largest_loop_mismatch", &StepReport::largest_loop_mismatch,
              "by how much positions of these contradict the others, at most, m or rad")
      .def_ro("status", &StepReport::status, "the worst of all islands")
      .def_prop_ro("converged", &StepReport::converged)
      .def_ro("iterations", &StepReport::iterations, "of all islands")
      .def_ro("factorisations", &StepReport::factorisations)
      .def_ro("coupling_rounds", &StepReport::coupling_rounds,
              "solves of an island to find how far friction torques reach, at most; 0: there are none")
      .def_ro("residuals", &StepReport::residuals, "by the judge, the worst of all islands")
      .def_ro("worst_contact", &StepReport::worst_contact, "index into contacts(); -1: no contact is the worst")
      .def_prop_ro("certified", &StepReport::certified, "law, geometry and energy are")
      .def_ro("law_certified", &StepReport::law_certified, "residuals.eps_nat is within the tolerance")
      .def_ro("accepted", &StepReport::accepted, "it is at least within the acceptable tolerance")
      .def_ro("kinetic_energy", &StepReport::kinetic_energy, "of the state that the step began with, J")
      .def_ro("potential_energy", &StepReport::potential_energy, "of the state that the step began with, J")
      .def_ro("constraint_work", &StepReport::constraint_work, "by constraint impulses in the step, J")
      .def_ro("dissipated", &StepReport::dissipated, "by friction of contacts and joints, J")
      .def_ro("surface_work", &StepReport::surface_work, "of moving surfaces on what they carry, J")
      .def_ro("actuator_work", &StepReport::actuator_work, "of actuators, J")
      .def_ro("applied_work", &StepReport::applied_work, "of joint and external forces that were set, J")
      .def_ro("damped", &StepReport::damped, "by dampers of joints and tendons, and by a fluid, J")
      .def_ro("energy_error", &StepReport::energy_error, "of the integrator: what the balance does not explain, J")
      .def_ro("num_braked_trees", &StepReport::num_braked_trees,
              "trees that turn too far in a step to be followed and were braked: energy that nothing in the world took")
      .def_ro("energy_certified", &StepReport::energy_certified,
              "it is no gain beyond the energy tolerance, and nothing was braked")
      .def_ro("unforeseen_penetration", &StepReport::unforeseen_penetration,
              "the deepest that anything is at the end of the step beyond what its row promised, m")
      .def_ro("largest_gap_error", &StepReport::largest_gap_error,
              "gap at the end of the step against gap promised, over rows that carry an impulse; where there is "
              "nothing, how "
              "far off it is, m")
      .def_ro("largest_normal_error", &StepReport::largest_normal_error,
              "how far normals of such rows turned beyond what motion explains, rad")
      .def_ro("num_rechecks", &StepReport::num_rechecks,
              "how often contacts that were missed became rows and islands were solved again")
      .def_ro("geometry_certified", &StepReport::geometry_certified,
              "the three errors are within what is allowed for the way and the turning of each contact, theory (3-14)")
      .def_ro("largest_penetration", &StepReport::largest_penetration, "of the contacts that the step began with, m")
      .def_prop_ro(
          "seconds",
          [](const StepReport& r) {
            nb::typed<nb::dict, nb::str, double> seconds;
            for (int k = 0; k < static_cast<int>(StepStage::count); ++k) {
              seconds[nb::cast(to_string(static_cast<StepStage>(k)))] = r.seconds[k];
            }
            return seconds;
          },
          "wall time by stage")
      .def_prop_ro("total_seconds", &total_seconds, "wall time of all stages")
      .def("__repr__", &repr)
      .def("__str__", &describe);
}

// ---- forces

void expose_external_force(nb::module_& module) {
  nb::class_<BodyWrench>(module, "ExternalForce", "A force on a body, as add_external_force() was given it")
      .def_ro("body", &BodyWrench::body)
      .def_prop_ro("force", view_of_member(&BodyWrench::force), "world, N")
      .def_prop_ro("torque", view_of_member(&BodyWrench::torque), "world, N m")
      .def_prop_ro("point", view_of_member(&BodyWrench::point), "world, m; where the force acts");
}

// ---- contacts

void expose_contact_of_step(nb::module_& module) {
  nb::class_<Contact>(module, "Contact", "A contact of the last step with what it carried")
      .def_prop_ro("shape_a", [](const Contact& c) { return c.point.id.shape_a; })
      .def_prop_ro("shape_b", [](const Contact& c) { return c.point.id.shape_b; })
      .def_prop_ro(
          "feature", [](const Contact& c) { return c.point.id.feature; },
          "names the point between its shapes; stays while the bodies move")
      .def_ro("body_a", &Contact::body_a, "-1: the world")
      .def_ro("body_b", &Contact::body_b)
      .def_prop_ro(
          "position", [](nb::handle_t<Contact> c) { return view_of(nb::cast<const Contact&>(c).point.position, c); },
          "world, m; halfway between the surfaces")
      .def_prop_ro(
          "normal", [](nb::handle_t<Contact> c) { return view_of(nb::cast<const Contact&>(c).point.normal, c); },
          "world, from shape_b to shape_a")
      .def_prop_ro(
          "gap", [](const Contact& c) { return c.point.gap; }, "m; negative: penetration")
      .def_prop_ro("frame", view_of_member(&Contact::frame), "columns t1, t2, n in world axes")
      .def_prop_ro("impulse", view_of_member(&Contact::impulse), "contact frame, on body_a, N s")
      .def_prop_ro("force", view_of_member(&Contact::force), "world, on body_a, N")
      .def_prop_ro("torque", view_of_member(&Contact::torque),
                   "of torsional and rolling friction, world, on body_a, N m")
      .def_prop_ro("velocity", view_of_member(&Contact::velocity),
                   "of the surfaces against each other, at the end of the step, contact frame, m/s")
      .def_prop_ro("law_velocity", view_of_member(&Contact::law_velocity),
                   "what the law of the contact is about: velocity with gap, penetration or bounce, and R l, m/s")
      .def_ro("friction", &Contact::friction)
      .def_ro("regime", &Contact::regime)
      .def("__repr__", [](const Contact& c) {
        const char* const regimes[] = {"open", "sticking", "sliding"};
        return nb::str("Contact(shapes {} and {}, {}, gap={:.3g}, normal impulse={:.3g})")
            .format(c.point.id.shape_a, c.point.id.shape_b, regimes[static_cast<int>(c.regime)], c.point.gap,
                    c.impulse[2]);
      });
}

// ---- state

// Sizes of a state never change, so that views into it stay valid.
template <VectorX State::* member>
void assign(State& state, const ArrayLike& value) {
  constexpr const char* name = member == &State::q         ? "q"
                               : member == &State::v       ? "v"
                               : member == &State::control ? "control"
                                                           : "activation";
  const VectorArgument vector(value, name);
  VectorX& to = state.*member;
  if (vector.view().size() != to.size()) {
    refuse("state: ", name, " has ", vector.view().size(), " entries; ", to.size(), " are wanted");
  }
  to = vector.view();
}

nb::bytes bytes_of(const State& state) {
  const std::vector<std::byte> bytes = state.to_bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

State state_from(const nb::bytes& bytes) {
  return State::from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()});
}

void expose_state(nb::module_& module) {
  nb::class_<State>(module, "State",
                    "Everything that changes in a simulation, warm starts and caches included: going on from a copy "
                    "gives the same bits. q, v and control are read-only views; assign to them to change them.")
      .def_static("initial", &State::initial, "model"_a)
      .def_static(
          "from_keyframe",
          [](const Model& model, const nb::object& keyframe) {
            return State::from_keyframe(model, index_or_name(keyframe, "keyframe", [&](const std::string& name) {
                                          return model.find_keyframe(name);
                                        }));
          },
          "model"_a, "keyframe"_a, nb::sig("def from_keyframe(model: Model, keyframe: int | str) -> State"))
      .def_rw("time", &State::time, "s")
      .def_rw("step", &State::step, "number of steps made")
      .def_prop_rw("q", view_of_member(&State::q), &assign<&State::q>, "positions, laid out as the model says")
      .def_prop_rw("v", view_of_member(&State::v), &assign<&State::v>, "velocities")
      .def_prop_rw("control", view_of_member(&State::control), &assign<&State::control>, "one entry per actuator")
      .def_prop_rw("activation", view_of_member(&State::activation), &assign<&State::activation>,
                   "one entry per actuator with a state of its own")
      .def("to_bytes", &bytes_of, "All of it, with a checksum")
      .def_static("from_bytes", &state_from, "bytes"_a, "ValueError where the bytes are damaged")
      .def(
          "save", [](const State& s, const PathLike& path) { s.save(to_path(path)); }, "path"_a)
      .def_static(
          "load", [](const PathLike& path) { return State::load(to_path(path)); }, "path"_a)
      .def("copy", [](const State& s) { return State(s); })
      .def("__copy__", [](const State& s) { return State(s); })
      .def(
          "__deepcopy__", [](const State& s, nb::handle) { return State(s); }, "memo"_a)
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](State& s, const nb::bytes& bytes) { new (&s) State(state_from(bytes)); })
      .def("__eq__", [](const State& a, const State& b) { return a.to_bytes() == b.to_bytes(); })
      .def(
          "__eq__", [](const State&, nb::handle) { return false; }, nb::arg().none())
      .def("__repr__", [](const State& s) {
        return nb::str("State(time={:.6g}, step={}, {} positions, {} velocities, {} controls)")
            .format(s.time, s.step, s.q.size(), s.v.size(), s.control.size());
      });
}

// ---- failure

PyObject* failure_type = nullptr;

void expose_failure(nb::module_& module) {
  failure_type = PyErr_NewExceptionWithDoc("stiction.SolverFailure",
                                           "A step was not certified under on_failure=\"raise\"; its `report` says "
                                           "why, the state is that of before the step.",
                                           PyExc_RuntimeError, nullptr);
  module.attr("SolverFailure") = nb::borrow(failure_type);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const SolverFailure& failure) {
      const nb::object type = nb::borrow(failure_type);
      const nb::object error = type(failure.what());
      error.attr("report") = nb::cast(failure.report);
      PyErr_SetObject(failure_type, error.ptr());
    }
  });
}

}  // namespace

void expose_step_results(nb::module_& module) {
  expose_report(module);
  expose_external_force(module);
  expose_contact_of_step(module);
  expose_state(module);
  expose_failure(module);
}

}  // namespace stiction::python
