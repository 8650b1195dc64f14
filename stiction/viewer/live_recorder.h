// Records a session that a user steers. A recording is one run of one model with one solver, so whatever breaks that (a
// reset, another friction, another solver, a state set from outside) ends a file and begins the next: run.h5,
// run-2.h5, … Each replays bit for bit. Kinematic bodies that are moved are none of that: v of a step has the velocity
// that they were given for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/io/recording/recording.h"

namespace stiction::viewer {

class LiveRecorder {
 public:
  explicit LiveRecorder(std::string path) : path_(std::move(path)) {}  // empty: nothing is recorded

  bool is_on() const { return !path_.empty(); }
  // Before the step, with the state it begins with. Both throw std::runtime_error where a file cannot be written;
  // nothing is recorded from then on.
  void before_step(const Simulator& simulator);
  void after_step(const Simulator& simulator);
  // What follows is another run.
  void cut();
  void close();
  const std::vector<std::string>& files() const { return files_; }  // begun so far
  std::int64_t num_steps() const { return num_steps_; }             // in all files

 private:
  template <class Write>
  void guarded(const Write& write);

  std::string path_;
  std::optional<RecordingWriter> writer_;
  std::vector<std::string> files_;
  std::int64_t num_steps_ = 0, last_step_ = 0;
  VectorX last_q_, last_v_;  // where the last recorded step ended
};

}  // namespace stiction::viewer
