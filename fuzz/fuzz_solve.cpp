// Any numbers are a problem: construction either refuses them with std::invalid_argument, or every solver returns
// finite impulses that the judge can look at.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

// Turns bytes into choices; zeros when they run out.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  int below(int limit) { return next() % limit; }
  double number() {
    const int choice = below(16);
    if (choice == 0) return special();
    if (choice == 1) {
      std::uint64_t bits = 0;
      for (int k = 0; k < 8; ++k) bits = bits << 8 | next();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    if (choice == 2) return std::ldexp(1.0 + next() / 256.0, static_cast<int>(next()) - 128);
    return (static_cast<int>(next()) - 128) / 32.0 + next() / 8192.0;
  }
  double positive() { return std::abs(number()); }

 private:
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
  double special() {
    constexpr double values[] = {std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::denorm_min(),
                                 -0.0,
                                 1e-160,
                                 1e160};
    return values[below(8)];
  }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

Constraint any_constraint(Bytes& bytes) {
  switch (bytes.below(8)) {
    case 0:
      return Constraint::make_unilateral();
    case 1:
      return Constraint::make_bilateral(bytes.below(2) ? 1 : 3);
    case 2:
      return Constraint::make_dry_friction(bytes.number());
    case 3:
      return Constraint::make_anisotropic(bytes.number(), bytes.number());
    case 4:
      return Constraint::make_frictional(0.0);
    case 5:
      return Constraint::make_viscous(bytes.positive(), bytes.positive());
    default:
      return Constraint::make_frictional(bytes.below(4) ? bytes.positive() : bytes.number());
  }
}

MatrixX any_matrix(Bytes& bytes, int rows, int cols) {
  MatrixX matrix(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) matrix(i, j) = bytes.number();
  }
  return matrix;
}

ContactProblem any_problem(Bytes& bytes) {
  const int form = bytes.below(4), num_constraints = bytes.below(5);
  std::vector<Constraint> constraints;
  int m = 0;
  for (int i = 0; i < num_constraints; ++i) {
    constraints.push_back(any_constraint(bytes));
    m += constraints.back().rows;
  }
  VectorX g(m), r(m);
  for (double& value : g) value = bytes.number();
  const bool compliant = bytes.below(4) == 0;
  for (double& value : r) value = compliant ? bytes.positive() : 0.0;
  if (form == 0) return ContactProblem::from_dense(constraints, any_matrix(bytes, m, m), g, r);
  const int nv = 1 + bytes.below(12);
  const MatrixX a = any_matrix(bytes, m, nv);
  if (form == 1) return ContactProblem::from_dense(constraints, a * a.transpose(), g, r);
  if (form == 2) return ContactProblem::from_sparse(constraints, MatrixX(a * a.transpose()).sparseView(), g, r);
  const MatrixX inertia = MatrixX::Identity(nv, nv) * (0.1 + bytes.positive());
  return ContactProblem::from_inertia(constraints, inertia.sparseView(), a.sparseView(), g, r);
}

void solve_with(const ContactProblem& problem, ContactSolver& solver) {
  solver.settings().max_iterations = 15;
  ContactSolution solution;
  try {
    solver.solve(problem, solution);
  } catch (const std::invalid_argument&) {
    return;  // a kind of constraint that the method does not take
  }
  if (!solution.impulse.allFinite()) std::abort();
  judge(problem, solution.impulse, {.model = solver.traits().model});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  ContactProblem problem;
  try {
    problem = any_problem(bytes);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  for (std::string_view name : solver_names()) solve_with(problem, *make_solver(name));
  return 0;
}
