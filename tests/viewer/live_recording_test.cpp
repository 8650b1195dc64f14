// Recordings of what was steered in the live viewer replay bit for bit.
#include "live_fixture.h"
#include "stiction/io/recording/recording.h"

namespace stiction {
namespace {

using std::chrono::milliseconds;

using LiveRecording = Live;

// Bodies that are moved without being turned: turned ones are set in world axes, and lose the last bit there.
void replay(const std::string& path) {
  const RecordingReader recording(path);
  Simulator simulator = recording.resume(0);
  const auto controls = recording.controls(), q = recording.positions(), v = recording.velocities();
  ASSERT_GT(recording.num_steps(), 0);
  for (std::int64_t k = 0; k < recording.num_steps(); ++k) {
    simulator.clear_external_forces();
    for (const BodyWrench& w : recording.external_forces(k)) {
      simulator.add_external_force(w.body, w.force, w.point, w.torque);
    }
    simulator.set_control(VectorX(controls.row(k)));
    for (int b = 0; b < simulator.model().num_bodies(); ++b) {
      const Body& body = simulator.model().bodies[b];
      if (body.is_kinematic) simulator.set_body_velocity(b, v.row(k).segment<3>(body.first_velocity).transpose());
    }
    simulator.step();
    ASSERT_EQ(simulator.state().q, VectorX(q.row(k))) << path << " step " << k;
    ASSERT_EQ(simulator.state().v, VectorX(v.row(k))) << path << " step " << k;
  }
  EXPECT_EQ(simulator.state().to_bytes(), recording.resume().state().to_bytes());
}

TEST_F(LiveRecording, ASteeredSessionReplaysBitForBit) {
  settings_.record_path = (folder_ / "run.h5").string();
  open();
  const auto client = connect();
  client->send("{\"do\":\"run\"}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step > 30; }));
  for (int k = 0; k < 10; ++k) {
    client->send("{\"do\":\"pull\",\"body\":1,\"point\":[0.1,0,0.1],\"target\":[0.4,0," + std::to_string(0.1 * k) +
                 "]}");
    std::this_thread::sleep_for(milliseconds(20));
  }
  ASSERT_TRUE(becomes([&] { return simulator_.state().q[7 + 2] > 0.25; }));
  client->send("{\"do\":\"release\"}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().q[7 + 2] < 0.15; }));
  client->send("{\"do\":\"friction\",\"scale\":0.1}");
  client->receive_text("\"friction_scale\":0.1");
  const auto before = step();
  ASSERT_TRUE(becomes([&] { return simulator_.state().step > before + 20; }));
  client->send("{\"do\":\"reset\"}");
  settle(*client);
  ASSERT_TRUE(becomes([&] { return simulator_.state().step > 20; }));
  view_->close();
  const auto files = view_->recorded_files();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(std::filesystem::path(files[1]).filename(), "run-2.h5");
  for (const std::string& file : files) replay(file);
  // The pull is there.
  const RecordingReader first(files[0]);
  int pulled = 0;
  for (std::int64_t k = 0; k < first.num_steps(); ++k) pulled += first.external_forces(k).empty() ? 0 : 1;
  EXPECT_GT(pulled, 10);  // up to 0.25 m takes 17 steps at the pull's largest acceleration, 200 m/s² less gravity
  EXPECT_LT(pulled, first.num_steps());
}

// An arm on a servo beside a box, and a keyframe in which both are elsewhere.
std::shared_ptr<const Model> arm_and_box() {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}});
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0.0, 0.0, 0.1))});
  builder.add_shape({.body = box, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .density = 500});
  const int arm = builder.add_body({.name = "arm",
                                    .pose = Pose(Vector3(0.0, 0.5, 1.0)),
                                    .joint = {.name = "shoulder", .kind = JointKind::revolute}});
  builder.add_shape(
      {.body = arm, .pose = Pose(Vector3(0.2, 0.0, 0.0)), .geometry = Box{Vector3(0.2, 0.02, 0.02)}, .density = 500});
  builder.add_actuator({.name = "servo", .joint = "shoulder", .kind = ActuatorKind::position, .kp = 10.0, .kd = 1.0});
  Keyframe raised{.name = "raised", .q = VectorX::Zero(8), .v = VectorX::Zero(7), .control = VectorX::Zero(1)};
  raised.q << 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0, 0.5;
  raised.control << -0.3;
  builder.add_keyframe(raised);
  return builder.build();
}

TEST_F(LiveRecording, ControlsAndKeyframesReplayBitForBit) {
  simulator_ = Simulator(arm_and_box(), {.time_step = 2e-3});
  settings_.record_path = (folder_ / "run.h5").string();
  open();
  const auto client = connect();
  client->send("{\"do\":\"step\",\"count\":5}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step == 5; }));
  client->send("{\"do\":\"control\",\"actuator\":0,\"value\":0.7}");
  client->send("{\"do\":\"step\",\"count\":20}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step == 25; }));
  client->send("{\"do\":\"reset\",\"keyframe\":0}");
  settle(*client);
  const VectorX raised = simulator_.model().keyframes[0].q;
  {
    const std::lock_guard lock(turn_);
    EXPECT_EQ(simulator_.state().q, raised);
    EXPECT_EQ(simulator_.state().control[0], -0.3);
  }
  client->send("{\"do\":\"step\",\"count\":10}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step == 10; }));
  view_->close();
  const auto files = view_->recorded_files();
  ASSERT_EQ(files.size(), 2U);
  for (const std::string& file : files) replay(file);
  const RecordingReader first(files[0]), second(files[1]);
  ASSERT_EQ(first.num_steps(), 25);
  for (int k = 0; k < 25; ++k) EXPECT_EQ(first.controls()(k, 0), k < 5 ? 0.0 : 0.7) << k;
  EXPECT_GT(first.positions()(24, 7), 0.0);  // it turned towards 0.7
  EXPECT_EQ(second.resume(0).state().q, raised);
  EXPECT_EQ(second.controls()(0, 0), -0.3);
}

// A kinematic body that is moved on and on is one run; one that is put elsewhere begins another.
TEST_F(LiveRecording, MovingAKinematicBodyIsOneFile) {
  ModelBuilder builder;
  const int deck = builder.add_body({.name = "deck", .pose = Pose(Vector3(0, 0, -0.1)), .is_kinematic = true});
  builder.add_shape({.body = deck, .geometry = Box{Vector3(1.0, 1.0, 0.1)}});
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0, 0, 0.1))});
  builder.add_shape({.body = box, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .density = 500});
  simulator_ = Simulator(builder.build(), {.time_step = 2e-3});
  settings_.record_path = (folder_ / "run.h5").string();
  open();
  {
    const std::lock_guard lock(turn_);
    const int moved = simulator_.model().find_body("deck");
    for (int k = 0; k < 40; ++k) {
      simulator_.move_body_to(moved, Pose(Vector3(0.05 * std::sin(0.2 * k), 0.0, -0.1)));
      view_->step();
    }
    simulator_.set_body_pose(moved, Pose(Vector3(0.0, 0.0, -0.15)));
    for (int k = 0; k < 10; ++k) view_->step();
    simulator_.set_body_velocity(simulator_.model().find_body("box"), Vector3(0.1, 0.0, 0.0));
    for (int k = 0; k < 10; ++k) view_->step();
  }
  view_->close();
  const auto files = view_->recorded_files();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(RecordingReader(files[0]).num_steps(), 40);
  for (const std::string& file : files) replay(file);
}

}  // namespace
}  // namespace stiction
