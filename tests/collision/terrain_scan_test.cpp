// A block given as a closed mesh or as a height field, against the same block as a Box and against the truth: every
// kind of partner, many poses around faces, edges and corners. STICTION_SCAN=factor multiplies the number of poses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>

#include "../support/convex_oracle.h"
#include "../support/sanitized.h"
#include "../support/terrain_truth.h"
#include "oracles.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/terrain/terrain.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::BlockGap;
using testing::Random;

int num_poses(int usual) {
  const char* factor = std::getenv("STICTION_SCAN");
  const double scaled = usual * (factor != nullptr ? std::atof(factor) : 1.0);
  return static_cast<int>(testing::sanitized ? scaled / 20 : scaled);
}

struct Partner {
  const char* name;
  Geometry geometry;
  int num_poses;  // of each mesh and of the field
};
std::vector<Partner> partners() {
  std::mt19937 generator(3);
  return {{"sphere", Sphere{0.06}, 30000},
          {"capsule", Capsule{0.04, 0.1}, 20000},
          {"cylinder", Cylinder{0.06, 0.08}, 2000},
          {"ellipsoid", Ellipsoid{{0.09, 0.05, 0.07}}, 2000},
          {"box", Box{{0.1, 0.05, 0.08}}, 10000},
          {"large box", Box{{0.5, 0.4, 0.3}}, 10000},
          {"prism", testing::prism_hull(6, 0.08, 0.07), 10000},
          {"hull", testing::random_hull(generator, 20, 0.1), 10000}};
}

// A shape with its bounds.
Shape make_shape(const Geometry& geometry, bool is_ground) {
  ModelBuilder builder;
  if (is_ground)
    builder.add_shape({.geometry = geometry});
  else
    builder.add_shape({.body = builder.add_body({}), .geometry = geometry, .mass = 1.0});
  return builder.build()->shapes[0];
}

// The shape against the block by its kernel, cold.
struct OnBox {
  OnBox(const Shape& a, const Vector3& half)
      : shape(a), box(make_shape(Box{half}, true)), kernel(find_pair_kernel(a.kind(), ShapeKind::box)) {}
  BlockGap collide(const Pose& X, double margin) {
    alignas(16) std::byte memory[512] = {};
    const double gap = kernel(shape, X, box, Pose(), margin, memory, points);
    return {gap, points.size > 0 ? points.normal[0] : Vector3(Vector3::UnitZ())};
  }
  const Shape& shape;
  Shape box;
  PairKernel kernel;
  Manifold points;
};

// Gaps between −depth and reach: turned at will, nearly flat, flat; over faces, edges and corners. `only_top`: from
// above.
Pose draw_pose(Random& random, OnBox& on_box, const Vector3& half, bool only_top, double depth, double reach) {
  Pose X;
  const int turn = random.index(4);
  X.rotation = turn == 0   ? random.rotation()
               : turn == 1 ? random.small_rotation(0.05)
               : turn == 2 ? random.small_rotation(1e-5)
                           : Matrix3::Identity();
  if (random.index(2))
    X.rotation = X.rotation * Eigen::AngleAxisd(0.5 * M_PI, Vector3::Unit(random.index(3))).toRotationMatrix();
  const auto signs = [&] {
    return Vector3(random.index(3) - 1, random.index(3) - 1, only_top ? 1.0 : random.index(3) - 1);
  };
  const Vector3 place = half.cwiseProduct(signs());
  Vector3 n = random.unit();
  if (random.index(2)) n = (signs() + 0.2 * n).normalized();
  if (only_top) n.z() = std::abs(n.z());
  const double gap = random.uniform(-depth, reach);
  X.position = place + random.vector(0.1) + 2.0 * n;
  for (int i = 0; i < 40; ++i) {
    const BlockGap found = on_box.collide(X, 10.0);
    if (!(found.gap > gap + 1e-12)) break;
    X.position -= std::max(0.9 * (found.gap - gap), 1e-9) * found.normal;
  }
  return X;
}

// How far n is outside the normal cone of the block at x.
double outside_cone(const Vector3& half, const Vector3& x, const Vector3& n) {
  double worst = 0.0;
  for (int k = 0; k < 3; ++k) {
    if (half[k] - std::abs(x[k]) > 1e-6)
      worst = std::max(worst, std::abs(n[k]));
    else
      worst = std::max(worst, x[k] > 0.0 ? -n[k] : n[k]);
  }
  return worst;
}

struct Spread {
  double length = 0.0, area = 0.0;
};
// Of points around a normal along an axis, seen along it.
template <class Positions>
Spread spread_of(const Positions& positions, int axis) {
  std::vector<Vector2> p;
  for (const Vector3& x : positions) p.emplace_back(x[(axis + 1) % 3], x[(axis + 2) % 3]);
  Spread out;
  Vector2 middle = Vector2::Zero();
  for (const Vector2& a : p) {
    middle += a / static_cast<double>(p.size());
    for (const Vector2& b : p) out.length = std::max(out.length, (a - b).norm());
  }
  const auto angle = [&](const Vector2& a) { return std::atan2(a.y() - middle.y(), a.x() - middle.x()); };
  std::sort(p.begin(), p.end(), [&](const Vector2& a, const Vector2& b) { return angle(a) < angle(b); });
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vector2 &a = p[i], &b = p[(i + 1) % p.size()];
    out.area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return out;
}

struct Scan {
  Vector3 half;
  bool is_field = false;
  int touching = 0, overlapping = 0, at_edges = 0, spread_out = 0;
  double worst_gap = 0.0, invented = 0.0;
  int num_invented = 0;  // poses in which a contact is too deep by more than 2e-6 m

  void run(const Partner& partner, const Shape& ground, int n);
  void check(const Partner& partner, const Shape& shape, const Pose& X, double margin, const BlockGap& truth,
             const TerrainContacts& contacts);
  void check_spread(OnBox& on_box, const Pose& X, double margin, const BlockGap& truth,
                    const TerrainContacts& contacts);
};

std::string describe(const Pose& X, double margin, const BlockGap& truth, const TerrainContacts& contacts) {
  std::ostringstream s;
  s << "truth " << truth.gap << " along " << truth.normal.transpose() << ", margin " << margin << ", at "
    << X.position.transpose();
  for (const TerrainPoint& p : contacts.points)
    s << "\n  gap " << p.gap << " along " << p.normal.transpose() << " at " << p.position.transpose() << " kind "
      << (p.feature >> 60);
  return s.str();
}

void Scan::check(const Partner& partner, const Shape& shape, const Pose& X, double margin, const BlockGap& truth,
                 const TerrainContacts& contacts) {
  const auto where = [&] { return partner.name + (" " + describe(X, margin, truth, contacts)); };
  const bool is_round = shape.kind() == ShapeKind::cylinder;  // caps are polygons of 16 corners
  ASSERT_FALSE(contacts.points.empty()) << where();
  double least = margin;
  for (const TerrainPoint& p : contacts.points) least = std::min(least, p.gap);
  worst_gap = std::max(worst_gap, std::abs(least - truth.gap));
  // Of more than four points the deepest stays to 5e-5 m (reduce.h).
  EXPECT_LT(least - truth.gap, is_round ? 2e-4 : 6e-5) << where();
  bool is_too_deep = false;
  for (const TerrainPoint& p : contacts.points) {
    const Vector3 on_block = p.position - (0.5 * p.gap) * p.normal;
    EXPECT_LT(outside_cone(half, on_block, p.normal), 1e-5) << where();
    EXPECT_LT(std::abs((on_block.cwiseAbs() - half).maxCoeff()), 1e-6) << where();
    // No depth that is not there: neither more than the shortest way out, nor more than the shape has along the normal.
    invented = std::max(invented, truth.gap - p.gap);
    is_too_deep |= !(p.gap > truth.gap - 2e-6);
    EXPECT_GT(p.gap, truth.gap - 5e-5) << where();
    EXPECT_GT(p.gap, testing::separation_from_block(partner.geometry, X, half, p.normal) - 1e-8) << where();
  }
  num_invented += is_too_deep;
}

// Lying flat: the points stand on as much ground as those of the Box.
void Scan::check_spread(OnBox& on_box, const Pose& X, double margin, const BlockGap& truth,
                        const TerrainContacts& contacts) {
  int axis = 0;
  if (truth.normal.cwiseAbs().maxCoeff(&axis) < 1.0 - 1e-9) return;
  if (on_box.shape.kind() == ShapeKind::convex_hull) return;  // its edges and faces lie anywhere
  for (int k = 0; k < 3; ++k)
    if (X.rotation.col(k).cwiseAbs().maxCoeff() < 0.9976) return;  // 4°: what leans more has one point
  // Where another way out is nearly as short, the two may choose differently.
  for (int k = 0; k < 3; ++k)
    for (const double sign : {-1.0, 1.0})
      if (k != axis &&
          testing::separation_from_block(on_box.shape.geometry, X, half, sign * Vector3::Unit(k)) > truth.gap - 4e-3)
        return;
  on_box.collide(X, margin);
  std::vector<Vector3> own, of_box;
  for (int i = 0; i < on_box.points.size; ++i) of_box.push_back(on_box.points.position[i]);
  for (const TerrainPoint& p : contacts.points)
    if (p.normal.dot(truth.normal) > 0.996) own.push_back(p.position);
  if (own.empty()) return;  // round: another way that is as short
  const Spread ours = spread_of(own, axis), theirs = spread_of(of_box, axis);
  const auto where = [&] { return describe(X, margin, truth, contacts); };
  if (theirs.length > 0.01) {
    EXPECT_GT(ours.length, 0.9 * theirs.length) << where();
  }
  if (theirs.area > 1e-3) {
    EXPECT_GT(ours.area, 0.7 * theirs.area) << where();
  }
  spread_out += theirs.area > 1e-3;
}

void Scan::run(const Partner& partner, const Shape& ground, int n) {
  const Shape shape = make_shape(partner.geometry, false);
  OnBox on_box(shape, half);
  Random random(7);
  TerrainContacts contacts;
  const bool is_climbed = shape.kind() == ShapeKind::cylinder || shape.kind() == ShapeKind::ellipsoid;
  for (int i = 0; i < n; ++i) {
    const double margin = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 0.02 : 1.0;
    const Pose X = draw_pose(random, on_box, half, is_field, 0.02, 0.01);
    const BlockGap truth = testing::block_gap(partner.geometry, X, half);
    TerrainMemory memory;
    const double gap = collide_terrain(shape, X, ground, Pose(), margin, memory, contacts);
    if (truth.gap > margin - 1e-6) {
      if (truth.gap < margin + 1e-6) continue;
      EXPECT_TRUE(contacts.points.empty()) << partner.name << " " << describe(X, margin, truth, contacts);
      EXPECT_GE(gap, margin);
      continue;
    }
    ++touching, overlapping += truth.gap < 0.0;
    at_edges += truth.normal.cwiseAbs().maxCoeff() < 0.99;
    check(partner, shape, X, margin, truth, contacts);
    if (i % 3 == 0) check_spread(on_box, X, margin, is_climbed ? on_box.collide(X, 10.0) : truth, contacts);
  }
  EXPECT_LE(num_invented, std::max(1, n / 5000)) << partner.name << " " << invented;
  if (std::getenv("STICTION_SCAN") != nullptr)
    std::printf("%s: %d touching, %d overlapping, %d at edges, %d flat; gaps to %.2g m, depth invented %.2g m\n",
                partner.name, touching, overlapping, at_edges, spread_out, worst_gap, invented);
}

class TerrainScanOf : public ::testing::TestWithParam<Partner> {};

TEST_P(TerrainScanOf, BlockAsMesh) {
  const Partner& partner = GetParam();
  const Vector3 half(0.2, 0.15, 0.1);
  const struct {
    int cells;
    bool flip;
  } meshes[] = {{1, false}, {1, true}, {4, false}};
  for (const auto& m : meshes) {
    Scan scan{.half = half};
    scan.run(partner, make_shape(testing::block_mesh(half, m.cells, m.flip), true), num_poses(partner.num_poses));
    EXPECT_GT(scan.overlapping, scan.touching / 3);
    EXPECT_GT(scan.at_edges, scan.touching / 4);
  }
}

TEST_P(TerrainScanOf, BlockAsHeightField) {
  const Partner& partner = GetParam();
  const Vector3 half(0.2, 0.15, 5.0);
  const std::vector<double> heights(7 * 6, half.z());
  const Shape ground = make_shape(HeightField::make(7, 6, 0.4 / 6, 0.3 / 5, heights), true);
  Scan scan{.half = half, .is_field = true};
  scan.run(partner, ground, num_poses(partner.num_poses));
  EXPECT_GT(scan.overlapping, scan.touching / 3);
}

INSTANTIATE_TEST_SUITE_P(All, TerrainScanOf, ::testing::ValuesIn(partners()), [](const auto& instance) {
  std::string name = instance.param.name;
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
});

// Beside a block, a little over its side and far below its top.
TEST(TerrainScan, BesideABlockItsTopDoesNotAct) {
  const Vector3 half(0.2, 0.15, 0.1);
  const Shape box = make_shape(Box{{0.1, 0.1, 0.1}}, false);
  for (const int cells : {1, 3}) {
    const Shape ground = make_shape(testing::block_mesh(half, cells, false), true);
    TerrainContacts contacts;
    for (const double lean : {0.0, 1e-3}) {
      TerrainMemory memory;
      const Matrix3 R = Eigen::AngleAxisd(lean, Vector3::UnitY()).toRotationMatrix();
      const Pose X(R, Vector3(0.3 + 0.1 * lean - 8e-5, 0.0, 0.154));
      collide_terrain(box, X, ground, Pose(), 1e-3, memory, contacts);
      ASSERT_FALSE(contacts.points.empty());
      double least = 1.0;
      for (const TerrainPoint& p : contacts.points) {
        EXPECT_GT(p.normal.x(), 0.999);
        least = std::min(least, p.gap);
      }
      EXPECT_NEAR(least, testing::block_gap(Box{{0.1, 0.1, 0.1}}, X, half).gap, 1e-9);
      EXPECT_GT(least, -3e-4);
    }
  }
}

// A step down: a lower tread z = 0 for x < 0, a riser, an upper tread z = 0.1.
std::shared_ptr<const TriangleMesh> stair_mesh() {
  const Vector2 outline[7] = {{-0.3, -0.1}, {0.0, -0.1}, {0.3, -0.1}, {0.3, 0.1}, {0.0, 0.1}, {0.0, 0.0}, {-0.3, 0.0}};
  const int cap[5][3] = {{0, 1, 5}, {0, 5, 6}, {5, 1, 2}, {5, 2, 3}, {5, 3, 4}};
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (const double y : {-0.2, 0.2})
    for (const Vector2& p : outline) vertices.emplace_back(p.x(), y, p.y());
  for (int i = 0; i < 7; ++i) {
    const int j = (i + 1) % 7;
    triangles.push_back({j, i, i + 7}), triangles.push_back({j, i + 7, j + 7});
  }
  for (const auto& c : cap)
    triangles.push_back({c[0], c[1], c[2]}), triangles.push_back({c[0] + 7, c[2] + 7, c[1] + 7});
  return TriangleMesh::make(vertices, triangles);
}

TEST(TerrainScan, SphereAroundAStairAgainstItsSignedDistance) {
  const auto mesh = stair_mesh();
  ASSERT_TRUE(mesh->is_closed());
  ASSERT_LT(testing::signed_distance(*mesh, {0.1, 0.0, 0.0}), -0.09);
  ASSERT_GT(testing::signed_distance(*mesh, {-0.1, 0.0, 0.05}), 0.04);
  const Shape ground = make_shape(mesh, true), ball = make_shape(Sphere{0.05}, false);
  Random random(11);
  TerrainContacts contacts;
  int touching = 0;
  for (int i = 0; i < num_poses(4000); ++i) {
    const Vector3 c(random.uniform(-0.4, 0.4), random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2));
    const double truth = testing::signed_distance(*mesh, c) - 0.05;
    if (truth < -0.049 || std::abs(truth - 0.01) < 1e-9) continue;
    TerrainMemory memory;
    collide_terrain(ball, Pose(c), ground, Pose(), 0.01, memory, contacts);
    ASSERT_EQ(contacts.points.empty(), truth > 0.01) << c.transpose() << " " << truth;
    double least = 0.01;
    for (const TerrainPoint& p : contacts.points) least = std::min(least, p.gap);
    if (truth < 0.01) {
      EXPECT_NEAR(least, truth, 1e-9) << c.transpose();
    }
    touching += truth < 0.01;
  }
  EXPECT_GT(touching, num_poses(4000) / 10);
}

// The stair is two blocks, and what is apart from it is as far from it as from the nearer one.
TEST_P(TerrainScanOf, StairAsMesh) {
  const Partner& partner = GetParam();
  const struct {
    Vector3 center, half;
  } blocks[] = {{{0.0, 0.0, -0.05}, {0.3, 0.2, 0.05}}, {{0.15, 0.0, 0.0}, {0.15, 0.2, 0.1}}};
  const Shape ground = make_shape(stair_mesh(), true), shape = make_shape(partner.geometry, false);
  const bool is_round = shape.kind() == ShapeKind::cylinder;  // caps are polygons of 16 corners
  Random random(13);
  TerrainContacts contacts;
  int touching = 0, at_both = 0;
  const int n = num_poses(partner.num_poses);
  for (int i = 0; i < n; ++i) {
    BlockGap gaps[2];
    const auto look = [&](const Pose& X) {
      for (int k = 0; k < 2; ++k)
        gaps[k] = testing::block_gap(partner.geometry, Pose(X.rotation, X.position - blocks[k].center), blocks[k].half);
      return gaps[0].gap < gaps[1].gap ? 0 : 1;
    };
    Pose X;
    X.rotation = random.index(2) ? random.rotation() : random.small_rotation(random.index(2) ? 0.05 : 1e-5);
    X.position = Vector3(random.uniform(-0.4, 0.4), random.uniform(-0.3, 0.3), random.uniform(0.0, 0.4));
    const double aim = random.uniform(1e-4, 0.012);
    for (int round = 0; round < 4; ++round) {
      const int nearer = look(X);
      X.position += (aim - gaps[nearer].gap) * gaps[nearer].normal;
    }
    const double truth = gaps[look(X)].gap;
    if (truth < 1e-6 || std::abs(truth - 0.01) < 1e-6) continue;
    TerrainMemory memory;
    collide_terrain(shape, X, ground, Pose(), 0.01, memory, contacts);
    const auto where = [&] { return partner.name + (" " + describe(X, 0.01, {truth, Vector3::Zero()}, contacts)); };
    ASSERT_EQ(contacts.points.empty(), truth > 0.01) << where();
    if (truth > 0.01) continue;
    double least = 0.01;
    for (const TerrainPoint& p : contacts.points) least = std::min(least, p.gap);
    EXPECT_LT(least - truth, is_round ? 2e-4 : 6e-5) << where();
    EXPECT_GT(least - truth, -2e-6) << where();
    ++touching, at_both += std::max(gaps[0].gap, gaps[1].gap) < 0.01;
  }
  EXPECT_GT(touching, n / 4);
  EXPECT_GT(at_both, n / 100);
  if (std::getenv("STICTION_SCAN") != nullptr) std::printf("%d touching, %d both blocks\n", touching, at_both);
}

// In the corner of tread and riser both act, the upper tread does not, though the box is over it a little.
TEST(TerrainScan, InTheCornerOfAStairTwoFacesAct) {
  const Shape ground = make_shape(stair_mesh(), true), box = make_shape(Box{{0.05, 0.05, 0.1}}, false);
  TerrainContacts contacts;
  for (const double into_tread : {1e-4, 2e-3})
    for (const double into_riser : {1e-4, 1e-3}) {
      TerrainMemory memory;
      const Pose X(Vector3(-0.05 + into_riser, 0.0, 0.1 - into_tread));
      collide_terrain(box, X, ground, Pose(), 1e-3, memory, contacts);
      int on_tread = 0, on_riser = 0;
      for (const TerrainPoint& p : contacts.points) {
        const bool is_up = p.normal.z() > 0.999, is_side = p.normal.x() < -0.999;
        EXPECT_TRUE(is_up || is_side) << p.normal.transpose();
        EXPECT_NEAR(p.gap, is_up ? -into_tread : -into_riser, 1e-9);
        on_tread += is_up, on_riser += is_side;
      }
      EXPECT_EQ(on_tread, 4);
      EXPECT_GE(on_riser, 2);
    }
}

}  // namespace
}  // namespace stiction
