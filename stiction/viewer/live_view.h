// A simulation in the browser while it runs. docs/viewing.md is the guide.
//
//     Simulator simulator(model);
//     std::mutex turn;                          // whoever touches the simulator holds it
//     LiveView view(simulator, turn);
//     std::cout << view.address() << '\n';      // to be opened in a browser; no browser is opened unasked
//
// The page plays and pauses, steps, resets, chooses keyframe, speed, solver and friction, moves controls and pulls
// bodies with the mouse. Its threads are the view's own. Frames are copies of the state: looking on changes no bit.
// Friction and solver chosen in the page replace the simulator's model and settings; its state stays to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "stiction/sim/simulator.h"

namespace stiction {

struct LiveViewSettings {
  std::string host = "127.0.0.1";  // this machine alone; "0.0.0.0": whoever reaches it and knows the token
  int port = 0;                    // 0: any that is free
  std::string title{};             // of the page; empty: "live"
  bool running = true;             // begins at once, or waits for a click in the page
  double speed = 1.0;              // simulated seconds per second; infinite: as fast as it goes
  double frame_rate = 60.0;        // frames per second at most
  // Records every step; forces by which bodies are pulled are among its external forces. Reset, friction, solver and a
  // state set from outside begin another file: run.h5, run-2.h5, …; kinematic bodies that are moved do not.
  std::string record_path{};
  std::vector<std::string> origins{};  // web pages that may connect besides its own, as "https://lab.example"

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class LiveView {
 public:
  // The simulator and its mutex must outlive the view; the mutex is not held by the caller. Throws
  // std::runtime_error where the port is in use or the host is not one of this machine.
  LiveView(Simulator& simulator, std::mutex& turn, const LiveViewSettings& settings = {});
  ~LiveView();  // closes; what goes wrong then is lost
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  const std::string& address() const;  // with the token that lets in
  int port() const;
  int num_clients() const;
  std::int64_t num_dropped_frames() const;  // that slow clients did not get
  bool is_running() const;
  // Why the simulation stands still: what its last step threw; empty: nothing.
  std::string failure() const;
  std::vector<std::string> recorded_files() const;  // takes the mutex

  // One step of a caller who has the mutex: pulls act in it, and it is shown. Throws what Simulator::step() throws.
  const StepReport& step();

  // Ends everything, also inside of a step; the mutex is not held by the caller. Throws std::runtime_error where the
  // recording could not be completed. Once more does nothing.
  void close();

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace stiction
