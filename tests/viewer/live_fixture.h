// Three boxes on the ground with a live view, and clients that connect to it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "stiction/model/model_builder.h"
#include "stiction/viewer/live_view.h"
#include "web_socket_client.h"

namespace stiction {

inline std::shared_ptr<const Model> three_boxes() {
  ModelBuilder builder;
  builder.add_shape({.name = "ground", .geometry = Plane{}, .material = {.friction = 0.5}});
  for (int k = 0; k < 3; ++k) {
    const int body = builder.add_body({.name = "box " + std::to_string(k), .pose = Pose(Vector3(0.4 * k, 0.0, 0.101))});
    builder.add_shape(
        {.body = body, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .material = {.friction = 0.8}, .density = 500});
  }
  return builder.build();
}

inline std::vector<std::byte> bytes_of(const Simulator& simulator) {
  return simulator.state().to_bytes();
}

class Live : public ::testing::Test {
 protected:
  Live() : simulator_(three_boxes(), {.time_step = 2e-3}) {
    settings_.running = false;
    folder_ =
        std::filesystem::temp_directory_path() / ("stiction-live-" + std::to_string(::getpid()) + "-" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~Live() override { std::filesystem::remove_all(folder_); }

  void open() { view_.emplace(simulator_, turn_, settings_); }
  std::string token() const { return view_->address().substr(view_->address().find('=') + 1); }
  std::unique_ptr<WebSocketClient> connect(const std::string& origin = {}) {
    auto client = std::make_unique<WebSocketClient>(view_->port(), token(), origin);
    if (client->is_open()) client->receive_text("\"type\":\"model\"");
    return client;
  }
  // Asks until it is so, for as long as a busy machine may need. What is asked for must stay so: this thread may be
  // late.
  template <class Condition>
  bool becomes(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + WebSocketClient::patience;
    while (std::chrono::steady_clock::now() < deadline) {
      {
        const std::lock_guard lock(turn_);
        if (condition()) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  std::int64_t step() {
    const std::lock_guard lock(turn_);
    return simulator_.state().step;
  }
  // Until the simulation has done all that was sent before: it answers in order.
  static void settle(WebSocketClient& client) {
    client.send("{\"do\":\"reset\",\"keyframe\":1000}");
    client.receive_text("keyframe 1000 does not exist");
  }
  // A frame of the step with this number or a later one.
  static void receive_frame(WebSocketClient& client) {
    for (;;) {
      const auto message = client.receive();
      ASSERT_GE(message.opcode, 0);
      if (message.opcode == 2 && message.data[0] == 2) return;
    }
  }

  Simulator simulator_;
  std::mutex turn_;
  LiveViewSettings settings_;
  std::optional<LiveView> view_;
  std::filesystem::path folder_;
};

}  // namespace stiction
