// Robots and random forests as Pinocchio and MuJoCo see them: numbers that tests/oracles/export_dynamics.py stored.
#include <gtest/gtest.h>

#include <filesystem>

#include "../support/tree_file.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

double relative(const MatrixX& a, const MatrixX& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

TEST(ForeignResults, agree) {
  constexpr double tolerance = 1e-10;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_file("dynamics"))) {
    SCOPED_TRACE(entry.path().filename());
    const testing::TreeFile file = testing::read_tree_file(entry.path());
    const Model& model = *file.model;
    ASSERT_EQ(file.samples.size(), 2u);
    ++files;
    DynamicsData data(model);
    for (const testing::TreeSample& sample : file.samples) {
      update_kinematics(model, sample.q.data(), sample.v.data(), data);
      update_inertia(model, data);
      const ConstVectorMap bias(data.bias.data(), model.num_velocities());
      EXPECT_LT(relative(bias, sample.bias), tolerance);
      EXPECT_LT(relative(inertia_matrix(model, data), sample.mass_matrix), tolerance);
      EXPECT_FALSE(sample.poses.empty());
      for (const auto& [name, pose] : sample.poses) {
        const Pose ours = frame_pose(model, data, model.find_frame(name));
        EXPECT_LT(relative(ours.rotation, pose.rotation), tolerance) << name;
        EXPECT_LT(relative(ours.position, pose.position), tolerance) << name;
      }
      EXPECT_FALSE(sample.jacobians.empty());
      for (const auto& [name, jacobian] : sample.jacobians) {
        EXPECT_LT(relative(frame_jacobian(model, data, model.find_frame(name)), jacobian), tolerance) << name;
      }
    }
  }
  EXPECT_EQ(files, 16);
}

}  // namespace
}  // namespace stiction
