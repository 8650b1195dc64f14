// Sensors of SDF files, by what they read at rest.
#include <gtest/gtest.h>

#include "stiction/io/sdf/sdf.h"
#include "stiction/sim/sensor_handle.h"
#include "stiction/sim/simulator.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

constexpr double g = 9.81;

std::string link(const std::string& name, const std::string& pose, const std::string& more = "") {
  return "<link name='" + name + "'><pose>" + pose +
         "</pose><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>" + more +
         "</link>\n";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='fixed'><parent>" + parent + "</parent><child>" + child + "</child>" + more +
         "</joint>\n";
}

LoadedModel load(const std::string& inside) {
  return load_sdf_string("<sdf version='1.9'><model name='m'>" + inside + "</model></sdf>");
}

// A post on the world with an arm and a tool, all fixed; a ball that falls.
TEST(SdfSensors, ReadWhatTheyShouldAtRest) {
  const std::string imu = "<sensor name='imu' type='imu'><pose>0 0 0 0 1.5707963267948966 0</pose></sensor>";
  const std::string ft =
      "<sensor name='ft' type='force_torque'><force_torque><measure_direction>parent_to_child"
      "</measure_direction></force_torque></sensor>";
  const LoadedModel loaded =
      load(link("post", "0 0 1 0 0 0", imu) + link("arm", "1 0 1 0 0 0") + link("tool", "2 0 1 0 0 0", imu) +
           link("ball", "0 5 9 0 0 0", "<sensor name='skin' type='contact'><contact/></sensor>") +
           joint("base", "world", "post", "<sensor name='foot' type='force_torque'/>") + joint("root", "post", "arm") +
           joint("wrist", "arm", "tool", ft));
  ASSERT_EQ(11u, loaded.model->sensors.size());
  Simulator simulator(loaded.model, {.time_step = 1e-3});
  const VectorX felt = simulator.sensor("imu_acceleration").values();  // its x looks down
  EXPECT_NEAR(-g, felt[0], 1e-12);
  EXPECT_NEAR(0.0, felt[2], 1e-12);
  EXPECT_NEAR(-g, simulator.sensor("tool::imu_acceleration").values()[0], 1e-12);
  EXPECT_NEAR(2 * g, simulator.sensor("ft_force").values()[2], 1e-12);
  EXPECT_NEAR(-6 * g, simulator.sensor("foot_force").values()[2], 1e-12);
  EXPECT_NEAR(2 * g * 1.0 + 2 * g * 2.0, simulator.sensor("foot_torque").values()[1], 1e-12);
  EXPECT_EQ(0.0, simulator.sensor("skin").values().norm());
}

TEST(SdfSensors, BadValuesAreRefused) {
  const auto with = [](const std::string& sensor) { return load(link("a", "0 0 1 0 0 0", sensor)); };
  EXPECT_REFUSED(with("<sensor type='imu'/>"), "name");
  EXPECT_REFUSED(with("<sensor name='s' type='imu'><pose>1 2</pose></sensor>"), "pose");
  EXPECT_REFUSED(with("<sensor name='s' type='imu'><pose relative_to='b'>0 0 0 0 0 0</pose></sensor>"),
                 "relative_to=\"b\"");
  EXPECT_REFUSED(
      load(link("a", "0 0 1 0 0 0") + joint("j", "world", "a",
                                            "<sensor name='s' type='force_torque'><force_torque>"
                                            "<measure_direction>up</measure_direction></force_torque></sensor>")),
      "parent_to_child");
}

}  // namespace
}  // namespace stiction
