#include "stiction/solvers/auto/auto_many_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/solvers/linear_algebra/node_lu.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double safety = 0.99;  // so that a judge who rounds otherwise accepts what is accepted here
constexpr int full_sweep_every = 16;
constexpr double quiet = 0.03;          // a contact that changed by less than this part of the largest change may wait
constexpr double worth_testing = 6.0;   // full residual when the change is below this multiple of the tolerance
constexpr double growth = 0.2;          // of ω per sweep
constexpr double tolerated_rise = 2.0;  // the largest change wobbles also where ω > 1 is right

// Sums of three packs at once, in a fixed order.
inline void sums(const Pack8& a, const Pack8& b, const Pack8& c, double* out) {
  const auto halves = [](const Pack8& p) { return Pack4{p[0], p[1], p[2], p[3]} + Pack4{p[4], p[5], p[6], p[7]}; };
  const Pack4 a4 = halves(a), b4 = halves(b), c4 = halves(c);
  const Pack4 ab = Pack4{a4[0], b4[0], a4[2], b4[2]} + Pack4{a4[1], b4[1], a4[3], b4[3]};
  out[0] = ab[0] + ab[2];
  out[1] = ab[1] + ab[3];
  out[2] = (c4[0] + c4[1]) + (c4[2] + c4[3]);
}

}  // namespace

struct AutoManyBodies::View {
  const Constraint* constraints;
  int count;
  const int *segment_begin, *segment_node;
  const DelassusFactored::Segment* segment;
  const double* free_velocity;
  const double* compliance;  // null where rigid

  explicit View(const ContactProblem& problem)
      : constraints(problem.constraints().data()),
        count(problem.num_constraints()),
        segment_begin(problem.factored().segment_begin.data()),
        segment_node(problem.factored().segment_node.data()),
        segment(problem.factored().segment.data()),
        free_velocity(problem.free_velocity().data()),
        compliance(problem.is_rigid() ? nullptr : problem.compliance().data()) {}

  // σ_i = A_i w + R_i λ_i + g_i of a constraint of so many rows; three entries are written. The number is known to the
  // compiler, so that σ stays in registers.
  template <int rows>
  void read_velocity(int i, const Pack8* node, const double* lambda, double* sigma) const {
    const int first_row = constraints[i].first_row;
    Pack8 sum0{}, sum1{}, sum2{};
    for (int k = segment_begin[i]; k < segment_begin[i + 1]; ++k) {
      const Pack8& w = node[segment_node[k]];
      sum0 += segment[k].row[0] * w;
      sum1 += segment[k].row[1] * w;
      sum2 += segment[k].row[2] * w;
    }
    sums(sum0, sum1, sum2, sigma);
    for (int k = 0; k < rows; ++k) sigma[k] += free_velocity[first_row + k];
    if (compliance) {
      for (int k = 0; k < rows; ++k) sigma[k] += compliance[first_row + k] * lambda[first_row + k];
    }
  }

  void add_impulse(int i, const double* change, Pack8* node) const {
    for (int k = segment_begin[i]; k < segment_begin[i + 1]; ++k) {
      const auto& a = segment[k];
      node[segment_node[k]] += change[0] * a.row[0] + change[1] * a.row[1] + change[2] * a.row[2];
    }
  }
};

void AutoManyBodies::load(const ContactProblem& problem, const VectorX& impulse) {
  const int n = problem.num_constraints();
  lambda_ = impulse;
  sigma_.resize(impulse.size());
  node_.resize(problem.factored().num_nodes());
  block_.resize(n);
  stiffness_.resize(n);
  change_.resize(n);
  loaded_.reserve(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    const Matrix3& g = problem.diagonal_block(i);
    AutoLocal& block = block_[i];
    block.state = AutoLocal::State::unknown;
    stiffness_[i] = 0.0;
    for (int r = 0; r < c.rows; ++r) {
      for (int k = 0; k < c.rows; ++k) block.w[3 * r + k] = g(r, k);
      block.w[4 * r] += problem.compliance()[c.first_row + r];
      stiffness_[i] = std::max(stiffness_[i], block.w[4 * r]);
    }
  }
}

// The visits solve constraint i and return how much it changed, as a velocity.
inline double AutoManyBodies::visit(const View& view, int i, double relaxation) {
  const Constraint& c = view.constraints[i];
  if (c.kind == ConstraintKind::frictional) return visit_contact(view, i, relaxation);
  return c.rows == 3 ? visit_point(view, i, relaxation) : visit_row(view, i, relaxation);
}

inline double AutoManyBodies::apply(const View& view, int i, const double* change) {
  view.add_impulse(i, change, node_.data());
  return stiffness_[i] * std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])});
}

inline double AutoManyBodies::visit_contact(const View& view, int i, double relaxation) {
  const Constraint& c = view.constraints[i];
  AutoLocal& block = block_[i];
  double* l = lambda_.data() + c.first_row;
  double s[3], next[3], change[3];
  view.read_velocity<3>(i, node_.data(), lambda_.data(), s);
  if (l[2] == 0.0 && s[2] >= 0.0 && l[0] == 0.0 && l[1] == 0.0) return 0.0;
  if (block.state == AutoLocal::State::unknown) block.prepare(l, s);
  block.solve_contact(c.friction, l, s, next);
  for (int k = 0; k < 3; ++k) next[k] = l[k] + relaxation * (next[k] - l[k]);
  next[2] = std::max(0.0, next[2]);
  const double tangent_squared = next[0] * next[0] + next[1] * next[1], reach = c.friction * next[2];
  if (tangent_squared > reach * reach) {
    const double shrink = reach / std::sqrt(tangent_squared);
    next[0] *= shrink;
    next[1] *= shrink;
  }
  for (int k = 0; k < 3; ++k) {
    change[k] = next[k] - l[k];
    l[k] = next[k];
  }
  return apply(view, i, change);
}

double AutoManyBodies::visit_point(const View& view, int i, double relaxation) {
  AutoLocal& block = block_[i];
  double* l = lambda_.data() + view.constraints[i].first_row;
  double s[3], change[3] = {0.0, 0.0, 0.0};
  view.read_velocity<3>(i, node_.data(), lambda_.data(), s);
  if (block.state == AutoLocal::State::unknown) block.prepare(l, s);
  for (int k = 0; k < 3; ++k) {
    const double* row = block.inverse + 3 * k;
    if (block.state == AutoLocal::State::regular) {
      change[k] = -relaxation * (row[0] * s[0] + row[1] * s[1] + row[2] * s[2]);
    } else if (stiffness_[i] > 0.0) {
      change[k] = -s[k] / (3.0 * stiffness_[i]);
    }
    l[k] += change[k];
  }
  return apply(view, i, change);
}

double AutoManyBodies::visit_row(const View& view, int i, double relaxation) {
  if (!(stiffness_[i] > 0.0)) return 0.0;
  const Constraint& c = view.constraints[i];
  double& l = lambda_[c.first_row];
  double s[3];
  view.read_velocity<1>(i, node_.data(), lambda_.data(), s);
  double next = l - relaxation * s[0] / stiffness_[i];
  if (c.kind == ConstraintKind::unilateral) next = std::max(0.0, next);
  if (c.kind == ConstraintKind::dry_friction) next = std::clamp(next, -c.bound, c.bound);
  const double change[3] = {next - l, 0.0, 0.0};
  l = next;
  return apply(view, i, change);
}

// Returns the largest change. A full sweep also makes the list of those that the next ones visit.
double AutoManyBodies::sweep(const View& view, Sweep which, double relaxation) {
  double largest = 0.0;
  const auto visit_and_note = [&](int i) {
    change_[i] = visit(view, i, relaxation);
    if (!(change_[i] <= largest)) largest = change_[i];
  };
  if (which == Sweep::all) {
    loaded_.clear();
    for (int i = 0; i < view.count; ++i) {
      visit_and_note(i);
      const Constraint& c = view.constraints[i];
      if (lambda_[c.first_row + c.rows - 1] != 0.0 || c.kind == ConstraintKind::bilateral) loaded_.push_back(i);
    }
  } else {
    const double threshold = which == Sweep::moving ? quiet * largest_change_ : 0.0;
    for (const int i : loaded_) {
      if (change_[i] >= threshold) visit_and_note(i);
    }
  }
  largest_change_ = largest;
  return largest;
}

// w and σ afresh from λ, then the stopping test.
double AutoManyBodies::residual(const ContactProblem& problem, const View& view, const AutoResidualScale& scale) {
  multiply_transposed(problem.factored(), problem.constraints(), lambda_.data(), node_.data());
  for (int i = 0; i < view.count; ++i) {
    const Constraint& c = view.constraints[i];
    double s[3];
    if (c.rows == 3) {
      view.read_velocity<3>(i, node_.data(), lambda_.data(), s);
    } else {
      view.read_velocity<1>(i, node_.data(), lambda_.data(), s);
    }
    for (int k = 0; k < c.rows; ++k) sigma_[c.first_row + k] = s[k];
  }
  return auto_residual(scale, problem.constraints(), lambda_.data(), sigma_.data(), infinity);
}

bool AutoManyBodies::keep_if_better(double value) {
  if (!(value < best_residual_)) return false;
  best_residual_ = value;
  best_lambda_ = lambda_;
  best_sigma_ = sigma_;
  return true;
}

SolveOutcome AutoManyBodies::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  const AutoResidualScale scale(problem, goal.use_relative);
  const double limit = safety * goal.tolerance;
  const View view(problem);
  SolveOutcome outcome;
  load(problem, impulse);
  best_residual_ = infinity;
  best_lambda_ = impulse;  // stays where no residual is a number
  keep_if_better(residual(problem, view, scale));
  if (best_residual_ > limit) outcome.stage = AutoStage::many_bodies;
  double relaxation = 1.0, last_change = infinity, watched_change = infinity;
  double test_below = worth_testing * limit;
  int since_full = full_sweep_every, slow_looks = 0;
  while (best_residual_ > limit && outcome.iterations < settings.max_sweeps && goal.spend_and_ask(AutoCost::sweep)) {
    const bool all = since_full >= full_sweep_every;
    since_full = all ? 1 : since_full + 1;
    const Sweep which = all ? Sweep::all : since_full % 2 ? Sweep::moving : Sweep::loaded;
    const double change = scale.velocity * sweep(view, which, relaxation);
    ++outcome.iterations;
    if (!std::isfinite(change)) break;
    relaxation = change < tolerated_rise * last_change ? std::min(settings.relaxation, relaxation + growth) : 1.0;
    last_change = change;
    if (change <= test_below) {
      keep_if_better(residual(problem, view, scale));
      test_below = 0.25 * std::min(test_below, change);
      since_full = full_sweep_every;
    }
    if (outcome.iterations % settings.watch == 0) {
      const double speed = std::log(change / watched_change) / settings.watch;  // per sweep
      const double needed = std::log(limit / change) / speed;
      const bool hopeless = !(speed < 0.0) || outcome.iterations + needed > settings.max_sweeps;
      slow_looks = watched_change < infinity && change > limit && hopeless ? slow_looks + 1 : 0;
      if (slow_looks == settings.patience) break;
      watched_change = change;
    }
  }
  if (best_residual_ > limit) keep_if_better(residual(problem, view, scale));
  outcome.converged = best_residual_ <= limit;
  outcome.residual = best_residual_;
  impulse = best_lambda_;
  return outcome;
}

}  // namespace stiction
