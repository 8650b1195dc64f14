#include "stiction/sim/turning.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

// Below this angle per step the energy of the explicit rule grows by less than 1e-12.
constexpr double negligible_angle = 1e-6;
// Above this one it is the turning itself that changes velocities.
constexpr double largest_angle = 1.0;  // rad per step; trees of several bodies that turn farther are braked
constexpr double large_angle = 0.05;
// Repetitions end when the next one would change less than this part of the velocity, in the norm of M.
constexpr double accuracy = 1e-6;
// The same where they contract slowly: that is where energy would notice.
constexpr double fine_accuracy = 1e-14;
constexpr double slow_contraction = 0.03;
constexpr double slowest_contraction = 0.3;  // beyond it Newton's method is cheaper
constexpr int max_repetitions = 20;
constexpr int max_newton_steps = 30, max_halvings = 20;
constexpr int largest_newton = 128;  // velocities

constexpr double square(double x) {
  return x * x;
}

// The larger ones, lane by lane; a NaN is passed over.
Pack4 larger(const Pack4& a, const Pack4& b) {
  return a < b ? b : a;
}
double largest(const Pack4& a) {
  return std::max(std::max(a[0], a[1]), std::max(a[2], a[3]));
}

// Largest |x_j| of some velocities.
double largest_of(const std::vector<std::pair<int, int>>& runs, const double* x) {
  double size = 0.0;
  for (const auto& [first, end] : runs) {
    for (int j = first; j < end; ++j) size = std::max(size, std::abs(x[j]));
  }
  return size;
}

// x ← A⁻¹ x for a full matrix by rows, with row exchanges. False where it is singular.
bool solve_full(int n, std::vector<double>& a, double* x) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(a[pivot * n + k]) > 0.0)) return false;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
      std::swap(x[k], x[pivot]);
    }
    for (int i = k + 1; i < n; ++i) {
      const double l = a[i * n + k] / a[k * n + k];
      if (l == 0.0) continue;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= l * a[k * n + j];
      x[i] -= l * x[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
  return true;
}

}  // namespace

Turning::Turning(const Model& model) {
  const int nv = model.num_velocities();
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const Body& root = model.bodies[tree.first_body];
    const int first = tree.first_velocity, end = first + tree.num_velocities;
    const bool has_free_root = root.joint == JointType::free;
    bool has_armature = false;
    for (int j = first; j < end; ++j) has_armature |= model.dofs[j].armature != 0.0;
    if (tree.num_velocities < 2 || (has_free_root && tree.num_bodies == 1 && !has_armature)) continue;  // FreeSpin
    TurningTree turning{static_cast<int>(t), first, end, has_free_root, tree.num_bodies == 1, {}};
    for (int i = tree.first_body; i < tree.first_body + tree.num_bodies; ++i) {
      const Body& body = model.bodies[i];
      if (body.joint == JointType::prismatic) continue;
      const int count = num_velocities_of(body.joint);
      const int from = body.first_velocity + (body.joint == JointType::free ? 3 : 0);
      if (turning.angular.empty() || turning.angular.back().second != from) turning.angular.emplace_back(from, from);
      turning.angular.back().second = body.first_velocity + count;
    }
    if (!turning.angular.empty()) trees_.push_back(std::move(turning));
  }
  for (VectorX* x : {&mean_, &start_, &bias_, &change_, &trial_, &step_}) x->setZero(nv);
}

double Turning::share(const TurningTree& tree, const double* v, const double* free_velocity, double time_step,
                      double& speed) const {
  Pack4 sums{}, changes{};
  for (const auto& [first, end] : tree.angular) {
    const auto compare = [&](const Pack4& a, const Pack4& b) {
      const Pack4 sum = a + b, difference = b - a;
      sums = larger(sums, larger(sum, -sum));
      changes = larger(changes, larger(difference, -difference));
    };
    int j = first;
    for (; j + 4 <= end; j += 4) compare(load4(v + j), load4(free_velocity + j));
    for (; j < end; ++j) compare(Pack4{v[j]}, Pack4{free_velocity[j]});
  }
  const double change = largest(changes);
  speed = 0.5 * largest(sums);
  const double angle = time_step * speed;
  if (!(angle > negligible_angle)) return 0.0;
  if (angle > large_angle || change <= speed) return 1.0;
  return std::max(0.0, 2.0 - change / speed);
}

int Turning::correct(const Model& model, DynamicsData& data, const double* v, const double* added, double time_step,
                     double* x, double* force) {
  std::copy_n(v, mean_.size(), mean_.data());
  int num_braked = 0;
  for (const TurningTree& tree : trees_) {
    double speed = 0.0;
    const double part = share(tree, v, x, time_step, speed);
    if (part == 0.0) continue;
    std::copy(x + tree.first, x + tree.end, start_.data() + tree.first);
    // Of one body the inertia does not change as it turns: any angle per step is resolved.
    const bool is_resolved = tree.is_one_body || time_step * speed <= largest_angle;
    const bool is_solved = is_resolved && (repeat(model, data, tree, v, speed, time_step, x) ||
                                           newton(model, data, tree, v, time_step, x));
    if (is_solved) {
      for (int j = tree.first; j < tree.end; ++j) {
        force[j] += part * (data.bias[j] - bias_[j]);
        if (part < 1.0) {
          x[j] = start_[j] + part * (x[j] - start_[j]);
          mean_[j] = v[j] + part * (mean_[j] - v[j]);
        }
      }
      continue;
    }
    ++num_braked;
    brake(data, tree, v, time_step, x);
    for (int j = tree.first; j < tree.end; ++j) step_[j] = (x[j] - v[j]) / time_step;
    multiply_inertia(model, data, step_.data(), change_.data());
    for (int j = tree.first; j < tree.end; ++j) force[j] = change_[j] + (added ? added[j] * step_[j] : 0.0);
  }
  return num_braked;
}

// ‖δ‖² = δᵀ M δ of a change δ = Δt M⁻¹ (b before − b after) is at hand: Δt δ·(b before − b after).
bool Turning::repeat(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v, double speed,
                     double time_step, double* x) {
  const int first = tree.first, end = tree.end;
  std::copy(data.bias.begin() + first, data.bias.begin() + end, bias_.data() + first);
  const double expected = 2.0 * time_step * speed;  // of the first one; light links at the end of heavy ones do worse
  double last = 0.0;
  for (int n = 0; n < max_repetitions; ++n) {
    for (int j = first; j < end; ++j) mean_[j] = 0.5 * (v[j] + x[j]);
    const double twice_energy = bias_of_tree(model, data, tree.tree, mean_.data(), trial_.data());
    for (int j = first; j < end; ++j) {
      change_[j] = step_[j] = time_step * (bias_[j] - trial_[j]);
      bias_[j] = trial_[j];
    }
    solve_inertia_of_tree(model, data, tree.tree, step_.data());
    double squared = 0.0;
    for (int j = first; j < end; ++j) {
      squared += step_[j] * change_[j];
      x[j] += step_[j];
    }
    if (!(squared < 1e300)) return false;
    // Squares of what contracts: roots and quotients would cost as much as a body of the tree.
    const double limit =
        (n > 0 && squared > square(slow_contraction) * last ? square(fine_accuracy) : square(accuracy));
    if (n > 0 && squared > square(slowest_contraction) * last) return squared <= square(fine_accuracy) * twice_energy;
    if ((n > 0 ? square(squared) : square(expected) * squared) <= limit * twice_energy * (n > 0 ? last : 1.0))
      return true;
    last = squared;
  }
  return true;
}

// x − v_f of the rule at x, into `into`: zero where x is its solution. Returns its largest entry.
double Turning::defect(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v,
                       double time_step, const double* x, VectorX& into) {
  for (int j = tree.first; j < tree.end; ++j) mean_[j] = 0.5 * (v[j] + x[j]);
  bias_of_tree(model, data, tree.tree, mean_.data(), bias_.data());
  for (int j = tree.first; j < tree.end; ++j) into[j] = time_step * (bias_[j] - data.bias[j]);
  solve_inertia_of_tree(model, data, tree.tree, into.data());
  double worst = 0.0;
  for (int j = tree.first; j < tree.end; ++j) {
    into[j] += x[j] - start_[j];
    const bool flies = tree.has_free_root && j < tree.first + 3;
    if (!flies) worst = std::max(worst, std::isfinite(into[j]) ? std::abs(into[j]) : HUGE_VAL);
  }
  return worst;
}

// 1 + ½ Δt M⁻¹ ∂b/∂v at mean_. The bias is quadratic in v: differences of any size are its derivative.
void Turning::slope(const Model& model, DynamicsData& data, const TurningTree& tree, double time_step) {
  const int first = tree.first, n = tree.end - first;
  const double size = largest_of(tree.angular, mean_.data());
  matrix_.assign(static_cast<std::size_t>(n) * n, 0.0);
  for (int k = 0; k < n; ++k) {
    const double at = mean_[first + k];
    mean_[first + k] = at + size;
    bias_of_tree(model, data, tree.tree, mean_.data(), bias_.data());
    mean_[first + k] = at - size;
    bias_of_tree(model, data, tree.tree, mean_.data(), change_.data());
    mean_[first + k] = at;
    for (int j = first; j < tree.end; ++j) change_[j] = 0.25 * time_step / size * (bias_[j] - change_[j]);
    solve_inertia_of_tree(model, data, tree.tree, change_.data());
    for (int i = 0; i < n; ++i) matrix_[i * n + k] = (i == k) + change_[first + i];
  }
}

bool Turning::newton(const Model& model, DynamicsData& data, const TurningTree& tree, const double* v, double time_step,
                     double* x) {
  const int first = tree.first, n = tree.end - first;
  if (n > largest_newton) return false;
  std::copy(v + first, v + tree.end, x + first);
  const double size = largest_of(tree.angular, v);
  double error = defect(model, data, tree, v, time_step, x, step_);
  for (int k = 0; k < max_newton_steps && error > 1e-15 * size; ++k) {
    slope(model, data, tree, time_step);
    if (!solve_full(n, matrix_, step_.data() + first)) break;
    double length = 1.0, next_error = HUGE_VAL;
    for (int m = 0; m < max_halvings; ++m, length *= 0.5) {
      for (int j = first; j < tree.end; ++j) trial_[j] = x[j] - length * step_[j];
      next_error = defect(model, data, tree, v, time_step, trial_.data(), change_);
      if (next_error < error) break;
    }
    if (!(next_error < error)) break;  // rounding, or a fold
    std::copy(trial_.data() + first, trial_.data() + tree.end, x + first);
    std::copy(change_.data() + first, change_.data() + tree.end, step_.data() + first);
    error = next_error;
  }
  return defect(model, data, tree, v, time_step, x, step_) <= 1e-10 * size;  // bias_ is of x again
}

void Turning::brake(const DynamicsData& data, const TurningTree& tree, const double* v, double time_step, double* x) {
  const double speed = largest_of(tree.angular, v);
  const double kept = 1.0 / (1.0 + time_step * speed);
  for (int j = tree.first; j < tree.end; ++j) x[j] = kept * v[j], mean_[j] = 0.0;
  for (int k = 0; k < 3 && tree.has_free_root; ++k) {
    x[tree.first + k] = v[tree.first + k] + time_step * data.gravity.lanes()[k];
  }
}

}  // namespace stiction
