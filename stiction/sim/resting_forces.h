// Constraint forces of what rests over an interval: contacts that touch and do not part, joints at their limits, joints
// that dry friction holds (theory §7.3).
//
// At an instant the forces λ and the accelerations σ = G λ + J v̇_f + J̇ v of these rows obey the laws that impulses and
// velocities obey in a step: a contact that sticks has the law of Coulomb on the acceleration level, one that slides
// pushes along n − μ d with d the direction of its slip, σ_N ≥ 0 ⟂ λ_N ≥ 0. So what opens is released by itself. The
// problem is solved by any solver of the registry and judged; then its closed rows are solved once more as equations,
// which leaves rounding. The next instant begins with those equations, and asks the solver only where they no longer
// give an admissible answer. Friction of contacts that slide is found in rounds, by the normal forces of the last one.
#pragma once

#include <Eigen/LU>
#include <memory>
#include <span>
#include <vector>

#include "stiction/constraints/islands.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/math/dense.h"
#include "stiction/sim/contact_rates.h"
#include "stiction/sim/event_rows.h"
#include "stiction/sim/island_solver.h"

namespace stiction {

struct RestingContact {
  ContactPoint point;  // where it was found last
  bool slides = false;
  Vector3 slip = Vector3::Zero();  // direction when the interval began, world
};
struct RestingLimit {
  int dof = 0;
  bool upper = false;
};

class RestingForces {
 public:
  RestingForces(std::shared_ptr<const Model> model, const SimulatorSettings& settings, double tolerance);

  // What rests from now on; `held`: degrees of freedom that dry friction holds. Forces of the same rows are remembered.
  void set(std::span<const RestingContact> contacts, std::span<const RestingLimit> limits, std::span<const int> held);
  std::span<const RestingContact> contacts() const { return contacts_; }
  std::span<const RestingLimit> limits() const { return limits_; }
  bool empty() const { return contacts_.empty() && limits_.empty() && held_.empty(); }

  // After SmoothForces::accelerate at (q, v), which left v̇_f: adds what the forces do. Returns their power, W.
  double accelerate(const DynamicsData& data, const VectorX& q, const VectorX& v, VectorX& acceleration);

  // After accelerate() and kinematics at the end of a step: closed contacts and limits are put back to a gap of zero
  // and no velocity along their normal (and none along their tangents, where they stick), by the least change in the
  // metric of the inertia. Kinematics of (q, v) must be taken anew afterwards.
  void correct(const DynamicsData& data, VectorX& q, VectorX& v);

  IslandSolver& islands() { return island_solver_; }
  void set_interrupt(Interrupt* interrupt) { interrupt_ = interrupt; }  // accelerate() throws StepInterrupted

  // All that later calls depend on.
  struct Memory {
    std::vector<RestingContact> contacts;
    std::vector<RestingLimit> limits;
    std::vector<int> held;
    std::vector<Pack4> impulse;
    int deficient_size = -1, last_rows = -1;
    Residuals residuals;
    SolveStatus status = SolveStatus::converged;
    long num_solves = 0, num_problems = 0;
  };
  void store(Memory& memory) const;
  void restore(const Memory& memory);

  const Residuals& residuals() const { return residuals_; }  // the worst since begin_count()
  SolveStatus status() const { return status_; }
  long num_solves() const { return num_solves_; }      // instants
  long num_problems() const { return num_problems_; }  // that a solver was asked for
  void begin_count();

  // λ_N of a contact, by the last accelerate(), N.
  double normal_force(int contact) const { return force_of_contact_[contact]; }

 private:
  void make_rows(const DynamicsData& data, const VectorX& q, const VectorX& v, const VectorX& free);
  void add_contact_row(const DynamicsData& data, int contact, int from);
  bool solve_closed();
  void fill_equations(int num_velocities);
  bool solve_equations();
  void solve_problem();
  void find_velocities(std::vector<Pack4>& sigma) const;
  void judge_problem();
  bool is_admissible(const std::vector<Pack4>& sigma) const;
  void sum_forces(VectorX& w) const;
  void list_equations();
  void project(const DynamicsData& data, const VectorX& error, VectorX& change);

  struct Slide {                // of a row: what friction adds to its push
    double friction = 0.0;      // of one that slides; 0: none
    std::vector<double> along;  // A of d, by column
  };
  struct Equation {
    int row = 0, lane = 0;
  };

  std::shared_ptr<const Model> model_;
  EventRows event_rows_;
  ContactRates rates_;
  IslandSolver island_solver_;
  Islands islands_;
  std::vector<RestingContact> contacts_;
  std::vector<RestingLimit> limits_;
  std::vector<int> held_;
  std::vector<ContactPoint> points_;
  RowSet rows_;
  std::vector<Slide> slides_;
  std::vector<int> contact_of_row_;
  std::vector<Pack4> impulse_, sigma_, free_;  // by row; free_: σ without forces
  std::vector<char> was_closed_;
  std::vector<double> force_of_contact_;
  std::vector<Equation> equations_;
  MatrixX right_, matrix_;  // equations by velocity: what their unknowns push along; by equation
  VectorX wanted_, unknown_;
  Eigen::PartialPivLU<MatrixX> lu_;
  LeastSolution least_;
  int deficient_size_ = -1;  // equations of which some say what others say: so many, the last time
  VectorX work_, change_;
  int last_rows_ = -1;  // of which impulse_ is known
  Residuals residuals_;
  SolveStatus status_ = SolveStatus::converged;
  long num_solves_ = 0, num_problems_ = 0;
  Interrupt* interrupt_ = nullptr;
};

}  // namespace stiction
