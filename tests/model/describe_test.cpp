#include "stiction/model/describe.h"

#include <gtest/gtest.h>

#include "../support/random_model.h"

namespace stiction {
namespace {

TEST(Describe, TreeOfASmallRobot) {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  const int base = builder.add_body({.name = "base"});
  builder.add_shape({.name = "trunk", .body = base, .geometry = Box{{0.1, 0.05, 0.025}}, .mass = 2.5});
  builder.add_body({.name = "imu", .parent = base, .joint = {.kind = JointKind::fixed}});
  const int leg =
      builder.add_body({.name = "leg",
                        .parent = base,
                        .joint = {.name = "hip", .kind = JointKind::revolute, .lower = -1.5, .upper = 1.5}});
  builder.add_shape({.name = "foot", .body = leg, .geometry = Sphere{0.02}, .mass = 0.4});
  const int cart = builder.add_body({.name = "cart", .joint = {.kind = JointKind::planar}});
  builder.add_shape({.name = "wheel", .body = cart, .geometry = Cylinder{0.3, 0.1}, .mass = 3.0});
  builder.add_actuator({.joint = "hip", .kind = ActuatorKind::position, .kp = 10.0});
  builder.add_loop({.name = "tie", .body_a = leg, .body_b = cart});
  builder.add_keyframe({.name = "home"});
  EXPECT_EQ(describe(*builder.build()),
            "5 bodies in 2 trees, 11 positions, 10 velocities, 4 shapes; gravity (0, 0, -9.81) m/s²\n"
            "world: ground plane\n"
            "  base + imu: free 'base' q[0..6] v[0..5]; 2.5 kg; trunk box 0.2 x 0.1 x 0.05\n"
            "    leg: revolute 'hip' q[7] v[6] -1.5 .. 1.5; 0.4 kg; foot sphere radius 0.02\n"
            "  cart: planar 'cart' q[8..10] v[7..9]; 3 kg; wheel cylinder radius 0.3 length 0.2\n"
            "loop 'tie': point of leg and cart\n"
            "actuator 'hip': position on 'hip'\n"
            "keyframe 'home' at 0 s\n");
}

TEST(Describe, EveryBodyAndJointOfARandomForestIsToldOnce) {
  testing::Rng rng(41);
  for (int round = 0; round < 20; ++round) {
    const auto model = testing::random_model(rng, 12);
    const std::string text = describe(*model) + "\n";
    const auto occurrences = [&](const std::string& part) {
      int count = 0;
      for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
      return count;
    };
    for (const Joint& joint : model->joints) EXPECT_EQ(occurrences("'" + joint.name + "'"), 1) << text;
    for (const Frame& frame : model->frames) {
      const int count = occurrences(" " + frame.name + " ") + occurrences(" " + frame.name + ":") +
                        occurrences(" " + frame.name + "\n");
      EXPECT_GE(count, 1) << frame.name << " in\n" << text;
    }
  }
}

TEST(Describe, EmptyWorld) {
  EXPECT_EQ(describe(*ModelBuilder().build()),
            "0 bodies in 0 trees, 0 positions, 0 velocities, 0 shapes; gravity (0, 0, -9.81) m/s²\nworld\n");
}

}  // namespace
}  // namespace stiction
