// The live viewer over a real socket on loopback: who gets in, what commands do, what is shown.
#include "stiction/viewer/live_view.h"

#include <gtest/gtest.h>

#include "live_fixture.h"
#include "stiction/viewer/live_server.h"

namespace stiction {
namespace {

// ---- who gets in

TEST_F(Live, TheTokenIsAskedFor) {
  open();
  EXPECT_TRUE(view_->address().starts_with("http://127.0.0.1:"));
  EXPECT_EQ(token().size(), 32U);
  EXPECT_TRUE(connect()->is_open());
  const std::string other(32, 'a');
  for (const std::string& wrong : {std::string(), std::string("0"), other, token() + "0"}) {
    const WebSocketClient client(view_->port(), wrong);
    EXPECT_TRUE(client.answer().starts_with("HTTP/1.1 403")) << client.answer();
    const WebSocketClient page(view_->port(), wrong, {}, 0, "/");
    EXPECT_TRUE(page.answer().starts_with("HTTP/1.1 403")) << page.answer();
  }
  EXPECT_TRUE(WebSocketClient(view_->port(), token(), {}, 0, "/").answer().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(WebSocketClient(view_->port(), token(), {}, 0, "/etc/passwd").answer().starts_with("HTTP/1.1 404"));
}

TEST_F(Live, OtherOriginsAreRefused) {
  settings_.origins = {"https://lab.example"};
  open();
  EXPECT_TRUE(connect("http://127.0.0.1:" + std::to_string(view_->port()))->is_open());
  EXPECT_TRUE(connect("https://lab.example")->is_open());
  for (const std::string origin : {"http://evil.example", "null", "http://127.0.0.1:1", "https://lab.example.evil"}) {
    EXPECT_TRUE(connect(origin)->answer().starts_with("HTTP/1.1 403")) << origin;
  }
}

TEST(LiveOrigin, NamesOfOtherMachinesAreNotOursOnLoopback) {
  using viewer::is_own_origin;
  EXPECT_TRUE(is_own_origin("http://localhost:80", "localhost:80", true, {}));
  EXPECT_TRUE(is_own_origin("http://[::1]:80", "[::1]:80", true, {}));
  // A name that an attacker lets point at 127.0.0.1: Origin and Host agree, and it is still not ours.
  EXPECT_FALSE(is_own_origin("http://evil.example:80", "evil.example:80", true, {}));
  EXPECT_TRUE(is_own_origin("http://desk.lab:80", "desk.lab:80", false, {}));
  EXPECT_FALSE(is_own_origin("http://evil.example", "desk.lab:80", false, {}));
}

TEST_F(Live, NoMoreThanSoManyClients) {
  open();
  std::vector<std::unique_ptr<WebSocketClient>> clients;
  for (int k = 0; k < viewer::LiveServer::most_clients; ++k) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back()->is_open());
  }
  EXPECT_TRUE(connect()->answer().starts_with("HTTP/1.1 503"));
  clients.pop_back();
  EXPECT_TRUE(becomes([&] { return view_->num_clients() < viewer::LiveServer::most_clients; }));
  EXPECT_TRUE(connect()->is_open());
}

TEST_F(Live, APortInUseSaysWhatToDo) {
  open();
  Simulator other(three_boxes());
  std::mutex turn;
  LiveViewSettings settings;
  settings.port = view_->port();
  try {
    const LiveView second(other, turn, settings);
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(std::to_string(settings.port)), std::string::npos) << text;
    EXPECT_NE(text.find("free one is taken"), std::string::npos) << text;
  }
  settings = {};
  settings.host = "203.0.113.7";  // of nobody
  EXPECT_THROW(LiveView(other, turn, settings), std::runtime_error);
  settings.host = "127.0.0.1,8080";
  EXPECT_THROW(LiveView(other, turn, settings), std::invalid_argument);
  settings = {};
  settings.speed = 0.0;
  EXPECT_THROW(LiveView(other, turn, settings), std::invalid_argument);
}

// ---- commands

TEST_F(Live, MalformedMessagesHarmNothing) {
  open();
  const auto client = connect();
  for (const std::string text :
       {"", "}{", "[]", "{\"do\":\"fly\"}", "{\"do\":\"control\",\"actuator\":9,\"value\":1}",
        "{\"do\":\"pull\",\"body\":99,\"point\":[0,0,0],\"target\":[0,0,0]}", "{\"do\":\"solver\",\"name\":\"none\"}",
        "{\"do\":\"reset\",\"keyframe\":3}", "{\"do\":\"friction\",\"material\":7,\"value\":1}"}) {
    client->send(text);
    client->receive_text("\"type\":\"error\"");
  }
  // What is no text at all ends that connection alone.
  const auto rude = connect();
  rude->send(std::string("\0\1\2", 3), 0x82);
  while (rude->receive().opcode >= 0) {
  }
  const auto fragment = connect();
  fragment->send("{\"do\"", 0x01);
  while (fragment->receive().opcode >= 0) {
  }
  client->send("{\"do\":\"step\",\"count\":3}");
  EXPECT_TRUE(becomes([&] { return simulator_.state().step == 3; }));
}

TEST_F(Live, RunPauseStepReset) {
  open();
  const auto client = connect();
  client->send("{\"do\":\"step\"}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step == 1; }));
  client->send("{\"do\":\"run\"}");
  client->receive_text("\"running\":1");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step > 20; }));
  client->send("{\"do\":\"pause\"}");
  client->receive_text("\"running\":0");
  // It stands still: of what follows, a step is the one after, and no other comes.
  const auto paused = step();
  client->send("{\"do\":\"step\",\"count\":2}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step >= paused + 2; }));
  settle(*client);
  EXPECT_EQ(step(), paused + 2);
  client->send("{\"do\":\"reset\"}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().step == 0; }));
}

TEST_F(Live, SpeedIsKept) {
  settings_.running = true;
  settings_.speed = 0.25;
  const auto begin = std::chrono::steady_clock::now();  // before it begins, however late this thread goes on
  open();
  ASSERT_TRUE(becomes([&] { return simulator_.state().time >= 0.1; }));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(passed.count(), 0.35);  // no faster than asked for; slower it may be
}

TEST_F(Live, FrictionAndSolverKeepTheState) {
  for (int k = 0; k < 50; ++k) simulator_.step();
  simulator_.add_external_force(1, Vector3(1, 0, 0), Vector3(0.4, 0, 0.1));
  const auto before = bytes_of(simulator_);
  open();
  const auto client = connect();
  client->send("{\"do\":\"friction\",\"scale\":0.5}");
  client->receive_text("\"friction_scale\":0.5");
  client->send("{\"do\":\"friction\",\"material\":1,\"value\":0.4}");
  client->receive_text("\"frictions\":[0.5,0.4]");
  client->send("{\"do\":\"solver\",\"name\":\"ncp-gs\"}");
  client->receive_text("\"solver\":\"ncp-gs\",\"friction_scale\":0.5");
  const std::lock_guard lock(turn_);
  EXPECT_EQ(bytes_of(simulator_), before);
  EXPECT_EQ(simulator_.settings().solver, "ncp-gs");
  EXPECT_EQ(simulator_.model().shapes[0].material.friction, 0.25);
  EXPECT_EQ(simulator_.model().shapes[1].material.friction, 0.2);
  EXPECT_EQ(simulator_.external_forces().size(), 1U);
}

// What a pair of shapes has of its own is a material too: that of the shapes does not touch it.
TEST_F(Live, FrictionOfPairsChanges) {
  ModelBuilder builder;
  const int ground = builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.5}});
  const int body = builder.add_body({.name = "box", .pose = Pose(Vector3(0.0, 0.0, 0.1))});
  const int box = builder.add_shape({.name = "box",
                                     .body = body,
                                     .geometry = Box{Vector3(0.1, 0.1, 0.1)},
                                     .material = {.friction = 0.5},
                                     .density = 500});
  builder.set_pair_material(ground, box, {.friction = 0.8, .friction_2 = 0.4, .direction_of = 1});
  simulator_ = Simulator(builder.build(), {.time_step = 2e-3});
  open();
  WebSocketClient client(view_->port(), token());
  const std::string model = client.receive_text("\"type\":\"model\"");
  EXPECT_NE(model.find("{\"name\":\"ground on box\",\"friction\":0.8}"), std::string::npos) << model;
  const auto pair = [&] {
    settle(client);
    const std::lock_guard lock(turn_);
    const Model& now = simulator_.model();
    return now.pair_material(now.find_shape("ground"), now.find_shape("box"));
  };
  client.send("{\"do\":\"friction\",\"scale\":0.5}");
  EXPECT_EQ(pair().friction, 0.4);
  EXPECT_EQ(pair().friction_2, 0.2);
  client.send("{\"do\":\"friction\",\"material\":0,\"value\":2}");  // of the shapes
  EXPECT_EQ(pair().friction, 0.4);
  client.send("{\"do\":\"friction\",\"material\":1,\"value\":0.2}");
  EXPECT_EQ(pair().friction, 0.1);
  EXPECT_EQ(pair().friction_2, 0.05);
}

TEST_F(Live, AnExceptionPausesAndIsTold) {
  settings_.running = true;
  open();
  const auto client = connect();
  {
    const std::lock_guard lock(turn_);
    simulator_.set_joint_force(VectorX::Constant(simulator_.model().num_velocities(), 1e308));
  }
  ASSERT_TRUE(becomes([&] { return !view_->is_running(); }));
  ASSERT_FALSE(view_->failure().empty());
  const std::string text = client->receive_text("\"running\":0");
  EXPECT_EQ(text.find("\"failure\":\"\""), std::string::npos) << text;
  // What was wrong is taken away, and it goes on from the start.
  {
    const std::lock_guard lock(turn_);
    simulator_.set_joint_force(VectorX::Zero(simulator_.model().num_velocities()));
  }
  client->send("{\"do\":\"reset\"}");
  client->send("{\"do\":\"run\"}");
  ASSERT_TRUE(becomes([&] { return view_->failure().empty() && view_->is_running(); })) << view_->failure();
}

// ---- frames

// A step by the page, one by the owner, and a state set from outside are all shown.
TEST_F(Live, WhateverMovesIsShown) {
  open();
  const auto client = connect();
  receive_frame(*client);
  client->send("{\"do\":\"step\"}");
  receive_frame(*client);
  {
    const std::lock_guard lock(turn_);
    view_->step();
  }
  receive_frame(*client);
  {
    const std::lock_guard lock(turn_);
    VectorX q = simulator_.state().q;
    q[0] += 0.1;
    simulator_.set_position(q);
  }
  receive_frame(*client);
}

// A client that reads nothing neither stops the simulation nor the other client, and what waits for it is bounded.
TEST_F(Live, ASlowClientDropsFrames) {
  settings_.running = true;
  settings_.frame_rate = 1000.0;
  settings_.speed = std::numeric_limits<double>::infinity();
  open();
  const WebSocketClient slow(view_->port(), token(), {}, 2048);
  ASSERT_TRUE(slow.is_open());
  const auto client = connect();
  for (int k = 0; k < 20000 && view_->num_dropped_frames() == 0; ++k) receive_frame(*client);
  EXPECT_GT(view_->num_dropped_frames(), 0);
  for (int k = 0; k < 20; ++k) receive_frame(*client);
}

// Being looked at, at whatever rate, changes no bit.
TEST_F(Live, LookingOnChangesNoBit) {
  Simulator alone(three_boxes(), {.time_step = 2e-3});
  for (int k = 0; k < 300; ++k) alone.step();
  settings_.frame_rate = 1000.0;
  open();
  const auto client = connect();
  for (int k = 0; k < 300; ++k) {
    const std::lock_guard lock(turn_);
    view_->step();
  }
  EXPECT_EQ(bytes_of(simulator_), bytes_of(alone));
}

// ---- pulls

// A stone on a string: at any time step the box comes to rest near the place it is pulled to.
TEST_F(Live, PullsAreStableAtAnyTimeStep) {
  for (const double time_step : {1e-4, 1e-3, 1e-2, 5e-2}) {
    Simulator simulator(three_boxes(), {.time_step = time_step});
    LiveView view(simulator, turn_, settings_);
    WebSocketClient client(view.port(), view.address().substr(view.address().find('=') + 1));
    client.send("{\"do\":\"pull\",\"body\":1,\"point\":[0.1,0.1,0.1],\"target\":[0.5,0.1,1.0]}");
    settle(client);
    const int steps = static_cast<int>(4.0 / time_step);
    const std::lock_guard lock(turn_);
    for (int k = 0; k < steps; ++k) view.step();
    const Vector3 held = simulator.body_pose(1) * Vector3(0.1, 0.1, 0.1);
    EXPECT_GT(held.z(), 0.3) << time_step;
    EXPECT_LT((held - Vector3(0.5, 0.1, 1.0)).norm(), 0.7) << time_step;
    EXPECT_LT(simulator.state().v.cwiseAbs().maxCoeff(), 5.0) << time_step;
    EXPECT_EQ(simulator.external_forces().size(), 1U);
  }
}

// Forces of others stay, and a client that goes away lets go.
TEST_F(Live, PullsComeAndGo) {
  simulator_.add_external_force(2, Vector3(0, 0, 1), Vector3(0.8, 0, 0.1));
  open();
  auto client = connect();
  client->send("{\"do\":\"pull\",\"body\":0,\"point\":[0,0,0],\"target\":[0,0,1]}");
  client->send("{\"do\":\"run\"}");
  ASSERT_TRUE(becomes([&] { return simulator_.state().q[2] > 0.3; }));
  EXPECT_TRUE(becomes([&] { return simulator_.external_forces().size() == 2; }));
  client.reset();
  EXPECT_TRUE(becomes([&] { return simulator_.external_forces().size() == 1 && simulator_.state().q[2] < 0.11; }));
  view_->close();
  EXPECT_EQ(simulator_.external_forces()[0].body, 2);
}

// ---- the end

TEST_F(Live, ClosingIsPromptAndTold) {
  settings_.running = true;
  open();
  const auto client = connect();
  const int port = view_->port();
  const std::string ours = token();
  view_->close();
  view_->close();
  int last = 0;
  for (auto message = client->receive(); message.opcode >= 0; message = client->receive()) last = message.opcode;
  EXPECT_EQ(last, 8);  // a close frame, not a broken line
  // Nobody listens there, or a server of somebody else who was given this port since.
  bool lets_in = false;
  try {
    lets_in = WebSocketClient(port, ours).is_open();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no connection");
  }
  EXPECT_FALSE(lets_in);
  EXPECT_FALSE(view_->is_running());
}

}  // namespace
}  // namespace stiction
