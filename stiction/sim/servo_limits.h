// Servos that may reach their limits (theory §3.9).
//
// A degree of freedom whose actuators have gains and limits is taken in one of three ways:
//   free       its gains are in M̂ as if there were no limits: the usual one, and it costs nothing;
//   saturated  S(v⁺) is a line beyond its knots (ServoLaw), as a rule a constant: no row either;
//   rows       all of S, as rows of the contact problem.
// The first two are guesses, checked with v⁺ after the solve: what was wrong becomes rows, and the step is solved
// again. Where some are not free they are checked with the free velocity, too. All three give the same motion, so what
// a step begins with decides about its cost only. It is taken from the warm starts of the state: rows stay rows until
// every actuator is well within its limits or deep in saturation.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/warm_start.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/servo_law.h"

namespace stiction {

class ServoLimits {
 public:
  explicit ServoLimits(const Model& model);

  // After Actuation::update: how the step begins. `asleep` by tree, or null.
  void begin(std::span<const WarmStart> warm_starts, const double* v, const char* asleep, double time_step,
             Actuation& actuation);
  // Whether a guess was wrong; then `actuation` has changed.
  bool check_free_velocity(const double* v, const double* v_free, Actuation& actuation);
  bool check_end_velocity(const double* v, const double* v_end, Actuation& actuation);
  std::span<const ServoRow> rows() const { return rows_; }
  bool has_any() const { return !limited_.empty(); }  // degree of freedom with limited servos

  // What acted in the step: `impulse` of the servo rows, lanes = rows.
  void finish(const double* v_end, std::span<const Pack4> impulse, Actuation& actuation);
  int num_servos() const { return num_servos_; }        // at or near their limits: not free
  int num_saturated() const { return num_saturated_; }  // of these
  // Appends what the next step begins with.
  void remember(const double* v, const double* v_end, std::span<const Pack4> impulse, std::vector<WarmStart>& out);

  // For a velocity that is given: what all actuators exert there, with the gain that they have there.
  void hold_at(const double* v, const double* v_end, Actuation& actuation);

 private:
  enum class Way { free, below, above, rows };
  struct Limited {
    int dof = 0, tree = 0;
    int first = 0, end = 0;  // in members_
    double effort_limit = 0.0;
    Way way = Way::free;
    bool active = false;             // awake, and with gain
    int first_row = 0, end_row = 0;  // in rows_
    ServoTangent stays;              // beside the rows
  };

  void read_lines(const Actuation& actuation);
  bool is_within(const Limited& l, double v) const;
  bool is_well_within(const Limited& l, double v) const;
  void build_law(const Limited& l);
  void take(Limited& l, Way way, double v, Actuation& actuation);
  void collect_rows(const double* v, Actuation& actuation);
  void finish_one(const Limited& l, double v_end, std::span<const Pack4> impulse, Actuation& actuation);

  std::vector<Limited> limited_;  // ascending dof
  std::vector<int> members_;      // actuators
  std::vector<ServoLine> lines_;  // by member
  std::vector<ServoRow> rows_;    // ascending dof, part
  ServoLaw law_;                  // of one degree of freedom, as needed
  // ---- This step.
  double time_step_ = 0.0;
  const char* asleep_ = nullptr;  // by tree, or null
  bool has_lines_ = false;
  bool any_limited_ = false;  // not all of them are free
  int num_servos_ = 0, num_saturated_ = 0;
};

}  // namespace stiction
