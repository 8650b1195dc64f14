#include "stiction/io/recording/recording_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "stiction/math/refuse.h"

namespace stiction::recording {
namespace {

using hdf5::NumberType;
using hdf5::TableMember;

// A file's `status` is the place in this list: new kinds join at its end, so that older files keep their meaning.
constexpr std::array status_codes{SolveStatus::converged,   SolveStatus::acceptable, SolveStatus::iteration_limit,
                                  SolveStatus::stalled,     SolveStatus::ray,        SolveStatus::numerical_error,
                                  SolveStatus::interrupted, SolveStatus::rounding,   SolveStatus::no_solution,
                                  SolveStatus::regularised};

std::int32_t status_code(SolveStatus status) {
  return static_cast<std::int32_t>(std::find(status_codes.begin(), status_codes.end(), status) - status_codes.begin());
}

#define STICTION_INT(member)                          \
  TableMember {                                       \
    #member, NumberType::int32, offsetof(Row, member) \
  }
#define STICTION_DOUBLE(member)                         \
  TableMember {                                         \
    #member, NumberType::float64, offsetof(Row, member) \
  }
#define STICTION_VECTOR(member, size)                         \
  TableMember {                                               \
    #member, NumberType::float64, offsetof(Row, member), size \
  }

std::span<const TableMember> report_members() {
  using Row = ReportRow;
  static const TableMember members[] = {
      STICTION_INT(num_contacts),
      STICTION_INT(num_sticking),
      STICTION_INT(num_sliding),
      STICTION_INT(num_open),
      STICTION_INT(num_limits),
      STICTION_INT(num_dry_frictions),
      STICTION_INT(num_loops),
      STICTION_INT(num_servos),
      STICTION_INT(num_saturated_servos),
      STICTION_INT(num_islands),
      STICTION_INT(num_sleeping_bodies),
      STICTION_INT(num_jammed_islands),
      STICTION_INT(status),
      STICTION_INT(iterations),
      STICTION_INT(factorisations),
      STICTION_INT(worst_constraint),
      STICTION_INT(worst_contact),
      STICTION_INT(law_certified),
      STICTION_INT(accepted),
      STICTION_INT(geometry_certified),
      STICTION_INT(energy_certified),
      STICTION_INT(num_rechecks),
      STICTION_INT(num_friction_torques),
      STICTION_INT(num_held_contacts),
      STICTION_INT(num_redundant_rows),
      STICTION_INT(num_braked_trees),
      STICTION_INT(num_compliant_contacts),
      STICTION_INT(num_softened_contacts),
      STICTION_INT(num_relaxed_contacts),
      STICTION_INT(coupling_rounds),
      STICTION_DOUBLE(eps_abs),
      STICTION_DOUBLE(eps_rel),
      STICTION_DOUBLE(eps_nat),
      STICTION_DOUBLE(natural_map),
      STICTION_DOUBLE(signorini_complementarity),
      STICTION_DOUBLE(signorini_penetration),
      STICTION_DOUBLE(coulomb),
      STICTION_DOUBLE(dissipation),
      STICTION_DOUBLE(normal_separation),
      STICTION_DOUBLE(kinetic_energy),
      STICTION_DOUBLE(potential_energy),
      STICTION_DOUBLE(constraint_work),
      STICTION_DOUBLE(dissipated),
      STICTION_DOUBLE(actuator_work),
      STICTION_DOUBLE(applied_work),
      STICTION_DOUBLE(damped),
      STICTION_DOUBLE(energy_error),
      STICTION_DOUBLE(unforeseen_penetration),
      STICTION_DOUBLE(largest_gap_error),
      STICTION_DOUBLE(largest_normal_error),
      STICTION_DOUBLE(largest_penetration),
      STICTION_DOUBLE(largest_loop_mismatch),
      STICTION_DOUBLE(largest_compliance),
      STICTION_DOUBLE(largest_static_depth),
      STICTION_DOUBLE(largest_relaxed_slip),
      STICTION_DOUBLE(friction_error),
      STICTION_DOUBLE(surface_work),
      STICTION_VECTOR(seconds, num_stages),
  };
  static_assert(sizeof(Row) == 30 * 4 + (27 + num_stages) * 8);
  return members;
}

std::span<const TableMember> contact_members() {
  using Row = ContactRow;
  static const TableMember members[] = {
      STICTION_INT(shape_a),        STICTION_INT(shape_b),
      STICTION_INT(body_a),         STICTION_INT(body_b),
      STICTION_INT(regime),         TableMember{"feature", NumberType::uint64, offsetof(Row, feature)},
      STICTION_DOUBLE(gap),         STICTION_DOUBLE(friction),
      STICTION_VECTOR(position, 3), TableMember{"frame", NumberType::float64, offsetof(Row, frame), 3, 3},
      STICTION_VECTOR(impulse, 3),  STICTION_VECTOR(force, 3),
      STICTION_VECTOR(velocity, 3),
  };
  return members;
}

std::span<const TableMember> external_members() {
  using Row = ExternalRow;
  static const TableMember members[] = {
      STICTION_INT(body),
      STICTION_VECTOR(force, 3),
      STICTION_VECTOR(torque, 3),
      STICTION_VECTOR(point, 3),
  };
  return members;
}

#undef STICTION_INT
#undef STICTION_DOUBLE
#undef STICTION_VECTOR

// A setting by name: all but the name of the solver are numbers.
struct Setting {
  const char* name;
  bool is_whole;
  double (*get)(const SimulatorSettings&);
  void (*set)(SimulatorSettings&, double);
};

using S = SimulatorSettings;

template <class T>
Setting setting(const char* name, double (*get)(const S&), void (*set)(S&, double)) {
  return {name, !std::is_floating_point_v<T>, get, set};
}

#define STICTION_SETTING(member)                                         \
  setting<decltype(S::member)>(                                          \
      #member, [](const S& s) { return static_cast<double>(s.member); }, \
      [](S& s, double x) { s.member = static_cast<decltype(S::member)>(x); })
#define STICTION_PART(part, member)                                           \
  setting<decltype(std::declval<S>().part.member)>(                           \
      #member, [](const S& s) { return static_cast<double>(s.part.member); }, \
      [](S& s, double x) { s.part.member = static_cast<decltype(std::declval<S>().part.member)>(x); })

const std::vector<Setting>& settings_list() {
  static const std::vector<Setting> all = {
      STICTION_SETTING(time_step),
      STICTION_SETTING(tolerance),
      STICTION_SETTING(acceptable_tolerance),
      STICTION_SETTING(absolute_tolerance),
      STICTION_SETTING(geometric_tolerance),
      STICTION_SETTING(energy_tolerance),
      STICTION_SETTING(recheck),
      STICTION_SETTING(max_iterations),
      STICTION_SETTING(on_failure),
      STICTION_SETTING(warm_start),
      STICTION_SETTING(judge),
      // −1: the law of the solver.
      setting<int>(
          "judge_model", [](const S& s) { return s.judge_model ? static_cast<double>(*s.judge_model) : -1.0; },
          [](S& s, double x) {
            s.judge_model = x < 0.0 ? std::nullopt : std::optional(static_cast<ContactModel>(static_cast<int>(x)));
          }),
      STICTION_SETTING(implicit),
      STICTION_SETTING(implicit_turning),
      STICTION_SETTING(threads),
      STICTION_SETTING(sleeping),
      STICTION_SETTING(sleep_speed),
      STICTION_SETTING(sleep_after),
      STICTION_SETTING(sensor_seed),
      STICTION_PART(constraints, baumgarte),
      STICTION_PART(constraints, slop),
      STICTION_PART(constraints, largest_correction),
      STICTION_PART(constraints, project_positions),
      STICTION_PART(constraints, project_loops),
      STICTION_PART(constraints, hold_sticking),
      STICTION_PART(constraints, relative_compliance),
      STICTION_PART(constraints, relative_tangent_compliance),
      STICTION_PART(constraints, tangential_compliance),
      STICTION_PART(constraints, restitution_threshold),
      STICTION_PART(constraints, limit_margin),
      STICTION_PART(collision, margin),
      STICTION_PART(collision, broad_phase),
      STICTION_PART(collision, use_caches),
  };
  return all;
}

#undef STICTION_SETTING
#undef STICTION_PART

}  // namespace

const char* name_of(Table table) {
  static constexpr const char* names[] = {
      "/num_steps",
      "/step",
      "/time",
      "/q",
      "/v",
      "/control",
      "/report",
      "/contact_begin",
      "/contacts",
      "/joint_force",
      "/external_begin",
      "/external_forces",
      "/saved_states/after",
      "/saved_states/begin",
      "/saved_states/bytes",
      "/model",
  };
  static_assert(std::size(names) == num_tables);
  return names[static_cast<int>(table)];
}

hdf5::TableType type_of(Table table, int num_positions, int num_velocities, int num_actuators) {
  switch (table) {
    case Table::time:
      return {};
    case Table::q:
      return {.width = num_positions};
    case Table::v:
    case Table::joint_force:
      return {.width = num_velocities};
    case Table::control:
      return {.width = num_actuators};
    case Table::report:
      return {.members = report_members(), .record_bytes = sizeof(ReportRow)};
    case Table::contacts:
      return {.members = contact_members(), .record_bytes = sizeof(ContactRow)};
    case Table::external_forces:
      return {.members = external_members(), .record_bytes = sizeof(ExternalRow)};
    case Table::state_bytes:
    case Table::model:
      return {.number = NumberType::uint8};
    default:
      return {.number = NumberType::int64};
  }
}

ReportRow to_row(const StepReport& r) {
  ReportRow row{r.num_contacts,
                r.num_sticking,
                r.num_sliding,
                r.num_open,
                r.num_limits,
                r.num_dry_frictions,
                r.num_loops,
                r.num_servos,
                r.num_saturated_servos,
                r.num_islands,
                r.num_sleeping_bodies,
                r.num_jammed_islands,
                status_code(r.status),
                r.iterations,
                r.factorisations,
                r.residuals.worst_constraint,
                r.worst_contact,
                r.law_certified,
                r.accepted,
                r.geometry_certified,
                r.energy_certified,
                r.num_rechecks,
                r.num_friction_torques,
                r.num_held_contacts,
                r.num_redundant_rows,
                r.num_braked_trees,
                r.num_compliant_contacts,
                r.num_softened_contacts,
                r.num_relaxed_contacts,
                r.coupling_rounds,
                r.residuals.eps_abs,
                r.residuals.eps_rel,
                r.residuals.eps_nat,
                r.residuals.natural_map,
                r.residuals.signorini_complementarity,
                r.residuals.signorini_penetration,
                r.residuals.coulomb,
                r.residuals.dissipation,
                r.residuals.normal_separation,
                r.kinetic_energy,
                r.potential_energy,
                r.constraint_work,
                r.dissipated,
                r.actuator_work,
                r.applied_work,
                r.damped,
                r.energy_error,
                r.unforeseen_penetration,
                r.largest_gap_error,
                r.largest_normal_error,
                r.largest_penetration,
                r.largest_loop_mismatch,
                r.largest_compliance,
                r.largest_static_depth,
                r.largest_relaxed_slip,
                r.friction_error,
                r.surface_work,
                {}};
  std::copy(r.seconds.begin(), r.seconds.end(), row.seconds);
  return row;
}

StepReport from_row(const ReportRow& row, double time) {
  if (row.status < 0 || row.status >= static_cast<int>(status_codes.size())) {
    refuse("status ", row.status, " does not exist");
  }
  StepReport r;
  r.time = time;
  r.num_contacts = row.num_contacts, r.num_sticking = row.num_sticking, r.num_sliding = row.num_sliding;
  r.num_open = row.num_open, r.num_limits = row.num_limits, r.num_dry_frictions = row.num_dry_frictions;
  r.num_loops = row.num_loops, r.num_islands = row.num_islands, r.num_sleeping_bodies = row.num_sleeping_bodies;
  r.num_jammed_islands = row.num_jammed_islands;
  r.num_servos = row.num_servos, r.num_saturated_servos = row.num_saturated_servos;
  r.status = status_codes[row.status];
  r.iterations = row.iterations, r.factorisations = row.factorisations;
  r.residuals = {.eps_abs = row.eps_abs,
                 .eps_rel = row.eps_rel,
                 .eps_nat = row.eps_nat,
                 .natural_map = row.natural_map,
                 .signorini_complementarity = row.signorini_complementarity,
                 .signorini_penetration = row.signorini_penetration,
                 .coulomb = row.coulomb,
                 .dissipation = row.dissipation,
                 .normal_separation = row.normal_separation,
                 .worst_constraint = row.worst_constraint};
  r.worst_contact = row.worst_contact;
  r.law_certified = row.law_certified != 0;
  r.geometry_certified = row.geometry_certified != 0;
  r.energy_certified = row.energy_certified != 0;
  r.num_rechecks = row.num_rechecks;
  r.num_friction_torques = row.num_friction_torques, r.num_held_contacts = row.num_held_contacts;
  r.num_redundant_rows = row.num_redundant_rows, r.largest_loop_mismatch = row.largest_loop_mismatch;
  r.num_braked_trees = row.num_braked_trees;
  r.num_compliant_contacts = row.num_compliant_contacts, r.num_softened_contacts = row.num_softened_contacts;
  r.num_relaxed_contacts = row.num_relaxed_contacts, r.largest_relaxed_slip = row.largest_relaxed_slip;
  r.largest_compliance = row.largest_compliance, r.largest_static_depth = row.largest_static_depth;
  r.coupling_rounds = row.coupling_rounds, r.friction_error = row.friction_error;
  r.surface_work = row.surface_work;
  r.accepted = row.accepted != 0;
  r.kinetic_energy = row.kinetic_energy, r.potential_energy = row.potential_energy;
  r.constraint_work = row.constraint_work, r.dissipated = row.dissipated;
  r.actuator_work = row.actuator_work, r.applied_work = row.applied_work;
  r.damped = row.damped, r.energy_error = row.energy_error;
  r.unforeseen_penetration = row.unforeseen_penetration, r.largest_gap_error = row.largest_gap_error;
  r.largest_normal_error = row.largest_normal_error;
  r.largest_penetration = row.largest_penetration;
  std::copy(std::begin(row.seconds), std::end(row.seconds), r.seconds.begin());
  return r;
}

namespace {

void put(double (&to)[3], const Vector3& v) {
  for (int k = 0; k < 3; ++k) to[k] = v[k];
}

Vector3 vector_of(const double (&from)[3]) {
  return {from[0], from[1], from[2]};
}

}  // namespace

ContactRow to_row(const Contact& c) {
  ContactRow row{};
  row.shape_a = c.point.id.shape_a, row.shape_b = c.point.id.shape_b;
  row.body_a = c.body_a, row.body_b = c.body_b;
  row.regime = static_cast<std::int32_t>(c.regime);
  row.feature = c.point.id.feature;
  row.gap = c.point.gap, row.friction = c.friction;
  put(row.position, c.point.position), put(row.impulse, c.impulse), put(row.force, c.force);
  put(row.velocity, c.velocity);
  for (int k = 0; k < 9; ++k) row.frame[k] = c.frame(k / 3, k % 3);
  return row;
}

Contact from_row(const ContactRow& row, const Model& model) {
  for (int shape : {row.shape_a, row.shape_b}) {
    if (shape < 0 || shape >= static_cast<int>(model.shapes.size())) refuse("shape ", shape, " does not exist");
  }
  if (row.regime < 0 || row.regime > static_cast<int>(ContactRegime::sliding)) {
    refuse("regime ", row.regime, " does not exist");
  }
  Contact c;
  c.point.id = {row.shape_a, row.shape_b, row.feature};
  c.body_a = model.shapes[row.shape_a].body, c.body_b = model.shapes[row.shape_b].body;
  c.regime = static_cast<ContactRegime>(row.regime);
  c.point.gap = row.gap, c.friction = row.friction;
  c.point.position = vector_of(row.position), c.impulse = vector_of(row.impulse), c.force = vector_of(row.force);
  c.velocity = vector_of(row.velocity);
  for (int k = 0; k < 9; ++k) c.frame(k / 3, k % 3) = row.frame[k];
  c.point.normal = c.frame.col(2);
  return c;
}

ExternalRow to_row(const BodyWrench& w) {
  ExternalRow row{};
  row.body = w.body;
  put(row.force, w.force), put(row.torque, w.torque), put(row.point, w.point);
  return row;
}

BodyWrench from_row(const ExternalRow& row, const Model& model) {
  if (row.body < 0 || row.body >= model.num_bodies()) refuse("body ", row.body, " does not exist");
  return {row.body, vector_of(row.force), vector_of(row.torque), vector_of(row.point)};
}

void write_settings(hdf5::File& file, const SimulatorSettings& settings, const SolverOptions& options) {
  file.make_group("/settings");
  file.write_string_attribute("/settings", "solver", settings.solver);
  for (const Setting& s : settings_list()) {
    if (s.is_whole) {
      file.write_int_attribute("/settings", s.name, static_cast<int>(s.get(settings)));
    } else {
      file.write_double_attribute("/settings", s.name, s.get(settings));
    }
  }
  std::ostringstream lines;
  lines.precision(17);
  for (const auto& [name, value] : options) lines << name << " " << value << "\n";
  file.write_string_attribute("/settings", "solver_options", lines.str());
}

namespace {

bool is_younger_than_format(std::string_view name) {
  return name == "relative_compliance" || name == "relative_tangent_compliance" || name == "tangential_compliance" ||
         name == "absolute_tolerance" || name == "sensor_seed";
}

}  // namespace

SimulatorSettings read_settings(const hdf5::File& file) {
  SimulatorSettings settings;
  settings.solver = file.read_string_attribute("/settings", "solver");
  for (const Setting& s : settings_list()) {
    // Younger than the format: files without it hold runs without it.
    if (is_younger_than_format(s.name) && !file.has_attribute("/settings", s.name)) continue;
    const double value = file.read_double_attribute("/settings", s.name);
    // Also keeps the conversion to a number of the setting's own type defined.
    if (!std::isfinite(value) || (s.is_whole && (value != std::floor(value) || std::abs(value) > 2147483647.0))) {
      file.refuse("/settings", message("attribute ", s.name, " is ", value));
    }
    s.set(settings, value);
  }
  if (static_cast<int>(settings.on_failure) < 0 || static_cast<int>(settings.on_failure) > 1 ||
      static_cast<int>(settings.collision.broad_phase) < 0 || static_cast<int>(settings.collision.broad_phase) > 2) {
    file.refuse("/settings", "attribute on_failure or broad_phase is out of range");
  }
  if (settings.judge_model && *settings.judge_model > ContactModel::max_dissipation) {
    file.refuse("/settings", "attribute judge_model is out of range");
  }
  return settings;
}

SolverOptions read_solver_options(const hdf5::File& file) {
  SolverOptions options;
  std::istringstream lines(file.read_string_attribute("/settings", "solver_options"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    char* end = nullptr;
    const double value = space == std::string::npos ? 0.0 : std::strtod(line.c_str() + space + 1, &end);
    if (end == nullptr || *end != '\0')
      file.refuse("/settings", "attribute solver_options has the line '" + line + "'");
    options.emplace_back(line.substr(0, space), value);
  }
  return options;
}

std::string different_setting(const SimulatorSettings& a, const SimulatorSettings& b) {
  if (a.solver != b.solver) return "solver";
  for (const Setting& s : settings_list()) {
    if (s.get(a) != s.get(b)) return s.name;
  }
  return {};
}

}  // namespace stiction::recording
