#include "stiction/sim/transmissions.h"

#include <algorithm>
#include <cmath>

#include "stiction/sim/actuator_law.h"

namespace stiction {
namespace {

// Seen along the length: gear included.
ServoLine seen_through_gear(const Actuator& a, const ServoTangent& own) {
  return {.force = a.gear * own.force,
          .slope = a.gear * a.gear * own.slope,
          .lower = a.gear == 0.0 ? 0.0 : std::min(a.gear * a.force_lower, a.gear * a.force_upper),
          .upper = a.gear == 0.0 ? 0.0 : std::max(a.gear * a.force_lower, a.gear * a.force_upper)};
}

// At the beginning of the step, as a force.
void make_explicit(double rate, ServoLine& line) {
  line.force -= line.slope * rate;
  line.slope = 0.0;
}

void clamp_without_gain(ServoLine& line) {
  if (line.slope > 0.0) return;
  line.slope = 0.0;
  line.force = std::clamp(line.force, line.lower, line.upper);
}

double stretch_of(const Tendon& t, double length) {
  return length < t.rest_lower ? length - t.rest_lower : length > t.rest_upper ? length - t.rest_upper : 0.0;
}

}  // namespace

Transmissions::Transmissions(const Model& model) : lengths_(model) {
  if (!any()) return;
  other_lengths_ = lengths_;
  force_.setZero(model.num_velocities());
  std::size_t most = 3;
  for (int k = 0; k < lengths_.size(); ++k) {
    Length& length = by_length_.emplace_back();
    length.first = static_cast<int>(members_.size());
    for (int i = 0; i < static_cast<int>(model.actuators.size()); ++i) {
      if (lengths_.of_actuator(i) == k) members_.push_back({i, {}});
    }
    length.end = static_cast<int>(members_.size());
    length.passive.reserve(3);
    most = std::max(most, static_cast<std::size_t>(length.end - length.first));
  }
  law_.reserve(static_cast<int>(most));
  lines_.reserve(most);
  rows_.reserve(3 * members_.size() + 8 * by_length_.size());
}

void Transmissions::set_passive(const Tendon& t, int k, double time_step, bool implicit) {
  std::vector<ServoLine>& lines = by_length_[k].passive;
  lines.clear();
  const double length = lengths_.length(k), ahead = implicit ? time_step : 0.0;
  if (t.stiffness > 0.0) {
    const auto spring = [&](double rest, double lower, double upper) {
      lines.push_back({t.stiffness * (rest - length), ahead * t.stiffness, lower, upper});
    };
    if (t.rest_lower == t.rest_upper) {
      spring(t.rest_lower, -no_limit, no_limit);
    } else {  // slack between
      spring(t.rest_lower, 0.0, no_limit);
      spring(t.rest_upper, -no_limit, 0.0);
    }
  }
  if (t.damping > 0.0) {
    lines.push_back({0.0, t.damping, -no_limit, no_limit});
    if (!implicit) make_explicit(by_length_[k].rate, lines.back());
  }
  for (ServoLine& line : lines) clamp_without_gain(line);
}

void Transmissions::set_actuators(const Model& model, int k, const double* control, const double* activation,
                                  double time_step, bool implicit) {
  const Length& length = by_length_[k];
  for (int m = length.first; m < length.end; ++m) {
    const Actuator& a = model.actuators[members_[m].actuator];
    double u = std::clamp(control[members_[m].actuator], a.control_lower, a.control_upper);
    if (a.first_activation >= 0) u = acting_input(a, u, activation[a.first_activation], time_step);
    ServoLine line = seen_through_gear(
        a, actuator_line(a, u, a.gear * lengths_.length(k), a.gear * length.rate, implicit ? time_step : 0.0));
    if (!implicit) make_explicit(length.rate, line);
    clamp_without_gain(line);
    members_[m].line = line;
  }
}

double Transmissions::effort_limit(const Model& model, int k) const {
  return k < static_cast<int>(model.tendons.size()) ? model.tendons[k].effort_limit : no_limit;
}

void Transmissions::build_active_law(const Model& model, int k) {
  lines_.clear();
  for (int m = by_length_[k].first; m < by_length_[k].end; ++m) lines_.push_back(members_[m].line);
  law_.build(lines_, effort_limit(model, k));
}

// Springs and dampers apart from actuators, whose sum may be limited; the lines that stay of both are one row.
void Transmissions::add_rows(const Model& model, int k, double time_step) {
  const int number = model.num_velocities() + k;
  const std::size_t first = rows_.size();
  ServoTangent stays;
  const auto split = [&] {
    const ServoTangent line = law_.split(number, time_step, rows_);
    stays.force += line.force;
    stays.slope += line.slope;
  };
  if (!by_length_[k].passive.empty()) {
    law_.build(by_length_[k].passive, no_limit);
    split();
  }
  if (by_length_[k].end > by_length_[k].first) {
    build_active_law(model, k);
    split();
  }
  if (stays.slope > 0.0) {
    rows_.push_back({.dof = number,
                     .offset = -stays.force / stays.slope,
                     .compliance = 1.0 / (time_step * stays.slope),
                     .is_two_sided = true});
  } else if (stays.force != 0.0) {
    lengths_.add_force(k, stays.force, force_.data());
  }
  int part = 0;
  for (std::size_t r = first; r < rows_.size(); ++r) rows_[r].part = part++;
}

void Transmissions::update(const Model& model, const DynamicsData& data, const double* q, const double* v,
                           const double* control, const double* activation, double time_step, bool implicit,
                           const char* asleep) {
  if (!any()) return;
  lengths_.update(model, data, q);
  time_step_ = time_step;
  implicit_ = implicit;
  rows_.clear();
  force_.setZero();
  for (int k = 0; k < lengths_.size(); ++k) {
    Length& length = by_length_[k];
    length.rate = lengths_.rate(k, v);
    length.awake = !(asleep && asleep[lengths_.trees(k)[0]]);
    if (k < static_cast<int>(model.tendons.size())) set_passive(model.tendons[k], k, time_step, implicit);
    set_actuators(model, k, control, activation, time_step, implicit);
    if (length.awake) add_rows(model, k, time_step);
  }
}

void Transmissions::finish(const Model& model, const double* v, const double* v_end, Actuation& actuation) {
  damped_ = 0.0;
  for (int k = 0; k < lengths_.size(); ++k) {
    const Length& length = by_length_[k];
    const double end = lengths_.rate(k, v_end), mean = 0.5 * (length.rate + end);
    if (k < static_cast<int>(model.tendons.size())) {
      damped_ += time_step_ * model.tendons[k].damping * (implicit_ ? end : lengths_.rate(k, v)) * mean;
    }
    double raw = 0.0;
    for (int m = length.first; m < length.end; ++m) raw += members_[m].line.at(end);
    const double limit = effort_limit(model, k), share = std::abs(raw) > limit ? limit / std::abs(raw) : 1.0;
    const auto velocities = lengths_.velocities(k);
    const auto coefficients = lengths_.coefficients(k);
    for (std::size_t e = 0; e < velocities.size() && raw != 0.0; ++e) {
      actuation.add_actuator_force(velocities[e], share * raw * coefficients[e]);
    }
    for (int m = length.first; m < length.end; ++m) {
      const double gear = model.actuators[members_[m].actuator].gear;
      const double force = share * members_[m].line.at(end);
      actuation.set_force_of_actuator(members_[m].actuator, gear == 0.0 ? 0.0 : force / gear);
    }
  }
}

void Transmissions::remember(std::span<const Pack4> impulse, std::vector<WarmStart>& out) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out.push_back({.id = {.source = ConstraintSource::servo, .first = rows_[r].dof, .second = rows_[r].part},
                   .impulse = {impulse[r][0], 0.0, 0.0}});
  }
}

void Transmissions::add_force_at(const Model& model, const double* v_end, double* force) {
  for (int k = 0; k < lengths_.size(); ++k) {
    const double end = lengths_.rate(k, v_end);
    double sum = 0.0;
    for (const ServoLine& line : by_length_[k].passive) sum += line.at(end);
    build_active_law(model, k);
    lengths_.add_force(k, sum + law_.at(end), force);
  }
}

const CoupledLengths& Transmissions::lengths_at(const Model& model, const DynamicsData& data, const double* q) {
  other_lengths_.update(model, data, q);
  return other_lengths_;
}

Actuation::Springs Transmissions::springs(const Model& model, const DynamicsData& data, const double* q,
                                          const double* v) {
  Actuation::Springs sum;
  if (model.tendons.empty()) return sum;
  other_lengths_.update(model, data, q);
  for (int k = 0; k < static_cast<int>(model.tendons.size()); ++k) {
    const Tendon& tendon = model.tendons[k];
    const double stretch = stretch_of(tendon, other_lengths_.length(k));
    sum.energy += 0.5 * tendon.stiffness * stretch * stretch;
    sum.power += tendon.stiffness * stretch * other_lengths_.rate(k, v);
  }
  return sum;
}

}  // namespace stiction
