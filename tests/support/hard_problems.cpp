#include "hard_problems.h"

#include <Eigen/Dense>
#include <cmath>

#include "mechanics_builder.h"
#include "random.h"

namespace stiction::testing {

Mechanics three_point_heap(const ThreePointHeap& options) {
  Random random(options.seed);
  MechanicsBuilder builder;
  for (int body = 0; body < options.bodies; ++body) {
    const double mass = std::exp(random.uniform(-1.0, 1.0));
    Matrix3 a;
    for (int c = 0; c < 3; ++c) a.col(c) = random.vector(1.0);
    const Matrix3 rotational = mass * (0.05 * a * a.transpose() + 0.1 * Matrix3::Identity());
    builder.add_body(mass, rotational, random.vector(1.0) - Vector3(0, 0, 1), random.vector(1.0));
    for (int partner = 0; partner < options.partners; ++partner) {
      const int other = random.index(std::max(-1, body - 5), body - 1);
      const Vector3 normal = (Vector3(0, 0, 1.5) + random.vector(1.0)).normalized();
      const Vector3 t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
      const double phase = random.uniform(0.0, 6.28);
      const Vector3 middle_a = -0.3 * normal + random.vector(0.1), middle_b = 0.3 * normal + random.vector(0.1);
      for (int point = 0; point < 3; ++point) {
        const double angle = phase + 2.0944 * point;
        const Vector3 arm = 0.3 * (std::cos(angle) * t1 + std::sin(angle) * t2);
        builder.add_contact(options.friction, normal, body, middle_a + arm, other, middle_b + arm);
      }
    }
  }
  return builder.finish();
}

Mechanics spheres_in_box(const SpheresInBox& options) {
  Random random(options.seed);
  MechanicsBuilder builder;
  const int n = options.count;
  constexpr double radius = 0.5, jitter = 0.12, reach = 1.04;  // of the diameter
  std::vector<Vector3> centre;
  for (int k = 0; k < n * n * n; ++k) {
    const Vector3 grid(k % n, k / n % n, k / (n * n));
    centre.push_back(grid + random.vector(jitter));
    const double mass = k % 2 == 0 ? 1.0 : options.mass_ratio;
    const Matrix3 rotational = 0.4 * mass * radius * radius * Matrix3::Identity();
    builder.add_body(mass, rotational, 0.3 * random.vector(1.0) - Vector3(0, 0, 1));
  }
  for (std::size_t a = 0; a < centre.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Vector3 between = centre[a] - centre[b];
      if (between.norm() > reach * 2.0 * radius) continue;
      const Vector3 normal = between.normalized();
      builder.add_contact(options.friction, normal, static_cast<int>(a), -radius * normal, static_cast<int>(b),
                          radius * normal);
    }
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 normal = Vector3::Unit(axis);
      if (centre[a][axis] < 0.06) {
        builder.add_contact(options.friction, normal, static_cast<int>(a), -radius * normal, -1, Vector3::Zero());
      }
      if (centre[a][axis] > n - 1.06 && axis < 2) {
        builder.add_contact(options.friction, -normal, static_cast<int>(a), radius * normal, -1, Vector3::Zero());
      }
    }
  }
  return builder.finish();
}

Mechanics wedges(const Wedges& options) {
  Random random(options.seed);
  MechanicsBuilder builder;
  for (int k = 0; k < options.bodies; ++k) {
    const double mass = std::exp(random.uniform(-1.0, 1.0));
    const Matrix3 rotational = 0.1 * mass * Vector3(1.0, 1.3, 0.7).asDiagonal().toDenseMatrix();
    const int body = builder.add_body(mass, rotational, random.vector(1.0) - Vector3(0, 0, 1), random.vector(1.0));
    const double phase = random.uniform(0.0, 6.28);
    for (int point = 0; point < 3; ++point) {
      const double turn = phase + 2.0944 * point + random.uniform(-0.3, 0.3);
      const double tilt = options.half_angle + random.uniform(-0.2, 0.2);
      const Vector3 normal(std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn), std::cos(tilt));
      builder.add_contact(options.friction, normal, body, -0.5 * normal + random.vector(0.15), -1, Vector3::Zero());
    }
  }
  return builder.finish();
}

Mechanics box_columns(const BoxColumns& options) {
  Random random(options.seed);
  MechanicsBuilder builder;
  for (int column = 0; column < options.columns; ++column) {
    for (int level = 0; level < options.height; ++level) {
      const Vector3 linear = 0.2 * random.vector(1.0) - Vector3(0, 0, 0.1);
      const int body = builder.add_body(1.0, Matrix3::Identity() / 6.0, linear, 0.2 * random.vector(1.0));
      for (int corner = 0; corner < 4; ++corner) {
        const Vector3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, 0.0);
        builder.add_contact(options.friction, Vector3::UnitZ(), body, arm - Vector3(0, 0, 0.5),
                            level > 0 ? body - 1 : -1, arm + Vector3(0, 0, 0.5));
      }
      if (column > 0) {  // its neighbour's face, two points
        for (int point = 0; point < 2; ++point) {
          const Vector3 arm(0.0, point == 0 ? 0.4 : -0.4, 0.2);
          builder.add_contact(options.friction, Vector3::UnitX(), body, arm - Vector3(0.5, 0, 0), body - options.height,
                              arm + Vector3(0.5, 0, 0));
        }
      }
    }
  }
  return builder.finish();
}

}  // namespace stiction::testing
