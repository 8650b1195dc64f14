// What is wrong in an SDF file is refused with file, line, element and value.
#include <gtest/gtest.h>

#include "stiction/io/sdf/sdf.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

const std::string mass = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

std::string model(const std::string& inside) {
  return "<sdf version='1.9'>\n<model name='m'>" + inside + "</model></sdf>";
}

std::string two_links(const std::string& more) {
  return model("<link name='a'>" + mass + "</link><link name='b'>" + mass + "</link>\n" + more);
}

std::string inertial(const std::string& m, const std::string& xx, const std::string& yy, const std::string& zz) {
  return model("<link name='a'>\n<inertial><mass>" + m + "</mass><inertia><ixx>" + xx + "</ixx><iyy>" + yy +
               "</iyy><izz>" + zz + "</izz></inertia></inertial></link>");
}

TEST(SdfBroken, Documents) {
  EXPECT_REFUSED(load_sdf_string(""), "empty");
  EXPECT_REFUSED(load_sdf_string("<sdf version='1.9'><model name='m'></sdf>"), "not well-formed");
  EXPECT_REFUSED(load_sdf_string("<robot/>"), "<sdf>");
  EXPECT_REFUSED(load_sdf_string("<sdf version='1.9'/>"), "no <model>");
  EXPECT_REFUSED(load_sdf_string("<sdf><model name='m'/></sdf>"), "version");
  for (const char* version : {"2.0", "1", "1.", "1.x", "1.1.1", "", "-1.5"}) {
    EXPECT_REFUSED(load_sdf_string("<sdf version='" + std::string(version) + "'><model name='m'/></sdf>"), "version");
  }
  EXPECT_REFUSED(load_sdf_string(model("\xE4")), "not UTF-8");
  EXPECT_REFUSED(load_sdf_string("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>"), "second world");
  EXPECT_REFUSED(load_sdf("/nowhere/robot.sdf"), "/nowhere/robot.sdf");
  std::string deep;
  for (int k = 0; k < 150; ++k) deep = "<model name='m'>" + deep + "</model>";
  EXPECT_REFUSED(load_sdf_string("<sdf version='1.9'>" + deep + "</sdf>"), "nested more than 64 deep");
}

TEST(SdfBroken, Names) {
  EXPECT_REFUSED(load_sdf_string(model("<link/>")), "name");
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'/><link name='a'/>")), "SDF string:2: <link name=\"a\">");
  EXPECT_REFUSED(load_sdf_string(two_links("<joint name='j' type='fixed'><parent>a</parent><child>c</child></joint>")),
                 "SDF string:3: <child>");
  EXPECT_REFUSED(
      load_sdf_string(two_links("<joint name='j' type='fixed'><parent>x::a</parent><child>b</child></joint>")),
      "no link, joint, frame or model");
  EXPECT_REFUSED(load_sdf_string(two_links("<joint name='j' type='fixed'><child>b</child></joint>")), "parent");
  EXPECT_REFUSED(load_sdf_string(two_links("<joint name='j' type='fixed'><parent>b</parent><child>b</child></joint>")),
                 "same link");
  EXPECT_REFUSED(
      load_sdf_string(two_links("<joint name='j' type='fixed'><parent>b</parent><child>world</child></joint>")),
      "not the world");
  EXPECT_REFUSED(
      load_sdf_string("<sdf version='1.9'><model name='m' canonical_link='x'><link name='a'/></model></sdf>"),
      "canonical_link=\"x\"");
}

TEST(SdfBroken, Circles) {
  EXPECT_REFUSED(load_sdf_string(model(
                     "<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>")),
                 "circle");
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'/><frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
                                       "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>")),
                 "attached to each other in a circle");
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'><pose relative_to='a'/></link>")), "circle");
}

TEST(SdfBroken, Values) {
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'><pose>1 2 3</pose></link>")), "6 numbers are wanted");
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'><pose>1 2 3 0 0 nan</pose></link>")), "<pose>");
  EXPECT_REFUSED(load_sdf_string(model("<link name='a'><pose rotation_format='matrix'>1 2 3 0 0 0</pose></link>")),
                 "euler_rpy");
  EXPECT_REFUSED(load_sdf_string(inertial("0", "1", "1", "1")), "SDF string:3: <mass>");
  EXPECT_REFUSED(load_sdf_string(inertial("1", "nan", "1", "1")), "<ixx>");
  EXPECT_REFUSED(load_sdf_string(inertial("1", "1", "inf", "1"), {.repair_inertia = true}), "<iyy>");
  EXPECT_REFUSED(load_sdf_string(inertial("-1", "1", "1", "1")), "SDF string:3: <mass>");
  EXPECT_REFUSED(load_sdf_string(inertial("1", "-1", "1", "1")), "SDF string:3: <inertial>");
  EXPECT_REFUSED(load_sdf_string(inertial("1", "1", "1*", "1")), "SDF string:3: <iyy>");
  EXPECT_REFUSED(load_sdf_string(inertial("1", "1", "1", "9")), "larger than the sum");
  LoadOptions repair;
  repair.repair_inertia = true;
  const LoadedModel repaired = load_sdf_string(inertial("1", "1", "1", "9"), repair);
  EXPECT_EQ(1.0, repaired.model->bodies[0].mass);
  ASSERT_EQ(1u, repaired.ignored.size());
  EXPECT_NE(std::string::npos, repaired.ignored[0].reason.find("repaired"));
  const auto joint = [](const std::string& type, const std::string& inside) {
    return two_links("<joint name='j' type='" + type + "'><parent>a</parent><child>b</child>" + inside + "</joint>");
  };
  EXPECT_REFUSED(load_sdf_string(joint("screw", "")), "type=\"screw\"");
  EXPECT_REFUSED(load_sdf_string(joint("elastic", "")), "type=\"elastic\"");
  EXPECT_REFUSED(load_sdf_string(joint("revolute", "")), "axis");
  EXPECT_REFUSED(load_sdf_string(joint("revolute", "<axis><xyz>0 0 0</xyz></axis>")), "no direction");
  EXPECT_REFUSED(load_sdf_string(
                     joint("revolute", "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit></axis>")),
                 "lower must not be above upper");
  EXPECT_REFUSED(
      load_sdf_string(joint("revolute", "<axis><xyz>0 0 1</xyz><dynamics><damping>-1</damping></dynamics></axis>")),
      "<damping>");
  EXPECT_REFUSED(load_sdf_string(joint("universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 2</xyz></axis2>")),
                 "parallel");
  const auto geometry = [](const std::string& inside) {
    return model("<link name='a'>" + mass + "<collision name='c'><geometry>" + inside +
                 "</geometry></collision></link>");
  };
  EXPECT_REFUSED(load_sdf_string(geometry("<box><size>1 0 1</size></box>")), "<size>");
  EXPECT_REFUSED(load_sdf_string(geometry("<sphere><radius>-1</radius></sphere>")), "<radius>");
  EXPECT_REFUSED(load_sdf_string(geometry("<sphere/>")), "radius");
  EXPECT_REFUSED(load_sdf_string(geometry("<torus/>")), "no known geometry");
  EXPECT_REFUSED(load_sdf_string(geometry("<mesh><uri>a.obj</uri><scale>0 1 1</scale></mesh>")), "zero");
  EXPECT_REFUSED(
      load_sdf_string(model("<link name='a'><pose>1e308 0 0 0 0 0</pose></link><frame name='f' attached_to='a'>"
                            "<pose>1e308 0 0 0 0 0</pose></frame>")),
      "too large");
}

}  // namespace
}  // namespace stiction
