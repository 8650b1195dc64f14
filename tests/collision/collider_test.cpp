// The collider as a whole: what it remembers and skips must not change what it finds.
#include "stiction/collision/collider.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "../support/allocation_guard.h"
#include "oracles.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/model/model_builder.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::Random;

Geometry random_geometry(Random& r, int kind) {
  switch (kind) {
    case 0:
      return Sphere{r.uniform(0.02, 0.1)};
    case 1:
      return Capsule{r.uniform(0.02, 0.06), r.uniform(0.02, 0.1)};
    default:
      return Box{Vector3(r.uniform(0.02, 0.1), r.uniform(0.02, 0.1), r.uniform(0.02, 0.1))};
  }
}

// A floor, a wall, and free bodies with one or two shapes each.
std::shared_ptr<const Model> make_world(int num_bodies, unsigned seed) {
  Random random(seed);
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  builder.add_shape({.pose = Pose(Vector3(0.0, 1.0, 0.5)), .geometry = Box{{1.0, 0.05, 0.5}}});
  for (int i = 0; i < num_bodies; ++i) {
    BodyOptions body;
    body.name = "b" + std::to_string(i);
    const int b = builder.add_body(body);
    const int num_shapes = 1 + random.index(2);
    for (int k = 0; k < num_shapes; ++k)
      builder.add_shape(
          {.body = b, .pose = random.pose(0.05), .geometry = random_geometry(random, random.index(3)), .mass = 1.0});
  }
  return builder.build();
}

// Random motion in a box, with rests, teleports and long steps.
class Motion {
 public:
  Motion(int num_bodies, double size, unsigned seed) : random_(seed), size_(size), poses_(num_bodies) {
    for (Pose& p : poses_) p = random_.pose(size_), p.position.z() = std::abs(p.position.z());
  }
  const std::vector<Pose>& step() {
    ++count_;
    const double speed = count_ % 50 < 25 ? 1e-4 : count_ % 50 < 40 ? 3e-3 : 0.05;
    for (Pose& p : poses_) {
      if (random_.index(3) == 0) continue;
      p.position += random_.vector(speed);
      p.rotation = random_.small_rotation(3.0 * speed) * p.rotation;
      if (random_.index(400) == 0) p = random_.pose(size_);
    }
    return poses_;
  }
  const std::vector<Pose>& poses() const { return poses_; }

 private:
  Random random_;
  double size_;
  int count_ = 0;
  std::vector<Pose> poses_;
};

std::map<std::pair<int, int>, double> least_gaps(std::span<const ContactPoint> points) {
  std::map<std::pair<int, int>, double> result;
  for (const ContactPoint& p : points) {
    const auto [it, is_new] = result.try_emplace({p.id.shape_a, p.id.shape_b}, p.gap);
    it->second = std::min(it->second, p.gap);
  }
  return result;
}

void expect_same(std::span<const ContactPoint> found, std::span<const ContactPoint> truth, int step) {
  const auto a = least_gaps(found), b = least_gaps(truth);
  ASSERT_EQ(a.size(), b.size()) << "step " << step;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    ASSERT_EQ(i->first, j->first) << "step " << step;
    // Deep overlaps of boxes: the remembered reference face may be some degrees off the other.
    ASSERT_NEAR(i->second, j->second, 1e-6 + 1e-2 * std::abs(j->second)) << "step " << step;
  }
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                             [](const ContactPoint& p, const ContactPoint& q) { return p.id < q.id; }));
}

void expect_bits(std::span<const ContactPoint> a, std::span<const ContactPoint> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].id, b[i].id);
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].normal, b[i].normal);
    EXPECT_EQ(a[i].gap, b[i].gap);
  }
}

struct Case {
  int num_bodies;
  double size;
  int steps;
};

TEST(Collider, LayersDoNotChangeTheContactSet) {
  for (const Case& c :
       {Case{12, 0.3, testing::num_samples(3000, 3000)}, Case{150, 0.8, testing::num_samples(300, 300)}}) {
    const auto model = make_world(c.num_bodies, 1);
    Collider list(model, {.broad_phase = BroadPhase::pair_list}), many(model, {.broad_phase = BroadPhase::many_bodies});
    Collider truth(model, {.broad_phase = BroadPhase::pair_list, .use_caches = false});
    Collider many_truth(model, {.broad_phase = BroadPhase::many_bodies, .use_caches = false});
    CollisionCache list_cache, many_cache, no_cache, no_cache_2;
    Motion motion(c.num_bodies, c.size, 2);
    Random random(3);
    std::vector<double> reach(static_cast<std::size_t>(c.num_bodies));
    std::size_t contacts = 0;
    for (int step = 0; step < c.steps; ++step) {
      const std::vector<Pose>& poses = motion.step();
      for (double& r : reach) r = step % 3 == 0 ? 0.0 : random.uniform(0.0, step % 7 == 0 ? 0.03 : 1e-3);
      const auto expected = truth.collide(poses, reach, no_cache);
      contacts += expected.size();
      expect_same(list.collide(poses, reach, list_cache), expected, step);
      expect_same(many.collide(poses, reach, many_cache), expected, step);
      expect_bits(many_truth.collide(poses, reach, no_cache_2), expected);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(contacts, static_cast<std::size_t>(c.steps));
  }
}

// Thousands of bodies of two spheres each over thousands of fixed bricks, at rest and then on their way: the same pairs
// as by trying all.
TEST(Collider, ThousandsOfBodies) {
  Random random(21);
  ModelBuilder builder;
  constexpr int side = 50, num_bodies = 2000;
  constexpr double brick = 0.05, radius = 0.04;
  for (int k = 0; k < side * side; ++k)
    builder.add_shape({.pose = Pose(Vector3(2 * brick * (k % side), 2 * brick * (k / side), 0)),
                       .geometry = Box{{brick, brick, brick}}});
  for (int k = 0; k < num_bodies; ++k) {
    const int body = builder.add_body({.name = std::to_string(k)});
    for (const double x : {-0.03, 0.03})
      builder.add_shape({.body = body, .pose = Pose(Vector3(x, 0, 0)), .geometry = Sphere{radius}, .mass = 1.0});
  }
  const auto model = builder.build();
  Collider collider(model, {.margin = 1e-3});
  CollisionCache cache;
  std::vector<Pose> poses(num_bodies);
  for (Pose& p : poses) {
    p.rotation = random.rotation();
    p.position = Vector3(random.uniform(0, 5), random.uniform(0, 5), random.uniform(0, 0.4));
  }
  for (int step = 0; step < 3; ++step) {
    std::map<std::pair<int, int>, double> truth;
    std::vector<Vector3> centers;
    for (const Shape& shape : model->shapes)
      centers.push_back(shape.body < 0 ? shape.pose.position : poses[shape.body] * shape.pose.position);
    const int n = static_cast<int>(centers.size());
    for (int b = side * side; b < n; ++b)
      for (int a = 0; a < b; ++a) {
        if (model->shapes[a].body == model->shapes[b].body) continue;
        const Vector3 d = centers[b] - centers[a];
        const bool is_brick = a < side * side;
        // Outside of bricks; deep inside any side may be the nearest.
        const double gap =
            is_brick ? (d.cwiseAbs().array() - brick).max(0.0).matrix().norm() - radius : d.norm() - 2 * radius;
        if (gap <= 1e-3) truth[{a, b}] = gap;
      }
    const auto found = least_gaps(collider.collide(poses, {}, cache));
    ASSERT_EQ(found.size(), truth.size());
    EXPECT_GT(truth.size(), 2000u);
    for (const auto& [pair, gap] : found) {
      ASSERT_TRUE(truth.contains(pair)) << pair.first << ", " << pair.second;
      if (truth[pair] > -radius) {
        ASSERT_NEAR(gap, truth[pair], 1e-12);
      }
    }
    for (Pose& p : poses) p.position += random.vector(step < 1 ? 1e-4 : 0.05);
  }
}

TEST(Collider, ReachWidensTheMargin) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) {
    const int b = builder.add_body({});
    builder.add_shape({.body = b, .geometry = Sphere{0.1}, .mass = 1.0});
  }
  Collider collider(builder.build(), {.margin = 1e-3});
  CollisionCache cache;
  std::vector<Pose> poses(2);
  poses[1].position.x() = 0.2 + 0.01;
  const auto num_points = [&](double ra, double rb) {
    const std::vector<double> reach = {ra, rb};
    return collider.collide(poses, reach, cache).size();
  };
  EXPECT_EQ(num_points(0.0, 0.0), 0u);
  EXPECT_EQ(num_points(0.0089, 0.0), 0u);
  EXPECT_EQ(num_points(0.005, 0.0041), 1u);
  EXPECT_EQ(num_points(0.0, 0.0091), 1u);
  EXPECT_EQ(num_points(0.0, 0.0), 0u);
  EXPECT_EQ(collider.collide(poses, {}, cache).size(), 0u);
}

TEST(Collider, PointsOfASphereOnTheFloor) {
  ModelBuilder builder;
  const int b = builder.add_body({});
  builder.add_shape({.geometry = Plane{}});
  builder.add_shape({.body = b, .pose = Pose(Vector3(0.1, 0, 0)), .geometry = Sphere{0.5}, .mass = 1.0});
  Collider collider(builder.build());
  CollisionCache cache;
  const std::vector<Pose> poses = {Pose(Vector3(1, 2, 0.49))};
  const auto points = collider.collide(poses, {}, cache);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].id, (ContactIdentity{0, 1, 0}));
  EXPECT_EQ(points[0].normal, Vector3(0, 0, -1));  // from the sphere, shape 1, to the plane, shape 0
  EXPECT_NEAR(points[0].gap, -0.01, 1e-15);
  EXPECT_TRUE(points[0].position.isApprox(Vector3(1.1, 2, -0.005), 1e-14));
}

TEST(Collider, RestoredStateContinuesWithTheSameBits) {
  for (const BroadPhase phase : {BroadPhase::pair_list, BroadPhase::many_bodies}) {
    const auto model = make_world(40, 5);
    Collider first(model, {.broad_phase = phase}), second(model, {.broad_phase = phase});
    CollisionCache cache;
    Motion motion(40, 0.5, 6);
    for (int step = 0; step < 60; ++step) first.collide(motion.step(), {}, cache);
    CollisionCache restored = cache;
    for (int step = 0; step < 60; ++step) {
      const std::vector<Pose>& poses = motion.step();
      const auto a = first.collide(poses, {}, cache);
      const std::vector<ContactPoint> kept(a.begin(), a.end());
      expect_bits(second.collide(poses, {}, restored), kept);
      ASSERT_EQ(cache.bytes, restored.bytes);
    }
  }
}

TEST(Collider, BytesThatDoNotFitAreForgotten) {
  const auto model = make_world(20, 7), other = make_world(21, 8);
  Collider collider(model), fresh(model), stranger(other);
  Motion motion(21, 0.3, 9);
  const std::vector<Pose> poses(motion.poses().begin(), motion.poses().end() - 1);
  CollisionCache cache;
  const auto found = fresh.collide(poses, {}, cache);
  const std::vector<ContactPoint> truth(found.begin(), found.end());
  ASSERT_FALSE(truth.empty());
  CollisionCache foreign;
  stranger.collide(motion.poses(), {}, foreign);
  expect_bits(collider.collide(poses, {}, foreign), truth);
  CollisionCache cut = cache;
  cut.bytes.resize(cut.bytes.size() - 1);
  expect_bits(collider.collide(poses, {}, cut), truth);
  for (const std::size_t size : {1u, 16u, 1000u, 100000u}) {
    CollisionCache noise;
    noise.bytes.assign(size, std::byte{0x5a});
    expect_bits(collider.collide(poses, {}, noise), truth);
  }
}

TEST(Collider, SecondCallDoesNotAllocate) {
  for (const BroadPhase phase : {BroadPhase::pair_list, BroadPhase::many_bodies}) {
    const auto model = make_world(60, 10);
    Collider collider(model, {.broad_phase = phase});
    CollisionCache cache;
    Motion motion(60, 0.5, 11);
    std::vector<std::vector<Pose>> path;
    for (int step = 0; step < 30; ++step) path.push_back(motion.step());
    for (int round = 0; round < 2; ++round)
      for (const auto& poses : path) collider.collide(poses, {}, cache);
    const testing::AllocationGuard guard;
    for (const auto& poses : path) collider.collide(poses, {}, cache);
    EXPECT_EQ(guard.count(), 0);
  }
}

TEST(Collider, NanPoseHarmsNoOtherPair) {
  for (const BroadPhase phase : {BroadPhase::pair_list, BroadPhase::many_bodies}) {
    const auto model = make_world(30, 12);
    Collider collider(model, {.broad_phase = phase}), truth(model, {.use_caches = false});
    CollisionCache cache, none;
    Motion motion(30, 0.3, 13);
    for (int step = 0; step < 40; ++step) {
      const std::vector<Pose>& poses = motion.step();
      std::vector<Pose> bad = poses;
      const double poison = step % 3 == 0 ? std::nan("") : step % 3 == 1 ? INFINITY : 1e300;
      if (step % 10 >= 5) bad[3].position.x() = poison;
      if (step % 10 >= 7) bad[4].rotation(1, 2) = std::nan("");
      std::vector<ContactPoint> expected;
      for (const ContactPoint& p : truth.collide(poses, {}, none)) {
        const int a = model->shapes[p.id.shape_a].body, b = model->shapes[p.id.shape_b].body;
        if (a != 3 && b != 3 && a != 4 && b != 4) expected.push_back(p);
      }
      std::vector<ContactPoint> found;
      for (const ContactPoint& p : collider.collide(bad, {}, cache)) {
        const int a = model->shapes[p.id.shape_a].body, b = model->shapes[p.id.shape_b].body;
        if (a != 3 && b != 3 && a != 4 && b != 4) found.push_back(p);
      }
      expect_same(found, expected, step);
    }
  }
}

TEST(Collider, RefusesWrongSizes) {
  Collider collider(make_world(3, 1));
  CollisionCache cache;
  const std::vector<Pose> poses(2);
  EXPECT_THROW(collider.collide(poses, {}, cache), std::invalid_argument);
  const std::vector<Pose> right(3);
  EXPECT_THROW(collider.collide(right, std::vector<double>(2), cache), std::invalid_argument);
  EXPECT_THROW(Collider(nullptr), std::invalid_argument);
  EXPECT_THROW(Collider(make_world(1, 1), {.margin = -1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
