#include "stiction/sim/assembly.h"

#include <gtest/gtest.h>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

// Two bars of length 1 in a plane, hinges about z at (0, 0) and at the end of the first; the end of the second is tied
// to a point of the world.
std::shared_ptr<const Model> two_bars(const Vector3& anchor, double lower = -no_limit, double upper = no_limit) {
  ModelBuilder builder;
  const Inertia inertia{.mass = 1.0, .com = Vector3(0.5, 0, 0), .moment = 0.1 * Matrix3::Identity()};
  int parent = -1;
  for (const char* name : {"first", "second"}) {
    JointOptions joint{.name = name, .kind = JointKind::revolute, .lower = lower, .upper = upper};
    joint.initial_position = 0.3;
    BodyOptions body{.name = name, .parent = parent, .joint = joint, .inertia = inertia};
    if (parent >= 0) body.pose = Pose(Vector3(1, 0, 0));
    parent = builder.add_body(body);
  }
  builder.add_loop(
      {.kind = LoopKind::point, .body_a = parent, .pose_a = Pose(Vector3(1, 0, 0)), .pose_b = Pose(anchor)});
  return builder.build();
}

TEST(Assembly, ClosesALoop) {
  const auto model = two_bars(Vector3(1, 1, 0));
  EXPECT_GT(assembly_error(model, model->initial_position), 0.1);
  const Assembly assembly = assemble(model, model->initial_position);
  EXPECT_TRUE(assembly.converged);
  EXPECT_LE(assembly.error, 1e-7);
  // The two solutions are (0, 90°) and (90°, −90°); the first is nearer.
  EXPECT_NEAR(assembly.q[0], 0.0, 1e-6);
  EXPECT_NEAR(assembly.q[1], 0.5 * 3.14159265358979323846, 1e-6);
  EXPECT_EQ(assembled(model)->initial_position, assembly.q);
}

TEST(Assembly, KeepsLimits) {
  // Without the loop: from 0.3 into 0.5 … 2.
  const auto model = two_bars(Vector3(0.5, 1.5, 0), 0.5, 2.0);
  const Assembly assembly = assemble(model, model->initial_position);
  EXPECT_TRUE(assembly.converged) << assembly.error;
  for (const double q : assembly.q) {
    EXPECT_GE(q, 0.5 - 1e-7);
    EXPECT_LE(q, 2.0 + 1e-7);
  }
}

TEST(Assembly, TellsWhatCannotBe) {
  const auto model = two_bars(Vector3(5, 0, 0));  // out of reach by 3 m
  const Assembly assembly = assemble(model, model->initial_position);
  EXPECT_FALSE(assembly.converged);
  EXPECT_GE(assembly.error, 2.9);
  EXPECT_LT(assembly.error, assembly_error(model, model->initial_position));
  EXPECT_TRUE(assembly.q.allFinite());
}

TEST(Assembly, LeavesAloneWhatIsInOrder) {
  const auto model = assembled(two_bars(Vector3(1, 1, 0)));
  EXPECT_EQ(model, assembled(model));
  EXPECT_THROW(assemble(model, VectorX::Zero(3)), std::invalid_argument);
}

// A loop that Baumgarte would close with a velocity is closed without one.
TEST(Assembly, ProjectedLoopsGainNoEnergy) {
  auto model = std::make_shared<Model>(*two_bars(Vector3(1, 1, 0)));
  model->gravity.setZero();
  ConstraintSettings driven;
  driven.project_loops = false;
  Simulator projected(model, {.time_step = 1e-3}), baumgarte(model, {.time_step = 1e-3, .constraints = driven});
  projected.step(5);
  baumgarte.step(5);
  EXPECT_EQ(0.0, projected.state().v.norm());
  EXPECT_GT(baumgarte.state().v.norm(), 1.0);
  projected.step(1995);  // at most largest_correction, 1 m/s
  EXPECT_EQ(0.0, projected.state().v.norm());
  EXPECT_LE(assembly_error(model, projected.state().q), 1e-9);
}

}  // namespace
}  // namespace stiction
