#include "mechanics_builder.h"

#include <Eigen/Dense>

namespace stiction::testing {
namespace {

Eigen::SparseMatrix<double, Eigen::RowMajor> assemble(int rows, int cols,
                                                      const std::vector<Eigen::Triplet<double>>& entries) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

int MechanicsBuilder::add_body(double mass, const Matrix3& rotational, const Vector3& linear, const Vector3& angular) {
  const int first = 6 * num_bodies();
  for (int k = 0; k < 3; ++k) {
    inertia_.emplace_back(first + k, first + k, mass);
    for (int l = 0; l < 3; ++l) {
      if (rotational(k, l) != 0.0) inertia_.emplace_back(first + 3 + k, first + 3 + l, rotational(k, l));
    }
  }
  velocity_.insert(velocity_.end(), linear.data(), linear.data() + 3);
  velocity_.insert(velocity_.end(), angular.data(), angular.data() + 3);
  return first / 6;
}

void MechanicsBuilder::add_contact(const Constraint& law, const Matrix3& frame, int a, const Vector3& arm_a, int b,
                                   const Vector3& arm_b) {
  const auto add = [&](int body, const Vector3& arm, double sign) {
    if (body < 0) return;
    for (int r = 0; r < 3; ++r) {
      const Vector3 axis = frame.col(r), moment = arm.cross(axis);
      for (int k = 0; k < 3; ++k) {
        if (axis[k] != 0.0) rows_.emplace_back(row_ + r, 6 * body + k, sign * axis[k]);
        if (moment[k] != 0.0) rows_.emplace_back(row_ + r, 6 * body + 3 + k, sign * moment[k]);
      }
    }
  };
  add(a, arm_a, 1.0);
  add(b, arm_b, -1.0);
  constraints_.push_back(law);
  row_ += 3;
}

void MechanicsBuilder::add_contact(double friction, const Vector3& normal, int a, const Vector3& arm_a, int b,
                                   const Vector3& arm_b) {
  const Vector3 t1 = normal.unitOrthogonal();
  Matrix3 frame;
  frame << t1, normal.cross(t1), normal;
  add_contact(Constraint::make_frictional(friction), frame, a, arm_a, b, arm_b);
}

void MechanicsBuilder::add_row(const Constraint& law, const std::vector<std::pair<int, double>>& coefficients) {
  for (const auto& [velocity, value] : coefficients) rows_.emplace_back(row_, velocity, value);
  constraints_.push_back(law);
  ++row_;
}

Mechanics MechanicsBuilder::finish() const {
  Mechanics out;
  const int nv = static_cast<int>(velocity_.size());
  out.constraints = constraints_;
  out.inertia = assemble(nv, nv, inertia_);
  out.jacobian = assemble(row_, nv, rows_);
  out.velocity_free = ConstVectorMap(velocity_.data(), nv);
  out.offset = VectorX::Zero(row_);
  return out;
}

}  // namespace stiction::testing
