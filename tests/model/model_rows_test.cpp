// The flat layout over degrees of freedom: ancestors, packed rows, velocity nodes, trees of a single free body.
#include <gtest/gtest.h>

#include <set>

#include "../support/random_model.h"

namespace stiction {
namespace {

using testing::Rng;

// Degrees of freedom that move a body, from the definition: those of its ancestors and its own.
std::vector<int> chain_of(const Model& model, int body) {
  std::vector<int> chain;
  if (body < 0) return chain;
  chain = chain_of(model, model.bodies[body].parent);
  for (int k = 0; k < num_velocities_of(model.bodies[body].joint); ++k) {
    chain.push_back(model.bodies[body].first_velocity + k);
  }
  return chain;
}

TEST(ModelRows, AncestorsAndPackedRows) {
  Rng rng(21);
  for (int round = 0; round < 30; ++round) {
    const auto model = testing::random_model(rng, 15);
    ASSERT_EQ(static_cast<int>(model->row_begin.size()), model->num_velocities() + 1);
    EXPECT_EQ(model->row_begin.front(), 0);
    EXPECT_EQ(static_cast<std::size_t>(model->row_begin.back()), model->row_ancestor.size());
    for (int j = 0; j < model->num_velocities(); ++j) {
      const Dof& dof = model->dofs[j];
      std::vector<int> chain = chain_of(*model, dof.body);
      chain.resize(std::find(chain.begin(), chain.end(), j) - chain.begin() + 1);
      EXPECT_EQ(dof.depth, static_cast<int>(chain.size()) - 1);
      EXPECT_EQ(dof.parent, chain.size() == 1 ? -1 : chain[chain.size() - 2]);
      const int begin = model->row_begin[j], length = model->row_begin[j + 1] - begin;
      EXPECT_EQ(begin % 4, 0);
      EXPECT_GE(length, dof.depth + 1);
      EXPECT_LT(length, dof.depth + 5);
      for (int e = 0; e < length; ++e) {
        EXPECT_EQ(model->row_ancestor[begin + e], e <= dof.depth ? chain[e] : 0);
      }
    }
  }
}

TEST(ModelRows, NodesCutTheChainsOfAllBodies) {
  Rng rng(22);
  for (int round = 0; round < 30; ++round) {
    const auto model = testing::random_model(rng, 15);
    int velocity = 0;
    for (std::size_t n = 0; n < model->nodes.size(); ++n) {
      const VelocityNode& node = model->nodes[n];
      EXPECT_EQ(node.first_velocity, velocity);
      ASSERT_GE(node.size, 1);
      EXPECT_LE(node.size, 6);
      for (int k = 0; k < node.size; ++k, ++velocity) {
        EXPECT_EQ(model->node_of[velocity], static_cast<int>(n));
        if (k > 0) {
          EXPECT_EQ(model->dofs[velocity].parent, velocity - 1);
        }
      }
      const int above = model->dofs[node.first_velocity].parent;
      EXPECT_EQ(node.parent, above < 0 ? -1 : model->node_of[above]);
      // What hangs on another node hangs on its last velocity.
      if (above >= 0) {
        const VelocityNode& parent = model->nodes[node.parent];
        EXPECT_EQ(above, parent.first_velocity + parent.size - 1);
      }
    }
    EXPECT_EQ(velocity, model->num_velocities());
  }
}

TEST(ModelRows, NodesAreNotSmallerThanNeeded) {
  ModelBuilder builder;
  int parent = -1;
  for (int k = 0; k < 14; ++k) {
    parent =
        builder.add_body({.parent = parent, .pose = Pose(Vector3(0, 0, 0.1)), .joint = {.kind = JointKind::revolute}});
    builder.add_shape({.body = parent, .pose = Pose(Vector3(0.1, 0, 0)), .geometry = Sphere{0.05}, .mass = 1.0});
  }
  const auto model = builder.build();
  ASSERT_EQ(model->nodes.size(), 3u);
  EXPECT_EQ(model->nodes[0].size, 6);
  EXPECT_EQ(model->nodes[1].size, 6);
  EXPECT_EQ(model->nodes[2].size, 2);
}

TEST(ModelRows, SingleFreeBodies) {
  ModelBuilder builder;
  const auto add = [&](const Pose& shape_pose, double armature) {
    const int body = builder.add_body({.joint = {.armature = armature}});
    builder.add_shape({.body = body, .pose = shape_pose, .geometry = Box{{0.1, 0.2, 0.3}}, .mass = 1.0});
    return body;
  };
  add(Pose(), 0.0);
  add(Pose(Vector3(0.01, 0.0, 0.0)), 0.0);  // centre of mass off the origin
  add(Pose(), 0.1);
  add(Pose(Vector3(1e-17, 0.0, 0.0)), 0.0);  // off by rounding
  const int base = add(Pose(), 0.0);
  builder.add_body({.parent = base, .joint = {.kind = JointKind::fixed}});
  const int with_arm = add(Pose(), 0.0);
  const int arm = builder.add_body({.parent = with_arm, .joint = {.kind = JointKind::revolute}});
  builder.add_shape({.body = arm, .geometry = Sphere{0.1}, .mass = 1.0});
  const auto model = builder.build();
  ASSERT_EQ(model->trees.size(), 6u);
  const bool expected[] = {true, false, false, true, true, false};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(model->trees[k].is_single_free_body, expected[k]) << k;
  EXPECT_EQ(model->bodies[3].com, Vector3::Zero());
  EXPECT_NEAR(model->bodies[1].com[0], 0.01, 1e-17);
}

TEST(ModelRows, ChainsTooLongForMemoryAreRefused) {
  ModelBuilder builder;
  int parent = -1;
  for (int k = 0; k < 17000; ++k) parent = builder.add_body({.parent = parent, .joint = {.kind = JointKind::revolute}});
  builder.add_shape({.body = parent, .geometry = Sphere{0.1}, .mass = 1.0});
  EXPECT_THROW(builder.build(), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
