#include "stiction/sim/resting_forces.h"

#include <algorithm>
#include <cmath>

#include "stiction/contact/judge.h"

namespace stiction {
namespace {

constexpr int most_rounds = 100;       // of friction of what slides
constexpr double rounding = 1e-9;      // of a force or acceleration beside the largest one
constexpr double inside = 1.0 - 1e-6;  // of the cone: what is nearer to its boundary begins to slide
constexpr int most_equations = 240;    // beyond, the solver's answer stays as it is

double size_of(const std::vector<Pack4>& lanes) {
  double size = 0.0;
  for (const Pack4& x : lanes) size = std::max({size, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
  return size;
}

bool is_one_sided(const Constraint& law) {
  return law.kind == ConstraintKind::unilateral;
}
bool is_frictional(const Constraint& law) {
  return law.kind == ConstraintKind::frictional || law.kind == ConstraintKind::anisotropic;
}

}  // namespace

RestingForces::RestingForces(std::shared_ptr<const Model> model, const SimulatorSettings& settings, double tolerance)
    : model_(model), event_rows_(model, tolerance), rates_(*model), island_solver_(model, settings) {}

void RestingForces::set(std::span<const RestingContact> contacts, std::span<const RestingLimit> limits,
                        std::span<const int> held) {
  const auto same_contact = [](const RestingContact& a, const RestingContact& b) {
    return a.point.id == b.point.id && a.slides == b.slides;
  };
  const auto same_limit = [](const RestingLimit& a, const RestingLimit& b) {
    return a.dof == b.dof && a.upper == b.upper;
  };
  const bool is_same = std::equal(contacts.begin(), contacts.end(), contacts_.begin(), contacts_.end(), same_contact) &&
                       std::equal(limits.begin(), limits.end(), limits_.begin(), limits_.end(), same_limit) &&
                       std::equal(held.begin(), held.end(), held_.begin(), held_.end());
  if (!is_same) last_rows_ = -1;
  contacts_.assign(contacts.begin(), contacts.end());
  limits_.assign(limits.begin(), limits.end());
  held_.assign(held.begin(), held.end());
}

void RestingForces::begin_count() {
  residuals_ = {};
  status_ = SolveStatus::converged;
  num_solves_ = num_problems_ = 0;
}

void RestingForces::store(Memory& memory) const {
  memory.contacts = contacts_, memory.limits = limits_, memory.held = held_;
  memory.impulse = impulse_;
  memory.deficient_size = deficient_size_, memory.last_rows = last_rows_;
  memory.residuals = residuals_, memory.status = status_;
  memory.num_solves = num_solves_, memory.num_problems = num_problems_;
}

void RestingForces::restore(const Memory& memory) {
  contacts_ = memory.contacts, limits_ = memory.limits, held_ = memory.held;
  impulse_ = memory.impulse;
  deficient_size_ = memory.deficient_size, last_rows_ = memory.last_rows;
  residuals_ = memory.residuals, status_ = memory.status;
  num_solves_ = memory.num_solves, num_problems_ = memory.num_problems;
}

// A contact that slides pushes along n − μ d: its law is that of one row, which friction follows.
void RestingForces::add_contact_row(const DynamicsData& data, int contact, int from) {
  const RowSet& all = event_rows_.all();
  const ContactPoint& point = points_[event_rows_.point(from)];
  const Matrix3& frame = event_rows_.frame(from);
  if (all[from].left_out != 0) return;
  StepConstraint& row = append(all, from, rows_);
  const Vector3 bias = rates_.bias(data, point, frame);
  row.free_velocity += Pack4{bias[0], bias[1], bias[2], 0.0};
  row.error = Pack4{};
  Slide& slide = slides_.emplace_back();
  contact_of_row_.push_back(contact);
  if (!contacts_[contact].slides) return;
  const Shape &a = model_->shapes[point.id.shape_a], &b = model_->shapes[point.id.shape_b];
  Vector3 slip = Vector3::Zero();
  if (a.body >= 0) slip += point_velocity(data, a.body, point.position);
  if (b.body >= 0) slip -= point_velocity(data, b.body, point.position);
  const double mu_1 = row.law.friction, mu_2 = is_frictional(row.law) ? row.law.friction_2 : 0.0;
  // Friction goes on as it was beyond the end of the slip, which is then where slip changes its sign.
  if (slip.dot(contacts_[contact].slip) < 0.0) slip = -slip;
  const Vector3 c = frame.transpose() * slip;
  const double size = std::hypot(mu_1 * c[0], mu_2 * c[1]);
  const double d_1 = size > 0.0 ? mu_1 * mu_1 * c[0] / size : 0.0, d_2 = size > 0.0 ? mu_2 * mu_2 * c[1] / size : 0.0;
  slide.friction = 1.0;  // d holds μ already
  for (std::size_t k = static_cast<std::size_t>(row.first_column); k < rows_.columns.size(); ++k) {
    const Pack4 column = rows_.columns[k];
    slide.along.push_back(d_1 * column[0] + d_2 * column[1]);
    rows_.columns[k] = Pack4{column[2], 0.0, 0.0, 0.0};
  }
  row.law = Constraint::make_unilateral();
  row.free_velocity = Pack4{row.free_velocity[2], 0.0, 0.0, 0.0};
}

void RestingForces::make_rows(const DynamicsData& data, const VectorX& q, const VectorX& v, const VectorX& free) {
  points_.clear();
  for (const RestingContact& c : contacts_) points_.push_back(c.point);
  rates_.follow(data, points_);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (std::isfinite(points_[i].gap)) contacts_[i].point = points_[i];
    points_[i] = contacts_[i].point;
  }
  event_rows_.build(data, q, v, free, points_);
  const RowSet& all = event_rows_.all();
  rows_.clear();
  slides_.clear();
  contact_of_row_.clear();
  for (int i = 0; i < all.num_constraints(); ++i) {
    if (i < event_rows_.num_contacts()) {
      add_contact_row(data, event_rows_.point(i), i);
      continue;
    }
    const ConstraintIdentity& id = all[i].id;
    const bool upper = id.source == ConstraintSource::upper_limit;
    const bool is_limit = upper || id.source == ConstraintSource::lower_limit;
    const bool rests = is_limit
                           ? std::any_of(limits_.begin(), limits_.end(),
                                         [&](const RestingLimit& l) { return l.dof == id.first && l.upper == upper; })
                           : std::find(held_.begin(), held_.end(), id.first) != held_.end();
    if (!rests) continue;
    append(all, i, rows_).error = Pack4{};
    slides_.emplace_back();
    contact_of_row_.push_back(-1);
  }
  free_.clear();
  for (int i = 0; i < rows_.num_constraints(); ++i) free_.push_back(rows_[i].free_velocity);
  if (last_rows_ != rows_.num_constraints()) impulse_.assign(free_.size(), Pack4{});
}

// w = Aᵀ λ, friction of what slides included.
void RestingForces::sum_forces(VectorX& w) const {
  w.setZero(model_->num_velocities());
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    add_transposed(rows_, i, impulse_[i], w);
    const int first = rows_.first_column(i);
    for (std::size_t k = 0; k < slides_[i].along.size(); ++k) {
      w[rows_.velocity[first + static_cast<int>(k)]] -= impulse_[i][0] * slides_[i].along[k];
    }
  }
}

void RestingForces::find_velocities(std::vector<Pack4>& sigma) const {
  VectorX w;
  sum_forces(w);
  sigma.resize(free_.size());
  for (int i = 0; i < rows_.num_constraints(); ++i) sigma[i] = free_[i] + multiply(rows_, i, w);
}

// Rows that are closed and must stay so: σ = 0.
void RestingForces::list_equations() {
  equations_.clear();
  const double least = rounding * size_of(impulse_);
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const Constraint& law = rows_[i].law;
    const Pack4& f = impulse_[i];
    if (is_one_sided(law)) {
      if (f[0] > least) equations_.push_back({i, 0});
    } else if (law.kind == ConstraintKind::dry_friction) {
      if (std::abs(f[0]) < inside * law.bound) equations_.push_back({i, 0});
    } else if (f[2] > least) {
      const double used =
          law.friction > 0.0 && law.friction_2 > 0.0 ? std::hypot(f[0] / law.friction, f[1] / law.friction_2) : 0.0;
      if (used < inside * f[2] && law.friction > 0.0) {
        for (int r = 0; r < 3; ++r) equations_.push_back({i, r});
      } else if (law.friction == 0.0) {
        equations_.push_back({i, 2});
      }
    }
  }
}

bool RestingForces::is_admissible(const std::vector<Pack4>& sigma) const {
  const double force = rounding * size_of(impulse_), speed = 1e-7 * std::max(size_of(free_), 1e-12);
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const Constraint& law = rows_[i].law;
    const Pack4 &f = impulse_[i], &s = sigma[i];
    if (is_one_sided(law)) {
      if (f[0] < -force || s[0] < -speed || (f[0] > force && s[0] > speed)) return false;
    } else if (law.kind == ConstraintKind::dry_friction) {
      if (std::abs(f[0]) > law.bound * (1.0 + 1e-12)) return false;
      if (std::abs(s[0]) > speed && (std::abs(f[0]) < inside * law.bound || f[0] * s[0] > 0.0)) return false;
    } else {
      if (f[2] < -force || s[2] < -speed || (f[2] > force && s[2] > speed)) return false;
      const double slip = std::hypot(s[0], s[1]);
      if (law.friction == 0.0 || f[2] <= force) continue;
      if (std::hypot(f[0] / law.friction, f[1] / law.friction_2) > f[2] * inside || slip > speed) return false;
    }
  }
  return true;
}

// matrix_ x = wanted_ for the equations: what their unknowns, friction of what slides included, do to their rows.
void RestingForces::fill_equations(int nv) {
  const int m = static_cast<int>(equations_.size());
  right_.setZero(m, nv);  // by unknown: what it pushes along
  matrix_.setZero(m, m);  // transposed
  wanted_.resize(m);
  for (int e = 0; e < m; ++e) {
    const auto [i, lane] = equations_[e];
    const int first = rows_.first_column(i);
    for (int c = first; c < rows_.end_column(i); ++c) {
      right_(e, rows_.velocity[c]) += rows_.columns[c][lane];
      if (!slides_[i].along.empty()) right_(e, rows_.velocity[c]) -= slides_[i].along[c - first];
    }
    wanted_[e] = -sigma_[i][lane];
  }
  for (int e = 0; e < m; ++e) {
    const auto [i, lane] = equations_[e];
    for (int c = rows_.first_column(i); c < rows_.end_column(i); ++c) {
      matrix_.col(e) += rows_.columns[c][lane] * right_.col(rows_.velocity[c]);
    }
  }
  matrix_.transposeInPlace();
}

// Elimination where it leaves pivots that count, else the least solution.
bool RestingForces::solve_equations() {
  const int m = static_cast<int>(equations_.size());
  if (m != deficient_size_) {
    lu_.compute(matrix_);
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    if (pivots.minCoeff() > 1e-10 * pivots.maxCoeff()) {
      unknown_ = lu_.solve(wanted_);
      return unknown_.allFinite();
    }
    deficient_size_ = m;  // likely so the next time, too
  }
  least_.compute(matrix_, 1e-11);
  if (least_.rank() == m) deficient_size_ = -1;
  least_.solve(wanted_, unknown_);
  return unknown_.allFinite();
}

// The closed rows as equations, by the least change of the forces that are there. False where they give no answer that
// the laws admit; the forces are then those of before.
bool RestingForces::solve_closed() {
  list_equations();
  const int m = static_cast<int>(equations_.size()), nv = model_->num_velocities();
  if (m > most_equations) return false;
  const std::vector<Pack4> before = impulse_;
  find_velocities(sigma_);
  if (m > 0) {
    fill_equations(nv);
    if (!solve_equations()) return false;
    const VectorX& x = unknown_;
    for (int e = 0; e < m; ++e) impulse_[equations_[e].row][equations_[e].lane] += x[e];
    find_velocities(sigma_);
  }
  if (is_admissible(sigma_)) return true;
  impulse_ = before;
  return false;
}

// By a solver of the registry; friction of what slides by the normal forces of the last round.
void RestingForces::solve_problem() {
  ++num_problems_;
  islands_.find(rows_, static_cast<int>(model_->trees.size()));
  double last_change = 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    VectorX w = VectorX::Zero(model_->num_velocities());
    bool any_slide = false;
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      const int first = rows_.first_column(i);
      for (std::size_t k = 0; k < slides_[i].along.size(); ++k) {
        w[rows_.velocity[first + static_cast<int>(k)]] -= impulse_[i][0] * slides_[i].along[k];
        any_slide = true;
      }
    }
    for (int i = 0; i < rows_.num_constraints(); ++i) {
      rows_[i].free_velocity = free_[i] + (any_slide ? multiply(rows_, i, w) : Pack4{});
      rows_[i].guess = impulse_[i];
    }
    island_solver_.begin_step();
    island_solver_.build_problems(rows_, islands_);
    island_solver_.solve(rows_, islands_, interrupt_);
    if (interrupt_ != nullptr && interrupt_->check()) throw StepInterrupted("what rests: interrupted");
    double change = 0.0;
    for (int k = 0; k < island_solver_.size(); ++k) {
      status_ = std::max(status_, island_solver_.report(k).status);
      const auto members = islands_.constraints(k);
      for (std::size_t i = 0; i < members.size(); ++i) {
        const Constraint& c = island_solver_.problem(k).constraint(static_cast<int>(i));
        const VectorX& x = island_solver_.solution(k).impulse;
        Pack4 next{};
        for (int r = 0; r < c.rows; ++r) next[r] = x[c.first_row + r];
        if (!slides_[members[i]].along.empty()) change = std::max(change, std::abs(next[0] - impulse_[members[i]][0]));
        impulse_[members[i]] = next;
      }
    }
    last_change = change;
    if (!any_slide || change <= 1e-13 * size_of(impulse_)) break;
  }
  if (last_change > rounding * size_of(impulse_)) status_ = std::max(status_, SolveStatus::stalled);
}

// The problem with friction of what slides as it is, and the forces that were found: what the judge says.
void RestingForces::judge_problem() {
  islands_.find(rows_, static_cast<int>(model_->trees.size()));
  VectorX w = VectorX::Zero(model_->num_velocities());
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const int first = rows_.first_column(i);
    for (std::size_t k = 0; k < slides_[i].along.size(); ++k) {
      w[rows_.velocity[first + static_cast<int>(k)]] -= impulse_[i][0] * slides_[i].along[k];
    }
  }
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    rows_[i].free_velocity = free_[i] + multiply(rows_, i, w);
    rows_[i].guess = impulse_[i];
    if (is_one_sided(rows_[i].law)) rows_[i].guess[0] = std::max(0.0, impulse_[i][0]);
  }
  island_solver_.build_problems(rows_, islands_);
  for (int k = 0; k < island_solver_.size(); ++k) {
    const ContactModel law = island_solver_.contact_model();
    merge(judge(island_solver_.problem(k), island_solver_.solution(k).impulse, {.model = law}), residuals_);
  }
}

double RestingForces::accelerate(const DynamicsData& data, const VectorX& q, const VectorX& v, VectorX& acceleration) {
  if (empty()) return 0.0;
  ++num_solves_;
  make_rows(data, q, v, acceleration);
  force_of_contact_.assign(contacts_.size(), 0.0);
  if (rows_.num_constraints() == 0) return 0.0;
  if (last_rows_ != rows_.num_constraints() || !solve_closed()) {
    solve_problem();
    solve_closed();
  }
  last_rows_ = rows_.num_constraints();
  judge_problem();
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    if (contact_of_row_[i] >= 0)
      force_of_contact_[contact_of_row_[i]] = impulse_[i][is_one_sided(rows_[i].law) ? 0 : 2];
  }
  sum_forces(work_);
  change_.resize(work_.size());
  velocity_from_factor(*model_, data, work_.data(), change_.data());
  acceleration += change_;
  // Power v·Jᵀλ = (factor coordinates of v)·w; J v is what the rows say.
  multiply_inertia(*model_, data, change_.data(), work_.data());
  return v.dot(work_);
}

// Least change x in the metric of the inertia with J x = error, over equations_ (rows alone, no friction).
void RestingForces::project(const DynamicsData& data, const VectorX& error, VectorX& change) {
  const int m = static_cast<int>(equations_.size()), nv = model_->num_velocities();
  right_.setZero(m, nv);
  matrix_.setZero(m, m);
  for (int e = 0; e < m; ++e) {
    const auto [i, lane] = equations_[e];
    for (int c = rows_.first_column(i); c < rows_.end_column(i); ++c) {
      right_(e, rows_.velocity[c]) += rows_.columns[c][lane];
    }
  }
  for (int e = 0; e < m; ++e) {
    const auto [i, lane] = equations_[e];
    for (int c = rows_.first_column(i); c < rows_.end_column(i); ++c) {
      matrix_.col(e) += rows_.columns[c][lane] * right_.col(rows_.velocity[c]);
    }
  }
  wanted_ = error;
  if (!solve_equations()) unknown_.setZero(m);
  work_ = right_.transpose() * unknown_;
  change.resize(nv);
  velocity_from_factor(*model_, data, work_.data(), change.data());
}

void RestingForces::correct(const DynamicsData& data, VectorX& q, VectorX& v) {
  if (empty() || rows_.num_constraints() == 0) return;
  // Positions: along normals alone; what is open but overlaps counts too.
  equations_.clear();
  std::vector<double> error;
  const auto gap_of = [&](int i) {
    const ConstraintIdentity& id = rows_[i].id;
    if (contact_of_row_[i] >= 0) return contacts_[contact_of_row_[i]].point.gap;
    const Dof& dof = model_->dofs[id.first];
    const double at = q[model_->bodies[dof.body].first_position];
    return id.source == ConstraintSource::upper_limit ? dof.upper - at : at - dof.lower;
  };
  const double least = rounding * size_of(impulse_);
  for (int i = 0; i < rows_.num_constraints(); ++i) {
    const Constraint& law = rows_[i].law;
    if (law.kind == ConstraintKind::dry_friction) continue;
    const int lane = is_one_sided(law) ? 0 : 2;
    const double gap = gap_of(i);
    if (impulse_[i][lane] <= least && gap >= 0.0) continue;
    equations_.push_back({i, lane});
    error.push_back(-gap);
  }
  VectorX change;
  if (!equations_.empty()) {
    VectorX wanted(static_cast<Eigen::Index>(error.size()));
    for (std::size_t e = 0; e < error.size(); ++e) wanted[static_cast<Eigen::Index>(e)] = error[e];
    project(data, wanted, change);
    VectorX moved(q.size());
    integrate(*model_, q, change, 1.0, moved);
    q = moved;
  }
  // Velocities: closed rows, all three of what sticks inside of its cone.
  list_equations();
  if (equations_.empty()) return;
  VectorX speed(static_cast<Eigen::Index>(equations_.size()));
  VectorX w(v.size());
  event_rows_.build(data, q, v, v, points_);
  const RowSet& all = event_rows_.all();
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const auto [i, lane] = equations_[e];
    const auto same = std::find_if(all.constraints.begin(), all.constraints.end(),
                                   [&](const StepConstraint& c) { return c.id == rows_[i].id; });
    const int from = is_one_sided(rows_[i].law) && contact_of_row_[i] >= 0 ? 2 : lane;
    speed[static_cast<Eigen::Index>(e)] = same == all.constraints.end() ? 0.0 : -same->free_velocity[from];
  }
  project(data, speed, change);
  v += change;
}

}  // namespace stiction
