// Contact problems for tests: random free bodies that touch, and the stack with a heavy body on light ones.
#pragma once

#include <vector>

#include "stiction/contact/problem.h"

namespace stiction::testing {

struct RandomProblemOptions {
  unsigned seed = 0;
  int bodies = 4;
  int contacts = 8;         // frictional, between two bodies or a body and the ground
  int limits = 0;           // unilateral rows between random velocities
  int bilateral = 0;        // bilateral blocks, alternately of three rows and of one
  int dry_friction = 0;     // rows with a box
  int torsional = 0;        // of the first contacts, with torsional friction
  int rolling = 0;          // of the first contacts, with rolling friction
  double torque = 0.05;     // r of both, m; arms are up to 0.87 m long
  double friction = 0.5;    // of every contact; negative: random in [0, 1]
  double compliance = 0.0;  // R of every row, relative to the mean diagonal of G
};

// The mechanics behind a problem, so that tests can form G, energies and momenta themselves.
struct Mechanics {
  std::vector<Constraint> constraints;
  Eigen::SparseMatrix<double, Eigen::RowMajor> inertia;   // M
  Eigen::SparseMatrix<double, Eigen::RowMajor> jacobian;  // J
  VectorX velocity_free;                                  // v_f
  VectorX offset;                                         // γ
  VectorX compliance;                                     // R

  VectorX free_velocity() const { return jacobian * velocity_free + offset; }
  ContactProblem problem() const {  // factored form
    return ContactProblem::from_inertia(constraints, inertia, jacobian, free_velocity(), compliance);
  }
};

Mechanics random_mechanics(const RandomProblemOptions& options);
inline ContactProblem random_problem(const RandomProblemOptions& options) {
  return random_mechanics(options).problem();
}

// Cubes of mass 1, √ratio, ratio (for three) kg, edge 1 m, at rest on each other under gravity for one step of 1 ms,
// the heavy one on top: four contacts per face, μ = 0.5.
Mechanics mass_ratio_stack(double ratio, int cubes = 3);

}  // namespace stiction::testing
