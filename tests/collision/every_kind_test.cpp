// What theory §5 promises for every kind of shape: planes against support functions, the same contacts with all
// layers on and off along trajectories, the same gaps for mirrored, turned and swapped scenes, names that stay at rest.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "../support/convex_oracle.h"
#include "../support/sanitized.h"
#include "oracles.h"
#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::Random;
using HullPointer = std::shared_ptr<const ConvexHull>;

constexpr double margin = 1e-3;
constexpr int num_kinds = 6;
const char* const kind_names[num_kinds] = {"sphere", "capsule", "cylinder", "ellipsoid", "box", "hull"};

Geometry random_geometry(Random& r, int kind) {
  const auto size = [&] { return r.uniform(0.03, 0.1); };
  switch (kind) {
    case 0:
      return Sphere{size()};
    case 1:
      return Capsule{size(), size()};
    case 2:
      return Cylinder{size(), size()};
    case 3:
      return Ellipsoid{{size(), size(), size()}};
    case 4:
      return Box{{size(), size(), size()}};
    default: {
      std::vector<Vector3> points;
      for (int k = 0; k < 20; ++k) points.push_back(size() * r.unit());
      return ConvexHull::from_points(points);
    }
  }
}

// Farthest extent along a direction of length one, by closed forms.
double extent(const Geometry& g, const Vector3& n) {
  if (const auto* s = std::get_if<Sphere>(&g)) return s->radius;
  if (const auto* s = std::get_if<Capsule>(&g)) return s->radius + s->half_length * std::abs(n.z());
  if (const auto* s = std::get_if<Cylinder>(&g))
    return s->radius * std::hypot(n.x(), n.y()) + s->half_length * std::abs(n.z());
  if (const auto* s = std::get_if<Ellipsoid>(&g)) return s->radii.cwiseProduct(n).norm();
  if (const auto* s = std::get_if<Box>(&g)) return s->half_size.dot(n.cwiseAbs());
  double h = -1e300;
  for (const Vector3& v : std::get<HullPointer>(g)->vertices()) h = std::max(h, n.dot(v));
  return h;
}

// From scratch.
double collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB, double limit, Manifold& out) {
  Shape shape_a, shape_b;
  shape_a.geometry = a, shape_b.geometry = b;
  alignas(16) std::array<std::byte, 4096> memory{};
  EXPECT_LE(pair_memory_size(shape_a.kind(), shape_b.kind()), memory.size());
  return find_pair_kernel(shape_a.kind(), shape_b.kind())(shape_a, X_WA, shape_b, X_WB, limit, memory.data(), out);
}

TEST(EveryKind, OnAPlaneAsItsSupportSays) {
  const int num_poses = testing::num_samples(10000, 100000);
  for (int kind = 0; kind < num_kinds; ++kind) {
    SCOPED_TRACE(kind_names[kind]);
    Random random(100 + kind);
    Geometry shape = random_geometry(random, kind);
    for (int i = 0; i < num_poses; ++i) {
      if (i % 50 == 0) shape = random_geometry(random, kind);
      const Pose plane = random.pose(0.5);
      const Vector3 n = plane.rotation.col(2);
      Pose pose(random.rotation(), Vector3::Zero());
      if (i % 4 == 0) pose.rotation = plane.rotation * random.small_rotation(1e-3);
      const double aim = random.uniform(-1e-2, 1e-2);
      pose.position = plane * Vector3(random.uniform(-1, 1), random.uniform(-1, 1),
                                      aim + extent(shape, pose.rotation.transpose() * -n));
      const double truth = n.dot(pose.position - plane.position) - extent(shape, pose.rotation.transpose() * -n);
      Manifold m, swapped;
      const double gap = collide(shape, pose, Plane{}, plane, margin, m);
      ASSERT_EQ(m.size > 0, truth <= margin) << truth;
      ASSERT_LE(gap, truth + 1e-12);
      ASSERT_EQ(collide(Plane{}, plane, shape, pose, margin, swapped), gap);
      ASSERT_EQ(swapped.size, m.size);
      if (m.size == 0) {
        ASSERT_GT(gap, margin);
        continue;
      }
      ASSERT_NEAR(gap, truth, 1e-12);
      double least = 1.0;
      for (int k = 0; k < m.size; ++k) {
        ASSERT_LT((m.normal[k] - n).norm(), 1e-9);
        ASSERT_EQ(swapped.normal[k], -m.normal[k]);
        ASSERT_EQ(swapped.position[k], m.position[k]);
        ASSERT_LE(m.gap[k], margin);
        // Halfway between the plane and the lowest points.
        ASSERT_NEAR(n.dot(m.position[k] - plane.position), 0.5 * m.gap[k], 1e-12);
        least = std::min(least, m.gap[k]);
      }
      ASSERT_NEAR(least, gap, 0.05 * margin + 1e-6);
    }
  }
}

// Whether points are reported does not depend on how the gap was bounded: the gap found without a margin decides.
TEST(EveryKind, VerdictIsThatOfTheGap) {
  const int num_poses = testing::num_samples(300, 100000);
  for (int a = 0; a < num_kinds; ++a)
    for (int b = 0; b <= a; ++b) {
      SCOPED_TRACE(std::string(kind_names[a]) + ", " + kind_names[b]);
      Random random(200 + 10 * a + b);
      for (int i = 0; i < num_poses; ++i) {
        const Geometry one = random_geometry(random, a), two = random_geometry(random, b);
        const Pose X = random.pose(0.3);
        Pose Y(random.rotation(), X.position + 0.3 * random.unit());
        Manifold m;
        // Nearer, along the normal of the only exact thing at hand, until the gap is a few margins.
        const double aim = random.uniform(-2.0, 4.0) * margin;
        for (int round = 0; round < 2; ++round) {
          const double now = collide(one, X, two, Y, 1e3, m);
          Y.position -= (aim - now) * m.normal[0];
        }
        const double gap = collide(one, X, two, Y, 1e3, m);
        ASSERT_GT(m.size, 0);
        const double bound = collide(one, X, two, Y, margin, m);
        if (std::abs(gap - margin) < 1e-9) continue;
        ASSERT_EQ(m.size > 0, gap <= margin) << gap << " " << bound;
        ASSERT_LE(bound, gap + 1e-9);
      }
    }
}

// ---- worlds

struct Ground {
  std::string name;
  Geometry geometry;
  Pose pose;
};

// Bodies of one shape each over a plane, a hilly mesh and a post. Mirrored at x = 0, turned and moved by `map`, and
// built in the other order as wanted.
struct World {
  std::vector<Geometry> bodies;
  std::vector<Ground> grounds;
  bool is_mirrored = false, is_reversed = false;
  Pose map;

  static Matrix3 mirror() { return Vector3(-1.0, 1.0, 1.0).asDiagonal(); }
  Pose placed(const Pose& X) const {
    return map * (is_mirrored ? Pose(Matrix3(mirror() * X.rotation * mirror()), mirror() * X.position) : X);
  }
  Geometry shaped(const Geometry& g) const {
    if (!is_mirrored) return g;
    if (const auto* hull = std::get_if<HullPointer>(&g)) {
      std::vector<Vector3> points;
      for (const Vector3& v : (*hull)->vertices()) points.push_back(mirror() * v);
      return ConvexHull::from_points(points);
    }
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&g)) {
      std::vector<Vector3> points;
      std::vector<std::array<int, 3>> triangles;
      for (const Vector3& v : (*mesh)->vertices()) points.push_back(mirror() * v);
      for (const auto& t : (*mesh)->triangles()) triangles.push_back({t[0], t[2], t[1]});
      return TriangleMesh::make(points, triangles);
    }
    return g;
  }
  std::shared_ptr<const Model> build() const {
    ModelBuilder builder;
    const int n = static_cast<int>(bodies.size()), m = static_cast<int>(grounds.size());
    for (int i = 0; i < n + m; ++i) {
      const int k = is_reversed ? n + m - 1 - i : i;
      if (k < m) {
        const Ground& g = grounds[k];
        builder.add_shape({.name = g.name, .pose = placed(g.pose), .geometry = shaped(g.geometry)});
      } else {
        const std::string name = "body " + std::to_string(k - m);
        const int body = builder.add_body({.name = name});
        builder.add_shape({.name = name, .body = body, .geometry = shaped(bodies[k - m]), .mass = 1.0});
      }
    }
    return builder.build();
  }
};

std::vector<double> hills(int n) {
  std::vector<double> heights;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) heights.push_back(0.05 * std::sin(1.3 * i) * std::cos(0.9 * j) + 0.003 * i);
  return heights;
}

std::shared_ptr<const TriangleMesh> hilly_mesh(int n, double spacing) {
  const std::vector<double> heights = hills(n);
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      vertices.emplace_back(spacing * (i - 0.5 * (n - 1)), spacing * (j - 0.5 * (n - 1)), heights[j * n + i]);
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i) {
      const int c = j * n + i;
      triangles.push_back({c, c + 1, c + n + 1});
      triangles.push_back({c, c + n + 1, c + n});
    }
  return TriangleMesh::make(vertices, triangles);
}

World random_world(Random& random, int num_bodies) {
  World world;
  world.grounds.push_back({"plane", Plane{}, Pose(random.small_rotation(0.05), Vector3(0, 0, -0.1))});
  world.grounds.push_back({"mesh", hilly_mesh(9, 0.1), Pose(Vector3(0.1, 0, 0))});
  world.grounds.push_back({"post", Cylinder{0.1, 0.3}, random.pose(0.3)});
  for (int k = 0; k < num_bodies; ++k) world.bodies.push_back(random_geometry(random, k % num_kinds));
  return world;
}

struct Found {
  Vector3 position, normal;  // normal from the greater to the lesser name
  double gap;
};
using Contacts = std::map<std::pair<std::string, std::string>, std::vector<Found>>;

class Finder {
 public:
  Finder(const World& world, const CollisionSettings& settings)
      : world_(world), model_(world.build()), collider_(model_, settings), poses_(world.bodies.size()) {}

  Contacts at(const std::vector<Pose>& poses) {
    for (std::size_t k = 0; k < poses.size(); ++k)
      poses_[model_->shapes[model_->find_shape("body " + std::to_string(k))].body] = world_.placed(poses[k]);
    Contacts contacts;
    for (const ContactPoint& p : collider_.collide(poses_, {}, cache_)) {
      const std::string &a = model_->shapes[p.id.shape_a].name, &b = model_->shapes[p.id.shape_b].name;
      contacts[std::minmax(a, b)].push_back({p.position, a < b ? p.normal : Vector3(-p.normal), p.gap});
    }
    return contacts;
  }

 private:
  World world_;
  std::shared_ptr<const Model> model_;
  Collider collider_;
  CollisionCache cache_;
  std::vector<Pose> poses_;
};

double least_gap(const std::vector<Found>& points) {
  double least = points[0].gap;
  for (const Found& p : points) least = std::min(least, p.gap);
  return least;
}

bool same_points(const std::vector<Found>& a, const std::vector<Found>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (const Found& p : a) {
    bool found = false;
    for (const Found& q : b)
      found |= (p.position - q.position).norm() < tolerance && (p.normal - q.normal).norm() < tolerance &&
               std::abs(p.gap - q.gap) < tolerance;
    if (!found) return false;
  }
  return true;
}

TEST(EveryKind, MirroredTurnedAndSwappedScenes) {
  Random random(300);
  int num_pairs = 0, num_differing = 0;
  const int num_worlds = testing::num_samples(20, 400);
  for (int w = 0; w < num_worlds; ++w) {
    const World world = random_world(random, 12);
    World mirrored = world, turned = world, swapped = world;
    mirrored.is_mirrored = true;
    turned.map = random.pose(1.0);
    swapped.is_reversed = true;
    const CollisionSettings settings{.margin = margin, .use_caches = false};
    Finder finder(world, settings), mirror(mirrored, settings), turn(turned, settings), swap(swapped, settings);
    for (int step = 0; step < 20; ++step) {
      std::vector<Pose> poses;
      for (std::size_t k = 0; k < world.bodies.size(); ++k) poses.push_back(random.pose(0.25));
      const Contacts contacts = finder.at(poses);
      const auto compare = [&](const Contacts& others, const char* what) {
        SCOPED_TRACE(what);
        ASSERT_EQ(contacts.size(), others.size());
        for (const auto& [pair, points] : contacts) {
          const auto other = others.find(pair);
          ASSERT_TRUE(other != others.end()) << pair.first << ", " << pair.second;
          // Deeper than 1e-2 m the way out of round shapes is one of several that are about as good.
          const double gap = least_gap(points), tolerance = gap > -1e-2 ? 1e-7 : 2e-2 * std::abs(gap);
          EXPECT_NEAR(gap, least_gap(other->second), tolerance) << pair.first << ", " << pair.second;
        }
      };
      compare(mirror.at(poses), "mirrored");
      compare(turn.at(poses), "turned");
      const Contacts back = swap.at(poses);
      compare(back, "swapped");
      if (HasFailure()) FAIL() << "world " << w << ", step " << step;
      for (const auto& [pair, points] : contacts) {
        ++num_pairs;
        num_differing += !same_points(points, back.at(pair), 1e-5);
      }
    }
  }
  EXPECT_GT(num_pairs, 100 * num_worlds);
  EXPECT_LE(num_differing, num_pairs / 200) << "of " << num_pairs << ", but where two choices are equally good";
}

// Bodies that fly about and come back, with teleports; steps of 1 ms and of 64 ms. Layers, caches and the way of
// seeking pairs decide what is looked at, not what is found.
TEST(EveryKind, LayersOnAndOffAlongTrajectories) {
  for (const double dt : {1e-3, 64e-3}) {
    SCOPED_TRACE(dt);
    Random random(400);
    World world = random_world(random, 18);
    world.grounds.push_back({"field", HeightField::make(9, 9, 0.1, 0.1, hills(9)), Pose(Vector3(-0.8, 0, 0.05))});
    Finder truth(world, {.margin = margin, .broad_phase = BroadPhase::pair_list, .use_caches = false});
    Finder list(world, {.margin = margin, .broad_phase = BroadPhase::pair_list});
    Finder grid(world, {.margin = margin, .broad_phase = BroadPhase::many_bodies});
    std::vector<Pose> poses;
    std::vector<Vector3> velocities, spins;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
      poses.push_back(random.pose(0.6));
      velocities.push_back(random.vector(1.0));
      spins.push_back(random.vector(5.0));
    }
    const int num_steps = testing::num_samples(dt > 1e-2 ? 800 : 2000, 20000);
    int num_contacts = 0;
    for (int step = 0; step < num_steps; ++step) {
      for (std::size_t k = 0; k < poses.size(); ++k) {
        velocities[k] -= dt * 10.0 * poses[k].position;  // about the middle
        poses[k].position += dt * velocities[k];
        const double angle = dt * spins[k].norm();
        poses[k].rotation = Eigen::AngleAxisd(angle, spins[k].normalized()).toRotationMatrix() * poses[k].rotation;
        if (random.index(1000) == 0) poses[k] = random.pose(0.6);
      }
      const Contacts expected = truth.at(poses);
      for (Finder* finder : {&list, &grid}) {
        const Contacts found = finder->at(poses);
        ASSERT_EQ(found.size(), expected.size()) << "step " << step;
        for (const auto& [pair, points] : expected) {
          const auto other = found.find(pair);
          ASSERT_TRUE(other != found.end()) << pair.first << ", " << pair.second << " at step " << step;
          ++num_contacts;
          // In overlap a pair stays with the way out that it came by, which is never shorter.
          const double cold = least_gap(points), warm = least_gap(other->second);
          if (cold > -1e-2) {
            ASSERT_LE(warm, cold + 0.05 * margin + 1e-6) << pair.first << ", " << pair.second << ", step " << step;
          }
          if (cold > 0.0) {
            ASSERT_GE(warm, cold - 0.05 * margin - 1e-6) << pair.first << ", " << pair.second << ", step " << step;
          }
        }
      }
    }
    EXPECT_GT(num_contacts, num_steps);
  }
}

// ---- at rest

// Share of the steps in which the features change while a body jitters about its place on another.
double share_of_changes(const Geometry& body, const Pose& rest, const Geometry& ground, const Pose& X_ground,
                        double jitter, int least_points) {
  ModelBuilder builder;
  builder.add_shape({.pose = X_ground, .geometry = ground});
  const int b = builder.add_body({});
  builder.add_shape({.body = b, .geometry = body, .mass = 1.0});
  Collider collider(builder.build(), {.margin = margin});
  CollisionCache cache;
  Random random(17);
  std::set<std::uint64_t> last;
  int changes = 0;
  const int settling = 500, steps = testing::num_samples(5500, 50000);
  for (int i = 0; i < steps; ++i) {
    const std::vector<Pose> poses = {
        Pose(Matrix3(random.small_rotation(jitter) * rest.rotation), rest.position + random.vector(jitter))};
    std::set<std::uint64_t> names;
    for (const ContactPoint& p : collider.collide(poses, {}, cache)) names.insert(p.id.feature);
    EXPECT_GE(static_cast<int>(names.size()), least_points);
    changes += i >= settling && names != last;
    last = std::move(names);
  }
  return static_cast<double>(changes) / (steps - settling);
}

TEST(EveryKind, RestingCylinderKeepsItsNames) {
  const Cylinder cylinder{0.05, 0.1};
  const double rest = -2e-5;
  const Matrix3 lying = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()).toRotationMatrix();
  const std::vector<double> flat(36, 0.05);
  const Geometry grounds[] = {Box{{0.5, 0.5, 0.05}}, ConvexHull::box({0.5, 0.5, 0.05}),
                              HeightField::make(6, 6, 0.2, 0.2, flat), Cylinder{0.3, 0.05}};
  for (const double jitter : {1e-6, 1e-5, 1e-4})
    for (const Geometry& ground : grounds) {
      SCOPED_TRACE(::testing::Message() << "jitter " << jitter << ", ground " << &ground - grounds);
      EXPECT_LT(share_of_changes(cylinder, Pose(Vector3(0.03, 0.02, 0.15 + rest)), ground, {}, jitter, 3), 1e-3);
      EXPECT_LT(share_of_changes(cylinder, Pose(lying, Vector3(0.03, 0.02, 0.1 + rest)), ground, {}, jitter, 2), 1e-3);
    }
}

}  // namespace
}  // namespace stiction
