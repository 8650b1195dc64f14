// A contact problem from mechanics: G = J M⁻¹ Jᵀ = A Aᵀ with A = J L⁻ᵀ, M = L Lᵀ by connected components of M.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
constexpr int width = DelassusFactored::max_node_size;
// Each component gets a dense Cholesky factor: beyond this, 128 MB and seconds, another form serves better.
constexpr int max_coupled_velocities = 4096;

void check_sparse_finite(const SparseRows& matrix, const char* name) {
  for (int row = 0; row < matrix.rows(); ++row) {
    for (SparseRows::InnerIterator it(matrix, row); it; ++it) {
      if (!std::isfinite(it.value())) {
        refuse("contact problem: ", name, "[", row, ", ", it.col(), "] is ", it.value());
      }
    }
  }
}

// Velocities that M couples, each set in ascending order, numbered by first appearance.
std::vector<std::vector<int>> inertia_components(const SparseRows& inertia) {
  const int nv = static_cast<int>(inertia.rows());
  std::vector<int> parent(nv);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  for (int row = 0; row < nv; ++row) {
    for (SparseRows::InnerIterator it(inertia, row); it; ++it) {
      const int a = root(row), b = root(static_cast<int>(it.col()));
      if (a != b) parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<int>> components;
  std::vector<int> number(nv, -1);
  for (int k = 0; k < nv; ++k) {
    const int r = root(k);
    if (number[r] < 0) {
      number[r] = static_cast<int>(components.size());
      components.emplace_back();
    }
    components[number[r]].push_back(k);
  }
  return components;
}

// By velocity: the constraints that touch it, ascending.
std::vector<std::vector<int>> touching_constraints(std::span<const Constraint> constraints,
                                                   const SparseRows& jacobian) {
  std::vector<std::vector<int>> touching(jacobian.cols());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    for (int r = 0; r < constraints[i].rows; ++r) {
      for (SparseRows::InnerIterator it(jacobian, constraints[i].first_row + r); it; ++it) {
        std::vector<int>& list = touching[it.col()];
        const int number = static_cast<int>(i);
        if (it.value() != 0.0 && (list.empty() || list.back() != number)) list.push_back(number);
      }
    }
  }
  return touching;
}

// A free body with a diagonal M is six components of one velocity, or four, and each would be a node of its own: nodes
// are what factorisations count. Neighbours that mostly the same constraints touch are put together, up to a whole
// node. M then has zeros within a component, which changes no result. What a bilateral row touches stays apart: its
// stiffness has no bound, and within a node an inverse would be taken across it.
std::vector<std::vector<int>> join_components(std::vector<std::vector<int>> components,
                                              std::span<const Constraint> constraints,
                                              const std::vector<std::vector<int>>& touching) {
  constexpr double alike = 0.5;  // common constraints, of all that touch either
  std::vector<std::vector<int>> joined;
  std::vector<int> before, both, either;  // before: constraints that touch the last of `joined`
  const auto has_bilateral = [&](const std::vector<int>& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](int i) { return constraints[i].kind == ConstraintKind::bilateral; });
  };
  for (std::vector<int>& members : components) {
    std::vector<int> rows;
    for (const int velocity : members) {
      either.clear();
      std::set_union(rows.begin(), rows.end(), touching[velocity].begin(), touching[velocity].end(),
                     std::back_inserter(either));
      rows.swap(either);
    }
    if (!joined.empty() && joined.back().size() + members.size() <= width &&
        joined.back().back() + 1 == members.front() && !has_bilateral(before) && !has_bilateral(rows)) {
      both.clear();
      either.clear();
      std::set_intersection(before.begin(), before.end(), rows.begin(), rows.end(), std::back_inserter(both));
      std::set_union(before.begin(), before.end(), rows.begin(), rows.end(), std::back_inserter(either));
      if (static_cast<double>(both.size()) >= alike * static_cast<double>(either.size())) {
        joined.back().insert(joined.back().end(), members.begin(), members.end());
        before = either;
        continue;
      }
    }
    before = std::move(rows);
    joined.push_back(std::move(members));
  }
  return joined;
}

// L⁻¹ of every component, and where each velocity is found.
struct InertiaFactor {
  struct Place {
    int component;
    int index;
  };
  std::vector<Place> place;
  std::vector<MatrixX> inverse;  // L⁻¹ of each component
  std::vector<int> first_node;   // of each component; nodes are runs of at most six rows of L⁻¹ Jᵀ
  std::vector<int> node_size;
};

// M of one component. An entry and its mirror image may differ by rounding of whoever assembled M, not by more.
MatrixX component_inertia(const SparseRows& inertia, const std::vector<int>& members,
                          const std::vector<InertiaFactor::Place>& place) {
  const int size = static_cast<int>(members.size());
  MatrixX block = MatrixX::Zero(size, size);
  for (int a = 0; a < size; ++a) {
    for (SparseRows::InnerIterator it(inertia, members[a]); it; ++it) block(a, place[it.col()].index) += it.value();
  }
  for (int a = 0; a < size; ++a) {
    if (!(block(a, a) > 0.0)) {
      refuse("contact problem: M[", members[a], ", ", members[a], "] is ", block(a, a),
             "; M must be positive definite");
    }
    for (int b = 0; b < a; ++b) {
      if (std::abs(block(a, b) - block(b, a)) > 1e-8 * std::sqrt(block(a, a)) * std::sqrt(block(b, b))) {
        refuse("contact problem: M[", members[a], ", ", members[b], "] is ", block(a, b), " but M[", members[b], ", ",
               members[a], "] is ", block(b, a), "; M must be symmetric");
      }
    }
  }
  return block;
}

InertiaFactor factor_inertia(const SparseRows& inertia, std::span<const Constraint> constraints,
                             const SparseRows& jacobian) {
  const auto components =
      join_components(inertia_components(inertia), constraints, touching_constraints(constraints, jacobian));
  InertiaFactor factor;
  factor.place.resize(inertia.rows());
  for (int k = 0; k < static_cast<int>(components.size()); ++k) {
    const auto& members = components[k];
    const int size = static_cast<int>(members.size());
    if (size > max_coupled_velocities) {
      refuse("contact problem: M couples ", size, " velocities; the factored form takes at most ",
             max_coupled_velocities, ", condense the problem instead");
    }
    for (int a = 0; a < size; ++a) factor.place[members[a]] = {k, a};
    const Eigen::LLT<MatrixX> cholesky(component_inertia(inertia, members, factor.place));
    if (cholesky.info() != Eigen::Success) {
      refuse("contact problem: M is not positive definite on the ", size, " velocities that are coupled to velocity ",
             members[0]);
    }
    factor.inverse.push_back(cholesky.matrixL().solve(MatrixX::Identity(size, size)));
    factor.first_node.push_back(static_cast<int>(factor.node_size.size()));
    for (int a = 0; a < size; a += width) factor.node_size.push_back(std::min(width, size - a));
  }
  return factor;
}

// Appends the segments of the constraint that owns rows [row, row + rows) of J.
void add_segments(const InertiaFactor& factor, const SparseRows& jacobian, int row, int rows, DelassusFactored& out) {
  std::vector<int> touched;
  for (int r = 0; r < rows; ++r) {
    for (SparseRows::InnerIterator it(jacobian, row + r); it; ++it) {
      if (it.value() != 0.0) touched.push_back(factor.place[it.col()].component);
    }
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (int k : touched) {
    const MatrixX& inverse = factor.inverse[k];
    const int size = static_cast<int>(inverse.rows());
    MatrixX columns = MatrixX::Zero(size, rows);  // L⁻¹ J_iᵀ
    for (int r = 0; r < rows; ++r) {
      for (SparseRows::InnerIterator it(jacobian, row + r); it; ++it) {
        const auto [component, index] = factor.place[it.col()];
        if (component == k) columns.col(r) += inverse.col(index) * it.value();
      }
    }
    for (int a = 0, node = factor.first_node[k]; a < size; a += width, ++node) {
      const int length = std::min(width, size - a);
      if (columns.middleRows(a, length).cwiseAbs().maxCoeff() == 0.0) continue;
      DelassusFactored::Segment segment{};
      for (int r = 0; r < rows; ++r) {
        for (int b = 0; b < length; ++b) segment.row[r][b] = columns(a + b, r);
      }
      out.segment_node.push_back(node);
      out.segment.push_back(segment);
    }
  }
  out.segment_begin.push_back(static_cast<int>(out.segment.size()));
}

}  // namespace

ContactProblem ContactProblem::from_inertia(std::vector<Constraint> constraints, const SparseRows& inertia,
                                            const SparseRows& jacobian, VectorView free_velocity,
                                            VectorView compliance) {
  ContactProblem problem;
  problem.lay_out(std::move(constraints), free_velocity, compliance);
  if (inertia.rows() != inertia.cols()) {
    refuse("contact problem: M is ", inertia.rows(), " x ", inertia.cols(), "; it must be square");
  }
  if (jacobian.rows() != problem.num_rows() || jacobian.cols() != inertia.rows()) {
    refuse("contact problem: J is ", jacobian.rows(), " x ", jacobian.cols(), " but the constraints have ",
           problem.num_rows(), " rows and M is of size ", inertia.rows());
  }
  check_sparse_finite(inertia, "M");
  check_sparse_finite(jacobian, "J");
  const InertiaFactor factor = factor_inertia(inertia, problem.constraints_, jacobian);
  DelassusFactored factored;
  factored.node_size = factor.node_size;
  factored.segment_begin.assign(1, 0);
  for (const Constraint& c : problem.constraints_) add_segments(factor, jacobian, c.first_row, c.rows, factored);
  problem.delassus_ = std::move(factored);
  problem.finish();
  return problem;
}

}  // namespace stiction
