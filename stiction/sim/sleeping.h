// Islands at rest are left alone (SimulatorSettings::sleeping).
//
// A tree is at rest while every velocity stays below the sleep speed; when all trees that touch each other have been so
// for long enough, their velocities become zero, and neither rows nor problems are made for them until something that
// moves touches them or a force on the world changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/constraints/warm_start.h"
#include "stiction/dynamics/coupled_lengths.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/model/model.h"
#include "stiction/sim/state.h"

namespace stiction {

class Sleeping {
 public:
  // A sum over the bits of what acts on the world from outside; never 0. Where it changes, everything wakes.
  static std::uint64_t sum_inputs(const VectorX& control, const VectorX& activation, const VectorX& joint_force,
                                  std::span<const BodyWrench> external_forces);
  // Whether a state that comes from elsewhere says that trees rest which cannot: positions that were changed since
  // contacts were found, or trees at rest that move.
  static bool was_disturbed(const Model& model, const State& state, double sleep_speed);

  // Which trees sleep in this step, from how long each has been at rest (State::rest_steps, resized here).
  // `lengths` that trees share, or null.
  void find(const Model& model, const CoupledLengths* lengths, std::span<const ContactPoint> points, int sleep_after,
            std::vector<std::int32_t>& rest_steps);
  // Points with at least one tree awake.
  std::span<const ContactPoint> awake_points(const Model& model, std::span<const ContactPoint> points);
  // After the step: counts the trees at rest.
  void count(const Model& model, const VectorX& v, double sleep_speed, std::vector<std::int32_t>& rest_steps) const;
  // What contacts between sleeping trees carried is not lost: they wake as they fell asleep.
  void keep_warm_starts(const Model& model, std::span<const WarmStart> before, std::vector<WarmStart>& next) const;

  bool is_asleep(int tree) const { return !asleep_.empty() && asleep_[tree]; }
  const char* asleep() const { return asleep_.empty() ? nullptr : asleep_.data(); }
  int num_sleeping_bodies(const Model& model) const;

 private:
  int root(int tree);
  void join(const Model& model, int body_a, int body_b);
  void join_trees(int tree_a, int tree_b);

  std::vector<char> asleep_;
  std::vector<int> parent_;
  std::vector<ContactPoint> points_;
};

}  // namespace stiction
