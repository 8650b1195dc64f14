// Free bodies and what holds them, put together into the mechanics of a contact problem.
#pragma once

#include "random_problems.h"

namespace stiction::testing {

// Velocities of a body are (linear, angular) in world axes; −1 is the ground.
class MechanicsBuilder {
 public:
  int add_body(double mass, const Matrix3& rotational, const Vector3& linear, const Vector3& angular = Vector3::Zero());
  // The relative velocity (a less b) at points given from each centre, in the frame (t1, t2, n).
  void add_contact(const Constraint& law, const Matrix3& frame, int a, const Vector3& arm_a, int b,
                   const Vector3& arm_b);
  // The same with tangents of any direction.
  void add_contact(double friction, const Vector3& normal, int a, const Vector3& arm_a, int b, const Vector3& arm_b);
  // One row: coefficients by velocity, entries of zero left out.
  void add_row(const Constraint& law, const std::vector<std::pair<int, double>>& coefficients);
  int num_bodies() const { return static_cast<int>(velocity_.size()) / 6; }

  Mechanics finish() const;

 private:
  std::vector<Constraint> constraints_;
  std::vector<Eigen::Triplet<double>> inertia_, rows_;
  std::vector<double> velocity_;
  int row_ = 0;
};

}  // namespace stiction::testing
