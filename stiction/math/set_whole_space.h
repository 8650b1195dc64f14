// The whole space: impulses of a bilateral constraint, which are free; and its dual, the origin, to which the velocity
// of a bilateral constraint is held. For single rows (double) and vectors. Verbs as in set_coulomb_cone.h.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

struct SetOrigin;

struct SetWholeSpace {
  bool contains(double, double = 0.0) const { return true; }
  double project(double x) const { return x; }
  double project_derivative(double) const { return 1.0; }
  double de_saxce_shift(double) const { return 0.0; }

  template <int n>
  using Vector = Eigen::Matrix<double, n, 1>;
  template <int n>
  using Square = Eigen::Matrix<double, n, n>;
  template <int n>
  bool contains(const Vector<n>&, double = 0.0) const {
    return true;
  }
  template <int n>
  Vector<n> project(const Vector<n>& x) const {
    return x;
  }
  template <int n>
  Square<n> project_derivative(const Vector<n>&) const {
    return Square<n>::Identity();
  }
  template <int n>
  Vector<n> de_saxce_shift(const Vector<n>&) const {
    return Vector<n>::Zero();
  }

  SetOrigin dual() const;
};

struct SetOrigin {
  bool contains(double x, double slack = 0.0) const { return -slack <= x && x <= slack; }
  double project(double) const { return 0.0; }
  double project_derivative(double) const { return 0.0; }
  double de_saxce_shift(double) const { return 0.0; }

  template <int n>
  using Vector = Eigen::Matrix<double, n, 1>;
  template <int n>
  using Square = Eigen::Matrix<double, n, n>;
  template <int n>
  bool contains(const Vector<n>& x, double slack = 0.0) const {
    return x.norm() <= slack;
  }
  template <int n>
  Vector<n> project(const Vector<n>&) const {
    return Vector<n>::Zero();
  }
  template <int n>
  Square<n> project_derivative(const Vector<n>&) const {
    return Square<n>::Zero();
  }
  template <int n>
  Vector<n> de_saxce_shift(const Vector<n>&) const {
    return Vector<n>::Zero();
  }

  SetWholeSpace dual() const { return {}; }
};

inline SetOrigin SetWholeSpace::dual() const {
  return {};
}

}  // namespace stiction
