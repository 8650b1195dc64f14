// Loops, actuators, keyframes, names, and which shapes may meet.
#include <gtest/gtest.h>

#include "../support/random_model.h"

namespace stiction {
namespace {

using testing::Rng;

// A world with a plane, a table fixed to it, a free base with a fixed tool, and an arm of two hinges on the base.
struct Scene {
  ModelBuilder builder;
  int table, base, tool, upper, lower;
  int plane_shape, table_shape, base_shape, tool_shape, upper_shape, lower_shape;

  Scene() {
    const Pose off(Vector3(0.1, 0.2, 0.3));
    plane_shape = builder.add_shape({.name = "ground", .geometry = Plane{}});
    table = builder.add_body({.name = "table", .pose = off, .joint = {.kind = JointKind::fixed}});
    base = builder.add_body({.name = "base", .pose = Pose(Vector3(0, 0, 1))});
    tool = builder.add_body({.name = "tool", .parent = base, .pose = off, .joint = {.kind = JointKind::fixed}});
    upper = builder.add_body({.name = "upper",
                              .parent = tool,
                              .pose = off,
                              .joint = {.name = "shoulder", .kind = JointKind::revolute, .axis = Vector3::UnitY()}});
    lower = builder.add_body({.name = "lower",
                              .parent = upper,
                              .pose = off,
                              .joint = {.name = "elbow", .kind = JointKind::revolute, .axis = Vector3::UnitX()}});
    const auto add = [&](const char* name, int body) {
      return builder.add_shape({.name = name, .body = body, .geometry = Sphere{0.1}, .mass = 1.0});
    };
    table_shape = add("table_top", table);
    base_shape = add("base_shape", base);
    tool_shape = add("tool_shape", tool);
    upper_shape = add("upper_shape", upper);
    lower_shape = add("lower_shape", lower);
  }
};

TEST(ModelPairs, KinshipAsTheUserSeesItAfterMerging) {
  Scene s;
  const auto model = s.builder.build();
  const auto meet = [&](int a, int b) {
    EXPECT_EQ(model->may_collide(a, b), model->may_collide(b, a));
    return model->may_collide(a, b);
  };
  EXPECT_FALSE(meet(s.plane_shape, s.table_shape));  // both of the world
  EXPECT_FALSE(meet(s.base_shape, s.tool_shape));    // one rigid body
  EXPECT_FALSE(meet(s.tool_shape, s.upper_shape));   // parent and child
  EXPECT_FALSE(meet(s.base_shape, s.upper_shape));   // the parent's other shapes
  EXPECT_FALSE(meet(s.upper_shape, s.lower_shape));
  EXPECT_TRUE(meet(s.base_shape, s.lower_shape));  // grandparents do meet
  EXPECT_TRUE(meet(s.tool_shape, s.lower_shape));
  for (int shape : {s.base_shape, s.tool_shape, s.upper_shape, s.lower_shape}) {
    EXPECT_TRUE(meet(s.plane_shape, shape));
    EXPECT_TRUE(meet(s.table_shape, shape));
  }
}

TEST(ModelPairs, BodiesOnHingesOfTheWorldMeetTheWorld) {
  ModelBuilder builder;
  const int stand = builder.add_body({.joint = {.kind = JointKind::fixed}});
  const int door = builder.add_body({.parent = stand, .joint = {.kind = JointKind::revolute}});
  const int a = builder.add_shape({.body = stand, .geometry = Sphere{0.1}});
  const int b = builder.add_shape({.body = door, .geometry = Sphere{0.1}, .mass = 1.0});
  EXPECT_TRUE(builder.build()->may_collide(a, b));
}

TEST(ModelPairs, JointChainsDoNotHideTheParent) {
  ModelBuilder builder;
  const int base = builder.add_body({});
  const int body = builder.add_body({.parent = base, .joint = {.kind = JointKind::planar}});
  const int a = builder.add_shape({.body = base, .geometry = Sphere{0.1}, .mass = 1.0});
  const int b = builder.add_shape({.body = body, .geometry = Sphere{0.1}, .mass = 1.0});
  EXPECT_FALSE(builder.build()->may_collide(a, b));
}

TEST(ModelPairs, FiltersInTheOrderOfTheirPower) {
  Scene s;
  s.builder.set_parents_collide(true);
  s.builder.exclude_bodies(s.lower, s.base);  // the base's own shapes, not the tool's
  s.builder.exclude_shapes(s.lower_shape, s.plane_shape);
  const auto model = s.builder.build();
  EXPECT_TRUE(model->may_collide(s.upper_shape, s.lower_shape));
  EXPECT_TRUE(model->may_collide(s.upper_shape, s.base_shape));
  EXPECT_FALSE(model->may_collide(s.base_shape, s.tool_shape));
  EXPECT_FALSE(model->may_collide(s.base_shape, s.lower_shape));
  EXPECT_TRUE(model->may_collide(s.tool_shape, s.lower_shape));
  EXPECT_FALSE(model->may_collide(s.lower_shape, s.plane_shape));
  EXPECT_TRUE(model->may_collide(s.lower_shape, s.table_shape));
  EXPECT_TRUE(model->may_collide(s.upper_shape, s.plane_shape));
}

TEST(ModelPairs, ForcedPairsMeetWhateverTheFiltersSay) {
  Scene s;
  s.builder.force_pair(s.upper_shape, s.tool_shape);
  s.builder.force_pair(s.lower_shape, s.plane_shape);
  s.builder.exclude_shapes(s.lower_shape, s.plane_shape);
  s.builder.force_pair(s.base_shape, s.tool_shape);  // one rigid body: without effect
  const auto model = s.builder.build();
  EXPECT_TRUE(model->may_collide(s.upper_shape, s.tool_shape));
  EXPECT_TRUE(model->may_collide(s.lower_shape, s.plane_shape));
  EXPECT_FALSE(model->may_collide(s.base_shape, s.tool_shape));
  EXPECT_FALSE(model->may_collide(s.base_shape, s.upper_shape));
  EXPECT_EQ(model->forced_pairs.size(), 2u);
}

TEST(ModelPairs, GroupsAndMasks) {
  ModelBuilder builder;
  const auto add = [&](std::uint32_t group, std::uint32_t mask) {
    const int body = builder.add_body({});
    return builder.add_shape({.body = body, .geometry = Sphere{0.1}, .mass = 1.0, .group = group, .mask = mask});
  };
  const int one = add(1, 1), two = add(2, 2), ghost = add(1, 0), sees_two = add(4, 2), nothing = add(0, 0);
  const auto model = builder.build();
  EXPECT_FALSE(model->may_collide(one, two));
  EXPECT_TRUE(model->may_collide(one, ghost));  // one of the two suffices
  EXPECT_FALSE(model->may_collide(ghost, two));
  EXPECT_TRUE(model->may_collide(sees_two, two));
  EXPECT_FALSE(model->may_collide(sees_two, one));
  for (int shape : {one, two, ghost, sees_two}) EXPECT_FALSE(model->may_collide(shape, nothing));
  builder.force_pair(nothing, two);
  EXPECT_TRUE(builder.build()->may_collide(two, nothing));
  EXPECT_FALSE(builder.build()->may_collide(one, nothing));
}

TEST(ModelPairs, ListsAreSortedAndUnique) {
  Scene s;
  s.builder.exclude_bodies(s.upper, s.lower);
  s.builder.exclude_shapes(s.lower_shape, s.upper_shape);
  s.builder.exclude_bodies(s.base, s.tool);
  const auto model = s.builder.build();
  const std::vector<std::pair<int, int>> expected = {
      {s.base_shape, s.upper_shape}, {s.tool_shape, s.upper_shape}, {s.upper_shape, s.lower_shape}};
  EXPECT_EQ(model->excluded_pairs, expected);
}

TEST(ModelLoops, FramesGoToTheBodiesThatCarryThem) {
  Rng rng(31);
  Scene s;
  const Pose pose_a = testing::random_pose(rng), pose_b = testing::random_pose(rng), site = testing::random_pose(rng);
  s.builder.add_loop({.kind = LoopKind::weld, .body_a = s.tool, .body_b = s.lower, .pose_a = pose_a, .pose_b = pose_b});
  s.builder.add_loop(
      {.name = "chain", .body_a = s.lower, .body_b = s.table, .pose_a = pose_a, .pose_b = pose_b, .compliance = 0.5});
  s.builder.add_site("grip", s.lower, site);
  const auto model = s.builder.build();
  const VectorX q = testing::random_position(rng, *model);
  const std::vector<Pose> poses = testing::body_poses(*model, q);
  const auto user = [&](const char* name) {
    return testing::frame_pose(*model, poses, model->frames[model->find_frame(name)]);
  };
  const auto end = [&](int body, const Pose& pose) { return body < 0 ? pose : poses[body] * pose; };
  const auto expect_same = [](const Pose& a, const Pose& b) {
    EXPECT_LT((a.rotation - b.rotation).norm(), 1e-13);
    EXPECT_LT((a.position - b.position).norm(), 1e-13);
  };
  const Loop &weld = model->loops[0], &chain = model->loops[1];
  EXPECT_EQ(weld.kind, LoopKind::weld);
  EXPECT_EQ(weld.name, "loop0");
  expect_same(end(weld.body_a, weld.pose_a), user("tool") * pose_a);
  expect_same(end(weld.body_b, weld.pose_b), user("lower") * pose_b);
  EXPECT_EQ(chain.name, "chain");
  EXPECT_EQ(chain.body_b, -1);
  EXPECT_EQ(chain.compliance, 0.5);
  expect_same(end(chain.body_b, chain.pose_b), user("table") * pose_b);
  expect_same(user("grip"), user("lower") * site);
  EXPECT_TRUE(model->frames[model->find_frame("grip")].is_site);
}

TEST(ModelLoops, MimicIsAJointEquality) {
  Scene s;
  s.builder.add_loop({.kind = LoopKind::joint_equality,
                      .joint_a = "elbow",
                      .joint_b = "shoulder",
                      .coefficients = {0.1, -2.0, 0.0, 0.0, 0.0}});
  s.builder.add_loop({.kind = LoopKind::joint_equality, .joint_a = "shoulder", .coefficients = {0.3}});
  const auto model = s.builder.build();
  EXPECT_EQ(model->loops[0].dof_a, model->joints[model->find_joint("elbow")].first_velocity);
  EXPECT_EQ(model->loops[0].dof_b, model->joints[model->find_joint("shoulder")].first_velocity);
  EXPECT_EQ(model->loops[0].coefficients[1], -2.0);
  EXPECT_EQ(model->loops[1].dof_b, -1);
  EXPECT_EQ(model->loops[1].coefficients[0], 0.3);
}

TEST(ModelActuators, DriveTheDofOfTheirJoint) {
  Scene s;
  s.builder.add_actuator({.joint = "elbow",
                          .kind = ActuatorKind::position,
                          .gear = 2.0,
                          .kp = 10.0,
                          .kd = 1.0,
                          .control_lower = -1.0,
                          .control_upper = 1.5,
                          .force_lower = -4.0,
                          .force_upper = 5.0});
  s.builder.add_actuator({.joint = "elbow"});
  const auto model = s.builder.build();
  const Actuator& a = model->actuators[model->find_actuator("elbow")];
  EXPECT_EQ(a.dof, model->joints[model->find_joint("elbow")].first_velocity);
  EXPECT_EQ(model->dofs[a.dof].body, model->frames[model->find_frame("lower")].body);
  EXPECT_EQ(a.kind, ActuatorKind::position);
  EXPECT_EQ(a.gear, 2.0);
  EXPECT_EQ(a.kp, 10.0);
  EXPECT_EQ(a.kd, 1.0);
  EXPECT_EQ(a.control_lower, -1.0);
  EXPECT_EQ(a.control_upper, 1.5);
  EXPECT_EQ(a.force_lower, -4.0);
  EXPECT_EQ(a.force_upper, 5.0);
  EXPECT_EQ(model->actuators[1].name, "elbow_2");
}

TEST(ModelKeyframes, EmptyPartsAreTheInitialState) {
  Scene s;
  s.builder.add_actuator({.joint = "elbow"});
  VectorX q(9), v = VectorX::LinSpaced(8, 1.0, 8.0);
  q << 1, 2, 3, 0, 0, 0, 2, 0.5, 0.6;
  s.builder.add_keyframe({.name = "home"});
  s.builder.add_keyframe({.name = "up", .time = 2.0, .q = q, .v = v, .control = VectorX::Constant(1, 0.25)});
  const auto model = s.builder.build();
  EXPECT_EQ(model->keyframes[0].q, model->initial_position);
  EXPECT_EQ(model->keyframes[0].v, VectorX::Zero(8));
  EXPECT_EQ(model->keyframes[0].control, VectorX::Zero(1));
  const Keyframe& up = model->keyframes[model->find_keyframe("up")];
  EXPECT_EQ(up.q[6], 1.0);  // the quaternion normalised
  EXPECT_EQ(up.q.head<6>(), q.head<6>());
  EXPECT_EQ(up.v, v);
  EXPECT_EQ(up.control[0], 0.25);
  EXPECT_EQ(up.time, 2.0);
}

// Files that are read into one world bring keyframes of their own part.
TEST(ModelKeyframes, OfAPartLeaveTheRestInItsInitialState) {
  ModelBuilder builder;
  const auto add_arm = [&](const std::string& name) {
    const int body = builder.add_body({.name = name, .joint = {.name = name, .kind = JointKind::revolute}});
    builder.add_shape({.body = body, .pose = Pose(Vector3(1, 0, 0)), .geometry = Sphere{0.1}, .mass = 1.0});
    builder.add_actuator({.joint = name});
  };
  add_arm("a");
  add_arm("b");
  const Keyframe keyframe{.name = "bent",
                          .q = VectorX::Constant(1, 0.5),
                          .v = VectorX::Constant(1, 2.0),
                          .control = VectorX::Constant(1, 3.0)};
  builder.add_keyframe(keyframe, {.first_body = 1, .end_body = 2, .first_actuator = 1, .end_actuator = 2});
  add_arm("c");
  const auto model = builder.build();
  EXPECT_EQ(model->keyframes[0].q, VectorX(Vector3(0, 0.5, 0)));
  EXPECT_EQ(model->keyframes[0].v, VectorX(Vector3(0, 2, 0)));
  EXPECT_EQ(model->keyframes[0].control, VectorX(Vector3(0, 3, 0)));
  EXPECT_THROW(builder.add_keyframe(keyframe, {.first_body = 4}), std::invalid_argument);
  EXPECT_THROW(builder.add_keyframe(keyframe, {.first_body = 2, .end_body = 1}), std::invalid_argument);
  EXPECT_THROW(builder.add_keyframe(keyframe, {.end_actuator = 4}), std::invalid_argument);
  builder.add_keyframe({.name = "wide", .q = VectorX::Zero(2)}, {.first_body = 1, .end_body = 2});
  EXPECT_THROW(builder.build(), std::invalid_argument);
}

TEST(ModelNames, EmptyNamesAreFilledWithoutClashes) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  for (int k = 0; k < 3; ++k) {
    const int body = builder.add_body({.name = k == 0 ? "body1" : ""});
    builder.add_shape({.body = body, .geometry = Sphere{0.1}, .mass = 1.0});
  }
  const auto model = builder.build();
  EXPECT_EQ(model->frames[0].name, "body1");
  EXPECT_EQ(model->frames[1].name, "body1_2");
  EXPECT_EQ(model->frames[2].name, "body2");
  EXPECT_EQ(model->joints[2].name, "body2");
  EXPECT_EQ(model->find_shape("shape3"), 3);
}

TEST(ModelNames, UnknownNamesTellWhatThereIs) {
  Scene s;
  const auto model = s.builder.build();
  try {
    model->find_joint("wrist");
    FAIL();
  } catch (const std::invalid_argument& e) {
    const std::string message = e.what();
    for (const char* part : {"joint", "wrist", "shoulder", "elbow"}) EXPECT_NE(message.find(part), std::string::npos);
  }
  EXPECT_THROW(model->find_keyframe("x"), std::invalid_argument);
}

TEST(ModelJoints, RecordsOfTheUser) {
  ModelBuilder builder;
  const int base = builder.add_body({.name = "base", .joint = {.kind = JointKind::planar, .damping = 0.5}});
  builder.add_shape({.body = base, .geometry = Sphere{0.1}, .mass = 1.0});
  const int arm =
      builder.add_body({.name = "arm",
                        .parent = base,
                        .joints = {{.name = "lift", .kind = JointKind::prismatic, .lower = 0.0, .upper = 2.0},
                                   {.kind = JointKind::ball, .armature = 0.1}}});
  builder.add_shape({.body = arm, .geometry = Sphere{0.1}, .mass = 1.0});
  const auto model = builder.build();
  ASSERT_EQ(model->joints.size(), 3u);
  const Joint &planar = model->joints[0], &lift = model->joints[1], &ball = model->joints[2];
  EXPECT_EQ(planar.name, "base");
  EXPECT_EQ(planar.kind, "planar");
  EXPECT_EQ(planar.num_bodies, 3);
  EXPECT_EQ(planar.num_velocities, 3);
  EXPECT_EQ(model->dofs[1].damping, 0.5);
  EXPECT_EQ(lift.first_body, 3);
  EXPECT_EQ(lift.first_position, 3);
  EXPECT_EQ(model->dofs[3].upper, 2.0);
  EXPECT_EQ(ball.name, "arm");
  EXPECT_EQ(ball.first_velocity, 4);
  EXPECT_EQ(ball.num_positions, 4);
  EXPECT_EQ(model->dofs[5].armature, 0.1);
  EXPECT_EQ(model->initial_position[7], 1.0);  // w of the ball
  EXPECT_EQ(model->bodies[0].mass, 0.0);
  EXPECT_EQ(model->bodies[2].mass, 1.0);
  EXPECT_EQ(model->bodies[3].mass, 0.0);
}

}  // namespace
}  // namespace stiction
