#include "stiction/sim/servo_limits.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double well_within = 0.8;      // of the limits: rows become free below it
constexpr double at_limit = 1.0 - 1e-9;  // saturated, to the solver's tolerance

// Whether one step may lead to the knots: by the order of the speeds in it.
bool is_near(const ServoLaw& law, double v, double v_end) {
  return law.distance_to_knots(v_end) <= std::abs(v) + std::abs(v_end);
}

// The limits, drawn together to a share of their range; of one without end, to a share of its size from it.
bool is_inside(const ServoLine& line, double force, double share) {
  const bool both = std::isfinite(line.lower) && std::isfinite(line.upper);
  const double inset_upper = (1.0 - share) * (both ? 0.5 * (line.upper - line.lower) : std::abs(line.upper));
  const double inset_lower = (1.0 - share) * (both ? 0.5 * (line.upper - line.lower) : std::abs(line.lower));
  return (!std::isfinite(line.upper) || force <= line.upper - inset_upper) &&
         (!std::isfinite(line.lower) || force >= line.lower + inset_lower);
}

bool has_limit(const Actuator& a) {
  return std::isfinite(a.force_lower) || std::isfinite(a.force_upper);
}
bool has_gain(const Actuator& a) {
  if (a.kind == ActuatorKind::affine) {
    const auto may_resist = [&](int k) { return a.gain[k] != 0.0 || a.bias[k] < 0.0; };
    return a.gear != 0.0 && (may_resist(1) || may_resist(2));
  }
  return a.gear != 0.0 && (a.kind == ActuatorKind::position || a.kind == ActuatorKind::velocity) &&
         (a.kp > 0.0 || a.kd > 0.0);
}

}  // namespace

ServoLimits::ServoLimits(const Model& model) {
  int most = 0;
  for (int j = 0; j < model.num_velocities(); ++j) {
    bool gain = false, limit = std::isfinite(model.dofs[j].effort_limit);
    const int first = static_cast<int>(members_.size());
    for (std::size_t i = 0; i < model.actuators.size(); ++i) {
      if (model.actuators[i].dof != j) continue;
      members_.push_back(static_cast<int>(i));
      gain = gain || has_gain(model.actuators[i]);
      limit = limit || (has_gain(model.actuators[i]) && has_limit(model.actuators[i]));
    }
    if (!gain || !limit) {
      members_.resize(first);
      continue;
    }
    limited_.push_back({.dof = j,
                        .tree = model.bodies[model.dofs[j].body].tree,
                        .first = first,
                        .end = static_cast<int>(members_.size()),
                        .effort_limit = model.dofs[j].effort_limit,
                        .stays = {}});
    most = std::max(most, limited_.back().end - first);
  }
  lines_.resize(members_.size());
  rows_.reserve(2 * members_.size() + 3 * limited_.size());
  law_.reserve(most);
}

bool ServoLimits::is_within(const Limited& l, double v) const {
  double total = 0.0;
  for (int m = l.first; m < l.end; ++m) {
    const ServoLine& line = lines_[m];
    const double force = line.force - line.slope * v;  // without gain it is within already
    if (!(force >= line.lower && force <= line.upper)) return false;
    total += force;
  }
  return std::abs(total) <= l.effort_limit;
}

bool ServoLimits::is_well_within(const Limited& l, double v) const {
  double total = 0.0;
  for (int m = l.first; m < l.end; ++m) {
    const double force = lines_[m].force - lines_[m].slope * v;
    if (lines_[m].slope > 0.0 && !is_inside(lines_[m], force, well_within)) return false;
    total += force;
  }
  return std::abs(total) <= well_within * l.effort_limit;
}

void ServoLimits::build_law(const Limited& l) {
  law_.build({lines_.data() + l.first, lines_.data() + l.end}, l.effort_limit);
}

// Once in a step, and only where one of them is not free.
void ServoLimits::read_lines(const Actuation& actuation) {
  if (has_lines_) return;
  has_lines_ = true;
  for (Limited& l : limited_) {
    double slope = 0.0;
    for (int m = l.first; m < l.end; ++m) {
      lines_[m] = actuation.line(members_[m]);
      slope += lines_[m].slope;
    }
    l.active = slope > 0.0 && !(asleep_ && asleep_[l.tree]);  // without gain Actuation has all of it
    l.way = Way::free;
    l.first_row = l.end_row = 0;
  }
}

// The law is built.
void ServoLimits::take(Limited& l, Way way, double v, Actuation& actuation) {
  l.way = way;
  if (way == Way::rows || way == Way::free) return;  // see collect_rows()
  const ServoTangent end = law_.end(way == Way::below ? ServoLaw::Place::below : ServoLaw::Place::above);
  actuation.set_driven(l.dof, end, v);
}

void ServoLimits::collect_rows(const double* v, Actuation& actuation) {
  rows_.clear();
  for (Limited& l : limited_) {
    l.first_row = static_cast<int>(rows_.size());
    if (l.way == Way::rows) {
      build_law(l);
      l.stays = law_.split(l.dof, time_step_, rows_);
      actuation.set_driven(l.dof, l.stays, v[l.dof]);
    }
    l.end_row = static_cast<int>(rows_.size());
  }
}

void ServoLimits::begin(std::span<const WarmStart> warm_starts, const double* v, const char* asleep, double time_step,
                        Actuation& actuation) {
  time_step_ = time_step;
  asleep_ = asleep;
  has_lines_ = any_limited_ = false;
  num_servos_ = num_saturated_ = 0;
  rows_.clear();
  bool any_rows = false;
  // Servos come last.
  for (auto it = warm_starts.rbegin(); it != warm_starts.rend() && it->id.source == ConstraintSource::servo; ++it) {
    read_lines(actuation);
    const auto l = std::lower_bound(limited_.begin(), limited_.end(), it->id.first,
                                    [](const Limited& a, int dof) { return a.dof < dof; });
    if (l == limited_.end() || l->dof != it->id.first || !l->active) continue;
    if (it->id.second >= 0) {
      any_rows = true;
      l->way = Way::rows;
      continue;
    }
    build_law(*l);
    const ServoLaw::Place place = law_.place(v[l->dof]);
    if (place == ServoLaw::Place::between || is_within(*l, v[l->dof])) continue;
    take(*l, place == ServoLaw::Place::below ? Way::below : Way::above, v[l->dof], actuation);
  }
  if (any_rows) collect_rows(v, actuation);
  any_limited_ = has_lines_;
}

bool ServoLimits::check_free_velocity(const double* v, const double* v_free, Actuation& actuation) {
  if (!any_limited_) return false;  // nearly always; what changes now is seen at the end of the step
  bool changed = false, rows = false;
  for (Limited& l : limited_) {
    const double x = v_free[l.dof];
    if (!l.active || l.way == Way::rows || (l.way == Way::free && is_within(l, x))) continue;
    build_law(l);
    const ServoLaw::Place place = law_.place(x);
    Way way = place == ServoLaw::Place::below ? Way::below : Way::above;
    if (place == ServoLaw::Place::between) way = Way::rows;
    if (l.way == way && is_near(law_, v[l.dof], x)) way = Way::rows;
    if (l.way != Way::free && l.way != way) way = Way::rows;
    if (l.way == way) continue;
    changed = true;
    rows = rows || way == Way::rows;
    take(l, way, v[l.dof], actuation);
  }
  if (rows) collect_rows(v, actuation);
  any_limited_ = any_limited_ || changed;
  return changed;
}

bool ServoLimits::check_end_velocity(const double* v, const double* v_end, Actuation& actuation) {
  if (limited_.empty() || (!any_limited_ && actuation.is_within_limits(v_end))) return false;
  read_lines(actuation);
  bool changed = false;
  for (Limited& l : limited_) {
    const double x = v_end[l.dof];
    if (!l.active || l.way == Way::rows || (l.way == Way::free && is_within(l, x))) continue;
    if (l.way != Way::free) {
      build_law(l);
      if (law_.place(x) == (l.way == Way::below ? ServoLaw::Place::below : ServoLaw::Place::above)) continue;
    }
    l.way = Way::rows;
    changed = true;
  }
  if (changed) collect_rows(v, actuation);
  any_limited_ = any_limited_ || changed;
  return changed;
}

// Rows are summed, so that what is told is what acted; everything else is S(v⁺).
void ServoLimits::finish_one(const Limited& l, double v_end, std::span<const Pack4> impulse, Actuation& actuation) {
  double total = 0.0, raw = 0.0;
  for (int m = l.first; m < l.end; ++m) raw += lines_[m].at(v_end);
  if (l.way == Way::rows) {
    total = l.stays.force - l.stays.slope * v_end;
    for (int r = l.first_row; r < l.end_row; ++r) total += rows_[r].sign * impulse[r][0] / time_step_;
    if (l.end == l.first + 1) total = std::clamp(total, lines_[l.first].lower, lines_[l.first].upper);
  } else {
    total = raw;
  }
  total = std::clamp(total, -l.effort_limit, l.effort_limit);
  actuation.set_actuator_force(l.dof, total);
  const bool one = l.end == l.first + 1;
  const double share = std::abs(raw) > l.effort_limit ? l.effort_limit / std::abs(raw) : 1.0;
  const bool held = std::abs(total) >= at_limit * l.effort_limit;
  for (int m = l.first; m < l.end; ++m) {
    const ServoLine& line = lines_[m];
    const double force = one ? total : share * line.at(v_end);
    actuation.set_actuator_forces(members_[m], force);
    if (!l.active || l.way == Way::free || line.slope == 0.0) continue;
    ++num_servos_;
    num_saturated_ += held || !line.is_within(v_end) || !is_inside(line, force, at_limit);
  }
}

void ServoLimits::finish(const double* v_end, std::span<const Pack4> impulse, Actuation& actuation) {
  if (!any_limited_ && !asleep_) return;
  read_lines(actuation);
  for (const Limited& l : limited_) {
    if (l.active && l.way == Way::free) continue;  // Actuation has it: nothing was limited
    finish_one(l, v_end[l.dof], impulse, actuation);
  }
}

void ServoLimits::remember(const double* v, const double* v_end, std::span<const Pack4> impulse,
                           std::vector<WarmStart>& out) {
  if (!any_limited_) return;
  for (const Limited& l : limited_) {
    if (!l.active || l.way == Way::free) continue;
    const double x = v_end[l.dof];
    bool saturated = l.way != Way::rows;
    if (l.way == Way::rows) {
      if (is_well_within(l, x)) continue;
      build_law(l);
      saturated = law_.place(x) != ServoLaw::Place::between && !is_near(law_, v[l.dof], x);
    }
    if (saturated) {
      out.push_back({.id = {.source = ConstraintSource::servo, .first = l.dof, .second = -1}});
      continue;
    }
    for (int r = l.first_row; r < l.end_row; ++r) {
      out.push_back({.id = {.source = ConstraintSource::servo, .first = l.dof, .second = rows_[r].part},
                     .impulse = {impulse[r][0], 0.0, 0.0}});
    }
  }
}

void ServoLimits::hold_at(const double* v, const double* v_end, Actuation& actuation) {
  asleep_ = nullptr;
  has_lines_ = false;
  read_lines(actuation);
  for (const Limited& l : limited_) {
    if (!l.active || is_within(l, v_end[l.dof])) continue;
    build_law(l);
    actuation.set_driven(l.dof, law_.tangent(v_end[l.dof]), v[l.dof]);
  }
}

}  // namespace stiction
