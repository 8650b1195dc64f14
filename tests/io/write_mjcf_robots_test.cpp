// Robots of PyPI's example-robot-data, read from URDF and written as MJCF: MuJoCo moves them as we do.
#ifdef STICTION_ROBOTS

#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/io/urdf/urdf.h"
#include "tests/io/mjcf_motion.h"
#include "tests/io/round_trip.h"

namespace stiction {
namespace {

using namespace testing;

std::vector<std::string> robot_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STICTION_ROBOTS)) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The file without what only collides: hulls of meshes take most of the time, and contacts are off.
std::string without_shapes(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const std::string tag : {"collision", "visual"}) {
    for (std::size_t begin = text.find("<" + tag); begin != std::string::npos; begin = text.find("<" + tag, begin)) {
      const std::size_t end = text.find("</" + tag + ">", begin);
      if (end == std::string::npos) break;
      text.erase(begin, end + tag.size() + 3 - begin);
    }
  }
  return text;
}

class WrittenRobot : public ::testing::TestWithParam<std::string> {};

TEST_P(WrittenRobot, MovesInMujocoAsHere) {
  const LoadOptions options{.base = BaseKind::floating, .repair_inertia = true};
  LoadedModel loaded;
  try {
    loaded = load_urdf_string(without_shapes(GetParam()), options);
  } catch (const std::invalid_argument&) {
    try {
      loaded = load_urdf(GetParam(), options);  // the text was cut in the wrong place
    } catch (const std::invalid_argument& e) {
      GTEST_SKIP() << e.what();  // not URDF: tests/python/test_robots.py counts these
    }
  }
  const ScratchFolder folder;
  const WrittenModel written = write_mjcf(*loaded.model, folder.file("robot.xml"));
  std::unique_ptr<Oracle> oracle;
  try {
    oracle.reset(new Oracle(Oracle::of_file(folder.file("robot.xml"))));
  } catch (const std::runtime_error& e) {  // links without mass, which MuJoCo does not take
    ASSERT_NE(std::string::npos, std::string(e.what()).find("larger than mjMINVAL")) << e.what();
    GTEST_SKIP() << e.what();
  }
  harden(*oracle->m);
  // Without limits: MuJoCo's are soft, light fingers get there at once, and ranges of no width are none there.
  oracle->m->opt.disableflags |= mjDSBL_LIMIT;
  Model unlimited = *loaded.model;
  for (Dof& dof : unlimited.dofs) dof.lower = -no_limit, dof.upper = no_limit;
  MotionStart start = mixed_start(*oracle, 0.3, 0.1);
  for (int j = 0; j < oracle->m->nv; ++j) {
    if (oracle->m->dof_frictionloss[j] > 0.0) start.v[j] = 0.0;  // it would be braked within one step
  }
  EXPECT_TRUE(moves_alike(std::make_shared<const Model>(unlimited), *oracle, 0.01, start, 2.5e-5));
}

std::string robot_name(const ::testing::TestParamInfo<std::string>& file) {
  std::string name = std::filesystem::path(file.param).stem().string() + "_" + std::to_string(file.index);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, WrittenRobot, ::testing::ValuesIn(robot_files()), robot_name);

}  // namespace
}  // namespace stiction

#endif
