#include "stiction/dynamics/inverse_kinematics.h"

#include <gtest/gtest.h>

#include "stiction/dynamics/point_motion.h"
#include "stiction/model/model_builder.h"
#include "tests/support/random_model.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using testing::Rng;

constexpr double upper_arm = 0.4, lower_arm = 0.3;

// Seven hinges as arms have them, each with limits; the hand at the end.
std::shared_ptr<const Model> seven_hinges() {
  ModelBuilder builder;
  const Vector3 axes[] = {Vector3::UnitZ(), Vector3::UnitY(), Vector3::UnitZ(), Vector3::UnitY(),
                          Vector3::UnitZ(), Vector3::UnitY(), Vector3::UnitZ()};
  const double offsets[] = {0.3, 0.0, 0.2, 0.2, 0.2, 0.2, 0.1};
  int parent = -1;
  for (int k = 0; k < 7; ++k) {
    BodyOptions link{.name = "link" + std::to_string(k),
                     .parent = parent,
                     .pose = Pose(Vector3(0, 0, offsets[k])),
                     .inertia = Inertia::of(Sphere{0.05}, 1.0)};
    link.joint.kind = JointKind::revolute;
    link.joint.axis = axes[k];
    link.joint.lower = k % 2 == 0 ? -2.9 : -2.0, link.joint.upper = -link.joint.lower;
    parent = builder.add_body(link);
  }
  builder.add_site("hand", parent, Pose(Vector3(0, 0, 0.1)));
  return builder.build();
}

std::shared_ptr<const Model> planar_arm() {
  ModelBuilder builder;
  BodyOptions first{.name = "upper", .inertia = Inertia::of(Sphere{0.05}, 1.0)};
  first.joint.kind = JointKind::revolute;
  BodyOptions second = first;
  second.name = "lower";
  second.parent = builder.add_body(first);
  second.pose = Pose(Vector3(upper_arm, 0, 0));
  builder.add_site("hand", builder.add_body(second), Pose(Vector3(lower_arm, 0, 0)));
  return builder.build();
}

Pose hand_at(const Model& model, const VectorX& q) {
  return testing::frame_pose(model, testing::body_poses(model, q),
                             model.frames[static_cast<std::size_t>(model.find_frame("hand"))]);
}

VectorX within_limits(Rng& rng, const Model& model) {
  VectorX q(model.num_positions());
  for (int k = 0; k < model.num_velocities(); ++k)
    q[k] = testing::random_real(rng, model.dofs[k].lower, model.dofs[k].upper);
  return q;
}

TEST(InverseKinematics, AThousandStartsWithinReachConverge) {
  const auto model = seven_hinges();
  const int hand = model->find_frame("hand");
  Rng rng(3);
  int restarted = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Pose wanted = hand_at(*model, within_limits(rng, *model));
    const InverseKinematics found = inverse_kinematics(*model, within_limits(rng, *model), {{hand, wanted}});
    ASSERT_TRUE(found.reached()) << trial << ": off by " << found.position_error << " m, " << found.orientation_error;
    const Pose there = hand_at(*model, found.q);  // by kinematics of the tests
    ASSERT_LT((there.position - wanted.position).norm(), 2e-6);
    ASSERT_LT(Eigen::AngleAxisd(Matrix3(there.rotation.transpose() * wanted.rotation)).angle(), 2e-6);
    for (int k = 0; k < model->num_velocities(); ++k) {
      ASSERT_GE(found.q[k], model->dofs[k].lower);
      ASSERT_LE(found.q[k], model->dofs[k].upper);
    }
    restarted += found.restarts > 0;
  }
  RecordProperty("restarted", restarted);
}

// Two hinges: elbow angle by the cosine rule; beyond the sum of the lengths the nearest point is on the ray to it.
TEST(InverseKinematics, TwoHingesHaveTheirClosedForm) {
  const auto model = planar_arm();
  const int hand = model->find_frame("hand");
  const auto solve = [&](double x, double y) {
    FrameTarget target{hand, Pose(Vector3(x, y, 0))};
    target.orientation_weight = 0.0;
    return inverse_kinematics(*model, Vector2(0.3, 0.4), {target});
  };
  const InverseKinematics near = solve(0.3, 0.5);
  ASSERT_TRUE(near.reached());
  const double cosine = (0.34 - upper_arm * upper_arm - lower_arm * lower_arm) / (2.0 * upper_arm * lower_arm);
  EXPECT_NEAR(std::cos(near.q[1]), cosine, 1e-5);
  for (const double distance : {0.8, 2.0, 100.0}) {
    const InverseKinematics far = solve(0.6 * distance, 0.8 * distance);
    EXPECT_EQ(far.status, InverseKinematicsStatus::out_of_reach) << distance;
    EXPECT_NEAR(far.position_error, distance - upper_arm - lower_arm, 1e-6 * distance);
  }
  const InverseKinematics inside = solve(0.05, 0.0);  // nearer than the difference of the lengths
  EXPECT_EQ(inside.status, InverseKinematicsStatus::out_of_reach);
  EXPECT_NEAR(inside.position_error, upper_arm - lower_arm - 0.05, 1e-6);
}

TEST(InverseKinematics, LimitsAreKeptAndSayOutOfReach) {
  const auto model = seven_hinges();
  Model narrow = *model;
  for (Dof& dof : narrow.dofs) dof.lower = -0.2, dof.upper = 0.2;
  FrameTarget down{model->find_frame("hand"), Pose(Vector3(0.3, 0.0, -0.5))};
  const InverseKinematics found = inverse_kinematics(narrow, VectorX::Zero(7), {down});
  EXPECT_EQ(found.status, InverseKinematicsStatus::out_of_reach);
  EXPECT_LE(found.q.cwiseAbs().maxCoeff(), 0.2);
}

TEST(InverseKinematics, SeveralFramesAndOnlyTheJointsNamed) {
  const auto model = seven_hinges();
  Rng rng(9);
  const VectorX goal = within_limits(rng, *model);
  const auto poses = testing::body_poses(*model, goal);
  const auto target = [&](const std::string& name) {
    const int frame = model->find_frame(name);
    return FrameTarget{frame, testing::frame_pose(*model, poses, model->frames[static_cast<std::size_t>(frame)])};
  };
  const InverseKinematics both = inverse_kinematics(*model, VectorX::Zero(7), {target("hand"), target("link3")});
  EXPECT_TRUE(both.reached());
  EXPECT_LT((both.q - goal).head(4).cwiseAbs().maxCoeff(), 1e-4);  // link3 fixes its own joints
  InverseKinematicsSettings some;
  some.joints = {5, 6};
  const InverseKinematics few = inverse_kinematics(*model, VectorX::Constant(7, 0.1), {target("hand")}, some);
  EXPECT_EQ(few.status, InverseKinematicsStatus::out_of_reach);
  EXPECT_EQ(few.q.head(5), VectorX::Constant(5, 0.1));
}

TEST(InverseKinematics, TheSameSeedGivesTheSameBits) {
  const auto model = seven_hinges();
  Rng rng(21);
  const Pose wanted = hand_at(*model, within_limits(rng, *model));
  const VectorX start = within_limits(rng, *model);
  const auto once = inverse_kinematics(*model, start, {{model->find_frame("hand"), wanted}});
  const auto twice = inverse_kinematics(*model, start, {{model->find_frame("hand"), wanted}});
  EXPECT_EQ(once.q, twice.q);
}

TEST(InverseKinematics, BadInputIsNamed) {
  const auto model = planar_arm();
  const int hand = model->find_frame("hand");
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Zero(3), {{hand, Pose()}}), "3 entries");
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Zero(2), {}), "no target");
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Zero(2), {{77, Pose()}}), "frame 77");
  Pose bad;
  bad.rotation *= 2.0;
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Zero(2), {{hand, bad}}), "'hand'");
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Zero(2), {{hand, Pose()}}, {.position_tolerance = -1.0}),
                 "position_tolerance");
  EXPECT_REFUSED(inverse_kinematics(*model, VectorX::Constant(2, NAN), {{hand, Pose()}}), "finite");
}

// Acceleration of a point against second differences of its path.
TEST(PointAcceleration, IsTheSecondDerivativeOfThePath) {
  Rng rng(4);
  for (int trial = 0; trial < 30; ++trial) {
    const auto model = testing::random_model(rng, 1 + trial % 8);
    const VectorX q = testing::random_position(rng, *model), v = testing::random_velocity(rng, *model),
                  a = testing::random_velocity(rng, *model);
    const auto data = make_dynamics_data(*model);
    update_kinematics(*model, q.data(), v.data(), *data);
    const int body = testing::random_int(rng, 0, model->num_bodies() - 1);
    const Vector3 local = testing::random_vector(rng);
    const Vector3 point = body_pose(*data, body) * local;
    const PointAcceleration found = point_acceleration(*model, *data, a.data(), body, point);
    // Velocity of the point of the body, a moment before and after.
    const double h = 1e-5;
    const auto velocity_at = [&](double t, Vector3& spin) {
      const VectorX v_t = v + t * a, mean = v + 0.5 * t * a;
      VectorX q_t(q.size());
      integrate(*model, q, mean, t, q_t);
      update_kinematics(*model, q_t.data(), v_t.data(), *data);
      spin = angular_velocity(*data, body);
      return point_velocity(*data, body, body_pose(*data, body) * local);
    };
    Vector3 spin_before, spin_after;
    const Vector3 before = velocity_at(-h, spin_before), after = velocity_at(h, spin_after);
    EXPECT_LT((found.linear - (after - before) / (2 * h)).norm(), 1e-6 * (1.0 + found.linear.norm())) << trial;
    EXPECT_LT((found.angular - (spin_after - spin_before) / (2 * h)).norm(), 1e-6 * (1.0 + found.angular.norm()));
  }
}

TEST(PointAcceleration, AWheelHasItsClosedForm) {
  ModelBuilder builder;
  BodyOptions wheel{.name = "wheel", .inertia = Inertia::of(Sphere{0.1}, 1.0)};
  wheel.joint.kind = JointKind::revolute;
  const auto model = (builder.add_body(wheel), builder.build());
  const auto data = make_dynamics_data(*model);
  const double q = 0.0, v = 3.0, a = 2.0, r = 0.5;
  update_kinematics(*model, &q, &v, *data);
  const PointAcceleration found = point_acceleration(*model, *data, &a, 0, Vector3(r, 0, 0));
  EXPECT_LT((found.linear - Vector3(-v * v * r, a * r, 0)).norm(), 1e-14);
  EXPECT_LT((found.angular - Vector3(0, 0, a)).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction
