// A block given as a closed mesh or as a height field, against the same block as a Box and against the truth: every
// kind of partner, many poses around faces, edges and corners. STICTION_SCAN=factor multiplies the number of poses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "../support/convex_oracle.h"
#include "../support/sanitized.h"
#include "../support/terrain_truth.h"
#include "oracles.h"
#include "stiction/collision/collider.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/terrain.h"
#include "stiction/model/height_field.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::Random;

const Vector3 half(0.2, 0.15, 0.1);

int num_poses(int usual) {
  const char* factor = std::getenv("STICTION_SCAN");
  const double scaled = usual * (factor != nullptr ? std::atof(factor) : 1.0);
  return static_cast<int>(testing::sanitized ? scaled / 20 : scaled);
}

struct Partner {
  const char* name;
  Geometry geometry;
};
std::vector<Partner> partners() {
  std::mt19937 generator(3);
  return {{"sphere", Sphere{0.06}},
          {"capsule", Capsule{0.04, 0.1}},
          {"cylinder", Cylinder{0.06, 0.08}},
          {"ellipsoid", Ellipsoid{{0.09, 0.05, 0.07}}},
          {"box", Box{{0.1, 0.05, 0.08}}},
          {"large box", Box{{0.5, 0.4, 0.3}}},
          {"prism", testing::prism_hull(6, 0.08, 0.07)},
          {"hull", testing::random_hull(generator, 20, 0.1)}};
}

// A shape with its bounds.
Shape make_shape(const Geometry& geometry) {
  ModelBuilder builder;
  const int body = builder.add_body({});
  builder.add_shape({.body = body, .geometry = geometry, .mass = 1.0});
  return builder.build()->shapes[0];
}
Shape make_ground(const Geometry& geometry) {
  ModelBuilder builder;
  builder.add_shape({.geometry = geometry});
  return builder.build()->shapes[0];
}

// The shape against the Box by its kernel, cold.
struct OnBox {
  explicit OnBox(const Shape& a) : shape(a), kernel(find_pair_kernel(a.kind(), ShapeKind::box)) {}
  double collide(const Pose& X, double margin) {
    alignas(16) std::byte memory[512] = {};
    return kernel(shape, X, box, Pose(), margin, memory, points);
  }
  const Shape& shape;
  Shape box = make_ground(Box{half});
  PairKernel kernel;
  Manifold points;
};

// Poses with gaps between −depth and reach around the block: turned at will, nearly flat, flat; over faces, edges and
// corners.
Pose draw_pose(Random& random, const Geometry& g, OnBox& on_box, double depth, double reach) {
  Pose X;
  const int turn = random.index(4);
  X.rotation = turn == 0   ? random.rotation()
               : turn == 1 ? random.small_rotation(0.05)
               : turn == 2 ? random.small_rotation(1e-5)
                           : Matrix3::Identity();
  if (random.index(2)) X.rotation = X.rotation * Eigen::AngleAxisd(0.5 * M_PI, Vector3::Unit(random.index(3))).toRotationMatrix();
  const Vector3 place = half.cwiseProduct(Vector3(random.index(3) - 1, random.index(3) - 1, random.index(3) - 1));
  Vector3 n = random.unit();
  if (random.index(2)) n = (Vector3(random.index(3) - 1, random.index(3) - 1, random.index(3) - 1) + 0.2 * n).normalized();
  // From outside towards the block until the gap is what it should be.
  const double gap = random.uniform(-depth, reach);
  X.position = place + random.vector(0.1) + 2.0 * n;
  for (int i = 0; i < 40; ++i) {
    const testing::BlockGap d{on_box.collide(X, 10.0), Vector3::Zero()};
    const double least = d.gap;
    if (least <= gap + 1e-12) break;
    const Vector3 m = on_box.points.size > 0 ? on_box.points.normal[0] : n;
    X.position -= std::max(0.9 * (least - gap), 1e-9) * m;
  }
  (void)g;
  return X;
}

testing::BlockGap by_box(OnBox& on_box, const Pose& X) {
  on_box.collide(X, 10.0);
  const Manifold& m = on_box.points;
  int deepest = 0;
  for (int i = 1; i < m.size; ++i)
    if (m.gap[i] < m.gap[deepest]) deepest = i;
  return {m.gap[deepest], m.normal[deepest]};
}

struct Tally {
  int touching = 0, overlapping = 0, edges = 0;
  double worst_gap = 0.0, worst_depth = 0.0, worst_cone = 0.0, worst_place = 0.0;
};

// Whether n is in the normal cone of the block at x.
double outside_cone(const Vector3& x, const Vector3& n) {
  double worst = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double inside = half[k] - std::abs(x[k]);
    if (inside > 1e-6)
      worst = std::max(worst, std::abs(n[k]));
    else
      worst = std::max(worst, x[k] > 0.0 ? -n[k] : n[k]);
  }
  return worst;
}

void scan(const Partner& partner, const Shape& ground, const Pose& X_ground, int n, Tally& tally) {
  const Shape shape = make_shape(partner.geometry);
  OnBox on_box(shape);
  Random random(7);
  TerrainContacts contacts;
  for (int i = 0; i < n; ++i) {
    const double margin = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 0.02 : 1.0;
    const Pose X = draw_pose(random, partner.geometry, on_box, 0.02, 0.01);
    // The search for round shapes takes long: most of their poses are compared with the Box alone.
    const bool is_searched = shape.kind() == ShapeKind::cylinder || shape.kind() == ShapeKind::ellipsoid;
    const testing::BlockGap truth = is_searched && i % 50 != 0 ? by_box(on_box, X) : testing::block_gap(partner.geometry, X, half);
    TerrainMemory memory;
    const double gap = collide_terrain(shape, X, ground, X_ground, margin, memory, contacts);
    double least = margin;
    for (const TerrainPoint& p : contacts.points) least = std::min(least, p.gap);
    const auto where = [&] {
      std::string s = std::string(partner.name) + " pose " + std::to_string(i) + " truth " + std::to_string(truth.gap) +
                      " margin " + std::to_string(margin);
      char line[200];
      std::snprintf(line, sizeof line, " n %.4f %.4f %.4f", truth.normal.x(), truth.normal.y(), truth.normal.z());
      s += line;
      for (const TerrainPoint& p : contacts.points) {
        std::snprintf(line, sizeof line, "\n  gap %.6g n %.4f %.4f %.4f at %.4f %.4f %.4f kind %d", p.gap, p.normal.x(),
                      p.normal.y(), p.normal.z(), p.position.x(), p.position.y(), p.position.z(),
                      static_cast<int>(p.feature >> 60));
        s += line;
      }
      return s;
    };
    if (truth.gap > margin - 1e-7) {
      if (truth.gap > margin + 1e-7) {
        EXPECT_TRUE(contacts.points.empty()) << where();
        EXPECT_GE(gap, margin) << where();
      }
      continue;
    }
    ++tally.touching, tally.overlapping += truth.gap < 0.0;
    tally.edges += truth.normal.cwiseAbs().maxCoeff() < 0.99;
    if (contacts.points.empty()) {
      ADD_FAILURE() << "missed: " << where();
      continue;
    }
    const double error = std::abs(least - truth.gap);
    tally.worst_gap = std::max(tally.worst_gap, error);
    EXPECT_LT(error, 1e-6) << where();
    for (const TerrainPoint& p : contacts.points) {
      const Vector3 on_block = p.position - (0.5 * p.gap) * p.normal;
      const double off = outside_cone(on_block, p.normal);
      const double away = (on_block.cwiseAbs() - half).maxCoeff();
      tally.worst_cone = std::max(tally.worst_cone, off), tally.worst_place = std::max(tally.worst_place, std::abs(away));
      EXPECT_LT(off, 1e-5) << where();
      EXPECT_LT(std::abs(away), 1e-6) << where();
      tally.worst_depth = std::max(tally.worst_depth, truth.gap - p.gap);
    }
  }
}

TEST(TerrainScan, BlockAsMesh) {
  for (const Partner& partner : partners())
    for (const int cells : {1, 4})
      for (const bool flip : {cells == 4}) {
        Tally tally;
        const Shape ground = make_ground(testing::block_mesh(half, cells, flip));
        scan(partner, ground, Pose(), num_poses(200), tally);
        printf("%s %d: touching %d overlapping %d edges %d worst gap %.3g depth %.3g cone %.3g place %.3g\n", partner.name,
               cells, tally.touching, tally.overlapping, tally.edges, tally.worst_gap, tally.worst_depth,
               tally.worst_cone, tally.worst_place);
      }
}

}  // namespace
}  // namespace stiction
