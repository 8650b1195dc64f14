// Cameras of MJCF files stand and look where MuJoCo's do.
#ifdef STICTION_MUJOCO
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mjcf_oracle.h"
#include "round_trip.h"
#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/render/render.h"

namespace stiction {
namespace {

constexpr const char* scene = R"(<mujoco><worldbody>
  <camera name="still" pos="1 -2 3" xyaxes="1 0.2 0 0 0.3 1" fovy="60"/>
  <camera name="watch" pos="3 1 2" mode="targetbody" target="hand"/>
  <camera name="watch_com" pos="-3 1 2" mode="targetbodycom" target="arm" fovy="30"/>
  <body name="arm" pos="0.5 0 1" quat="0.9 0.1 0.2 0.3">
    <joint name="shoulder" axis="0 1 0.2"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1"/>
    <camera name="on_arm" pos="0.1 0 0.4" euler="30 10 -40"/>
    <camera name="beside" pos="0 -2 0" euler="80 0 0" mode="track"/>
    <camera name="beside_com" pos="0 -2 0.5" euler="80 5 0" mode="trackcom"/>
    <body name="plate" pos="0.4 0.1 0" euler="0 0 50"><geom size="0.05"/>
      <camera name="on_plate" pos="0 0 1" mode="track"/></body>
    <body name="hand" pos="1 0 0"><joint name="wrist" axis="1 0 0"/><geom pos="0.3 0.2 0" size="0.2"/>
      <camera name="in_hand" pos="0 0 0.1" mode="targetbody" target="arm"/></body>
  </body></worldbody></mujoco>)";

TEST(MjcfCameras, AreThoseOfMujoco) {
  const LoadedModel loaded = load_mjcf_string(scene);
  const testing::Oracle oracle = testing::Oracle::of_string(scene);
  const Model& model = *loaded.model;
  ASSERT_EQ(model.cameras.size(), static_cast<std::size_t>(oracle.m->ncam));
  for (const double angle : {0.0, 0.7, -1.9}) {
    VectorX q(2);
    q << angle, 0.5 - angle;
    std::copy(q.begin(), q.end(), oracle.d->qpos);
    mj_forward(oracle.m, oracle.d);
    for (int k = 0; k < oracle.m->ncam; ++k) {
      const std::string name = mj_id2name(oracle.m, mjOBJ_CAMERA, k);
      const Camera camera = Renderer(model, {.camera_name = name}).camera_at(q);
      const raster::View view = raster::view_of(camera, 100, 100);
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(oracle.d->cam_xmat + 9 * k);
      const Eigen::Map<const Vector3> position(oracle.d->cam_xpos + 3 * k);
      EXPECT_LT((camera.position - position).norm(), 1e-9) << name << " at " << angle;
      EXPECT_LT((view.axes.col(0) - axes.col(0)).norm(), 1e-6) << name << " at " << angle;
      EXPECT_LT((view.axes.col(1) + axes.col(1)).norm(), 1e-6) << name << " at " << angle;
      EXPECT_LT((view.axes.col(2) + axes.col(2)).norm(), 1e-6) << name << " at " << angle;
      EXPECT_NEAR(camera.field_of_view, oracle.m->cam_fovy[k] * std::numbers::pi / 180.0, 1e-12);
    }
  }
}

TEST(MjcfCameras, ComeBackAsTheyWere) {
  const LoadedModel loaded = load_mjcf_string(scene);
  const testing::RoundTrip trip = testing::make_round_trip(*loaded.model, "model.xml", write_mjcf,
                                                           [](const auto& path) { return load_mjcf(path); });
  const Model &a = *loaded.model, &b = *trip.loaded.model;
  ASSERT_EQ(a.cameras.size(), b.cameras.size());
  VectorX q(2);
  q << 0.4, -0.8;
  for (const MountedCamera& camera : a.cameras) {
    const Camera x = Renderer(a, {.camera_name = camera.name}).camera_at(q);
    const Camera y = Renderer(b, {.camera_name = camera.name}).camera_at(q);
    EXPECT_LT((x.position - y.position).norm(), 1e-12) << camera.name;
    EXPECT_LT((x.target - y.target).norm(), 1e-12) << camera.name;
    EXPECT_LT((x.up - y.up).norm(), 1e-12) << camera.name;
    EXPECT_NEAR(x.field_of_view, y.field_of_view, 1e-15) << camera.name;
    EXPECT_EQ(b.cameras[b.find_camera(camera.name)].mode, camera.mode);
  }
}

TEST(MjcfCameras, TakePrefixAndPlace) {
  const LoadedModel loaded = load_mjcf_string(scene, {.pose = Pose(Vector3(10, 0, 0)), .prefix = "a/"});
  const Model& model = *loaded.model;
  const Camera camera = Renderer(model, {.camera_name = "a/still"}).camera_at(model.initial_position);
  EXPECT_LT((camera.position - Vector3(11, -2, 3)).norm(), 1e-12);
}

}  // namespace
}  // namespace stiction
#endif
