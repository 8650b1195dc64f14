// Motions whose closed form is known, for tests and for the table of docs/closed-forms.md.
//
// Every form is measured by running the simulator with a given Δt and default settings, and throws unless every step
// was certified. How its error shrinks:
//   exact     to the tolerance of the contact solver, whatever Δt
//   order p   error = c Δt^p
//   located   an event that happens in some step: error ≤ bound · Δt, without an order, since it depends on where in
//             the step the event falls
#pragma once

#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "stiction/model/geometry/shape.h"
#include "stiction/sim/simulator.h"

namespace stiction::testing {

enum class Shrinks { exact, first_order, second_order, located };

struct ClosedForm {
  std::string id;       // of the test
  std::string scene;    // what moves
  std::string formula;  // of the exact value; empty: none but the number
  std::string unit;
  double exact = 0.0;
  std::array<double, 3> time_steps{};  // s, coarse to fine, each half of the one before
  double (*measure)(double time_step) = nullptr;
  Shrinks shrinks = Shrinks::first_order;
  double bound = 0.0;  // of the error at the middle time step; located: of error/Δt; exact: at all
};

std::vector<ClosedForm> rolling_forms();    // on a slope
std::vector<ClosedForm> contact_forms();    // from sliding to rolling and to rest, belts, toppling, impacts
std::vector<ClosedForm> support_forms();    // ladders, wedges, grooves: several contacts at once
std::vector<ClosedForm> mechanism_forms();  // pendulums, springs, linkages
std::vector<ClosedForm> closed_forms();     // all of these
inline void PrintTo(const ClosedForm& form, std::ostream* out) {
  *out << form.id;
}

inline constexpr double gravity = 9.81;

// How many steps a time takes.
int num_steps(double seconds, double time_step);

// Throws std::runtime_error if a step was not.
void require_certified(const Simulator& simulator);

// Released at rest on a slope, after a time: along the slope, and how fast the contact point slips.
struct Rolled {
  double distance = 0.0, speed = 0.0, slip = 0.0;
};
Rolled roll_down(const Geometry& round, double friction, double slope, double seconds, double time_step);

// How far a box of half edges `half` on a slope has turned after a time, rad.
double tip_on_slope(const Vector3& half, double slope, double seconds, double time_step);
// The same on level ground, pushed at its upper edge by a horizontal force of `share` times its weight.
double tip_by_push(const Vector3& half, double share, double seconds, double time_step);

// How far the centre of a ladder between a smooth wall and a rough floor has come down, m. It is 2 m long from centre
// to centre of its ends, which have a radius of 0.02 m.
double lean(double angle, double friction, double seconds, double time_step);

// Balls of one size and 1 kg in a row with gaps between them, e = 1; the first arrives with `speed`. Velocities and the
// way of the last after a time.
struct Row {
  std::vector<double> velocities;
  double way_of_last = 0.0;
  // Not an error for balls that touch: those that fly on together have no velocity against each other but rounding, and
  // without gravity nothing else that a residual could be compared with.
  long num_uncertified_steps = 0;
};
Row strike_row(int num_balls, double gap, double speed, double seconds, double time_step);

// A four-bar linkage that a crank turns once: the largest deviation of the rocker from the closed form, and the largest
// distance of the two ends that the loop holds together.
struct Turned {
  double rocker_error = 0.0, loop_error = 0.0;
};
Turned turn_four_bar(double time_step);

}  // namespace stiction::testing
