// Sensors of a model: what they are mounted on, where their numbers are, and what of a body they carry; edits.
#include <gtest/gtest.h>

#include "stiction/io/recording/model_storage.h"
#include "stiction/model/describe.h"
#include "stiction/model/model_builder.h"
#include "stiction/model/model_edit.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using K = SensorKind;

struct Arm {
  ModelBuilder builder;
  int arm = -1, tool = -1, finger = -1;
};

// An arm, a tool that is fixed to it, and a finger on the tool.
Arm arm_with_tool() {
  Arm a;
  BodyOptions arm{.name = "arm", .inertia = Inertia::of(Sphere{0.1}, 3.0)};
  arm.joint.kind = JointKind::revolute;
  arm.joint.name = "shoulder";
  a.arm = a.builder.add_body(arm);
  a.builder.add_shape({.name = "rod", .body = a.arm, .geometry = Sphere{0.1}});
  BodyOptions tool{.name = "tool", .parent = a.arm, .pose = Pose(Vector3(1, 0, 0))};
  tool.joint.kind = JointKind::fixed;
  a.tool = a.builder.add_body(tool);
  a.builder.add_shape({.name = "blade", .body = a.tool, .geometry = Box{{0.1, 0.1, 0.1}}, .mass = 0.5});
  BodyOptions finger{.name = "finger", .parent = a.tool, .inertia = Inertia::of(Sphere{0.1}, 0.2)};
  finger.joint.kind = JointKind::prismatic;
  finger.joint.name = "slide";
  a.finger = a.builder.add_body(finger);
  a.builder.add_site("tip", a.tool, Pose(Vector3(0, 0, 0.3)));
  a.builder.add_actuator({.name = "motor", .joint = "shoulder"});
  return a;
}

TEST(ModelSensors, NumbersFollowEachOther) {
  Arm a = arm_with_tool();
  a.builder.add_sensor({.kind = K::joint_position, .joint = "shoulder"});
  a.builder.add_sensor({.name = "imu", .kind = K::accelerometer, .site = "tip"});
  a.builder.add_sensor({.kind = K::frame_orientation, .body = a.finger});
  a.builder.add_sensor({.kind = K::joint_position, .joint = "slide"});
  const auto model = a.builder.build();
  ASSERT_EQ(4U, model->sensors.size());
  EXPECT_EQ(0, model->sensors[0].first_value);
  EXPECT_EQ(1, model->sensors[1].first_value);
  EXPECT_EQ(3, model->sensors[1].num_values);
  EXPECT_EQ(4, model->sensors[2].first_value);
  EXPECT_EQ(4, model->sensors[2].num_values);
  EXPECT_EQ(9, model->num_sensor_values());
  EXPECT_EQ("joint_position", model->sensors[0].name);
  EXPECT_EQ("joint_position_2", model->sensors[3].name);
  EXPECT_EQ(1, model->find_sensor("imu"));
  EXPECT_REFUSED(model->find_sensor("imo"), "did you mean \"imu\"");
  EXPECT_NE(describe(*model).find("sensor 'imu': accelerometer of 'tip' values[1..3]"), std::string::npos)
      << describe(*model);
}

// A force sensor on what is fixed to something else carries that part and what hangs on it.
TEST(ModelSensors, APartOfABodyIsCarriedThroughItsSeam) {
  Arm a = arm_with_tool();
  a.builder.add_sensor({.name = "seam", .kind = K::force, .site = "tip"});
  a.builder.add_sensor({.name = "joint", .kind = K::force, .body = a.arm});
  a.builder.add_sensor({.name = "ground", .kind = K::force, .body = -1});
  const auto model = a.builder.build();
  const SensorPart& seam = model->sensors[0].part;
  EXPECT_FALSE(seam.is_whole);
  EXPECT_DOUBLE_EQ(0.5, seam.inertia.mass);
  EXPECT_EQ(std::vector{model->find_body("finger")}, seam.children);
  EXPECT_EQ(std::vector{model->find_shape("blade")}, seam.shapes);
  EXPECT_TRUE(model->sensors[1].part.is_whole);
  EXPECT_FALSE(model->sensors[2].part.is_whole);
  EXPECT_EQ(std::vector{model->find_body("arm")}, model->sensors[2].part.children);
}

TEST(ModelSensors, AttachedModelsKeepWhatTheirSensorsCarry) {
  Arm a = arm_with_tool();
  a.builder.add_sensor({.name = "seam", .kind = K::torque, .site = "tip"});
  a.builder.add_sensor({.name = "pose", .kind = K::frame_position, .body = -1, .pose = Pose(Vector3(1, 0, 0))});
  const auto model = a.builder.build();
  ModelBuilder builder;
  const int base = builder.add_body({.name = "base", .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  builder.add_sensor({.name = "time"});
  builder.attach(*model, {.prefix = "left/", .parent = base, .pose = Pose(Vector3(0, 0, 2))});
  builder.attach(*model, {.prefix = "right/"});
  const auto both = builder.build();
  ASSERT_EQ(5U, both->sensors.size());
  const Sensor& left = both->sensors[static_cast<std::size_t>(both->find_sensor("left/seam"))];
  EXPECT_EQ("left/tip", both->frames[static_cast<std::size_t>(left.frame)].name);
  EXPECT_DOUBLE_EQ(0.5, left.part.inertia.mass);
  EXPECT_EQ(std::vector{both->find_body("left/finger")}, left.part.children);
  EXPECT_EQ(std::vector{both->find_shape("left/blade")}, left.part.shapes);
  const Sensor& pose = both->sensors[static_cast<std::size_t>(both->find_sensor("left/pose"))];
  EXPECT_EQ("base", both->frames[static_cast<std::size_t>(pose.frame)].name);
  EXPECT_EQ(Vector3(1, 0, 2), pose.pose.position);
  ModelBuilder without = ModelBuilder::from_model(*both);
  without.remove_body(without.find_body("left/arm"));
  const auto rest = without.build();
  EXPECT_EQ(4U, rest->sensors.size());
  EXPECT_EQ(std::vector{rest->find_body("right/finger")},
            rest->sensors[static_cast<std::size_t>(rest->find_sensor("right/seam"))].part.children);
  without.add_sensor({.kind = K::force, .body = without.find_body("right/tool")});
  EXPECT_REFUSED(without.build(), "what was its own is not known");
}

TEST(ModelSensors, EditsReachThem) {
  Arm a = arm_with_tool();
  a.builder.add_sensor({.name = "seam", .kind = K::force, .site = "tip"});
  const auto model = a.builder.build();
  ModelEdit edit(model);
  edit.set_mass("arm", 7.0);  // twice the whole: 3 kg and 0.5 kg
  edit.set_sensor_noise("seam", 0.1);
  edit.set_sensor_delay("seam", 0.01);
  edit.set_sensor_cutoff("seam", 20.0);
  const auto changed = edit.build();
  EXPECT_DOUBLE_EQ(1.0, changed->sensors[0].part.inertia.mass);
  EXPECT_EQ(0.1, changed->sensors[0].noise);
  EXPECT_EQ(0.01, changed->sensors[0].delay);
  EXPECT_EQ(20.0, changed->sensors[0].cutoff);
  EXPECT_EQ(0.0, model->sensors[0].noise);
  EXPECT_REFUSED(edit.set_sensor_noise("seam", -1.0), "sensor 'seam': noise is -1");
  EXPECT_REFUSED(edit.set_inertia("arm", Inertia::of(Sphere{0.1}, 1.0)), "sensor 'seam' carries a part of it");
}

TEST(ModelSensors, BadInputIsNamed) {
  Arm a = arm_with_tool();
  ModelBuilder& b = a.builder;
  EXPECT_REFUSED(b.add_sensor({.name = "s", .kind = K::gyro}), "a gyro sensor needs a site or body");
  EXPECT_REFUSED(b.add_sensor({.name = "s", .kind = K::clock, .joint = "slide"}), "a clock sensor is on no joint");
  EXPECT_REFUSED(b.add_sensor({.name = "s", .kind = K::gyro, .body = 7}), "sensor 0 's': body is 7");
  EXPECT_REFUSED(b.add_sensor({.name = "s", .kind = K::gyro, .site = "tip", .body = 0}), "give one of them");
  EXPECT_REFUSED(b.add_sensor({.kind = K::clock, .noise = -0.1}), "noise is -0.1");
  EXPECT_REFUSED(b.add_sensor({.kind = K::clock, .delay = std::nan("")}), "delay is nan");
  EXPECT_REFUSED(b.add_sensor({.kind = K::clock, .cutoff = -1}), "cutoff is -1");
  EXPECT_REFUSED(b.add_sensor({.kind = static_cast<K>(99)}), "kind is 99");
  EXPECT_REFUSED(b.add_sensor({.kind = K::gyro, .site = "tip", .reference_body = 0}), "has no reference");
  EXPECT_REFUSED(b.add_sensor({.kind = K::gyro, .site = "tip", .region = Sphere{1.0}}), "region is given to a gyro");
  EXPECT_REFUSED(b.add_sensor({.kind = K::touch, .site = "tip", .region = Plane{}}), "region is a plane");
  EXPECT_REFUSED(b.add_sensor({.kind = K::touch, .site = "tip", .region = Sphere{-1.0}}), "radius is -1");
  const auto built = [](SensorOptions options) {
    Arm fresh = arm_with_tool();
    fresh.builder.add_sensor(options);
    return fresh.builder.build();
  };
  EXPECT_REFUSED(built({.name = "s", .kind = K::joint_velocity, .joint = "elbow"}), "joint is 'elbow'");
  EXPECT_REFUSED(built({.name = "s", .kind = K::actuator_force, .actuator = "m"}), "sensor 's': actuator is 'm'");
  EXPECT_REFUSED(built({.name = "s", .kind = K::tendon_length, .tendon = "t"}), "tendon is 't'");
  EXPECT_REFUSED(built({.name = "s", .kind = K::gyro, .site = "hand"}), "site is 'hand'");
  EXPECT_REFUSED(built({.name = "s", .kind = K::contact_force, .body = 0, .other_body = 1}), "one rigid body");
  Arm twice = arm_with_tool();
  twice.builder.add_sensor({.name = "s"}), twice.builder.add_sensor({.name = "s"});
  EXPECT_REFUSED(twice.builder.build(), "sensor 's': the name occurs twice");
}

}  // namespace
}  // namespace stiction
