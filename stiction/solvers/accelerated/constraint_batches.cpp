#include "stiction/solvers/accelerated/constraint_batches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stiction/math/pack_algebra.h"
#include "stiction/math/pack_bits.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int entries = 12;            // of a point, per batch
constexpr int node_stride = 8;         // of u
constexpr std::size_t look_back = 24;  // open batches that a constraint is offered to
constexpr int most_domains = 64;

// Four nodes, each a row of six, as six packs; and back.
struct FourNodes {
  Pack4 column[8];

  void gather(const double* node, const std::array<int, 4>& which) {
    for (int k = 0; k < 4; ++k) {
      column[k] = load4(node + node_stride * which[k]);
      column[4 + k] = load4(node + node_stride * which[k] + 4);
    }
    transpose4(column[0], column[1], column[2], column[3]);
    transpose4(column[4], column[5], column[6], column[7]);
  }
  void scatter(double* node, const std::array<int, 4>& which) {
    transpose4(column[0], column[1], column[2], column[3]);
    transpose4(column[4], column[5], column[6], column[7]);
    for (int k = 0; k < 4; ++k) {
      store4(node + node_stride * which[k], column[k]);
      store4(node + node_stride * which[k] + 4, column[4 + k]);
    }
  }
};

// λ_T ← what lies on the disc.
inline void put_on_disc(const Pack4& radius, Pack4& t1, Pack4& t2) {
  const Pack4 length = sqrt4(t1 * t1 + t2 * t2) + std::numeric_limits<double>::min();
  const Pack4 shrink = min4(radius / length, broadcast4(1.0));
  t1 *= shrink;
  t2 *= shrink;
}

double largest_eigenvalue(double a, double b, double off_diagonal) {
  return 0.5 * (a + b) + std::hypot(0.5 * (a - b), off_diagonal);
}
double inverse_or_zero(double x) {
  return x > 0.0 ? 1.0 / x : 0.0;
}

}  // namespace

bool ConstraintBatches::takes(const ContactProblem& problem) {
  if (problem.form() != DelassusForm::factored) return false;
  const std::vector<int>& begin = problem.factored().segment_begin;
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    if (begin[i + 1] - begin[i] > 2) return false;
  }
  return true;
}

void ConstraintBatches::load(const ContactProblem& problem, const VectorX& impulse, Point& x) {
  problem_ = &problem;
  const DelassusFactored& f = problem.factored();
  const int n = problem.num_constraints();
  find_groups();
  const int groups = domains_.num_groups();
  batch_.clear();
  place_.clear();
  batch_.reserve(n);
  place_.reserve(n);
  node_.assign(static_cast<std::size_t>(node_stride) * (f.num_nodes() + groups), 0.0);
  group_.assign(groups, {});
  parts_.assign(1, 0);
  for (int k = 0; k < groups; ++k) {
    group_[k].begin = num_batches();
    fill_group(k, impulse);
    group_[k].end = num_batches();
    group_[k].num_active = group_[k].end - group_[k].begin;
    parts_.push_back(entries * batch_.size());
  }
  clear_empty_lanes();
  active_.reserve(n);
  active_.resize(batch_.size());
  std::iota(active_.begin(), active_.end(), 0);
  x.assign(entries * batch_.size(), 0.0);
  for (std::size_t q = 0; q < place_.size(); ++q) {
    const Place& from = place_[q];
    for (int k = 0; k < from.count; ++k) {
      for (int r = 0; r < from.rows[k]; ++r) {
        const int row = from.rows[k] == 1 ? 2 : r;
        x[entries * q + lanes * row + k] = impulse[from.first_row[k] + r] * from.root[k];
      }
    }
  }
}

// Constraints by group, in their order.
void ConstraintBatches::find_groups() {
  const DelassusFactored& f = problem_->factored();
  const int n = problem_->num_constraints();
  domains_.split(f, constraints_per_domain, most_domains);
  const auto group_of = [&](int i) {
    const int first = f.segment_begin[i], count = f.segment_begin[i + 1] - first;
    return domains_.group(count > 0 ? f.segment_node[first] : -1, count > 1 ? f.segment_node[first + 1] : -1);
  };
  member_begin_.assign(domains_.num_groups() + 2, 0);
  for (int i = 0; i < n; ++i) ++member_begin_[group_of(i) + 2];
  for (std::size_t k = 2; k < member_begin_.size(); ++k) member_begin_[k] += member_begin_[k - 1];
  member_.resize(n);
  for (int i = 0; i < n; ++i) member_[member_begin_[group_of(i) + 1]++] = i;
}

void ConstraintBatches::fill_group(int group, const VectorX& impulse) {
  const DelassusFactored& f = problem_->factored();
  const int world = f.num_nodes() + group;
  for (const bool loaded : {true, false}) {
    first_open_ = batch_.size();  // the two kinds share no batch
    for (int m = member_begin_[group]; m < member_begin_[group + 1]; ++m) {
      const int i = member_[m];
      const Constraint& c = problem_->constraint(i);
      const bool pushes = c.kind == ConstraintKind::bilateral || impulse[c.first_row + c.rows - 1] != 0.0;
      if (pushes != loaded) continue;
      const int first = f.segment_begin[i], count = f.segment_begin[i + 1] - first;
      fill_lane(group, i, count > 0 ? f.segment_node[first] : world, count > 1 ? f.segment_node[first + 1] : world);
    }
  }
}

int ConstraintBatches::num_idle() const {
  int idle = num_batches();
  for (const Group& group : group_) idle -= group.num_active;
  return idle;
}

// Groups of a phase in any order, or by several threads; phases one after the other.
template <class Function>
void ConstraintBatches::for_each_group_by_phase(Function&& function) {
  for (int phase = 0; phase < NodeDomains::num_phases; ++phase) {
    const int begin = domains_.phase_begin(phase), end = domains_.phase_begin(phase + 1);
    for_each_piece(team, end - begin, [&](int k) { function(group_[begin + k]); });
  }
}

void ConstraintBatches::store(const Point& x, VectorX& impulse) const {
  for (std::size_t q = 0; q < place_.size(); ++q) {
    const Place& to = place_[q];
    for (int k = 0; k < to.count; ++k) {
      for (int r = 0; r < to.rows[k]; ++r) {
        const int row = to.rows[k] == 1 ? 2 : r;
        impulse[to.first_row[k] + r] = x[entries * q + lanes * row + k] * to.inverse_root[k];
      }
    }
  }
}

// The first batch with room in which no lane has one of the nodes.
int ConstraintBatches::choose_batch(int group, int node_a, int node_b) {
  const int world = problem_->factored().num_nodes() + group;
  const std::size_t size = batch_.size();
  while (first_open_ < size && place_[first_open_].count == lanes) ++first_open_;
  const auto clashes = [&](const Batch& batch, int count, int node) {
    if (node == world) return false;
    return std::any_of(batch.node_a.begin(), batch.node_a.begin() + count, [node](int m) { return m == node; }) ||
           std::any_of(batch.node_b.begin(), batch.node_b.begin() + count, [node](int m) { return m == node; });
  };
  for (std::size_t q = std::max(first_open_, size > look_back ? size - look_back : 0); q < size; ++q) {
    const int count = place_[q].count;
    if (count < lanes && !clashes(batch_[q], count, node_a) && !clashes(batch_[q], count, node_b)) {
      return static_cast<int>(q);
    }
  }
  batch_.emplace_back();
  place_.emplace_back();
  batch_.back().node_a.fill(world);
  batch_.back().node_b.fill(world);
  batch_.back().contacts_only = true;
  place_.back().constraint.fill(-1);
  return static_cast<int>(size);
}

void ConstraintBatches::fill_lane(int group, int i, int node_a, int node_b) {
  const int q = choose_batch(group, node_a, node_b);
  Batch& batch = batch_[q];
  Place& place = place_[q];
  const int k = place.count++;
  const Constraint& c = problem_->constraint(i);
  const ConstraintScale& scale = problem_->scale(i);
  const double mean = problem_->diagonal_block(i).diagonal().head(c.rows).mean();
  const double root = mean > 0.0 ? std::sqrt(mean) : 1.0;
  batch.node_a[k] = node_a;
  batch.node_b[k] = node_b;
  fill_scaled(batch, k, i, root);
  place.constraint[k] = i;
  place.first_row[k] = c.first_row;
  place.rows[k] = c.rows;
  place.root[k] = root;
  place.inverse_root[k] = 1.0 / root;
  place.impulse_unit[k] = scale.impulse / root;
  place.speed_unit[k] = root / problem_->largest_free_velocity();
  place.push[k] = scale.push;
  place.speed[k] = scale.speed;
}

void ConstraintBatches::fill_scaled(Batch& batch, int k, int i, double root) {
  const Constraint& c = problem_->constraint(i);
  const DelassusFactored& f = problem_->factored();
  const Matrix3& g = problem_->diagonal_block(i);
  const double scale = 1.0 / root, square = scale * scale;
  const int segments = f.segment_begin[i + 1] - f.segment_begin[i];
  double w[3] = {};  // diagonal of W/w by rows of the batch
  for (int r = 0; r < c.rows; ++r) {
    const int row = c.rows == 1 ? 2 : r;
    for (int e = 0; e < 6; ++e) {
      if (segments > 0) batch.a[row][e][k] = f.segment[f.segment_begin[i]].row[r][e] * scale;
      if (segments > 1) batch.b[row][e][k] = f.segment[f.segment_begin[i] + 1].row[r][e] * scale;
    }
    batch.free[row][k] = problem_->free_velocity()[c.first_row + r] * scale;
    batch.compliance[row][k] = problem_->compliance()[c.first_row + r] * square;
    w[row] = g(r, r) * square + batch.compliance[row][k];
  }
  batch.normal_step[k] = inverse_or_zero(w[2]);
  batch.lower[k] = 0.0;
  batch.upper[k] = infinity;
  if (c.rows == 3) {
    batch.tangent_step[k] = inverse_or_zero(largest_eigenvalue(w[0], w[1], g(0, 1) * square));
    batch.coupling[0][k] = g(0, 2) * square;
    batch.coupling[1][k] = g(1, 2) * square;
  }
  switch (c.kind) {
    case ConstraintKind::frictional:
      batch.friction[k] = c.friction;
      return;
    case ConstraintKind::bilateral:
      batch.lower[k] = -infinity;
      batch.slack[k] = infinity;
      break;
    case ConstraintKind::dry_friction:
      batch.lower[k] = -c.bound * root;
      batch.upper[k] = c.bound * root;
      break;
    default:  // unilateral
      break;
  }
  batch.contacts_only = false;
}

// A lane without a constraint parts, and so never pushes.
void ConstraintBatches::clear_empty_lanes() {
  for (std::size_t q = 0; q < batch_.size(); ++q) {
    for (int k = place_[q].count; k < lanes; ++k) {
      batch_[q].free[2][k] = 1.0;
      place_[q].push[k] = place_[q].speed[k] = 1.0;
    }
  }
}

// u += Aᵀ δ of a batch, δ being what change(row) says.
template <class Add>
inline void ConstraintBatches::add_to_nodes(const Batch& batch, Add&& change) {
  FourNodes at;
  const Pack4 d[3] = {change(0), change(1), change(2)};
  at.gather(node_.data(), batch.node_a);
  for (int e = 0; e < 6; ++e) at.column[e] += batch.a[0][e] * d[0] + batch.a[1][e] * d[1] + batch.a[2][e] * d[2];
  at.scatter(node_.data(), batch.node_a);
  at.gather(node_.data(), batch.node_b);
  for (int e = 0; e < 6; ++e) at.column[e] += batch.b[0][e] * d[0] + batch.b[1][e] * d[1] + batch.b[2][e] * d[2];
  at.scatter(node_.data(), batch.node_b);
}

void ConstraintBatches::place(Point& x) {
  std::fill(node_.begin(), node_.end(), 0.0);
  for_each_group_by_phase([&](const Group& group) { place_group(group, x); });
}

void ConstraintBatches::place_group(const Group& group, Point& x) {
  const int* next = active_.data() + group.begin;
  const int* const end = next + group.num_active;
  for (int q = group.begin; q < group.end; ++q) {
    const Batch& batch = batch_[q];
    double* const at = x.data() + static_cast<std::size_t>(entries) * q;
    const bool is_idle = next == end || *next != q;
    if (is_idle) {  // whatever an extrapolation made of it
      std::fill(at, at + entries, 0.0);
      continue;
    }
    ++next;
    Pack4 t1 = load4(at), t2 = load4(at + 4), n = load4(at + 8);
    n = min4(max4(n, batch.lower), batch.upper);
    put_on_disc(batch.friction * n + batch.slack, t1, t2);
    store4(at, t1);
    store4(at + 4, t2);
    store4(at + 8, n);
    const Pack4 lambda[3] = {t1, t2, n};
    add_to_nodes(batch, [&](int r) { return lambda[r]; });
  }
}

template <bool contacts_only>
inline void ConstraintBatches::visit(const Batch& batch, double* x) {
  FourNodes a, b;
  a.gather(node_.data(), batch.node_a);
  b.gather(node_.data(), batch.node_b);
  const Pack4 old[3] = {load4(x), load4(x + 4), load4(x + 8)};
  Pack4 sigma[3];
  for (int r = 0; r < 3; ++r) {
    Pack4 on_a = batch.free[r] + batch.compliance[r] * old[r], on_b{};
    for (int e = 0; e < 6; ++e) {
      on_a += batch.a[r][e] * a.column[e];
      on_b += batch.b[r][e] * b.column[e];
    }
    sigma[r] = on_a + on_b;
  }
  Pack4 n = old[2] - sigma[2] * batch.normal_step;
  n = contacts_only ? max4(n, Pack4{}) : min4(max4(n, batch.lower), batch.upper);
  const Pack4 pushed = n - old[2];
  Pack4 t1 = old[0] - batch.tangent_step * (sigma[0] + batch.coupling[0] * pushed);
  Pack4 t2 = old[1] - batch.tangent_step * (sigma[1] + batch.coupling[1] * pushed);
  put_on_disc(contacts_only ? batch.friction * n : batch.friction * n + batch.slack, t1, t2);
  store4(x, t1);
  store4(x + 4, t2);
  store4(x + 8, n);
  const Pack4 d[3] = {t1 - old[0], t2 - old[1], pushed};
  for (int e = 0; e < 6; ++e) {
    a.column[e] += batch.a[0][e] * d[0] + batch.a[1][e] * d[1] + batch.a[2][e] * d[2];
    b.column[e] += batch.b[0][e] * d[0] + batch.b[1][e] * d[1] + batch.b[2][e] * d[2];
  }
  a.scatter(node_.data(), batch.node_a);
  b.scatter(node_.data(), batch.node_b);
}

void ConstraintBatches::sweep(Point& x) {
  for_each_group_by_phase([&](const Group& group) { sweep_group(group, x); });
}

void ConstraintBatches::sweep_group(const Group& group, Point& x) {
  for (int k = group.begin; k < group.begin + group.num_active; ++k) {
    const int q = active_[k];
    double* const at = x.data() + static_cast<std::size_t>(entries) * q;
    if (batch_[q].contacts_only) {
      visit<true>(batch_[q], at);
    } else {
      visit<false>(batch_[q], at);
    }
  }
}

inline void ConstraintBatches::read_velocity(const Batch& batch, const double* x, Pack4* sigma) const {
  FourNodes at;
  at.gather(node_.data(), batch.node_a);
  for (int r = 0; r < 3; ++r) {
    sigma[r] = batch.free[r] + batch.compliance[r] * load4(x + 4 * r);
    for (int e = 0; e < 6; ++e) sigma[r] += batch.a[r][e] * at.column[e];
  }
  at.gather(node_.data(), batch.node_b);
  for (int r = 0; r < 3; ++r) {
    for (int e = 0; e < 6; ++e) sigma[r] += batch.b[r][e] * at.column[e];
  }
}

double ConstraintBatches::residual(const Point& x) {
  for_each_piece(team, static_cast<int>(group_.size()), [&](int k) { measure_group(group_[k], x); });
  double worst = 0.0;
  for (const Group& group : group_) worst = std::max(worst, group.is_finite ? group.worst : infinity);
  return worst;
}

// As auto_residual.h has it, four at once; the impulse outside its cone, which is rounding here, by an upper bound.
void ConstraintBatches::measure_group(Group& group, const Point& x) {
  int* active = active_.data() + group.begin;
  Pack4 worst{}, check{};
  double worst_other = 0.0;
  const Pack4 zero{}, one = broadcast4(1.0);
  for (int q = group.begin; q < group.end; ++q) {
    const Batch& batch = batch_[q];
    const Place& place = place_[q];
    const double* const at = x.data() + static_cast<std::size_t>(entries) * q;
    Pack4 sigma[3];
    read_velocity(batch, at, sigma);
    const Pack4 l[3] = {load4(at), load4(at + 4), load4(at + 8)};
    const bool pushes = lane_bits(abs4(l[0]) + abs4(l[1]) + abs4(l[2]) > zero) != 0;
    if (pushes || lane_bits(sigma[2] > zero) != 15 || !batch.contacts_only) *active++ = q;
    if (!batch.contacts_only) {
      for (int k = 0; k < place.count; ++k) {
        worst_other = std::max(worst_other, lane_residual(place, k, at, sigma));
      }
      continue;
    }
    const Pack4 l1 = place.impulse_unit * l[0], l2 = place.impulse_unit * l[1], ln = place.impulse_unit * l[2];
    const Pack4 s1 = place.speed_unit * sigma[0], s2 = place.speed_unit * sigma[1], sn = place.speed_unit * sigma[2];
    const Pack4 lt = sqrt4(l1 * l1 + l2 * l2), st = sqrt4(s1 * s1 + s2 * s2), size = sqrt4(lt * lt + ln * ln);
    const Pack4 changed =
        max4(abs4(s1 - place.speed_unit * batch.free[0]),
             max4(abs4(s2 - place.speed_unit * batch.free[1]), abs4(sn - place.speed_unit * batch.free[2])));
    const Pack4 push = max4(place.push, max4(size, min4(changed, one)));
    const Pack4 speed = min4(one, max4(place.speed, broadcast4(ConstraintScale::range) * size)), work = push * speed;
    const Pack4 cone = batch.friction * ln, reach = min4(cone, lt + push);
    const Pack4 m1 = st * l1 + reach * s1, m2 = st * l2 + reach * s2;
    const Pack4 powers = max4(abs4(ln * sn), sqrt4(m1 * m1 + m2 * m2));
    worst = max4(worst, max4(max4((lt - cone) / push, -sn / speed), powers / work));
    check += size + st;
  }
  group.num_active = static_cast<int>(active - (active_.data() + group.begin));
  group.worst = worst_other;
  for (int k = 0; k < lanes; ++k) group.worst = std::max(group.worst, worst[k]);
  group.is_finite = std::isfinite(sum(check)) && std::isfinite(group.worst);
}

double ConstraintBatches::lane_residual(const Place& place, int k, const double* x, const Pack4* sigma) const {
  double lambda[3], velocity[3];
  for (int r = 0; r < place.rows[k]; ++r) {
    const int row = place.rows[k] == 1 ? 2 : r;
    lambda[r] = x[lanes * row + k] * place.inverse_root[k];
    velocity[r] = sigma[row][k] * place.root[k];
  }
  return natural_residual(*problem_, ContactModel::ncp, place.constraint[k], lambda, velocity);
}

}  // namespace stiction
