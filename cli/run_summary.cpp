#include "cli/run_summary.h"

#include <algorithm>
#include <sstream>

#include "stiction/dynamics/mechanics.h"

namespace stiction::cli {
namespace {

std::string where_is(const Simulator& simulator, int contact) {
  if (contact < 0 || contact >= static_cast<int>(simulator.contacts().size())) return "a limit, dry friction or loop";
  const auto& id = simulator.contacts()[contact].point.id;
  const auto& shapes = simulator.model().shapes;
  return shapes[id.shape_a].name + " on " + shapes[id.shape_b].name;
}

std::string plural(long count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

Energy energy_of(Simulator& simulator) {
  const DynamicsData& data = simulator.dynamics();
  const State& state = simulator.state();
  return {kinetic_energy(data, state.v.data()),
          gravity_energy(data) + spring_energy(simulator.model(), state.q.data())};
}

void RunSummary::begin(Simulator& simulator, const std::vector<std::string>& scene_files,
                       const std::vector<IgnoredElement>& scene_ignored) {
  files = scene_files, ignored = scene_ignored;
  const Model& model = simulator.model();
  solver = simulator.settings().solver;
  tolerance = simulator.settings().tolerance;
  acceptable_tolerance = simulator.settings().acceptable_tolerance;
  geometric_tolerance = simulator.settings().geometric_tolerance;
  threads = simulator.settings().threads;
  time_step = simulator.time_step();
  start_time = end_time = simulator.state().time;
  num_bodies = model.num_bodies(), num_velocities = model.num_velocities();
  num_shapes = static_cast<int>(model.shapes.size());
  energy_begin = energy_end = energy_of(simulator);
}

void RunSummary::add(const Simulator& simulator, const StepReport& report, double seconds) {
  ++steps;
  certified += report.certified();
  law_certified += report.law_certified;
  geometry_certified += report.geometry_certified;
  energy_certified += report.energy_certified;
  rechecked += report.num_rechecks > 0;
  largest_gap_error = std::max(largest_gap_error, report.largest_gap_error);
  largest_normal_error = std::max(largest_normal_error, report.largest_normal_error);
  braked += report.num_braked_trees > 0;
  energy_error += report.energy_error;
  if (report.energy_error > largest_energy_gain) {
    largest_energy_gain = report.energy_error;
    gain_time = report.time;
  }
  if (report.unforeseen_penetration > unforeseen_penetration) {
    unforeseen_penetration = report.unforeseen_penetration;
    unforeseen_time = report.time;
  }
  accepted += report.accepted;
  converged += report.converged();
  jammed += report.num_jammed_islands > 0;
  most_redundant_rows = std::max(most_redundant_rows, report.num_redundant_rows);
  largest_loop_mismatch = std::max(largest_loop_mismatch, report.largest_loop_mismatch);
  most_held_contacts = std::max(most_held_contacts, report.num_held_contacts);
  iterations += report.iterations;
  wall_seconds += seconds;
  dissipated += report.dissipated;
  most_contacts = std::max(most_contacts, report.num_contacts);
  softened += report.num_softened_contacts > 0;
  largest_compliance = std::max(largest_compliance, report.largest_compliance);
  largest_relaxed_slip = std::max(largest_relaxed_slip, report.largest_relaxed_slip);
  largest_static_depth = std::max(largest_static_depth, report.largest_static_depth);
  signorini_penetration = std::max(signorini_penetration, report.residuals.signorini_penetration);
  friction_error = std::max(friction_error, report.friction_error);
  // The comparison is negated so that a residual that is not a number is the worst.
  if (worst_step < 0 || !(report.residuals.eps_nat <= worst_residual)) {
    worst_residual = report.residuals.eps_nat;
    worst_time = report.time, worst_step = steps;
    worst_where = report.residuals.worst_constraint < 0 ? "nothing touches" : where_is(simulator, report.worst_contact);
  }
  if (report.largest_penetration > largest_penetration) {
    largest_penetration = report.largest_penetration;
    penetration_time = report.time;
  }
  end_time = simulator.state().time;
}

void RunSummary::finish(Simulator& simulator) {
  last = simulator.report();
  const State& state = simulator.state();
  is_finite = state.q.allFinite() && state.v.allFinite();
  if (is_finite) energy_end = energy_of(simulator);
  for (const Joint& joint : simulator.model().joints) {
    JointState entry{joint.name, joint.kind, {}, {}};
    for (int k = 0; k < joint.num_positions; ++k) entry.q.push_back(state.q[joint.first_position + k]);
    for (int k = 0; k < joint.num_velocities; ++k) entry.v.push_back(state.v[joint.first_velocity + k]);
    joints.push_back(std::move(entry));
  }
}

std::string RunSummary::to_text() const {
  std::ostringstream out;
  out.precision(4);
  for (std::size_t k = 0; k < files.size(); ++k) out << (k ? " + " : "") << files[k];
  out << ": " << plural(num_bodies, "body", "bodies") << ", "
      << plural(num_velocities, "degree of freedom", "degrees of freedom") << ", "
      << plural(num_shapes, "shape", "shapes") << "; solver " << solver << ", dt " << 1e3 * time_step << " ms, "
      << plural(threads, "thread", "threads") << "\n\n";
  out << "steps        " << steps << ", " << start_time << " s to " << end_time << " s";
  if (signal != 0) out << "; stopped by signal " << signal;
  if (!failure.empty()) out << "; stopped: " << failure;
  if (!is_finite) out << "; stopped because positions or velocities are no longer finite";
  out << "\ncertified    " << certified << " of " << steps << "; by the judge " << law_certified << " to " << tolerance;
  if (accepted > law_certified)
    out << " (" << accepted - law_certified << " more accepted to " << acceptable_tolerance << ")";
  out << ", in geometry " << geometry_certified << " (at most " << geometric_tolerance << " m), in energy "
      << energy_certified;
  if (accepted < steps) out << "; " << steps - accepted << " FAILED";
  out << "\n";
  if (steps > 0) {
    out << "worst        eps_nat " << worst_residual << " at " << worst_time << " s: " << worst_where << "\n";
    out << "law          what touches penetrates at up to " << signorini_penetration << " m/s at the end of a step, "
        << "friction is off by up to " << friction_error << " N\n";
  }
  out << "penetration  at most " << largest_penetration << " m";
  if (largest_penetration > 0.0) out << ", at " << penetration_time << " s";
  if (jammed > 0)
    out << "; what is jammed is left as deep as it is (found in " << plural(jammed, "step", "steps") << ")";
  out << "\ngeometry     unforeseen penetration at most " << unforeseen_penetration << " m";
  if (unforeseen_penetration > 0.0) out << ", at " << unforeseen_time << " s";
  out << "; gaps off by at most " << largest_gap_error << " m, normals by " << largest_normal_error << " rad";
  if (rechecked > 0) out << "; " << plural(rechecked, "step", "steps") << " solved again";
  out << "\ncontacts     at the end " << last.num_contacts << " (" << last.num_sticking << " sticking, "
      << last.num_sliding << " sliding, " << last.num_open << " open), at most " << most_contacts;
  if (most_held_contacts > 0) out << "; " << most_held_contacts << " that no joint can part do nothing";
  out << "\n";
  if (largest_compliance > 0.0) {
    out << "compliance   of contacts up to " << largest_compliance << " m/N, compressed by at most "
        << largest_static_depth << " m";
    if (softened > 0) out << "; softened in " << plural(softened, "step", "steps") << ": NOT the rigid law";
    out << "\n";
  }
  if (largest_relaxed_slip > 0.0) {
    out << "friction     relaxed: contacts slip by up to " << largest_relaxed_slip << " m/s; NOT Coulomb's law\n";
  }
  if (most_redundant_rows > 0) {
    out << "loops        " << plural(most_redundant_rows, "row that says", "rows that say")
        << " what others say already left out; they contradict these by at most " << largest_loop_mismatch
        << " m or rad\n";
  }
  out << "energy       kinetic " << energy_begin.kinetic << " to " << energy_end.kinetic << " J, potential "
      << energy_begin.potential << " to " << energy_end.potential << " J; friction took " << std::max(0.0, dissipated)
      << " J; integration error " << energy_error << " J";
  if (largest_energy_gain > 0.0) out << ", largest gain " << largest_energy_gain << " J at " << gain_time << " s";
  if (braked > 0) out << "; trees braked in " << plural(braked, "step", "steps") << ": they turn too far in a step";
  out << "\n";
  out << "speed        " << steps_per_second() << " steps/s, " << real_time_factor() << " times real time\n";
  if (!ignored.empty()) {
    out << "ignored      " << plural(static_cast<long>(ignored.size()), "kind of element", "kinds of elements")
        << " of the files; see: stiction info\n";
  }
  return out.str();
}

}  // namespace stiction::cli
