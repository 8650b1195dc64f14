#include "stiction/solvers/interior_point/local_path.h"

#include <algorithm>

namespace stiction {
namespace {

template <class Use>
void for_each_node(const DelassusFactored& f, int constraint, const Use& use) {
  for (int s = f.segment_begin[constraint]; s < f.segment_begin[constraint + 1]; ++s) use(f.segment_node[s]);
}

bool touches(const DelassusFactored& f, int constraint, const std::vector<char>& nodes) {
  bool found = false;
  for_each_node(f, constraint, [&](int node) { found = found || nodes[node]; });
  return found;
}

}  // namespace

// The bodies of the constraints that block, their neighbours, the neighbours of these and so on.
void LocalPath::mark_region(const DelassusFactored& f, std::span<const int> blocking, int bodies) {
  const int constraints = static_cast<int>(f.segment_begin.size()) - 1;
  is_inside_.assign(f.num_nodes(), false);
  for (const int i : blocking) for_each_node(f, i, [&](int node) { is_inside_[node] = true; });
  std::ptrdiff_t inside = std::count(is_inside_.begin(), is_inside_.end(), true), before = 0;
  while (inside < bodies && inside > before) {
    grown_ = is_inside_;
    for (int i = 0; i < constraints; ++i) {
      if (touches(f, i, is_inside_)) for_each_node(f, i, [&](int node) { grown_[node] = true; });
    }
    is_inside_.swap(grown_);
    before = inside;
    inside = std::count(is_inside_.begin(), is_inside_.end(), true);
  }
  kept_.clear();
  for (int i = 0; i < constraints; ++i) {
    if (touches(f, i, is_inside_)) kept_.push_back(i);
  }
}

void LocalPath::hold_the_rest(const ContactProblem& problem, const ConeProblem& cones, const ConeVector& point) {
  impulse_.resize(problem.num_rows());
  velocity_.resize(problem.num_rows());
  cones.write_impulse(point.impulse, impulse_);
  for (const int i : kept_) {
    const Constraint& c = problem.constraint(i);
    impulse_.segment(c.first_row, c.rows).setZero();
  }
  problem.velocity(impulse_, velocity_);
  const ContactProblem& part = part_.make_factored(problem, kept_, velocity_);
  cones_.load(part);
  system_.load(part, cones_);
  nothing_.setZero(part.num_rows());
}

// Every δ has a path of its own: where one gets lost another may not.
bool LocalPath::follow(double kappa, const SolveGoal& whole, double reserve) {
  constexpr double deltas[] = {0.8, 0.95, 0.6};
  constexpr double beyond = 0.3;  // of κ: at κ itself the path may still be on this side of the fold
  constexpr double start_scale = 3.0;
  SolveGoal goal;
  goal.tolerance = goal.acceptable = 0.0;
  goal.budget = whole.budget;
  goal.share = share_ * whole.share;
  task_.begin(cones_, system_, goal, nothing_);
  system_.follow_path();
  path_.resize(cones_.size());
  for (const double delta : deltas) {
    ArclengthOptions options;
    options.delta = delta;
    // One path in ten takes more than 200, and hardly one gets lost.
    options.max_factorisations = static_cast<int>(std::min(600.0, (whole.left() - reserve) / share_));
    if (options.max_factorisations <= 0) return false;
    options.enough_kappa = beyond * kappa;
    cones_.start_cold(start_scale, path_.point.at);
    if (path_.run(task_, options)) return true;
  }
  return false;
}

bool LocalPath::cross(const ContactProblem& problem, const ConeProblem& cones, std::span<const int> blocking,
                      double kappa, int bodies, ConeVector& point, const SolveGoal& whole, double reserve) {
  mark_region(problem.factored(), blocking, bodies);
  hold_the_rest(problem, cones, point);
  const double unit = cones.velocity_unit() / cones_.velocity_unit();
  share_ = static_cast<double>(system_.num_nodes()) / problem.factored().num_nodes();
  const bool found = follow(kappa * unit * unit, whole, reserve);
  factorisations_ = share_ * system_.factorisations;
  if (!found) return false;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    put(point.impulse, kept_[k], (1.0 / unit) * get(path_.point.at.impulse, i));
    put(point.y, kept_[k], (1.0 / unit) * get(path_.point.at.y, i));
  }
  cones.to_cone(point);
  return true;
}

}  // namespace stiction
