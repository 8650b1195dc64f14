#include "stiction/sim/sleeping.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace stiction {

std::uint64_t Sleeping::sum_inputs(const VectorX& control, const VectorX& activation, const VectorX& joint_force,
                                   std::span<const BodyWrench> external_forces) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t bits) { sum = std::rotl((sum ^ bits) * 0x9e3779b97f4a7c15, 29); };
  const auto add_vector = [&](const auto& values) {
    for (const double x : values) add(std::bit_cast<std::uint64_t>(x));
  };
  add_vector(control);
  add_vector(activation);
  add_vector(joint_force);
  for (const BodyWrench& wrench : external_forces) {
    add(static_cast<std::uint64_t>(wrench.body) + 1);
    add_vector(wrench.force), add_vector(wrench.torque), add_vector(wrench.point);
  }
  return sum | 1;
}

bool Sleeping::was_disturbed(const Model& model, const State& state, double sleep_speed) {
  if (state.rest_steps.size() != model.trees.size()) return false;  // nothing rests
  bool any_rests = false;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (state.rest_steps[t] <= 0) continue;
    any_rests = true;
    const auto speeds = state.v.segment(model.trees[t].first_velocity, model.trees[t].num_velocities);
    if (speeds.size() > 0 && !(speeds.cwiseAbs().maxCoeff() < sleep_speed)) return true;
  }
  return any_rests && !state.found.is_at(state.q);
}

int Sleeping::root(int tree) {
  while (parent_[tree] != tree) {
    parent_[tree] = parent_[parent_[tree]];
    tree = parent_[tree];
  }
  return tree;
}

void Sleeping::join(const Model& model, int body_a, int body_b) {
  if (body_a < 0 || body_b < 0) return;
  join_trees(model.bodies[body_a].tree, model.bodies[body_b].tree);
}

void Sleeping::join_trees(int tree_a, int tree_b) {
  const int a = root(tree_a), b = root(tree_b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void Sleeping::find(const Model& model, const CoupledLengths* lengths, std::span<const ContactPoint> points,
                    int sleep_after, std::vector<std::int32_t>& rest_steps) {
  const int n = static_cast<int>(model.trees.size());
  rest_steps.resize(n, 0);
  parent_.resize(n);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const ContactPoint& p : points) {
    join(model, model.shapes[p.id.shape_a].body, model.shapes[p.id.shape_b].body);
  }
  for (int k = 0; lengths && k < lengths->size(); ++k) {
    for (const int tree : lengths->trees(k)) join_trees(lengths->trees(k)[0], tree);
  }
  for (const Loop& loop : model.loops) {
    if (loop.kind == LoopKind::tendon_equality) {
      if (loop.tendon_b >= 0) join_trees(lengths->trees(loop.tendon_a)[0], lengths->trees(loop.tendon_b)[0]);
      continue;
    }
    const bool joints = loop.kind == LoopKind::joint_equality;
    join(model, joints ? model.dofs[loop.dof_a].body : loop.body_a,
         joints ? (loop.dof_b < 0 ? -1 : model.dofs[loop.dof_b].body) : loop.body_b);
  }
  asleep_.assign(n, 1);
  for (int t = 0; t < n; ++t) {
    if (rest_steps[t] < sleep_after) asleep_[root(t)] = 0;
  }
  for (int t = 0; t < n; ++t) asleep_[t] = asleep_[root(t)];  // a root is the smallest of its trees: settled already
}

std::span<const ContactPoint> Sleeping::awake_points(const Model& model, std::span<const ContactPoint> points) {
  points_.clear();
  for (const ContactPoint& p : points) {
    const int a = model.shapes[p.id.shape_a].body, b = model.shapes[p.id.shape_b].body;
    if (!is_asleep(model.bodies[a >= 0 ? a : b].tree)) points_.push_back(p);
  }
  return points_;
}

void Sleeping::count(const Model& model, const VectorX& v, double sleep_speed,
                     std::vector<std::int32_t>& rest_steps) const {
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const auto speeds = v.segment(tree.first_velocity, tree.num_velocities);
    const bool rests = speeds.size() == 0 || speeds.cwiseAbs().maxCoeff() < sleep_speed;
    rest_steps[t] = rests ? std::min(rest_steps[t] + 1, 1 << 30) : 0;
  }
}

void Sleeping::keep_warm_starts(const Model& model, std::span<const WarmStart> before,
                                std::vector<WarmStart>& next) const {
  const std::size_t awake = next.size();
  for (const WarmStart& start : before) {
    if (start.id.source != ConstraintSource::contact) break;  // contacts come first
    const int a = model.shapes[start.id.first].body, b = model.shapes[start.id.second].body;
    if (is_asleep(model.bodies[a >= 0 ? a : b].tree)) next.push_back(start);
  }
  if (next.size() == awake) return;
  std::sort(next.begin(), next.end(), [](const WarmStart& x, const WarmStart& y) { return x.id < y.id; });
}

int Sleeping::num_sleeping_bodies(const Model& model) const {
  int count = 0;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (is_asleep(static_cast<int>(t))) count += model.trees[t].num_bodies;
  }
  return count;
}

}  // namespace stiction
