#include "stiction/io/load.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/io/model_path.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

class Load : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/stiction_load_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

const char* const ball = R"(<robot name="ball"><link name="ball"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)";

TEST_F(Load, FormatsByEndingAndByRoot) {
  EXPECT_EQ(1u, load_model(write("a.urdf", ball)).model->shapes.size());
  EXPECT_EQ(1u, load_model(write("a.xml", ball)).model->shapes.size());
  if (has_mjcf()) {
    const char* const text = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";
    EXPECT_EQ(6, load_model(write("b.xml", text)).model->num_velocities());
  }
  EXPECT_REFUSED(load_model(write("c.xml", "<html/>")), "c.xml: the root element <html>");
  EXPECT_REFUSED(load_model(write("d.xacro", ball)), "run xacro");
  EXPECT_REFUSED(load_model(write("e.urdf", "")), "e.urdf: the file is empty");
  EXPECT_REFUSED(load_model(folder_ + "/none.urdf"), "no such file");
  EXPECT_REFUSED(load_model(folder_ + "/none.xml"), "no such file");
  EXPECT_REFUSED(load_model(folder_), "folder");
  EXPECT_REFUSED(load_model(""), "no such file");
}

TEST_F(Load, SeveralFilesInOneWorld) {
  const std::string path = write("ball.urdf", ball);
  const std::vector<ModelPart> parts{
      {path, {.pose = Pose(Vector3(0, 0, 1)), .prefix = "a_", .base = BaseKind::floating}},
      {path, {.pose = Pose(Vector3(0, 0, 2)), .prefix = "b_", .base = BaseKind::floating}},
      {path, {.prefix = "c_"}}};
  const LoadedModel loaded = load_models(parts);
  EXPECT_EQ(2, loaded.model->num_bodies());
  EXPECT_EQ(3u, loaded.model->shapes.size());
  EXPECT_EQ(1.0, loaded.model->initial_position[2]);
  EXPECT_EQ(2.0, loaded.model->initial_position[9]);
  EXPECT_NO_THROW(loaded.model->find_frame("b_ball"));
  const std::vector<ModelPart> same{{path, {}}, {path, {}}};
  EXPECT_REFUSED(load_models(same), "ball");  // names that occur twice
  EXPECT_EQ(0, load_models({}).model->num_bodies());
}

TEST_F(Load, PathsOfPackagesAndOfTheEnvironment) {
  write("share/arm/meshes/a.stl", "x");
  const std::string model = write("here/robot.urdf", ball);
  const std::string expected = std::filesystem::canonical(folder_ + "/share/arm/meshes/a.stl").string();
  EXPECT_REFUSED(ModelPath(model, {}).resolve("package://arm/meshes/a.stl"), "package_roots");
  EXPECT_EQ(expected, ModelPath(model, {.package_roots = {folder_ + "/share"}}).resolve("package://arm/meshes/a.stl"));
  EXPECT_EQ(expected,
            ModelPath(model, {.package_roots = {folder_ + "/share/arm"}}).resolve("model://arm/meshes/a.stl"));
  EXPECT_EQ(expected, ModelPath(model, {.package_roots = {folder_ + "/share/arm"}}).resolve("meshes/a.stl"));
  EXPECT_EQ(expected, ModelPath(model, {}).resolve("../share/arm/meshes/a.stl"));
  ::setenv("ROS_PACKAGE_PATH", ("/nowhere:" + folder_ + "/share").c_str(), 1);
  EXPECT_EQ(expected, ModelPath(model, {}).resolve("package://arm/meshes/a.stl"));
  EXPECT_REFUSED(ModelPath(model, {.sandbox = true}).resolve("package://arm/meshes/a.stl"), "not found");
  ::unsetenv("ROS_PACKAGE_PATH");
  write("here/with space.stl", "x");
  EXPECT_NO_THROW(ModelPath(model, {}).resolve("file://" + folder_ + "/here/with%20space.stl"));
  EXPECT_REFUSED(ModelPath(model, {}).resolve(""), "empty");
}

}  // namespace
}  // namespace stiction
