#include "random_problems.h"

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace stiction::testing {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// Rows of the relative velocity (body a minus body b, −1: ground) at points given from each centre, in the frame
// (t1, t2, n). Velocities of a body are (linear, angular) in world axes.
void add_contact_rows(Triplets& rows, int row, const Matrix3& frame, int a, const Vector3& arm_a, int b,
                      const Vector3& arm_b) {
  const auto add = [&](int body, const Vector3& arm, double sign) {
    if (body < 0) return;
    for (int r = 0; r < 3; ++r) {
      const Vector3 axis = frame.col(r);
      const Vector3 moment = arm.cross(axis);
      for (int k = 0; k < 3; ++k) {
        rows.emplace_back(row + r, 6 * body + k, sign * axis[k]);
        rows.emplace_back(row + r, 6 * body + 3 + k, sign * moment[k]);
      }
    }
  };
  add(a, arm_a, 1.0);
  add(b, arm_b, -1.0);
}

// The relative angular velocity about axes.
void add_turning_row(Triplets& rows, int row, const Vector3& axis, int a, int b) {
  for (int k = 0; k < 3; ++k) {
    if (a >= 0) rows.emplace_back(row, 6 * a + 3 + k, axis[k]);
    if (b >= 0) rows.emplace_back(row, 6 * b + 3 + k, -axis[k]);
  }
}

Eigen::SparseMatrix<double, Eigen::RowMajor> assemble(int rows, int cols, const Triplets& entries) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

Mechanics random_mechanics(const RandomProblemOptions& options) {
  std::mt19937_64 generator(options.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto vector3 = [&] {
    const double a = uniform(generator), b = uniform(generator), c = uniform(generator);
    return Vector3(a, b, c);
  };
  const int nv = 6 * options.bodies;
  Mechanics out;
  Triplets inertia, rows;
  for (int body = 0; body < options.bodies; ++body) {
    const double mass = std::exp(uniform(generator));
    Matrix3 a;
    for (int c = 0; c < 3; ++c) a.col(c) = vector3();
    const Matrix3 rotational = mass * (0.05 * a * a.transpose() + 0.1 * Matrix3::Identity());
    for (int k = 0; k < 3; ++k) {
      inertia.emplace_back(6 * body + k, 6 * body + k, mass);
      for (int l = 0; l < 3; ++l) inertia.emplace_back(6 * body + 3 + k, 6 * body + 3 + l, rotational(k, l));
    }
  }
  int row = 0;
  const auto body_index = [&](int from) {
    return static_cast<int>(std::uniform_int_distribution<int>(from, options.bodies - 1)(generator));
  };
  struct Pair {
    int a, b;
    Matrix3 frame;
  };
  std::vector<Pair> pairs;
  for (int i = 0; i < options.contacts; ++i) {
    const int a = i % options.bodies;
    int b = body_index(-1);
    if (b == a) b = -1;
    const Vector3 normal = (Vector3(0, 0, 1.5) + vector3()).normalized();
    const Vector3 t1 = normal.unitOrthogonal();
    Matrix3 frame;
    frame << t1, normal.cross(t1), normal;
    const Vector3 arm_a = 0.5 * vector3(), arm_b = 0.5 * vector3();
    add_contact_rows(rows, row, frame, a, arm_a, b, arm_b);
    pairs.push_back({a, b, frame});
    out.constraints.push_back(
        Constraint::make_frictional(options.friction >= 0.0 ? options.friction : 0.5 + 0.5 * uniform(generator)));
    row += 3;
  }
  const auto random_row = [&](int r) {
    const int body = body_index(0);
    for (int k = 0; k < 6; ++k) rows.emplace_back(r, 6 * body + k, uniform(generator));
  };
  for (int i = 0; i < options.limits; ++i) {
    random_row(row++);
    out.constraints.push_back(Constraint::make_unilateral());
  }
  for (int i = 0; i < options.bilateral; ++i) {
    const int count = i % 2 == 0 ? 3 : 1;
    for (int r = 0; r < count; ++r) random_row(row++);
    out.constraints.push_back(Constraint::make_bilateral(count));
  }
  for (int i = 0; i < options.dry_friction; ++i) {
    random_row(row++);
    out.constraints.push_back(Constraint::make_dry_friction(0.2 + 0.1 * uniform(generator)));
  }
  std::vector<int> empty_rows;
  for (int i = 0; i < options.torsional; ++i) {
    add_turning_row(rows, row++, pairs[i].frame.col(2), pairs[i].a, pairs[i].b);
    out.constraints.push_back(Constraint::make_torsional(options.torque, i));
  }
  for (int i = 0; i < options.rolling; ++i) {
    for (const int axis : {0, 1}) add_turning_row(rows, row + axis, pairs[i].frame.col(axis), pairs[i].a, pairs[i].b);
    out.constraints.push_back(Constraint::make_rolling(options.torque, i));
    row += 3;
    empty_rows.push_back(row - 1);
  }
  out.inertia = assemble(nv, nv, inertia);
  out.jacobian = assemble(row, nv, rows);
  out.velocity_free.resize(nv);
  for (int k = 0; k < nv; ++k) out.velocity_free[k] = uniform(generator);
  for (int body = 0; body < options.bodies; ++body) out.velocity_free[6 * body + 2] -= 1.0;
  out.offset = VectorX::Zero(row);
  if (options.compliance > 0.0) {
    const double mean = MatrixX(out.problem().to_dense()).diagonal().mean();
    out.compliance = VectorX::Constant(row, options.compliance * mean);
    for (const int r : empty_rows) out.compliance[r] = 0.0;
  }
  return out;
}

Mechanics mass_ratio_stack(double ratio, int cubes) {
  Mechanics out;
  Triplets inertia, rows;
  constexpr double step = 1e-3, gravity = 9.81;
  int row = 0;
  for (int k = 0; k < cubes; ++k) {
    const double mass = std::pow(ratio, static_cast<double>(k) / std::max(1, cubes - 1));
    for (int c = 0; c < 3; ++c) {
      inertia.emplace_back(6 * k + c, 6 * k + c, mass);
      inertia.emplace_back(6 * k + 3 + c, 6 * k + 3 + c, mass / 6.0);
    }
    for (int corner = 0; corner < 4; ++corner) {
      const double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
      add_contact_rows(rows, row, Matrix3::Identity(), k, Vector3(x, y, -0.5), k - 1, Vector3(x, y, 0.5));
      out.constraints.push_back(Constraint::make_frictional(0.5));
      row += 3;
    }
  }
  out.inertia = assemble(6 * cubes, 6 * cubes, inertia);
  out.jacobian = assemble(row, 6 * cubes, rows);
  out.velocity_free = VectorX::Zero(6 * cubes);
  for (int k = 0; k < cubes; ++k) out.velocity_free[6 * k + 2] = -gravity * step;
  out.offset = VectorX::Zero(row);
  return out;
}

}  // namespace stiction::testing
