// What a recording consists of: its tables and the types of their rows. Private to the io room.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "stiction/problem_files/hdf5_table.h"
#include "stiction/sim/simulator.h"

namespace stiction::recording {

inline constexpr char format_name[] = "stiction recording";
inline constexpr int format_version = 7;
inline constexpr int num_stages = static_cast<int>(StepStage::count);  // another number is another version

// Tables in the order of this enumeration. N steps, C contacts, E external forces, S full states.
enum class Table {
  num_steps,      // 1: complete steps; the only value that is ever written twice
  step,           // N: State::step
  time,           // N
  q,              // N × positions
  v,              // N × velocities
  control,        // N × actuators
  report,         // N records
  contact_begin,  // N + 1: contacts of step i are rows contact_begin[i] … contact_begin[i + 1] − 1 of `contacts`
  contacts,       // C records
  // Forces that the caller set: row 0 what was set at the start, row i + 1 what acted in step i.
  joint_force,      // N + 1 × velocities
  external_begin,   // N + 2: those of row r are rows external_begin[r] … external_begin[r + 1] − 1 of `external_forces`
  external_forces,  // E records
  state_after,      // S: how many steps were recorded before; ascending
  state_begin,      // S + 1: its bytes are rows state_begin[k] … state_begin[k + 1] − 1 of `state_bytes`
  state_bytes,
  model,  // bytes of model_storage.h
  count,
};
inline constexpr int num_tables = static_cast<int>(Table::count);
const char* name_of(Table table);

// A report as a record.
struct ReportRow {
  std::int32_t num_contacts, num_sticking, num_sliding, num_open, num_limits, num_dry_frictions, num_loops, num_servos,
      num_saturated_servos, num_islands, num_sleeping_bodies, num_jammed_islands, status, iterations, factorisations,
      worst_constraint, worst_contact, law_certified, accepted, geometry_certified, energy_certified, num_rechecks,
      num_friction_torques, num_held_contacts, num_redundant_rows, num_braked_trees, num_compliant_contacts,
      num_softened_contacts, num_relaxed_contacts, coupling_rounds;
  double eps_abs, eps_rel, eps_nat, natural_map, signorini_complementarity, signorini_penetration, coulomb, dissipation,
      normal_separation, kinetic_energy, potential_energy, constraint_work, dissipated, actuator_work, applied_work,
      damped, energy_error, unforeseen_penetration, largest_gap_error, largest_normal_error, largest_penetration,
      largest_loop_mismatch, largest_compliance, largest_static_depth, largest_relaxed_slip, friction_error,
      surface_work, seconds[num_stages];
};
ReportRow to_row(const StepReport& report);
StepReport from_row(const ReportRow& row,
                    double time);  // throws std::invalid_argument for a status that does not exist

// A contact as a record.
struct ContactRow {
  std::int32_t shape_a, shape_b, body_a, body_b, regime, unused;
  std::uint64_t feature;
  double gap, friction, position[3], frame[9], impulse[3], force[3], velocity[3];
};
ContactRow to_row(const Contact& contact);
Contact from_row(const ContactRow& row, const Model& model);  // throws where it names what the model does not have

// A force on a body as a record.
struct ExternalRow {
  std::int32_t body, unused;
  double force[3], torque[3], point[3];
};
ExternalRow to_row(const BodyWrench& wrench);
BodyWrench from_row(const ExternalRow& row, const Model& model);  // throws where the body does not exist

hdf5::TableType type_of(Table table, int num_positions, int num_velocities, int num_actuators);

// Settings as attributes of the group /settings, solver options as lines "name value" of one of them.
using SolverOptions = std::vector<std::pair<std::string, double>>;
void write_settings(hdf5::File& file, const SimulatorSettings& settings, const SolverOptions& options);
SimulatorSettings read_settings(const hdf5::File& file);
SolverOptions read_solver_options(const hdf5::File& file);
// The name of a setting in which they differ, or empty.
std::string different_setting(const SimulatorSettings& a, const SimulatorSettings& b);

}  // namespace stiction::recording
