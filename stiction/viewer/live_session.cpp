#include "stiction/viewer/live_session.h"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/math/refuse.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/live_pull.h"

namespace stiction::viewer {
namespace {

using Seconds = std::chrono::duration<double>;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds idle{16}, longest_turn{8}, between_texts{200}, most_behind{100}, measured_over{500};
constexpr microseconds between_turns{50};  // the mutex is free for others
constexpr int most_extra_frames = 4;       // of steps that are not certified, between two regular ones
constexpr std::size_t largest_inbox = 1024;

template <class Clock>
typename Clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<typename Clock::duration>(Seconds(seconds));
}

bool equal(const BodyWrench& a, const BodyWrench& b) {
  return a.body == b.body && a.force == b.force && a.torque == b.torque && a.point == b.point;
}

}  // namespace

void LiveSessionSettings::validate() const {
  require(speed > 0.0, "speed", speed, "positive; infinite: as fast as it goes");
  require(frame_rate > 0.0 && frame_rate <= 1000.0, "frame_rate", frame_rate, "positive and at most 1000");
}

LiveSession::LiveSession(Simulator& simulator, std::mutex& turn, LiveAudience& audience,
                         const LiveSessionSettings& settings)
    : simulator_(simulator),
      turn_(turn),
      audience_(audience),
      materials_(simulator.shared_model()),
      recorder_(settings.record_path),
      frame_interval_(to_duration<Clock>(1.0 / settings.frame_rate)),
      running_(settings.running),
      speed_(settings.speed),
      dynamics_(make_dynamics_data(simulator.model())) {
  settings.validate();
  start_clock();
  thread_ = std::thread([this] { run(); });
}

LiveSession::~LiveSession() {
  try {
    close();
  } catch (...) {  // who wants to know calls close()
  }
}

void LiveSession::close() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  stop_.request();
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_filled_.notify_all();
  }
  thread_.join();
  const std::lock_guard turn(turn_);
  take_off_pulls();
  recorder_.close();
}

void LiveSession::post(int client, LiveCommand command) {
  const std::lock_guard lock(inbox_mutex_);
  // A page that pulls sends sixty places a second: only the last one counts.
  const bool replaces =
      !inbox_.empty() && inbox_.back().first == client && command.index() == inbox_.back().second.index();
  if (replaces && std::holds_alternative<PullCommand>(command)) {
    inbox_.back().second = std::move(command);
  } else if (inbox_.size() < largest_inbox) {
    inbox_.emplace_back(client, std::move(command));
  } else {
    refuse("message: ", largest_inbox, " commands wait already; the simulation is in a long step");
  }
  has_mail_ = true;
  inbox_filled_.notify_all();
}

void LiveSession::forget(int client) {
  const std::lock_guard lock(inbox_mutex_);
  inbox_.emplace_back(client, ReleaseCommand{});
  has_mail_ = true;
  inbox_filled_.notify_all();
}

// ---- the thread

void LiveSession::run() {
  while (!stopping_) {
    Clock::time_point wake = Clock::now() + milliseconds(1);
    if (std::unique_lock turn(turn_, std::try_to_lock); turn) {
      serve();
      wake = work();
    }
    std::unique_lock lock(inbox_mutex_);
    inbox_filled_.wait_until(lock, wake, [this] { return stopping_ || has_mail_; });
  }
}

// Steps while any is due, for no longer than a turn; when to come back.
LiveSession::Clock::time_point LiveSession::work() {
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  while (!stopping_ && !has_mail_ && now - begin < longest_turn) {
    if (steps_wanted_ > 0) {
      if (--steps_wanted_ == 0) frame_wanted_ = true;
    } else if (!running_ || due() > now) {
      break;
    }
    advance_here();
    now = Clock::now();
  }
  show_if_due();
  if (steps_wanted_ > 0) return now + between_turns;
  if (!running_) return now + idle;
  return std::clamp<Clock::time_point>(due(), now + between_turns, now + idle);
}

// What came in meanwhile, and what the audience is told now and then.
void LiveSession::serve() {
  const Clock::time_point now = Clock::now();
  measure_speed();
  bool was_told = false;
  if (has_mail_) {
    std::vector<std::pair<int, LiveCommand>> mail;
    {
      const std::lock_guard lock(inbox_mutex_);
      mail.swap(inbox_);
      has_mail_ = false;
    }
    for (const auto& [client, command] : mail) apply(client, command);
    was_told = true;
  }
  if (!was_told && now < next_text_) return;
  next_text_ = now + between_texts;
  if (!audience_.is_present()) {
    last_text_.clear();
    return;
  }
  std::string text = state_text();
  if (text == last_text_) return;
  audience_.tell_state(text);
  last_text_ = std::move(text);
}

void LiveSession::advance_here() {
  simulator_.set_interrupt(&stop_);
  try {
    advance();
  } catch (const std::exception&) {  // told by fail(), or asked to stop
    running_ = false;
    steps_wanted_ = 0;
  }
  simulator_.set_interrupt(nullptr);
}

const StepReport& LiveSession::step() {
  serve();
  advance();
  return simulator_.report();
}

void LiveSession::advance() {
  try {
    set_pulls();
    recorder_.before_step(simulator_);
    const StepReport& report = simulator_.step();
    dissipated_ += report.dissipated;
    ++num_steps_;
    num_uncertified_ += report.certified() ? 0 : 1;
    if (!failure_.empty()) set_failure({});
    recorder_.after_step(simulator_);
  } catch (const StepInterrupted&) {
    throw;
  } catch (const std::exception& error) {
    fail(error.what());
    throw;
  }
  show_if_due();
}

void LiveSession::fail(const std::string& message) {
  set_failure(message);
  next_text_ = {};
  frame_wanted_ = true;
}

// Written with the simulator's mutex held, read without.
void LiveSession::set_failure(const std::string& message) {
  const std::lock_guard lock(failure_mutex_);
  failure_ = message;
}

std::string LiveSession::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

// ---- time

void LiveSession::start_clock() {
  clock_begin_ = measured_at_ = Clock::now();
  clock_time_ = measured_time_ = simulator_.state().time;
}

// When the next step should be made.
LiveSession::Clock::time_point LiveSession::due() const {
  if (!std::isfinite(speed_)) return clock_begin_;
  const double ahead = simulator_.state().time + simulator_.time_step() - clock_time_;
  return clock_begin_ + to_duration<Clock>(std::min(ahead / speed_, 1e6));
}

void LiveSession::measure_speed() {
  const Clock::time_point now = Clock::now();
  const double time = simulator_.state().time;
  // What could not be kept up with is not made up for later.
  if (running_ && std::isfinite(speed_) && now - due() > most_behind) {
    clock_begin_ = now;
    clock_time_ = time;
  }
  if (now - measured_at_ < measured_over) return;
  actual_speed_ = (time - measured_time_) / Seconds(now - measured_at_).count();
  measured_at_ = now;
  measured_time_ = time;
}

// ---- what is shown

void LiveSession::show_now() {
  const State& state = simulator_.state();
  if (state.time < shown_time_) ++epoch_;
  LiveSnapshot snapshot;
  snapshot.epoch = epoch_;
  snapshot.step = state.step;
  snapshot.q = state.q;
  snapshot.v = state.v;
  snapshot.dissipated = dissipated_;
  if (state.step > 0 && simulator_.report().time == state.time) {
    snapshot.report = simulator_.report();
    snapshot.contacts.assign(simulator_.contacts().begin(), simulator_.contacts().end());
  } else {
    snapshot.report.time = state.time;
    snapshot.report.residuals.eps_nat = std::nan("");
  }
  shown_time_ = state.time;
  shown_q_ = state.q;
  frame_wanted_ = false;
  audience_.show(std::move(snapshot));
}

// Frames at the rate, where something moved; and steps that are not certified, while these are few.
void LiveSession::show_if_due() {
  if (!audience_.is_present()) return;
  const Clock::time_point now = Clock::now();
  const State& state = simulator_.state();
  if (now >= next_frame_ || frame_wanted_) {
    const bool is_new = frame_wanted_ || state.time != shown_time_ || state.q != shown_q_;
    next_frame_ = std::max(next_frame_ + frame_interval_, now);
    extra_frames_ = 0;
    if (is_new) show_now();
  } else if (!simulator_.report().certified() && state.time != shown_time_ && extra_frames_ < most_extra_frames) {
    ++extra_frames_;
    show_now();
  }
}

std::string LiveSession::state_text() const {
  JsonText json;
  json.begin_object().add("type", "state").add("running", running_ ? 1.0 : 0.0).add("speed", speed_);
  json.add("actual_speed", std::round(1000.0 * actual_speed_) / 1000.0);
  json.add("solver", std::string_view(simulator_.settings().solver)).add("friction_scale", materials_.scale());
  json.begin_array("frictions");
  for (const LiveMaterials::Material& material : materials_.all()) json.add({}, material.friction);
  json.end_array();
  const VectorX& control = simulator_.state().control;
  json.add("control", std::span<const double>(control.data(), static_cast<std::size_t>(control.size())));
  json.add("failure", std::string_view(failure_)).add("num_uncertified", static_cast<double>(num_uncertified_));
  json.add("recording", recorder_.files().empty() ? std::string_view() : std::string_view(recorder_.files().back()));
  json.add("num_recorded", static_cast<double>(recorder_.num_steps()));
  return json.end_object().text();
}

// ---- commands

void LiveSession::apply(int client, const LiveCommand& command) {
  try {
    std::visit([&](const auto& wanted) { apply(client, wanted); }, command);
  } catch (const std::exception& error) {
    audience_.tell_error(client, error.what());
  }
}

void LiveSession::apply(int, const RunCommand& command) {
  running_ = command.running;
  steps_wanted_ = 0;
  start_clock();
}

void LiveSession::apply(int, const StepCommand& command) {
  running_ = false;
  steps_wanted_ += command.count;
}

void LiveSession::apply(int, const ResetCommand& command) {
  if (command.keyframe >= static_cast<int>(simulator_.model().keyframes.size())) {
    refuse("reset: keyframe ", command.keyframe, " does not exist; the model has ",
           simulator_.model().keyframes.size());
  }
  if (command.keyframe < 0) {
    simulator_.reset();
  } else {
    simulator_.reset(command.keyframe);
  }
  ++epoch_;
  shown_time_ = 0.0;
  dissipated_ = 0.0;
  num_steps_ = num_uncertified_ = 0;
  steps_wanted_ = 0;
  set_failure({});
  frame_wanted_ = true;
  cut_recording();
  start_clock();
}

void LiveSession::apply(int, const SpeedCommand& command) {
  speed_ = command.factor;
  start_clock();
}

void LiveSession::apply(int, const ControlCommand& command) {
  VectorX control = simulator_.state().control;
  if (command.actuator >= control.size()) {
    refuse("control: actuator ", command.actuator, " does not exist; the model has ", control.size());
  }
  control[command.actuator] = command.value;
  simulator_.set_control(control);
}

void LiveSession::apply(int, const FrictionCommand& command) {
  const LiveMaterials before = materials_;
  materials_.set(command);
  try {
    change(materials_.make_model(), simulator_.settings().solver);
  } catch (...) {
    materials_ = before;
    throw;
  }
}

void LiveSession::apply(int, const SolverCommand& command) {
  change(simulator_.shared_model(), command.name);
}

void LiveSession::change(std::shared_ptr<const Model> model, const std::string& solver) {
  simulator_ = with_changes(simulator_, std::move(model), solver);
  cut_recording();
  audience_.tell_model(simulator_, materials_);
}

void LiveSession::cut_recording() {
  try {
    recorder_.cut();
  } catch (const std::exception& error) {
    fail(error.what());
    running_ = false;
  }
}

void LiveSession::apply(int client, const PullCommand& command) {
  if (command.body >= simulator_.model().num_bodies()) {
    refuse("pull: body ", command.body, " does not exist; the model has ", simulator_.model().num_bodies());
  }
  pulls_[client] = command;
}

void LiveSession::apply(int client, const ReleaseCommand&) {
  pulls_.erase(client);
}

// ---- pulls

// They are external forces like those of others, so that a recording has them. What others have put there, or taken off
// meanwhile, stays as it is.
void LiveSession::take_off_pulls() {
  if (pulling_.empty()) return;
  std::vector<BodyWrench> others(simulator_.external_forces().begin(), simulator_.external_forces().end());
  for (const BodyWrench& pull : pulling_) {
    const auto found = std::find_if(others.begin(), others.end(), [&](const BodyWrench& w) { return equal(w, pull); });
    if (found != others.end()) others.erase(found);
  }
  pulling_.clear();
  simulator_.clear_external_forces();
  for (const BodyWrench& w : others) simulator_.add_external_force(w.body, w.force, w.point, w.torque);
}

void LiveSession::set_pulls() {
  take_off_pulls();
  if (pulls_.empty()) return;
  const Model& model = simulator_.model();
  const State& state = simulator_.state();
  update_kinematics(model, state.q.data(), state.v.data(), *dynamics_);
  update_inertia(model, *dynamics_);
  factor_inertia(model, nullptr, *dynamics_);
  for (const auto& [client, pull] : pulls_) {
    const BodyWrench wrench =
        pull_wrench(model, *dynamics_, pull.body, pull.point, pull.target, simulator_.time_step());
    simulator_.add_external_force(wrench.body, wrench.force, wrench.point, wrench.torque);
    pulling_.push_back(wrench);
  }
}

}  // namespace stiction::viewer
