// What the actuators of one degree of freedom exert together, by its velocity v at the end of the step
// (theory §3.9), seen from the joint:
//
//     S(v) = clamp( Σ_a clamp(force_a − slope_a v, lower_a, upper_a), ± effort limit ).
//
// S falls and is piecewise linear. Between its knots x_0 < … < x_m and beyond them it is a line; a servo in the middle
// of its range and one that is saturated are such lines. The whole of S is a sum,
//
//     S(v) = force − slope v + Σ_k sign_k λ_k/Δt,
//
// of a line, which belongs into M̂, and one row per piece that is steeper: λ_k = clamp((m_k − v)/R_k, ±bound_k) is the
// law of dry friction with compliance for a piece about its middle m_k, and λ_k = max(0, ± (x − v))/R_k that of a limit
// for a piece without end. One servo with two limits is one row.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "stiction/constraints/row_builder.h"

namespace stiction {

// An actuator seen from its joint, gear included.
struct ServoLine {
  double force = 0.0, slope = 0.0;  // at v = 0, N·m or N; ≥ 0
  double lower = 0.0, upper = 0.0;

  double at(double v) const { return std::clamp(force - slope * v, lower, upper); }
  bool is_within(double v) const { return force - slope * v >= lower && force - slope * v <= upper; }
};

// force − slope v.
struct ServoTangent {
  double force = 0.0, slope = 0.0;
};

class ServoLaw {
 public:
  enum class Place { below, between, above };  // all knots; without knots everything is below

  void reserve(int lines);
  void build(std::span<const ServoLine> lines, double effort_limit);

  double at(double v) const;
  ServoTangent tangent(double v) const;  // of the piece that v lies in
  ServoTangent end(Place place) const;   // beyond the knots
  Place place(double v) const;
  double distance_to_knots(double v) const;  // of what lies beyond them; infinite without knots

  // The line that stays, and the rows; `part` counts from zero.
  ServoTangent split(int dof, double time_step, std::vector<ServoRow>& rows) const;

 private:
  double sum(double v) const;  // without the effort limit
  double slope_between(double v) const;
  double crossing(double level) const;

  std::vector<ServoLine> lines_;
  std::vector<double> knots_;
  double effort_limit_ = 0.0;
};

}  // namespace stiction
