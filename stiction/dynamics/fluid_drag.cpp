#include "stiction/dynamics/fluid_drag.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

constexpr double pi = std::numbers::pi;

constexpr double square(double x) {
  return x * x;
}
constexpr double fourth(double x) {
  return square(square(x));
}

// Carlson's R_D(x, y, z) = 3/2 ∫ dt / ((t + z) √((t + x)(t + y)(t + z))), t from 0 on, by duplication
// (DLMF 19.36): the arguments approach each other by a quarter each time.
double carlson_rd(double x, double y, double z) {
  constexpr double close = 1e-3;  // the series below is then right to its sixth power
  double sum = 0.0, factor = 1.0, mean = 0.0;
  for (;;) {
    mean = (x + y + 3.0 * z) / 5.0;
    if (std::max({std::abs(mean - x), std::abs(mean - y), std::abs(mean - z)}) <= close * mean) break;
    const double shift = std::sqrt(x * y) + std::sqrt(x * z) + std::sqrt(y * z);
    sum += factor / (std::sqrt(z) * (z + shift));
    factor *= 0.25;
    x = 0.25 * (x + shift), y = 0.25 * (y + shift), z = 0.25 * (z + shift);
  }
  const double a = (mean - x) / mean, b = (mean - y) / mean, c = -(a + b) / 3.0;
  const double e2 = a * b - 6.0 * c * c, e3 = (3.0 * a * b - 8.0 * c * c) * c, e4 = 3.0 * (a * b - c * c) * c * c,
               e5 = a * b * c * c * c;
  const double series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 -
                        9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0;
  return 3.0 * sum + factor * series / (mean * std::sqrt(mean));
}

}  // namespace

void added_volumes(const Vector3& r, Vector3& along, Vector3& about) {
  const double largest = r.maxCoeff();
  const Vector3 s = r / largest;  // κ has no dimension
  const double volume = 4.0 / 3.0 * pi * r.prod();
  Vector3 kappa;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    kappa[i] = 2.0 / 3.0 * s.prod() * carlson_rd(square(s[j]), square(s[k]), square(s[i]));
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    along[i] = volume * kappa[i] / (2.0 - kappa[i]);
    const double difference = square(r[j]) - square(r[k]), sum = square(r[j]) + square(r[k]);
    const double below = 2.0 * difference + sum * (kappa[j] - kappa[k]);
    // Where it is round about axis i nothing is carried along; both differences are rounding then.
    const bool is_round = std::abs(difference) <= 1e-9 * sum;
    about[i] = is_round ? 0.0 : volume / 5.0 * square(difference) * (kappa[k] - kappa[j]) / below;
  }
}

FluidDragLaw::FluidDragLaw(const FluidForm& form, const Fluid& fluid) : form_(form), density_(fluid.density) {
  const Vector3& r = form.half_axes;
  const double mean = r.sum() / 3.0;
  viscous_angular_ = 8.0 * pi * fluid.viscosity * mean * mean * mean;
  viscous_linear_ = 6.0 * pi * fluid.viscosity * mean;
  quadratic_angular_.setZero(), quadratic_linear_.setZero();
  added_mass_.setZero(), added_inertia_.setZero();
  for (int i = 0; i < 3; ++i) {
    const double rj = r[(i + 1) % 3], rk = r[(i + 2) % 3];
    faces_[i] = square(rj * rk);
    quadratic_linear_[i] = 2.0 * density_ * rj * rk;
    quadratic_angular_[i] = 0.5 * density_ * r[i] * (fourth(rj) + fourth(rk));
  }
  if (form.kind == FluidFormKind::box) return;
  Vector3 swept;  // moment of what the ellipsoid sweeps as it turns about an axis
  for (int i = 0; i < 3; ++i) swept[i] = 8.0 / 15.0 * pi * r[i] * fourth(std::max(r[(i + 1) % 3], r[(i + 2) % 3]));
  const double largest = r.maxCoeff(), smallest = r.minCoeff(),
               middle = std::clamp(r.sum() - largest - smallest, smallest, largest);
  largest_area_ = pi * largest * middle;
  for (int i = 0; i < 3; ++i) {
    quadratic_angular_[i] =
        density_ * (form.angular_drag * swept[i] + form.slender_drag * (swept.maxCoeff() - swept[i]));
  }
  lifted_mass_ = form.magnus_lift * density_ * 4.0 / 3.0 * pi * r.prod();
  added_volumes(r, added_mass_, added_inertia_);
  added_mass_ *= density_, added_inertia_ *= density_;
  has_lift_ = density_ > 0.0;
}

FluidDrag FluidDragLaw::at(const Vector3& omega, const Vector3& u) const {
  FluidDrag drag;
  drag.angular.setConstant(viscous_angular_);
  drag.linear.setConstant(viscous_linear_);
  if (!(density_ > 0.0)) return drag;
  if (form_.kind == FluidFormKind::box) {
    drag.angular += quadratic_angular_.cwiseProduct(omega.cwiseAbs());
    drag.linear += quadratic_linear_.cwiseProduct(u.cwiseAbs());
    return drag;
  }
  add_ellipsoid(omega, u, drag);
  return drag;
}

void FluidDragLaw::add_ellipsoid(const Vector3& omega, const Vector3& u, FluidDrag& drag) const {
  drag.angular.array() += quadratic_angular_.cwiseProduct(omega).norm();
  drag.spin = added_inertia_.cwiseProduct(omega);
  drag.flow = added_mass_.cwiseProduct(u);
  drag.turn = lifted_mass_ * omega;
  const double speed = u.norm();
  if (!(speed > 0.0)) return;
  const Vector3 along = u / speed, normal = faces_.cwiseProduct(along);
  const double shown = normal.dot(along), area = pi * std::sqrt(normal.squaredNorm() / shown);
  const double beside = std::max(0.0, largest_area_ - area);  // not negative but for rounding
  drag.linear.array() += density_ * speed * (form_.blunt_drag * area + form_.slender_drag * beside);
  // Kutta: the cosine between flow and normal, on the normal's direction: shown / ‖normal‖².
  drag.turn += form_.kutta_lift * density_ * area * speed * shown / normal.squaredNorm() * normal.cross(along);
}

}  // namespace stiction
