#include "stiction/contact/problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "stiction/math/native_pack.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

void check_friction(double mu, const char* name, int i) {
  if (!(mu >= 0.0) || !std::isfinite(mu)) {
    refuse("contact problem: ", name, " of constraint ", i, " is ", mu, "; it must be finite and not negative");
  }
}

void check_constraint(const Constraint& c, int i) {
  const bool three = c.kind == ConstraintKind::frictional || c.kind == ConstraintKind::anisotropic ||
                     c.kind == ConstraintKind::viscous || c.kind == ConstraintKind::rolling;
  const bool rows_fit = three                                 ? c.rows == 3
                        : c.kind == ConstraintKind::bilateral ? (c.rows == 1 || c.rows == 3)
                                                              : c.rows == 1;
  if (!rows_fit) refuse("contact problem: constraint ", i, " (", to_string(c.kind), ") has ", c.rows, " rows");
  if (three || is_coupled(c.kind)) {
    check_friction(c.friction, "friction", i);
    check_friction(c.friction_2, "friction_2", i);
    if (c.kind != ConstraintKind::anisotropic && c.friction != c.friction_2) {
      refuse("contact problem: constraint ", i, " (", to_string(c.kind), ") has two frictions, ", c.friction, " and ",
             c.friction_2);
    }
  }
  if (!(c.bound >= 0.0) || !std::isfinite(c.bound)) {
    refuse("contact problem: bound of constraint ", i, " is ", c.bound, "; it must be finite and not negative");
  }
  const bool bounded = c.kind == ConstraintKind::viscous || c.kind == ConstraintKind::dry_friction;
  if (!bounded && c.bound != 0.0) {
    refuse("contact problem: bound of constraint ", i, " (", to_string(c.kind), ") is ", c.bound, "; it has none");
  }
}

// Torsional and rolling friction: the contact that carries λ_N.
void check_partner(std::span<const Constraint> constraints, int i) {
  const Constraint& c = constraints[i];
  const int n = static_cast<int>(constraints.size());
  if (!is_coupled(c.kind)) {
    if (c.partner != -1) {
      refuse("contact problem: partner of constraint ", i, " (", to_string(c.kind), ") is ", c.partner,
             "; it has none (-1)");
    }
    return;
  }
  if (c.partner < -1 || c.partner >= n) {
    refuse("contact problem: partner of constraint ", i, " (", to_string(c.kind), ") is ", c.partner,
           "; it must be one of ", n, " constraints, or -1 for none");
  }
  if (c.partner == -1) return;
  const ConstraintKind kind = constraints[c.partner].kind;
  if (kind == ConstraintKind::bilateral || kind == ConstraintKind::dry_friction || is_coupled(kind)) {
    refuse("contact problem: partner of constraint ", i, " (", to_string(c.kind), ") is constraint ", c.partner, " (",
           to_string(kind), "), which has no normal impulse");
  }
}

void check_finite(VectorView values, const char* name) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse("contact problem: ", name, "[", i, "] is ", values[i]);
  }
}

void check_size(Eigen::Index rows, Eigen::Index cols, int m) {
  if (rows != m || cols != m) {
    refuse("contact problem: the Delassus matrix is ", rows, " x ", cols, " but the constraints have ", m, " rows");
  }
}

// Which constraint owns a row, and which of its rows that is.
struct RowOwner {
  int constraint;
  int offset;
};
std::vector<RowOwner> row_owners(std::span<const Constraint> constraints, int m) {
  std::vector<RowOwner> owners(m);
  for (int i = 0; i < static_cast<int>(constraints.size()); ++i) {
    for (int r = 0; r < constraints[i].rows; ++r) owners[constraints[i].first_row + r] = {i, r};
  }
  return owners;
}

DelassusSparse to_blocks(std::span<const Constraint> constraints, const SparseRows& matrix) {
  const int n = static_cast<int>(constraints.size());
  const auto owners = row_owners(constraints, static_cast<int>(matrix.rows()));
  std::vector<std::vector<int>> columns(n);
  for (int row = 0; row < matrix.rows(); ++row) {
    for (SparseRows::InnerIterator it(matrix, row); it; ++it) {
      const int a = owners[row].constraint, b = owners[it.col()].constraint;
      columns[a].push_back(b);
      columns[b].push_back(a);
    }
  }
  DelassusSparse sparse;
  sparse.row_begin.assign(1, 0);
  sparse.diagonal.resize(n);
  for (int i = 0; i < n; ++i) {
    auto& cols = columns[i];
    cols.push_back(i);
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    const int begin = static_cast<int>(sparse.column.size());
    sparse.diagonal[i] = begin + static_cast<int>(std::lower_bound(cols.begin(), cols.end(), i) - cols.begin());
    sparse.column.insert(sparse.column.end(), cols.begin(), cols.end());
    sparse.row_begin.push_back(static_cast<int>(sparse.column.size()));
  }
  const auto position = [&](int i, int j) {
    const auto begin = sparse.column.begin() + sparse.row_begin[i],
               end = sparse.column.begin() + sparse.row_begin[i + 1];
    return static_cast<int>(std::lower_bound(begin, end, j) - sparse.column.begin());
  };
  sparse.block.assign(sparse.column.size(), Matrix3::Zero());
  sparse.transposed.resize(sparse.column.size());
  for (int i = 0; i < n; ++i) {
    for (int k = sparse.row_begin[i]; k < sparse.row_begin[i + 1]; ++k) {
      sparse.transposed[k] = position(sparse.column[k], i);
    }
  }
  for (int row = 0; row < matrix.rows(); ++row) {
    const auto [i, r] = owners[row];
    for (SparseRows::InnerIterator it(matrix, row); it; ++it) {
      const auto [j, c] = owners[it.col()];
      sparse.block[position(i, j)](r, c) += it.value();
    }
  }
  return sparse;
}

double asymmetry_of(const DelassusDense& dense) {
  double largest = 0.0, difference = 0.0;
  for (int j = 0; j < dense.size; ++j) {
    for (int i = 0; i <= j; ++i) {
      largest = std::max({largest, std::abs(dense(i, j)), std::abs(dense(j, i))});
      difference = std::max(difference, std::abs(dense(i, j) - dense(j, i)));
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

double asymmetry_of(const DelassusSparse& sparse) {
  double largest = 0.0, difference = 0.0;
  for (int k = 0; k < sparse.num_blocks(); ++k) {
    largest = std::max(largest, sparse.block[k].cwiseAbs().maxCoeff());
    difference =
        std::max(difference, (sparse.block[k] - sparse.block[sparse.transposed[k]].transpose()).cwiseAbs().maxCoeff());
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

double asymmetry_of(const DelassusFactored&) {
  return 0.0;
}

// Segments [segment_begin[i], segment_begin[i + 1]) exist for every constraint.
void check_segment_ranges(const DelassusFactored& factored, int n) {
  const auto& begin = factored.segment_begin;
  const int count = static_cast<int>(factored.segment.size());
  if (static_cast<int>(begin.size()) != n + 1) {
    refuse("contact problem: segment_begin has ", begin.size(), " entries but there are ", n, " constraints");
  }
  if (factored.segment_node.size() != factored.segment.size()) {
    refuse("contact problem: segment_node has ", factored.segment_node.size(), " entries but there are ", count,
           " segments");
  }
  if (begin.front() != 0) refuse("contact problem: segment_begin[0] is ", begin.front(), "; it must be 0");
  for (int i = 0; i < n; ++i) {
    if (begin[i] > begin[i + 1]) {
      refuse("contact problem: segment_begin[", i + 1, "] is ", begin[i + 1], ", less than the entry before it");
    }
  }
  if (begin.back() != count) {
    refuse("contact problem: segment_begin[", n, "] is ", begin.back(), " but there are ", count, " segments");
  }
}

void check_factored(const DelassusFactored& factored, std::span<const Constraint> constraints) {
  for (int k = 0; k < factored.num_nodes(); ++k) {
    if (factored.node_size[k] < 1 || factored.node_size[k] > DelassusFactored::max_node_size) {
      refuse("contact problem: node_size[", k, "] is ", factored.node_size[k], "; it must be 1 to ",
             DelassusFactored::max_node_size);
    }
  }
  const int n = static_cast<int>(constraints.size());
  check_segment_ranges(factored, n);
  const auto& begin = factored.segment_begin;
  for (int i = 0; i < n; ++i) {
    for (int s = begin[i]; s < begin[i + 1]; ++s) {
      const int node = factored.segment_node[s];
      if (node < 0 || node >= factored.num_nodes() || (s > begin[i] && node <= factored.segment_node[s - 1])) {
        refuse("contact problem: segment_node[", s, "] of constraint ", i, " is ", node,
               "; nodes of a constraint ascend and stay below ", factored.num_nodes());
      }
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 8; ++c) {
          const double value = factored.segment[s].row[r][c];
          const bool used = r < constraints[i].rows && c < factored.node_size[node];
          if (std::isfinite(value) && (used || value == 0.0)) continue;
          refuse("contact problem: segment[", s, "] of constraint ", i, " holds ", value, " in row ", r, ", column ", c,
                 used ? "" : ", which is padding and must be zero");
        }
      }
    }
  }
}

std::vector<Pack8>& node_scratch(int nodes) {
  static thread_local std::vector<Pack8> scratch;
  if (static_cast<int>(scratch.size()) < nodes) scratch.resize(nodes);
  return scratch;
}

}  // namespace

int DelassusFactored::num_velocities() const {
  return std::accumulate(node_size.begin(), node_size.end(), 0);
}

void ContactProblem::lay_out(std::vector<Constraint> constraints, VectorView free_velocity, VectorView compliance) {
  constraints_ = std::move(constraints);
  free_velocity_ = free_velocity;
  compliance_ = compliance.size() ? VectorX(compliance) : VectorX(VectorX::Zero(free_velocity.size()));
  check_layout();
}

// Constraints, g and R as they stand: validated, rows numbered.
void ContactProblem::check_layout() {
  int m = 0;
  kinds_ = 0;
  for (int i = 0; i < num_constraints(); ++i) {
    check_constraint(constraints_[i], i);
    check_partner(constraints_, i);
    constraints_[i].first_row = m;
    m += constraints_[i].rows;
    kinds_ |= 1u << static_cast<int>(constraints_[i].kind);
  }
  if (free_velocity_.size() != m) {
    refuse("contact problem: g has ", free_velocity_.size(), " entries but the constraints have ", m, " rows");
  }
  if (compliance_.size() != m) {
    refuse("contact problem: R has ", compliance_.size(), " entries but the constraints have ", m, " rows");
  }
  check_finite(free_velocity_, "g");
  check_finite(compliance_, "R");
  for (int i = 0; i < m; ++i) {
    if (compliance_[i] < 0.0) refuse("contact problem: R[", i, "] is ", compliance_[i], "; it must not be negative");
  }
  rigid_ = m == 0 || compliance_.maxCoeff() == 0.0;
}

Matrix3 ContactProblem::read_diagonal_block(int i) const {
  const Constraint& c = constraints_[i];
  Matrix3 block = Matrix3::Zero();
  switch (form()) {
    case DelassusForm::sparse:
      return sparse().block[sparse().diagonal[i]];
    case DelassusForm::dense: {
      const double* corner = dense().column(c.first_row) + c.first_row;
      for (int b = 0; b < c.rows; ++b, corner += dense().stride) {
        for (int a = 0; a < c.rows; ++a) block(a, b) = corner[a];
      }
      break;
    }
    case DelassusForm::factored: {
      const DelassusFactored& f = factored();
      for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
        const Pack8* row = f.segment[s].row;
        for (int b = 0; b < c.rows; ++b) {
          for (int a = b; a < c.rows; ++a) block(a, b) += sum(row[a] * row[b]);
        }
      }
      block.triangularView<Eigen::StrictlyUpper>() = block.transpose();
      break;
    }
  }
  return block;
}

// The third row of rolling friction: nothing there moves, and nothing is asked for.
void ContactProblem::check_empty_row(int i) const {
  if (constraints_[i].kind != ConstraintKind::rolling) return;
  const int row = constraints_[i].first_row + 2;
  if (diagonal_[i](2, 2) == 0.0 && compliance_[row] == 0.0 && free_velocity_[row] == 0.0) return;
  refuse("contact problem: row ", row, ", the third of constraint ", i, " (rolling), must be empty, but G is ",
         diagonal_[i](2, 2), ", R ", compliance_[row], ", g ", free_velocity_[row]);
}

// Diagonal blocks, scales and asymmetry, once G is in place.
void ContactProblem::finish() {
  diagonal_.resize(num_constraints());
  double largest = 0.0;
  for (int i = 0; i < num_constraints(); ++i) {
    diagonal_[i] = read_diagonal_block(i);
    for (int r = 0; r < constraints_[i].rows; ++r) {
      const int row = constraints_[i].first_row + r;
      const double value = diagonal_[i](r, r);
      if (!(value >= 0.0) || !std::isfinite(value)) {
        refuse("contact problem: G[", row, ", ", row, "] is ", value, "; it must be finite and not negative");
      }
      largest = std::max(largest, value);
    }
    check_empty_row(i);
  }
  largest_diagonal_ = largest > 0.0 ? largest : 1.0;
  const double largest_g = num_rows() ? free_velocity_.cwiseAbs().maxCoeff() : 0.0;
  largest_free_velocity_ = largest_g > 0.0 ? largest_g : 1.0;
  find_scales();
  asymmetry_ = std::visit([](const auto& delassus) { return asymmetry_of(delassus); }, delassus_);
}

void ContactProblem::find_scales() {
  scale_.resize(constraints_.size());
  const double per_velocity = 1.0 / largest_free_velocity_;
  // A constraint that nothing moves has no scale of its own.
  const double least = 1e-12 * largest_diagonal_;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Constraint& c = constraints_[i];
    const double *g = free_velocity_.data() + c.first_row, *r = compliance_.data() + c.first_row;
    const Matrix3& block = diagonal_[i];
    ConstraintScale& out = scale_[i];
    double weight = block(0, 0) + r[0], own = std::abs(g[0]), normal = own;
    if (c.rows == 3) {
      weight = (weight + block(1, 1) + block(2, 2) + r[1] + r[2]) * (1.0 / 3.0);
      own = std::max({own, std::abs(g[1]), std::abs(g[2])});
      normal = c.kind == ConstraintKind::bilateral ? own : std::abs(g[2]);
      if (c.kind == ConstraintKind::rolling) {  // two rows, and an empty one
        weight *= 1.5;
        normal = own;
      }
    }
    out.impulse = std::max(weight, least) * per_velocity;
    out.push = std::clamp(normal * per_velocity, ConstraintScale::floor, 1.0);
    out.speed = std::clamp(ConstraintScale::range * own * per_velocity, ConstraintScale::least_speed, 1.0);
  }
}

ContactProblem ContactProblem::from_dense(std::vector<Constraint> constraints,
                                          const Eigen::Ref<const MatrixX>& delassus, VectorView free_velocity,
                                          VectorView compliance) {
  ContactProblem problem;
  problem.lay_out(std::move(constraints), free_velocity, compliance);
  const int m = problem.num_rows();
  check_size(delassus.rows(), delassus.cols(), m);
  DelassusDense dense;
  dense.resize(m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      const double value = delassus(i, j);
      if (!std::isfinite(value)) refuse("contact problem: G[", i, ", ", j, "] is ", value);
      dense.column(j)[i] = value;
    }
  }
  problem.delassus_ = std::move(dense);
  problem.finish();
  return problem;
}

ContactProblem ContactProblem::from_sparse(std::vector<Constraint> constraints, const SparseRows& delassus,
                                           VectorView free_velocity, VectorView compliance) {
  ContactProblem problem;
  problem.lay_out(std::move(constraints), free_velocity, compliance);
  check_size(delassus.rows(), delassus.cols(), problem.num_rows());
  for (int row = 0; row < delassus.rows(); ++row) {
    for (SparseRows::InnerIterator it(delassus, row); it; ++it) {
      if (!std::isfinite(it.value())) refuse("contact problem: G[", row, ", ", it.col(), "] is ", it.value());
    }
  }
  problem.delassus_ = to_blocks(problem.constraints_, delassus);
  problem.finish();
  return problem;
}

ContactProblem ContactProblem::from_factored(std::vector<Constraint> constraints, DelassusFactored factored,
                                             VectorView free_velocity, VectorView compliance) {
  ContactProblem problem;
  problem.lay_out(std::move(constraints), free_velocity, compliance);
  if (problem.num_constraints() == 0 && factored.segment_begin.empty()) factored.segment_begin.assign(1, 0);
  check_factored(factored, problem.constraints_);
  problem.delassus_ = std::move(factored);
  problem.finish();
  return problem;
}

void ContactProblem::apply(VectorView impulse, VectorOut out) const {
  assert(impulse.size() == num_rows() && out.size() == num_rows() && (num_rows() == 0 || impulse.data() != out.data()));
  switch (form()) {
    case DelassusForm::dense:
      apply_dense(impulse, out);
      break;
    case DelassusForm::sparse:
      apply_sparse(impulse, out);
      break;
    case DelassusForm::factored:
      apply_factored(impulse, out);
      break;
  }
}

// Column by column over as many packs of rows as registers hold: robots have few rows, and a general product takes
// longer to begin than to multiply.
void ContactProblem::apply_dense(VectorView impulse, VectorOut out) const {
  const DelassusDense& g = dense();
  const double* x = impulse.data();
  for_packs<4>(0, g.stride / native_lanes, [&](auto packs, int first) {
    constexpr int count = packs;
    NativePack even[count] = {}, odd[count] = {};
    const double* column = g.data.data() + native_lanes * first;
    int j = 0;
    for (; j + 1 < g.size; j += 2, column += 2 * g.stride) {
      STICTION_UNROLL
      for (int p = 0; p < count; ++p) {
        even[p] += x[j] * load_native(column + native_lanes * p);
        odd[p] += x[j + 1] * load_native(column + g.stride + native_lanes * p);
      }
    }
    STICTION_UNROLL
    for (int p = 0; p < count; ++p) {
      if (j < g.size) even[p] += x[j] * load_native(column + native_lanes * p);
      const NativePack total = even[p] + odd[p];
      const int row = native_lanes * (first + p);
      if (row + native_lanes <= g.size) {
        store_native(out.data() + row, total);
      } else {
        for (int r = row; r < g.size; ++r) out[r] = total[r - row];
      }
    }
  });
}

void ContactProblem::apply_sparse(VectorView impulse, VectorOut out) const {
  const auto& g = sparse();
  for (int i = 0; i < num_constraints(); ++i) {
    Vector3 acc = Vector3::Zero();
    for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
      const Constraint& cj = constraints_[g.column[k]];
      const double* x = impulse.data() + cj.first_row;
      if (cj.rows == 3) {
        acc.noalias() += g.block[k] * Eigen::Map<const Vector3>(x);
      } else {
        acc += g.block[k].col(0) * x[0];
      }
    }
    for (int r = 0; r < constraints_[i].rows; ++r) out[constraints_[i].first_row + r] = acc[r];
  }
}

void ContactProblem::apply_factored(VectorView impulse, VectorOut out) const {
  const auto& f = factored();
  auto& w = node_scratch(f.num_nodes());  // Aᵀ λ
  std::fill(w.begin(), w.begin() + f.num_nodes(), Pack8{});
  for (int i = 0; i < num_constraints(); ++i) {
    const Constraint& c = constraints_[i];
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < c.rows; ++r)
        w[f.segment_node[s]] += f.segment[s].row[r] * broadcast8(impulse[c.first_row + r]);
    }
  }
  for (int i = 0; i < num_constraints(); ++i) {
    const Constraint& c = constraints_[i];
    Pack8 acc[3] = {};
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < c.rows; ++r) acc[r] += f.segment[s].row[r] * w[f.segment_node[s]];
    }
    for (int r = 0; r < c.rows; ++r) out[c.first_row + r] = sum(acc[r]);
  }
}

void ContactProblem::velocity(VectorView impulse, VectorOut out) const {
  apply(impulse, out);
  if (rigid_) {
    out += free_velocity_;
  } else {
    out += free_velocity_ + compliance_.cwiseProduct(impulse);
  }
}

}  // namespace stiction
