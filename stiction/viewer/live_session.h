// A simulation that is looked at and steered while it runs. It knows nothing of sockets: commands come in, snapshots
// and texts go out to whoever looks on.
//
// A thread of its own steps the simulator while it is told to run. Whoever else owns a share of the simulator may step
// it too, by step(): then pulls act and frames are taken there. Everything that touches the simulator holds the mutex
// that comes with it. What a session adds to a step of the simulator is copying the state, at most so many times per
// second as the frame rate says; bits of the simulation do not depend on being looked at.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "stiction/sim/simulator.h"
#include "stiction/viewer/live_command.h"
#include "stiction/viewer/live_materials.h"
#include "stiction/viewer/live_recorder.h"

namespace stiction::viewer {

// What is shown of one step.
struct LiveSnapshot {
  std::uint32_t epoch = 0;  // counts resets: time begins anew
  std::int64_t step = 0;
  VectorX q, v;
  std::vector<Contact> contacts;
  StepReport report;  // eps_nat is NaN where the state is not the end of a step
  double dissipated = 0.0;
};

// Who looks on. Called with the simulator's mutex held: be quick.
class LiveAudience {
 public:
  virtual ~LiveAudience() = default;
  virtual bool is_present() = 0;
  virtual void show(LiveSnapshot snapshot) = 0;
  virtual void tell_state(const std::string& json) = 0;
  // Shapes have other frictions, or the solver is another.
  virtual void tell_model(const Simulator& simulator, const LiveMaterials& materials) = 0;
  virtual void tell_error(int client, const std::string& message) = 0;
};

struct LiveSessionSettings {
  bool running = true;
  double speed = 1.0;        // simulated seconds per second; infinite: as fast as it goes
  double frame_rate = 60.0;  // 1/s
  std::string record_path{};

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class LiveSession {
 public:
  LiveSession(Simulator& simulator, std::mutex& turn, LiveAudience& audience, const LiveSessionSettings& settings);
  ~LiveSession();  // closes
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // From any thread.
  void post(int client, LiveCommand command);
  void forget(int client);  // its pull ends
  void ask_frame() { frame_wanted_ = true; }
  bool is_running() const { return running_; }
  std::string failure() const;  // what the last step threw; empty: nothing
  // Ends the thread, inside of a step if need be, takes pulls off the simulator and closes the recording. Throws
  // std::runtime_error where that cannot be written.
  void close();

  // With the mutex held.
  const StepReport& step();  // throws what Simulator::step() throws
  const LiveRecorder& recorder() const { return recorder_; }
  const LiveMaterials& materials() const { return materials_; }
  std::string state_text() const;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  Clock::time_point work();
  void serve();
  void advance();
  void advance_here();
  void fail(const std::string& message);
  void set_failure(const std::string& message);

  void apply(int client, const LiveCommand& command);
  void apply(int client, const RunCommand& command);
  void apply(int client, const StepCommand& command);
  void apply(int client, const ResetCommand& command);
  void apply(int client, const SpeedCommand& command);
  void apply(int client, const ControlCommand& command);
  void apply(int client, const FrictionCommand& command);
  void apply(int client, const SolverCommand& command);
  void apply(int client, const PullCommand& command);
  void apply(int client, const ReleaseCommand& command);
  void change(std::shared_ptr<const Model> model, const std::string& solver);
  void cut_recording();

  void set_pulls();
  void take_off_pulls();
  Clock::time_point due() const;
  void start_clock();
  void measure_speed();
  void show_now();
  void show_if_due();

  Simulator& simulator_;
  std::mutex& turn_;
  LiveAudience& audience_;
  LiveMaterials materials_;
  LiveRecorder recorder_;
  const Clock::duration frame_interval_;

  std::mutex inbox_mutex_;
  std::condition_variable inbox_filled_;
  std::vector<std::pair<int, LiveCommand>> inbox_;
  std::atomic<bool> has_mail_{false}, stopping_{false}, frame_wanted_{true}, running_{false};
  Interrupt stop_;

  double speed_;
  long steps_wanted_ = 0;
  mutable std::mutex failure_mutex_;
  std::string failure_;
  double dissipated_ = 0.0, actual_speed_ = 0.0;
  std::int64_t num_steps_ = 0, num_uncertified_ = 0;
  Clock::time_point clock_begin_{}, measured_at_{}, next_frame_{}, next_text_{};
  double clock_time_ = 0.0, measured_time_ = 0.0;  // of the simulation, at these moments
  std::string last_text_;

  std::uint32_t epoch_ = 0;
  int extra_frames_ = 0;  // since the last regular one
  double shown_time_ = 0.0;
  VectorX shown_q_;

  std::map<int, PullCommand> pulls_;  // by client
  std::vector<BodyWrench> pulling_;   // what they put on the simulator
  std::unique_ptr<DynamicsData, DynamicsDataDeleter> dynamics_;
  std::thread thread_;
};

}  // namespace stiction::viewer
