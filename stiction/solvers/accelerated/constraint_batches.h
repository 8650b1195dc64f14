// Constraints of a factored problem in batches of four that share no velocity node, so that four are visited at once
// (theory §2.13). Each touches at most two nodes: bodies that are free, or the world.
//
// A point x is λ_i √w_i with w_i the mean of the diagonal of G_ii, by batches: four first tangents, four second ones,
// four normals. Constraints of one row use the normal. Lanes without a constraint stay zero.
//
// What runs along is u = Aᵀ λ, eight doubles per node. A visit reads σ_i = A_i u + R_i λ_i + g_i and makes
//
//     λ_N ← P(λ_N − σ_N/W_NN) on its interval,    λ_T ← λ_T − (σ_T + W_TN Δλ_N)/λ_max(W_TT), put on its disc,
//
// with the interval [0, ∞) and the disc of radius μ λ_N for contacts, [−b, b] for dry friction, and no bound at all for
// bilateral rows: one text for all kinds.
//
// A batch whose impulses are zero and whose normals part is idle: a visit would leave it as it is, so sweeps pass it
// over until the next residual() finds otherwise. Constraints that the guess loads come first, so that idle ones share
// batches.
//
// Large problems are visited domain by domain (node_domains.h): groups of batches, of which those of one phase share no
// node, so that a team may take one each. The order, and so every bit, is that of the groups, with and without a team.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/math/aligned_vector.h"
#include "stiction/math/pack.h"
#include "stiction/math/work_team.h"
#include "stiction/solvers/accelerated/node_domains.h"

namespace stiction {

class ConstraintBatches {
 public:
  static constexpr int lanes = 4;
  using Point = AlignedVector<double>;

  int constraints_per_domain = 1 << 30;
  WorkTeam* team = nullptr;  // null: one thread

  // Whether the problem is factored and no constraint touches more than two nodes.
  static bool takes(const ContactProblem& problem);

  // The problem must outlive its use here. x becomes the impulse.
  void load(const ContactProblem& problem, const VectorX& impulse, Point& x);
  void store(const Point& x, VectorX& impulse) const;

  void place(Point& x);  // puts x into the sets and makes u from it
  void sweep(Point& x);  // one visit of all that is not idle, u being that of x
  // ε_nat of x at the u of now, an upper bound to some digits; also finds what is idle. Infinite where not a number.
  double residual(const Point& x);

  int num_batches() const { return static_cast<int>(batch_.size()); }
  int num_idle() const;
  int num_visited() const { return lanes * (num_batches() - num_idle()); }  // by a sweep; empty lanes count
  // Where each group's part of a point begins, and the end.
  const std::vector<std::size_t>& parts() const { return parts_; }
  // Batches of a group; a phase has those from phase_begin(phase) on.
  const NodeDomains& domains() const { return domains_; }
  std::pair<int, int> batches(int group) const { return {group_[group].begin, group_[group].end}; }
  // Constraint in a lane of a batch, or −1.
  int constraint(int batch, int lane) const { return place_[batch].constraint[lane]; }

 private:
  struct alignas(64) Batch {
    Pack4 a[3][6], b[3][6];           // rows (t1, t2, n) of A_i/√w_i on its two nodes
    Pack4 free[3], compliance[3];     // g_i/√w_i, R_i/w_i
    Pack4 normal_step, tangent_step;  // 1/W_NN, 1/λ_max(W_TT) of W_i/w_i; 0 where nothing moves
    Pack4 coupling[2];                // W_TN/w_i
    Pack4 friction;                   // μ
    Pack4 lower, upper, slack;        // of λ_N √w_i; added to the disc's radius
    std::array<int, lanes> node_a, node_b;
    bool contacts_only;
  };
  // What a batch is measured by, and where its lanes come from.
  struct alignas(64) Place {
    Pack4 root, inverse_root;        // √w_i
    Pack4 impulse_unit, speed_unit;  // turn x and σ_i/√w_i into λ' and σ' of the judge
    Pack4 push, speed;               // ConstraintScale
    std::array<int, lanes> constraint, first_row, rows;
    int count;
  };

  struct alignas(64) Group {
    int begin = 0, end = 0, num_active = 0;  // batches; of active_, which has room for all from `begin` on
    double worst = 0.0;                      // residual
    bool is_finite = true;
  };

  void find_groups();
  void fill_group(int group, const VectorX& impulse);
  int choose_batch(int group, int node_a, int node_b);
  void fill_lane(int group, int i, int node_a, int node_b);
  template <class Function>
  void for_each_group_by_phase(Function&& function);
  void place_group(const Group& group, Point& x);
  void sweep_group(const Group& group, Point& x);
  void measure_group(Group& group, const Point& x);
  void fill_scaled(Batch& batch, int lane, int i, double root);
  template <bool contacts_only>
  void visit(const Batch& batch, double* x);
  template <class Add>
  void add_to_nodes(const Batch& batch, Add&& change);
  void read_velocity(const Batch& batch, const double* x, Pack4* sigma) const;
  double lane_residual(const Place& place, int lane, const double* x, const Pack4* sigma) const;
  void clear_empty_lanes();

  const ContactProblem* problem_ = nullptr;
  AlignedVector<Batch> batch_;
  AlignedVector<Place> place_;
  NodeDomains domains_;
  std::vector<Group> group_;
  std::vector<int> member_begin_, member_;  // constraints by group
  std::vector<std::size_t> parts_;
  std::vector<int> active_;     // batches that are not idle, ascending within a group
  AlignedVector<double> node_;  // u; the last ones are the world's, one for each group
  std::size_t first_open_ = 0;  // batches before it are full
};

}  // namespace stiction
