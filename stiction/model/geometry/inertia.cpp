#include "stiction/model/geometry/inertia.h"

#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/model/geometry/solid.h"

namespace stiction {
namespace {

constexpr double triangle_tolerance = 1e-6;  // relative to the largest principal moment
constexpr double smallest_ratio = 1e-12;     // of the smallest to the largest principal moment

std::string list(const Vector3& v) {
  std::ostringstream text;
  text << v[0] << ", " << v[1] << ", " << v[2];
  return text.str();
}

// ∫ (r² 1 − r rᵀ) of a point of mass m at c.
Matrix3 point_moment(double m, const Vector3& c) {
  return m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
}

}  // namespace

Inertia Inertia::of(const Geometry& geometry, double mass) {
  const UnitSolid solid = unit_solid(geometry);
  return {.mass = mass, .com = solid.com, .moment = mass * solid.unit_moment};
}

Inertia Inertia::of_density(const Geometry& geometry, double density) {
  const UnitSolid solid = unit_solid(geometry);
  const double mass = density * solid.volume;
  return {.mass = mass, .com = solid.com, .moment = mass * solid.unit_moment};
}

Inertia Inertia::in(const Pose& pose) const {
  const Matrix3 turned = pose.rotation * moment * pose.rotation.transpose();
  return {.mass = mass, .com = pose * com, .moment = 0.5 * (turned + turned.transpose())};
}

Inertia Inertia::operator+(const Inertia& other) const {
  const double total = mass + other.mass;
  if (total == 0.0) return {.mass = 0.0, .com = com, .moment = moment + other.moment};
  // Two points at distance d turn about their common centre of mass with the reduced mass.
  const double share = other.mass / total;
  const Vector3 arm = other.com - com;
  return {.mass = total, .com = com + share * arm, .moment = moment + other.moment + point_moment(mass * share, arm)};
}

void check_semi_inertia(const Inertia& inertia, std::string_view what) {
  if (!std::isfinite(inertia.mass) || inertia.mass < 0.0) {
    refuse(what, ": mass is ", inertia.mass, " kg; it must be finite and not negative");
  }
  if (!inertia.com.allFinite()) refuse(what, ": centre of mass is (", list(inertia.com), "); it must be finite");
  const Matrix3& moment = inertia.moment;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      if (!std::isfinite(moment(r, c))) refuse(what, ": moment[", r, ", ", c, "] is ", moment(r, c));
    }
  }
  const double size = moment.cwiseAbs().maxCoeff();
  const double skew = (moment - moment.transpose()).cwiseAbs().maxCoeff();
  if (skew > triangle_tolerance * size) {
    refuse(what, ": moment differs from its transpose by ", skew, " kg·m²; it must be symmetric");
  }
  if (inertia.mass == 0.0 && size > 0.0) refuse(what, ": mass is 0 but moment is not");
  const Vector3 e = principal_moments(moment);
  if (e[0] < -smallest_ratio * size) {
    refuse(what, ": moment has the principal values ", list(e), " kg·m²; none may be negative");
  }
  if (e[0] + e[1] < e[2] * (1.0 - triangle_tolerance)) {
    refuse(what, ": moment has the principal values ", list(e),
           " kg·m²; no mass distribution has one larger than the sum of the others");
  }
}

void check_inertia(const Inertia& inertia, std::string_view what) {
  check_semi_inertia(inertia, what);
  if (inertia.mass == 0.0) refuse(what, ": mass is 0 kg; it must be positive");
  const Vector3 e = principal_moments(inertia.moment);
  if (!(e[0] > smallest_ratio * e[2])) {
    refuse(what, ": moment has the principal values ", list(e), " kg·m²; all must be positive");
  }
}

}  // namespace stiction
