// The σ that runs along with the sweeps, and what it costs to read and to change it; one policy per form of G.
//
//   dense     σ itself, padded; reading is free, changing λ_i by δ adds `rows` columns
//   sparse    nothing; reading σ_i = Σ_j G_ij λ_j + R_i λ_i + g_i takes one block row, changing is free
//   nodes     w = Aᵀ λ, one pack per velocity node; both cost O(nodes of the constraint), σ_i = A_i w + R_i λ_i + g_i
//
// What they share, for constraint i = c:
//   read<rows>(i, c, λ, σ)   σ_i; three entries may be written
//   add<rows>(i, c, δ)       λ_i has changed by δ (three entries, zero behind the rows); how much, as a velocity
//   read_block(i, c, w)      W_i = G_ii + R_i, by rows of three entries
//   diagonal(i, c)           W_i of one row
//   negligible()             a diagonal up to this cannot be moved by any impulse
//   note(impulse)            an impulse that has been met
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/contact/problem.h"
#include "stiction/solvers/linear_algebra/dense_view.h"

namespace stiction {

struct RunningDense {
  DenseView view;
  double* sigma = nullptr;             // view.stride entries
  const double* compliance = nullptr;  // R by row; null where it is zero, or on the diagonal of G already
  double largest_impulse = 0.0;        // of those met: σ holds its rounding

  template <int rows>
  void read(int, const Constraint& c, const double*, double* s) const {
    for (int k = 0; k < rows; ++k) s[k] = sigma[c.first_row + k];
  }
  template <int rows>
  double add(int, const Constraint& c, const double* change) {
    if constexpr (rows == 3) {
      dense_detail::add_three_columns(sigma, view.stride, view.column(c.first_row), change);
    } else {
      dense_detail::add_column(sigma, view.stride, view.column(c.first_row), change[0]);
    }
    if (compliance) {
      for (int k = 0; k < rows; ++k) sigma[c.first_row + k] += compliance[c.first_row + k] * change[k];
    }
    return 0.0;  // nobody asks
  }
  void read_block(int, const Constraint& c, double* w) const {
    const int f = c.first_row;
    for (int k = 0; k < 3; ++k) {
      const double* column = view.column(f + k) + f;
      w[k] = column[0];
      w[3 + k] = column[1];
      w[6 + k] = column[2];
      if (compliance) w[4 * k] += compliance[f + k];
    }
  }
  double diagonal(int, const Constraint& c) const {
    const double w = view.column(c.first_row)[c.first_row];
    return compliance ? w + compliance[c.first_row] : w;
  }
  double negligible() const { return view.negligible; }
  void note(double impulse) { largest_impulse = std::max(largest_impulse, impulse); }
};

struct RunningSparse {
  const ContactProblem* problem = nullptr;

  template <int rows>
  void read(int i, const Constraint& c, const double* lambda, double* sigma) const {
    const DelassusSparse& g = problem->sparse();
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
      const Constraint& other = problem->constraint(g.column[k]);
      const double* l = lambda + other.first_row;
      const double* b = g.block[k].data();
      s0 += b[0] * l[0];
      s1 += b[1] * l[0];
      s2 += b[2] * l[0];
      if (other.rows == 3) {
        s0 += b[3] * l[1] + b[6] * l[2];
        s1 += b[4] * l[1] + b[7] * l[2];
        s2 += b[5] * l[1] + b[8] * l[2];
      }
    }
    const double s[3] = {s0, s1, s2};
    for (int r = 0; r < rows; ++r) {
      const int row = c.first_row + r;
      sigma[r] = s[r] + problem->compliance()[row] * lambda[row] + problem->free_velocity()[row];
    }
  }
  template <int rows>
  double add(int, const Constraint&, const double*) const {
    return 0.0;  // nobody asks
  }
  void read_block(int i, const Constraint& c, double* w) const {
    const Matrix3& g = problem->diagonal_block(i);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) w[3 * r + k] = g(r, k);
      w[4 * r] += problem->compliance()[c.first_row + r];
    }
  }
  double diagonal(int i, const Constraint& c) const {
    return problem->diagonal_block(i)(0, 0) + problem->compliance()[c.first_row];
  }
  double negligible() const { return 0.0; }
  void note(double) const {}
};

struct RunningNodes {
  const ContactProblem* problem = nullptr;
  Pack8* node = nullptr;              // w
  const double* stiffness = nullptr;  // by constraint: largest diagonal entry of W_i, which turns δ into a velocity
  // The arrays of the problem, without the checks that its accessors make.
  const int *segment_begin = nullptr, *segment_node = nullptr;
  const DelassusFactored::Segment* segment = nullptr;
  const double* free_velocity = nullptr;
  const double* compliance = nullptr;  // null where rigid

  RunningNodes() = default;
  RunningNodes(const ContactProblem& of, Pack8* nodes, const double* stiffnesses)
      : problem(&of),
        node(nodes),
        stiffness(stiffnesses),
        segment_begin(of.factored().segment_begin.data()),
        segment_node(of.factored().segment_node.data()),
        segment(of.factored().segment.data()),
        free_velocity(of.free_velocity().data()),
        compliance(of.is_rigid() ? nullptr : of.compliance().data()) {}

  // The number of rows is known to the compiler, so that σ stays in registers.
  template <int rows>
  void read(int i, const Constraint& c, const double* lambda, double* sigma) const {
    const int first_row = c.first_row;
    Pack8 sum0{}, sum1{}, sum2{};
    for (int k = segment_begin[i]; k < segment_begin[i + 1]; ++k) {
      const Pack8& w = node[segment_node[k]];
      sum0 += segment[k].row[0] * w;
      sum1 += segment[k].row[1] * w;
      sum2 += segment[k].row[2] * w;
    }
    sums(sum0, sum1, sum2, sigma);
    for (int k = 0; k < rows; ++k) sigma[k] += free_velocity[first_row + k];
    if (compliance) {
      for (int k = 0; k < rows; ++k) sigma[k] += compliance[first_row + k] * lambda[first_row + k];
    }
  }
  template <int rows>
  double add(int i, const Constraint&, const double* change) {
    for (int k = segment_begin[i]; k < segment_begin[i + 1]; ++k) {
      const auto& a = segment[k];
      node[segment_node[k]] += change[0] * a.row[0] + change[1] * a.row[1] + change[2] * a.row[2];
    }
    return stiffness[i] * std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])});
  }
  void read_block(int i, const Constraint& c, double* w) const {
    const Matrix3& g = problem->diagonal_block(i);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) w[3 * r + k] = g(r, k);
      w[4 * r] += problem->compliance()[c.first_row + r];
    }
  }
  double diagonal(int i, const Constraint&) const { return stiffness[i]; }
  double negligible() const { return 0.0; }
  void note(double) const {}

 private:
  // Sums of three packs at once, in a fixed order.
  static void sums(const Pack8& a, const Pack8& b, const Pack8& c, double* out) {
    const auto halves = [](const Pack8& p) { return Pack4{p[0], p[1], p[2], p[3]} + Pack4{p[4], p[5], p[6], p[7]}; };
    const Pack4 a4 = halves(a), b4 = halves(b), c4 = halves(c);
    const Pack4 ab = Pack4{a4[0], b4[0], a4[2], b4[2]} + Pack4{a4[1], b4[1], a4[3], b4[3]};
    out[0] = ab[0] + ab[2];
    out[1] = ab[1] + ab[3];
    out[2] = (c4[0] + c4[1]) + (c4[2] + c4[3]);
  }
};

}  // namespace stiction
