// Primitive pairs against closed forms and against brute force on random poses.
#include "stiction/collision/primitives/primitives.h"

#include <gtest/gtest.h>

#include "../support/sanitized.h"
#include "oracles.h"
#include "stiction/collision/primitives/box_box.h"

namespace stiction {
namespace {

using testing::Gap;
using testing::gap_of;
using testing::polytope;
using testing::Random;

constexpr double margin = 5e-3;
const int num_poses = testing::num_samples(6000, 100000);

double least_gap(const Manifold& m) {
  return *std::min_element(m.gap, m.gap + m.size);
}

// Moves b along a random direction until the gap is somewhere in ± 1e-2 m.
template <class A, class B>
void place_near(Random& random, const A& a, const Pose& X_WA, const B& b, Pose& X_WB) {
  const double target = random.uniform(-1e-2, 1e-2);
  const Vector3 d = random.unit();
  double near = 0.0, far = 10.0;
  for (int i = 0; i < 40; ++i) {
    const double t = 0.5 * (near + far);
    X_WB.position = X_WA.position + t * d;
    (gap_of(polytope(a, X_WA), polytope(b, X_WB)).value < target ? near : far) = t;
  }
}

// Verdict, gap and normal. Where the points lie on a face, their heights over it are exact and the least of them is the
// distance up to the angle between that face and the line of distance, 5° at most.
template <class A, class B>
void expect_gap(const A& a, const Pose& X_WA, const B& b, const Pose& X_WB, const Manifold& m, double returned) {
  const Gap truth = gap_of(polytope(a, X_WA), polytope(b, X_WB));
  if (truth.value > margin + 1e-12) {
    EXPECT_EQ(m.size, 0);
    EXPECT_GT(returned, margin);
    EXPECT_LE(returned, truth.value + 1e-12);
    return;
  }
  if (truth.value > margin - 1e-12) return;
  ASSERT_GT(m.size, 0) << truth.value;
  // Of more than four points those that stay are kept; they come near enough to the deepest.
  EXPECT_LE(returned, least_gap(m));
  EXPECT_LE(least_gap(m), returned + 0.05 * margin + 1e-6);
  int best = 0;
  for (int i = 0; i < m.size; ++i) {
    EXPECT_LE(m.gap[i], margin);
    EXPECT_NEAR(m.normal[i].norm(), 1.0, 1e-12);
    if (m.gap[i] < m.gap[best]) best = i;
  }
  const double cosine = m.normal[best].dot(truth.normal);
  if (cosine > 1.0 - 1e-12) {
    EXPECT_NEAR(returned, truth.value, 2e-12);
  } else if (truth.runner_up > 1e-9) {
    EXPECT_GT(cosine, 0.9961) << truth.value << " " << returned << " " << truth.runner_up;
    EXPECT_NEAR(returned, truth.value, 0.05 * margin + 1e-6 + 0.01 * std::abs(truth.value));
  } else {
    EXPECT_NEAR(returned, truth.value, 1e-9);
  }
}

template <class Kernel, class Draw>
void sweep(unsigned seed, Draw&& draw, Kernel&& kernel) {
  Random random(seed);
  for (int i = 0; i < num_poses; ++i) {
    const auto [a, b] = draw(random);
    const Pose X_WA = random.pose(0.5);
    Pose X_WB(random.rotation(), Vector3::Zero());
    if (i % 4 == 0) X_WB.rotation = X_WA.rotation * random.small_rotation(1e-3);
    if (i % 16 == 1) X_WB.rotation = X_WA.rotation;
    place_near(random, a, X_WA, b, X_WB);
    Manifold m;
    const double returned = kernel(a, X_WA, b, X_WB, margin, m);
    expect_gap(a, X_WA, b, X_WB, m, returned);
    if (::testing::Test::HasFailure()) {
      FAIL() << "pose " << i;
    }
  }
}

Sphere random_sphere(Random& r) {
  return {r.uniform(0.02, 0.2)};
}
Capsule random_capsule(Random& r) {
  return {r.uniform(0.02, 0.1), r.uniform(0.02, 0.3)};
}
Box random_box(Random& r) {
  return {Vector3(r.uniform(0.03, 0.3), r.uniform(0.03, 0.3), r.uniform(0.03, 0.3))};
}

TEST(Primitives, SpheresAgainstBruteForce) {
  sweep(1, [](Random& r) { return std::pair(random_sphere(r), random_sphere(r)); }, collide_spheres);
}
TEST(Primitives, SphereCapsuleAgainstBruteForce) {
  sweep(2, [](Random& r) { return std::pair(random_sphere(r), random_capsule(r)); }, collide_sphere_capsule);
}
TEST(Primitives, SphereBoxAgainstBruteForce) {
  sweep(3, [](Random& r) { return std::pair(random_sphere(r), random_box(r)); }, collide_sphere_box);
}
TEST(Primitives, CapsulesAgainstBruteForce) {
  sweep(4, [](Random& r) { return std::pair(random_capsule(r), random_capsule(r)); }, collide_capsules);
}
// Two capsules whose axes lie in one plane and close in by `sine`: the nearest point is the upper end of the second.
TEST(Primitives, NearlyParallelCapsulesTouchAtTheirEnds) {
  Random random(7);
  const Capsule capsule{0.1, 0.5};
  for (int i = 0; i < 2000; ++i) {
    const double sine = std::pow(10.0, -random.uniform(3.0, 12.0)), height = random.uniform(0.21, 0.3);
    const Pose X_WA = random.pose(0.0);
    const Matrix3 turn = Eigen::AngleAxisd(std::asin(sine), Vector3::UnitX()).toRotationMatrix();
    const Pose X_WB = X_WA * Pose(turn, Vector3(0.0, height, -random.uniform(0.01, 0.1)));
    Manifold m;
    const double gap = collide_capsules(capsule, X_WA, capsule, X_WB, 1e-6, m);
    ASSERT_NEAR(gap, height - 0.5 * sine - 0.2, 1e-13) << "sine " << sine;
  }
}
TEST(Primitives, CapsuleBoxAgainstBruteForce) {
  sweep(5, [](Random& r) { return std::pair(random_capsule(r), random_box(r)); }, collide_capsule_box);
}
TEST(Primitives, BoxesAgainstBruteForce) {
  sweep(
      6, [](Random& r) { return std::pair(random_box(r), random_box(r)); },
      [](const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double limit, Manifold& out) {
        BoxPairMemory memory;
        return collide_boxes(a, X_WA, b, X_WB, limit, memory, out);
      });
}

}  // namespace
}  // namespace stiction
