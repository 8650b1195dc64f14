#include "stiction/sim/servo_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

void ServoLaw::reserve(int lines) {
  lines_.reserve(lines);
  knots_.reserve(2 * lines + 2);
}

double ServoLaw::sum(double v) const {
  double total = 0.0;
  for (const ServoLine& line : lines_) total += line.at(v);
  return total;
}

double ServoLaw::at(double v) const {
  return std::clamp(sum(v), -effort_limit_, effort_limit_);
}

void ServoLaw::build(std::span<const ServoLine> lines, double effort_limit) {
  lines_.assign(lines.begin(), lines.end());
  effort_limit_ = effort_limit;
  knots_.clear();
  for (const ServoLine& line : lines_) {
    for (const double limit : {line.upper, line.lower}) {
      const double x = (line.force - limit) / line.slope;  // not finite where there is no gain or no limit
      if (std::isfinite(x)) knots_.push_back(x);
    }
  }
  std::sort(knots_.begin(), knots_.end());
  if (!std::isfinite(effort_limit)) return;
  const double reaches = crossing(effort_limit), leaves = crossing(-effort_limit);
  // Where the effort limit holds nothing else matters.
  std::erase_if(knots_, [this](double x) { return std::abs(sum(x)) >= effort_limit_; });
  for (const double x : {reaches, leaves}) {
    if (std::isfinite(x)) knots_.push_back(x);
  }
  std::sort(knots_.begin(), knots_.end());
}

// The velocity at which the sum passes a level; not finite where it does not.
double ServoLaw::crossing(double level) const {
  // The first knot at which the sum is at or below the level ends the piece in which it passes.
  const auto after = std::find_if(knots_.begin(), knots_.end(), [&](double x) { return sum(x) <= level; });
  double inside = 0.0, from = 0.0;  // a velocity within the piece, and one at which the line of the piece is known
  if (!knots_.empty()) {
    from = after == knots_.end() ? knots_.back() : *after;
    if (after == knots_.begin()) {
      inside = from - 1.0 - std::abs(from);
    } else if (after == knots_.end()) {
      inside = from + 1.0 + std::abs(from);
    } else {
      inside = 0.5 * (*(after - 1) + *after);
    }
  }
  return from + (sum(from) - level) / slope_between(inside);
}

// Of the sum, at a velocity that is no knot.
double ServoLaw::slope_between(double v) const {
  double slope = 0.0;
  for (const ServoLine& line : lines_) slope += line.is_within(v) ? line.slope : 0.0;
  return slope;
}

ServoTangent ServoLaw::tangent(double v) const {
  const double slope = std::abs(sum(v)) <= effort_limit_ ? slope_between(v) : 0.0;
  return {at(v) + slope * v, slope};
}

ServoTangent ServoLaw::end(Place place) const {
  ServoTangent end;
  for (const ServoLine& line : lines_) {
    const double limit = place == Place::below ? line.upper : line.lower;
    const bool unlimited = !std::isfinite(limit);
    const bool constant = line.slope == 0.0;
    if (constant || !unlimited) {
      end.force += constant ? line.at(0.0) : limit;
    } else if (std::isfinite(effort_limit_)) {
      end.force = place == Place::below ? effort_limit_ : -effort_limit_;
      return end;
    } else {
      end.force += line.force;
      end.slope += line.slope;
    }
  }
  end.force = std::clamp(end.force, -effort_limit_, effort_limit_);
  return end;
}

ServoLaw::Place ServoLaw::place(double v) const {
  if (knots_.empty() || v < knots_.front()) return Place::below;
  return v > knots_.back() ? Place::above : Place::between;
}

double ServoLaw::distance_to_knots(double v) const {
  if (knots_.empty()) return std::numeric_limits<double>::infinity();
  return std::max({0.0, knots_.front() - v, v - knots_.back()});
}

ServoTangent ServoLaw::split(int dof, double time_step, std::vector<ServoRow>& rows) const {
  const ServoTangent below = end(Place::below), above = end(Place::above);
  if (knots_.empty()) return below;
  const auto piece_slope = [this](std::size_t k) {
    const double middle = 0.5 * (knots_[k] + knots_[k + 1]);
    return std::abs(sum(middle)) < effort_limit_ ? slope_between(middle) : 0.0;
  };
  double stays = std::min(below.slope, above.slope);
  for (std::size_t k = 0; k + 1 < knots_.size(); ++k) {
    if (knots_[k] < knots_[k + 1]) stays = std::min(stays, piece_slope(k));
  }
  int part = 0;
  const auto add = [&](double slope, double sign, double bound, double at_velocity) {
    rows.push_back({.dof = dof,
                    .part = part++,
                    .sign = sign,
                    .bound = bound,
                    .offset = -sign * at_velocity,
                    .compliance = 1.0 / (time_step * slope)});
  };
  // At the first knot rows without end exert nothing, and all others their bound.
  double force = at(knots_.front()) + stays * knots_.front();
  if (below.slope > stays) add(below.slope - stays, 1.0, no_limit, knots_.front());
  for (std::size_t k = 0; k + 1 < knots_.size(); ++k) {
    const double slope = knots_[k] < knots_[k + 1] ? piece_slope(k) - stays : 0.0;
    if (!(slope > 0.0)) continue;
    const double half = 0.5 * slope * (knots_[k + 1] - knots_[k]);
    if (!(half > 0.0)) continue;
    add(slope, 1.0, time_step * half, 0.5 * (knots_[k] + knots_[k + 1]));
    force -= half;
  }
  if (above.slope > stays) add(above.slope - stays, -1.0, no_limit, knots_.back());
  return {force, stays};
}

}  // namespace stiction
