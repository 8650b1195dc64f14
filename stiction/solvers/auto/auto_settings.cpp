#include "stiction/solvers/auto/auto_settings.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Names settings as those of one part, "dense.patience". Takes no memory unless it refuses: a solver is made within a
// step.
class Ranges {
 public:
  explicit Ranges(std::string_view part) : part_(part) {}

  void positive(const char* name, double value) const {
    if (!(value > 0.0 && std::isfinite(value))) refuse(part_, name, " is ", value, "; it must be positive and finite");
  }
  void not_negative(const char* name, double value) const {
    if (!(value >= 0.0 && std::isfinite(value))) refuse(part_, name, " is ", value, "; it must be at least 0, finite");
  }
  void inside(const char* name, double value, double low, double high) const {
    if (!(value > low && value < high)) {
      refuse(part_, name, " is ", value, "; it must be more than ", low, " and less than ", high);
    }
  }
  void within(const char* name, double value, double low, double high) const {
    if (!(value >= low && value <= high)) refuse(part_, name, " is ", value, "; it must be ", low, " … ", high);
  }
  void at_least(const char* name, double value, double least) const {
    if (!(value >= least && std::isfinite(value))) refuse(part_, name, " is ", value, "; it must be at least ", least);
  }

 private:
  std::string_view part_;
};

}  // namespace

void AutoProximalSettings::validate() const {
  const Ranges check("proximal.");
  check.positive("first", first);
  check.positive("least", least);
  check.positive("most", most);
  check.inside("fall", fall, 0.0, 1.0);
  check.inside("rise", rise, 1.0, infinity);
  check.at_least("patience", patience, 1);
  check.at_least("early", early, 0);
  check.inside("settled", settled, 0.0, 1.0);
  require(creeping > 0.0, "proximal.creeping", creeping, "positive; infinite: nothing creeps");
}

void AutoDenseSettings::validate() const {
  const Ranges check("dense.");
  check.at_least("sweeps", sweeps, 0);
  check.at_least("few_contacts", few_contacts, 0);
  check.not_negative("light_coupling", light_coupling);
  check.at_least("patience", patience, 1);
  check.not_negative("release_below", release_below);
  check.not_negative("refine_below", refine_below);
  check.inside("worthwhile", worthwhile, 0.0, 1.0);
  check.at_least("newton_steps", newton_steps, 0);
  check.at_least("compliant_steps", compliant_steps, 0);
  check.at_least("restarts", restarts, 0);
  check.at_least("near_restarts", near_restarts, 0);
  check.not_negative("near", near);
  for (const double epsilon : proximal) check.positive("proximal", epsilon);
  check.not_negative("edge", edge);
  check.not_negative("wide_edge", wide_edge);
  check.not_negative("in_motion", in_motion);
  check.positive("seen_rounding", seen_rounding);
  compliant.validate();
}

void AutoManyBodiesSettings::validate() const {
  const Ranges check("many_bodies.");
  require(relaxation >= 1.0 && relaxation < 2.0, "many_bodies.relaxation", relaxation, "in [1, 2)");
  check.at_least("max_sweeps", max_sweeps, 0);
  check.at_least("watch", watch, 1);
  check.at_least("patience", patience, 1);
  check.at_least("full_sweep_every", full_sweep_every, 1);
  check.within("quiet", quiet, 0.0, 1.0);
  check.positive("worth_testing", worth_testing);
  check.positive("growth", growth);
  check.at_least("tolerated_rise", tolerated_rise, 1.0);
}

void AutoNewtonSettings::validate() const {
  const Ranges check("newton.");
  check.inside("worthwhile", worthwhile, 0.0, 1.0);
  check.at_least("look_every", look_every, 1);
  check.at_least("settled_every", settled_every, 1);
  check.not_negative("turn", turn);
  check.not_negative("cold_turn", cold_turn);
  check.not_negative("near", near);
  check.not_negative("cold_beyond", cold_beyond);
}

void AutoContactSpaceSettings::validate() const {
  const Ranges check("contact_space.");
  check.not_negative("near", near);
  check.positive("near_start", near_start);
  check.positive("least_start", least_start);
  check.at_least("near_patience", near_patience, 1);
  for (const double of_path : delta)
    require(of_path >= 0.0 && of_path < 1.0, "contact_space.delta", of_path, "in [0, 1)");
  for (const int most : factorisations) check.at_least("factorisations", most, 0);
  check.positive("path_start", path_start);
  check.not_negative("nearly_found", nearly_found);
  check.positive("usual_products", usual_products);
  check.at_least("least_factorisations", least_factorisations, 0);
  newton.validate();
}

void AutoVelocitySpaceSettings::validate() const {
  const Ranges check("velocity_space.");
  check.not_negative("near", near);
  check.positive("near_start", near_start);
  check.at_least("probe_rounds", probe_rounds, 0);
  check.positive("probe_eta", probe_eta);
  check.positive("probe_eta_of_piles", probe_eta_of_piles);
  check.at_least("few_nodes", few_nodes, 0);
  check.at_least("many_nodes", many_nodes, 0);
  check.at_least("bent_nodes", bent_nodes, 0);
  check.at_least("large_nodes", large_nodes, 0);
  check.positive("high_floor", high_floor);
  check.at_least("short_patience", short_patience, 1);
  check.within("much_violation", much_violation, 0.0, 1.0);
  check.at_least("fold_rounds", fold_rounds, 0);
  check.inside("hardly", hardly, 0.0, 1.0);
  check.not_negative("fold_reserve", fold_reserve);
  check.not_negative("at_rest", at_rest);
  check.positive("well_before", well_before);
  check.at_least("centring_steps", centring_steps, 0);
  for (const double of_path : delta)
    require(of_path >= 0.0 && of_path < 1.0, "velocity_space.delta", of_path, "in [0, 1)");
  for (const int most : factorisations) check.at_least("factorisations", most, 0);
  check.positive("path_start", path_start);
  check.not_negative("least_path", least_path);
  check.not_negative("nearly_found", nearly_found);
  check.at_least("retries", retries, 0);
  check.inside("stricter", stricter, 0.0, 1.0);
  check.positive("usual_products", usual_products);
  check.positive("most_products", most_products);
  check.positive("nodes_ordered", nodes_ordered);
  check.at_least("most_nodes", most_nodes, 0);
  check.at_least("least_factorisations", least_factorisations, 0);
  check.at_least("long_double_size", long_double_size, 0);
  newton.validate();
}

void AutoLastResortSettings::validate() const {
  const Ranges check("last_resort.");
  for (const double eta : proximal) check.positive("proximal", eta);
  check.at_least("max_steps", max_steps, 0);
  check.at_least("first_sweeps", first_sweeps, 0);
  check.at_least("sweeps_per_step", sweeps_per_step, 0);
}

void AutoHeapSettings::validate() const {
  const Ranges check("heap.");
  check.at_least("least_nodes", least_nodes, 0);
  check.not_negative("least_compliance", least_compliance);
  check.positive("contacts_per_pair", contacts_per_pair);
  check.at_least("most_sweeps", most_sweeps, 0);
  check.at_least("most_nodes_for_others", most_nodes_for_others, 0);
  check.at_least("factorisations_beyond", factorisations_beyond, 0);
  check.within("columns", columns, 0, 16);
  check.within("columns_of_large", columns_of_large, 0, 16);
  check.at_least("large_constraints", large_constraints, 0);
  sweeps.validate();
}

void AutoTuning::validate() const {
  heap.validate();
  dense.validate();
  many_bodies.validate();
  contact_space.validate();
  velocity_space.validate();
  last_resort.validate();
}

}  // namespace stiction
