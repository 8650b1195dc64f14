// A model as bytes comes back equal to the last bit; bytes that are no model are refused.
#include "stiction/io/recording/model_storage.h"

#include <gtest/gtest.h>

#include <cstring>

#include "stiction/model/describe.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/random_model.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::everything;

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}
bool same(const Pose& a, const Pose& b) {
  return same_bytes(a.rotation, b.rotation) && same_bytes(a.position, b.position);
}

// What model_storage does not store but computes again.
void expect_same_derived(const Model& a, const Model& b) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].tree, b.bodies[k].tree);
    EXPECT_EQ(a.bodies[k].first_position, b.bodies[k].first_position);
    EXPECT_EQ(a.bodies[k].first_velocity, b.bodies[k].first_velocity);
    EXPECT_TRUE(same(a.bodies[k].placement, b.bodies[k].placement));
    EXPECT_TRUE(same_bytes(a.bodies[k].com, b.bodies[k].com));
  }
  ASSERT_EQ(a.trees.size(), b.trees.size());
  for (std::size_t k = 0; k < a.trees.size(); ++k) {
    EXPECT_EQ(a.trees[k].first_body, b.trees[k].first_body);
    EXPECT_EQ(a.trees[k].num_bodies, b.trees[k].num_bodies);
    EXPECT_EQ(a.trees[k].first_velocity, b.trees[k].first_velocity);
    EXPECT_EQ(a.trees[k].num_velocities, b.trees[k].num_velocities);
    EXPECT_EQ(a.trees[k].is_single_free_body, b.trees[k].is_single_free_body);
  }
  ASSERT_EQ(a.dofs.size(), b.dofs.size());
  for (std::size_t k = 0; k < a.dofs.size(); ++k) {
    EXPECT_EQ(a.dofs[k].body, b.dofs[k].body);
    EXPECT_EQ(a.dofs[k].parent, b.dofs[k].parent);
    EXPECT_EQ(a.dofs[k].depth, b.dofs[k].depth);
  }
  EXPECT_EQ(a.row_begin, b.row_begin);
  EXPECT_EQ(a.row_ancestor, b.row_ancestor);
  EXPECT_EQ(a.node_of, b.node_of);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    EXPECT_EQ(a.nodes[k].first_velocity, b.nodes[k].first_velocity);
    EXPECT_EQ(a.nodes[k].size, b.nodes[k].size);
    EXPECT_EQ(a.nodes[k].parent, b.nodes[k].parent);
  }
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t k = 0; k < a.shapes.size(); ++k) {
    EXPECT_TRUE(same_bytes(a.shapes[k].bound_center, b.shapes[k].bound_center));
    EXPECT_EQ(a.shapes[k].bound_radius, b.shapes[k].bound_radius);
  }
}

// All that is stored: the bytes of both are the same. And what is not: compared field by field.
void expect_round_trip(const Model& model) {
  const auto bytes = model_to_bytes(model);
  const auto back = model_from_bytes(bytes);
  EXPECT_EQ(model_to_bytes(*back), bytes);
  EXPECT_EQ(describe(*back), describe(model));
  expect_same_derived(model, *back);
}

TEST(ModelStorage, EveryKindOfElementComesBack) {
  const auto model = everything();
  expect_round_trip(*model);
  const auto back = model_from_bytes(model_to_bytes(*model));
  EXPECT_EQ(back->loops.size(), 4u);
  EXPECT_EQ(back->loops[3].coefficients, model->loops[3].coefficients);
  EXPECT_TRUE(same(back->loops[1].pose_a, model->loops[1].pose_a));
  EXPECT_EQ(back->actuators.size(), 3u);
  EXPECT_EQ(back->actuators[1].kp, model->actuators[1].kp);
  EXPECT_EQ(back->actuators[1].force_upper, model->actuators[1].force_upper);
  EXPECT_TRUE(same(back->keyframes[0].q, model->keyframes[0].q));
  EXPECT_EQ(back->excluded_pairs, model->excluded_pairs);
  EXPECT_EQ(back->forced_pairs, model->forced_pairs);
  EXPECT_FALSE(model->forced_pairs.empty());
  EXPECT_EQ(back->dofs.back().dry_friction, model->dofs.back().dry_friction);
  EXPECT_EQ(back->friction_rule, model->friction_rule);
  EXPECT_EQ(back->gravity, model->gravity);
}

TEST(ModelStorage, GeometryComesBackToTheLastBitAndShared) {
  const auto model = everything();
  const auto back = model_from_bytes(model_to_bytes(*model));
  using Hull = std::shared_ptr<const ConvexHull>;
  const auto &hull = std::get<Hull>(model->shapes[model->find_shape("hull")].geometry),
             &hull_back = std::get<Hull>(back->shapes[back->find_shape("hull")].geometry);
  EXPECT_EQ(hull_back, std::get<Hull>(back->shapes[back->find_shape("hull twice")].geometry)) << "one hull, shared";
  ASSERT_EQ(hull->num_vertices(), hull_back->num_vertices());
  for (int i = 0; i < hull->num_vertices(); ++i) EXPECT_TRUE(same_bytes(hull->vertex(i), hull_back->vertex(i)));
  ASSERT_EQ(hull->num_faces(), hull_back->num_faces());
  for (int f = 0; f < hull->num_faces(); ++f) {
    EXPECT_TRUE(same_bytes(hull->faces()[f].normal, hull_back->faces()[f].normal));
    const auto a = hull->face_vertices(hull->faces()[f]), b = hull_back->face_vertices(hull_back->faces()[f]);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  EXPECT_TRUE(same_bytes(hull->center(), hull_back->center()));
  EXPECT_EQ(hull->volume(), hull_back->volume());
  using Mesh = std::shared_ptr<const TriangleMesh>;
  const auto &mesh = std::get<Mesh>(model->shapes[model->find_shape("mesh")].geometry),
             &mesh_back = std::get<Mesh>(back->shapes[back->find_shape("mesh")].geometry);
  ASSERT_EQ(mesh->num_triangles(), mesh_back->num_triangles());
  for (int t = 0; t < mesh->num_triangles(); ++t) {
    EXPECT_TRUE(same_bytes(mesh->normal(t), mesh_back->normal(t)));
    EXPECT_EQ(mesh->region(t), mesh_back->region(t));
  }
}

TEST(ModelStorage, RandomWorldsComeBack) {
  testing::Rng rng(5);
  for (int k = 0; k < 30; ++k) {
    const auto world = testing::random_world(rng, {.bodies = 1 + 3 * k});
    expect_round_trip(*world.model);
  }
}

TEST(ModelStorage, AWorldOfNothingComesBack) {
  expect_round_trip(*ModelBuilder().build());
}

TEST(ModelStorage, TruncatedBytesAreRefusedWhereverTheyEnd) {
  const auto bytes = model_to_bytes(*everything());
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97) {
    EXPECT_THROW(model_from_bytes(std::span(bytes).first(size)), std::invalid_argument) << size;
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(model_from_bytes(longer), std::invalid_argument);
}

// Flipped bits give a model that is valid, or a message; never anything else.
TEST(ModelStorage, DamagedBytesGiveAModelOrAMessage) {
  const auto bytes = model_to_bytes(*everything());
  std::mt19937_64 rng(3);
  const int num_damages = testing::num_samples(3000, 30000);
  int refused = 0;
  for (int k = 0; k < num_damages; ++k) {
    auto damaged = bytes;
    for (int n = 0; n < 1 + k % 3; ++n) damaged[rng() % damaged.size()] ^= static_cast<std::byte>(1u << (rng() % 8));
    try {
      const auto model = model_from_bytes(damaged);
      const auto again = model_to_bytes(*model);
      EXPECT_EQ(model_to_bytes(*model_from_bytes(again)), again);
    } catch (const std::invalid_argument& error) {
      ++refused;
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
  EXPECT_GT(refused, num_damages / 30);
}

}  // namespace
}  // namespace stiction
