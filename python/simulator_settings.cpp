// The settings of a simulator by name, to and from Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "expose.h"
#include "fields.h"
#include "shared_simulator.h"

namespace stiction::python {
namespace {

// ---- settings: those of the step, of constraints and of collision, by one flat list of names

using S = SimulatorSettings;
const std::vector<std::string> broad_phases = {"automatic", "pair_list", "many_bodies"};
// The law of the solver, or one of all in the order of ContactModel.
const std::vector<std::string> laws = {"own", "ncp", "ccp", "lcp", "raisim", "frictionless", "max_dissipation"};
const std::vector<std::string> policies = {"report", "raise"};

struct Setting {
  Field<S> field;
  nb::object (*get)(const S& settings);
};

template <auto member>
Setting setting(const char* name, const char* stub) {
  return {field<member>(name, stub), [](const S& s) { return nb::cast(s.*member); }};
}
template <auto part, auto member>
Setting part_setting(const char* name, const char* stub) {
  return {{name, stub, [](S& s, const Argument& a) { read(a, s.*part.*member); }},
          [](const S& s) { return nb::cast(s.*part.*member); }};
}

const std::vector<Setting>& settings() {
  using Rows = ConstraintSettings;
  using Near = CollisionSettings;
  constexpr auto rows = &S::constraints;
  constexpr auto near = &S::collision;
  static const std::vector<Setting> all = {
      setting<&S::time_step>("time_step", "float = 0.0"),
      setting<&S::solver>("solver", "str = 'auto'"),
      setting<&S::tolerance>("tolerance", "float = 1e-9"),
      setting<&S::acceptable_tolerance>("acceptable_tolerance", "float = 1e-6"),
      setting<&S::absolute_tolerance>("absolute_tolerance", "float = 0.0"),
      setting<&S::geometric_tolerance>("geometric_tolerance", "float = 1e-3"),
      setting<&S::energy_tolerance>("energy_tolerance", "float = 1e-2"),
      setting<&S::recheck>("recheck", "bool = True"),
      setting<&S::max_iterations>("max_iterations", "int = 300"),
      {{"on_failure", "str = 'report'",
        [](S& s, const Argument& a) { s.on_failure = static_cast<FailurePolicy>(read_choice(a, policies)); }},
       [](const S& s) { return nb::cast(policies[static_cast<int>(s.on_failure)]); }},
      setting<&S::warm_start>("warm_start", "bool = True"),
      setting<&S::judge>("judge", "bool = True"),
      {{"judge_model", "str = 'own'",
        [](S& s, const Argument& a) {
          const int choice = static_cast<int>(read_choice(a, laws));
          s.judge_model = choice == 0 ? std::nullopt : std::optional(static_cast<ContactModel>(choice - 1));
        }},
       [](const S& s) { return nb::cast(laws[s.judge_model ? static_cast<int>(*s.judge_model) + 1 : 0]); }},
      setting<&S::implicit>("implicit", "bool = True"),
      setting<&S::implicit_turning>("implicit_turning", "bool = True"),
      setting<&S::threads>("threads", "int = 1"),
      setting<&S::sleeping>("sleeping", "bool = False"),
      setting<&S::sleep_speed>("sleep_speed", "float = 1e-6"),
      setting<&S::sleep_after>("sleep_after", "int = 50"),
      setting<&S::sensor_seed>("sensor_seed", "int = 0"),
      setting<&S::timed_every>("timed_every", "int = 37"),
      part_setting<rows, &Rows::baumgarte>("baumgarte", "float = 0.2"),
      part_setting<rows, &Rows::slop>("slop", "float = 0.0"),
      part_setting<rows, &Rows::largest_correction>("largest_correction", "float = 1.0"),
      part_setting<rows, &Rows::project_positions>("project_positions", "bool = False"),
      part_setting<rows, &Rows::project_loops>("project_loops", "bool = True"),
      part_setting<rows, &Rows::hold_sticking>("hold_sticking", "bool = True"),
      part_setting<rows, &Rows::relative_compliance>("relative_compliance", "float = 0.0"),
      part_setting<rows, &Rows::relative_tangent_compliance>("relative_tangent_compliance", "float = 0.0"),
      part_setting<rows, &Rows::tangential_compliance>("tangential_compliance", "float = 0.0"),
      part_setting<rows, &Rows::restitution_threshold>("restitution_threshold", "float = 1e-2"),
      part_setting<rows, &Rows::limit_margin>("limit_margin", "float = 1e-2"),
      part_setting<near, &Near::margin>("margin", "float = 1e-3"),
      {{"broad_phase", "str = 'automatic'",
        [](S& s, const Argument& a) {
          s.collision.broad_phase = static_cast<BroadPhase>(read_choice(a, broad_phases));
        }},
       [](const S& s) { return nb::cast(broad_phases[static_cast<int>(s.collision.broad_phase)]); }},
      part_setting<near, &Near::use_caches>("use_caches", "bool = True"),
  };
  return all;
}

const Fields<S>& setting_fields() {
  static const Fields<S> fields = [] {
    Fields<S> list;
    for (const Setting& s : settings()) list.push_back(s.field);
    return list;
  }();
  return fields;
}

}  // namespace

nb::dict settings_of(const SimulatorSettings& values) {
  nb::dict dict;
  for (const Setting& s : settings()) dict[s.field.name] = s.get(values);
  return dict;
}

SimulatorSettings to_settings(const nb::kwargs& keywords) {
  S values;
  nb::dict named;
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    const char* const full = name == "dt" ? "time_step" : name.c_str();
    if (named.contains(full)) throw nb::type_error("dt and time_step are the same setting");
    named[full] = value;
  }
  set_fields("Simulator", setting_fields(), values, named);
  return values;
}

std::string settings_stub() {
  return stub_of(setting_fields());
}

}  // namespace stiction::python
