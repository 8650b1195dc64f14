#include "stiction/viewer/live_recorder.h"

#include <filesystem>

namespace stiction::viewer {
namespace {

std::string part_of(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  const std::filesystem::path whole(path);
  const std::string name = whole.stem().string() + "-" + std::to_string(number) + whole.extension().string();
  return (whole.parent_path() / name).string();
}

// A kinematic body is moved by its velocity, which the row of the step has: that begins no other run.
bool is_moved_by_hand(const Model& model, const VectorX& v, const VectorX& last_v) {
  if (v.size() != last_v.size()) return true;
  if (v == last_v) return false;
  VectorX expected = last_v;
  for (const Body& body : model.bodies) {
    if (body.is_kinematic) expected.segment<6>(body.first_velocity) = v.segment<6>(body.first_velocity);
  }
  return v != expected;
}

}  // namespace

template <class Write>
void LiveRecorder::guarded(const Write& write) {
  try {
    write();
  } catch (...) {
    path_.clear();
    writer_.reset();
    throw;
  }
}

void LiveRecorder::before_step(const Simulator& simulator) {
  if (!is_on()) return;
  const State& state = simulator.state();
  const bool goes_on = writer_ && state.step == last_step_ && state.q == last_q_ &&
                       !is_moved_by_hand(simulator.model(), state.v, last_v_);
  if (!goes_on) cut();
  if (writer_) return;
  guarded([&] {
    const std::string path = part_of(path_, files_.size() + 1);
    writer_.emplace(path, simulator);
    files_.push_back(path);
  });
}

void LiveRecorder::after_step(const Simulator& simulator) {
  if (!is_on()) return;
  guarded([&] { writer_->append(simulator, simulator.report()); });
  const State& state = simulator.state();
  last_step_ = state.step;
  last_q_ = state.q;
  last_v_ = state.v;
  ++num_steps_;
}

void LiveRecorder::cut() {
  guarded([&] {
    if (writer_) writer_->close();
  });
  writer_.reset();
}

void LiveRecorder::close() {
  cut();
  path_.clear();
}

}  // namespace stiction::viewer
