// Trees that turn: centrifugal, Coriolis and gyroscopic forces by a rule that is symmetric in time (theory §3.6).
//
// An explicit bias b(q, v) adds energy in every step, a share of about (Δt ω)²: a top at 200 rad/s multiplies its
// energy by hundreds within a second at 1 ms. Here it is taken in the middle of the free step,
//
//     M (v_f − v) = Δt (τ − b(q, v̄)),   v̄ = (v + v_f)/2,
//
// M with the implicit terms of dampers and servos. With q⁺ = q ⊕ Δt v⁺ this is leapfrog, a velocity belonging half a
// step before its position: of second order, and energies oscillate instead of growing. Where M is constant in the
// coordinates of v (one body on a ball joint) the kinetic energy stays to rounding for every Δt.
//
// The explicit v_f is the first guess, and v_f ← v + Δt M⁻¹ (τ − b(q, v̄)) is repeated; it contracts by about Δt ω/2.
// Where that is slow, Newton's method; where it finds no solution, or a tree of several bodies turns by more than a
// radian per step, the tree is braked: for this step it feels gravity alone, and its joints keep 1/(1 + Δt ω) of their
// speed. Trees at rest pay nothing: where Δt ω is below 1e-6, or where v_f − v is more than twice v̄ (what stands is
// held by contacts, of which v_f does not know), the two rules differ by Δt³ only, and the explicit one stays; from
// once to twice one fades into the other.
//
// Single free bodies have FreeSpin. Constraints change v_f to v⁺ afterwards: with them the order is one.
#pragma once

#include <utility>
#include <vector>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

class Turning {
 public:
  Turning() = default;
  explicit Turning(const Model& model);

  // After factor_inertia at (q, v). `free_velocity`: v after an explicit step with all forces; of trees that turn the
  // bias in it is exchanged, and so it is in `force`, all forces by velocity. `added`: what factor_inertia was given.
  // Returns how many trees were braked.
  int correct(const Model& model, DynamicsData& data, const double* v, const double* added, double time_step,
              double* free_velocity, double* force);

  // v̄ of the trees that were corrected, v of all others: what the last step's bias belongs to.
  const VectorX& mean_velocity() const { return mean_; }

 private:
  struct TurningTree {
    int tree, first, end;  // its velocities
    bool has_free_root;    // the first three are its flight, on which no bias depends
    bool is_one_body;
    std::vector<std::pair<int, int>> angular;  // runs of velocities that are rad/s: first, end
  };
  // Of the symmetric rule, 0 … 1; the rest is explicit.
  double share(const TurningTree& tree, const double* v, const double* free_velocity, double time_step,
               double& speed) const;
  bool repeat(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v, double speed,
              double time_step, double* x);
  bool newton(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v, double time_step,
              double* x);
  void brake(const DynamicsData& data, const TurningTree& tree, const double* v, double time_step, double* x);
  double defect(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v, double time_step,
                const double* x, VectorX& into);
  void slope(const Model& model, DynamicsData& data, const TurningTree& tree, double time_step);

  std::vector<TurningTree> trees_;
  VectorX mean_, start_;                  // v̄; v_f of the explicit step
  VectorX bias_, change_, trial_, step_;  // scratch by velocity
  std::vector<double> matrix_;            // of Newton's method, by rows
};

}  // namespace stiction
