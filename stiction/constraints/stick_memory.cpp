#include "stiction/constraints/stick_memory.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Vec = Vec3<double>;

// A contact that turns by less than this in a step, rad, and is no farther than that from where its points met, m, has
// not travelled: the arc over so little differs from its chord by 1e-13 m where the radius is a millimetre.
constexpr double still_turn = 1e-6, still_way = 1e-6;
// A tree slower than this, m/s and rad/s, is looked at now and then: its contacts hardly move between.
constexpr double still_speed = 1e-7;
constexpr int look_every = 16;
constexpr double largest_turn = 1.0;        // rad per step; what turns faster is not followed
constexpr double same_normal = 0.999;       // cosine, between normals that belong to one face
constexpr double one_normal = 1.0 - 1e-12;  // between normals that are the same to rounding
// A contact does not travel faster than round bodies of the sizes given roll; what does has jumped.
constexpr double jump = 2.0;

Vec load(const double* x) {
  return {x[0], x[1], x[2]};
}

void save(const Vec& x, double* to) {
  to[0] = x.x(), to[1] = x.y(), to[2] = x.z();
}

void save_material(const DynamicsData& d, int body, const Vec& position, double* to) {
  if (body < 0) return save(position, to);
  const BodyState<double>& s = d.bodies[body];
  const Vec r = (position - d.reference[d.tree_of[body]]) - s.position;
  to[0] = dot(s.rotation.x, r), to[1] = dot(s.rotation.y, r), to[2] = dot(s.rotation.z, r);
}

// A body of a contact at p: where its remembered point is, the velocity at p, the angular velocity.
struct Side {
  Vec point, velocity, turning;
};

STICTION_INLINE Side side_of(const DynamicsData& d, int body, const double* point, const Vec& p) {
  const Vec zero(0.0, 0.0, 0.0);
  if (body < 0) return {load(point), zero, zero};
  const BodyState<double>& s = d.bodies[body];
  const int tree = d.tree_of[body];
  return {d.reference[tree] + (s.position + turn(s.rotation, point)),
          d.reference_velocity[tree] + (s.velocity.linear + cross(s.velocity.angular, p - d.reference[tree])),
          s.velocity.angular};
}

// |x|² + |y|²
double squares(const Vec& x, const Vec& y) {
  return sum_halves(x.lanes() * x.lanes() + y.lanes() * y.lanes());
}

// T(φ) x.
Vec unrolled(const Vec& phi, const Vec& x) {
  const double t = dot(phi, phi);
  const double kappa = 1.0 / 12.0 + t * (1.0 / 720.0 + t * (1.0 / 30240.0 + t * (1.0 / 1209600.0)));
  const Vec turned = cross(phi, x);
  return x - 0.5 * turned + kappa * cross(phi, turned);
}

Vec tangential(const Vec& n, const Vec& x) {
  return x - dot(n, x) * n;
}

Vec normal_of(const StickMemory::Inputs& in, int contact) {
  return to_vec3(in.contacts[in.builder.point(contact)].normal);
}

Vec position_of(const StickMemory::Inputs& in, int contact) {
  return to_vec3(in.contacts[in.builder.point(contact)].position);
}

// Whether a contact that slid is so fast that what its velocity gains in a step cannot stop it.
bool was_fast(const WarmStart& before, double time_step) {
  constexpr double gain = 100.0;  // m/s²
  const double* c = before.end_velocity;
  return c[0] * c[0] + c[1] * c[1] + c[2] * c[2] > (gain * time_step) * (gain * time_step);
}

bool was_pushed(const WarmStart& before) {
  return before.impulse[0] != 0.0 || before.impulse[1] != 0.0 || before.impulse[2] != 0.0;
}

}  // namespace

StickMemory::StickMemory(const Model& model) {
  for (const Shape& shape : model.shapes) shapes_.push_back({shape.body, shape.bound_radius});
  for (const Tree& tree : model.trees) trees_.push_back({tree.first_velocity, tree.num_velocities});
}

void StickMemory::find_still_trees(const Inputs& in) {
  still_.assign(trees_.size(), 0);
  if (in.step % look_every == 0) return;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const double* v = in.v + trees_[t].first_velocity;
    constexpr double bound = still_speed * still_speed;
    double sum = 0.0;
    for (int j = 0; j < trees_[t].num_velocities && sum <= bound; ++j)
      sum += v[j] * v[j];  // what moves is seen at once
    still_[t] = sum <= bound;
  }
}

// s of the last step, where the contact may have travelled.
inline bool StickMemory::unroll(const Inputs& in, int contact, const WarmStart& before, const Travel& t,
                                Vec3<double>& way) const {
  const Vec &w_a = t.turning_a, &w_b = t.turning_b;
  const double dt = in.time_step, turns = dt * dt * squares(w_a, w_b);
  const Vec n_before = load(before.normal);
  if (!(turns <= largest_turn * largest_turn) || dot(t.n, n_before) < std::min(same_normal, 1.0 - turns)) return false;
  way = t.over_b - t.over_a;
  const ContactIdentity& id = in.contacts[in.builder.point(contact)].id;
  const double size = jump * std::min(shapes_[id.shape_a].size, shapes_[id.shape_b].size);
  if (dot(t.over_a, t.over_a) > size * size * t.angle) return true;  // it has jumped; the way of its old place counts
  const double spin_a = dot(t.n, w_a), spin_b = dot(t.n, w_b);
  const Vec frame = cross(n_before, t.n) + (dt * (std::abs(spin_a) < std::abs(spin_b) ? spin_a : spin_b)) * t.n;
  way = unrolled(dt * w_b - frame, t.over_b) - unrolled(dt * w_a - frame, t.over_a);
  return true;
}

// What became of a contact of the last step: e_T where it stuck, and half of what c_T gained on its way.
inline void StickMemory::measure(const Inputs& in, int contact, const WarmStart& before, bool stuck, Hold& hold) const {
  const Vec n = normal_of(in, contact), p = position_of(in, contact);
  const Side a = side_of(in.dynamics, hold.body_a, before.point_a, p);
  const Side b = side_of(in.dynamics, hold.body_b, before.point_b, p);
  const double dt = in.time_step;
  if (stuck) {
    const Vec turn = dt * (a.turning - b.turning);
    const Travel travel{n, p - a.point, p - b.point, a.turning, b.turning, dot(turn, turn)};
    Vec way = a.point - b.point;
    const bool rests = travel.angle <= still_turn * still_turn &&
                       dot(travel.over_a, travel.over_a) <= still_way * still_way &&
                       dot(n, load(before.normal)) >= same_normal;
    if (!rests && !unroll(in, contact, before, travel, way)) return;
    hold.past = rests ? Past::resting : Past::held;
    hold.error = tangential(n, way);
  }
  constexpr double slow = ConstraintSettings::at_rest_speed;
  hold.at_rest = squares(a.velocity, b.velocity) <= slow * slow;
  const Vec last = load(before.end_velocity), gained = tangential(n, 0.5 * ((a.velocity - b.velocity) - last));
  if (!stuck && dot(last, last) > dot(gained, gained)) return;
  hold.asked = hold.error + dt * gained;
}

// Points without a past take part in the motion of those with one whose normals are theirs: translation, and turning
// about the normal where there are two. A point that slid does so only where two others hold the bodies together.
void StickMemory::inherit(const Inputs& in, int first, int end) {
  for (int i = first; i < end; ++i) {
    if (holds_[i].is_known()) continue;
    const Vec n = normal_of(in, i);
    const auto for_each_known = [&](auto&& visit) {
      for (int k = first; k < end; ++k) {
        if (holds_[k].is_known() && dot(n, normal_of(in, k)) >= same_normal) visit(k);
      }
    };
    int count = 0;
    Vec center(0.0, 0.0, 0.0), error = center, asked = center;
    for_each_known([&](int k) {
      ++count;
      center = center + position_of(in, k);
      error = error + holds_[k].error;
      asked = asked + holds_[k].asked;
    });
    if (count == 0 || (count == 1 && holds_[i].past == Past::slid)) continue;
    center = (1.0 / count) * center;
    double error_moment = 0.0, asked_moment = 0.0, inertia = 0.0;
    for_each_known([&](int k) {
      const Vec r = position_of(in, k) - center;
      error_moment += dot(n, cross(r, holds_[k].error));
      asked_moment += dot(n, cross(r, holds_[k].asked));
      inertia += dot(r, r);
    });
    const Vec across = inertia > 0.0 ? (1.0 / inertia) * cross(n, position_of(in, i) - center) : Vec(0.0, 0.0, 0.0);
    holds_[i].error = tangential(n, (1.0 / count) * error + error_moment * across);
    holds_[i].asked = tangential(n, (1.0 / count) * asked + asked_moment * across);
  }
}

// What no motion of two rigid bodies takes back is not asked for. Where all that is known has one normal, it becomes
// the translation and the turn about the normal that are nearest to it: rows that contradict each other, be it by a
// digit, make one contact slip that should stick, and finding out which costs more than all else.
void StickMemory::make_rigid(const Inputs& in, int first, int end, int known) {
  const auto for_each_known = [&](auto&& visit) {
    for (int k = first; k < end; ++k) {
      if (holds_[k].is_known()) visit(k);
    }
  };
  Vec center(0.0, 0.0, 0.0), error = center, asked = center, n = center;
  bool is_flat = true;
  int count = 0;
  for_each_known([&](int k) {
    const Vec n_k = normal_of(in, k);
    if (count++ == 0) n = n_k;
    is_flat = is_flat && dot(n, n_k) >= one_normal;
    center = center + position_of(in, k);
    error = error + holds_[k].error;
    asked = asked + holds_[k].asked;
  });
  if (!is_flat) return;
  const double share = 1.0 / known;
  center = share * center, error = share * error, asked = share * asked;
  double error_moment = 0.0, asked_moment = 0.0, inertia = 0.0;
  for_each_known([&](int k) {
    const Vec across = cross(n, position_of(in, k) - center);
    error_moment += dot(across, holds_[k].error);
    asked_moment += dot(across, holds_[k].asked);
    inertia += dot(across, across);
  });
  const double turn = inertia > 0.0 ? 1.0 / inertia : 0.0;
  for_each_known([&](int k) {
    const Vec across = turn * cross(n, position_of(in, k) - center);
    holds_[k].error = error + error_moment * across;
    holds_[k].asked = asked + asked_moment * across;
  });
}

// Contacts of one pair of bodies.
void StickMemory::hold_group(const Inputs& in, int first, int end, RowSet& rows) {
  int known = 0;
  bool at_rest = true;
  double largest = 0.0;  // squared
  for (int i = first; i < end; ++i) {
    known += holds_[i].is_known();
    at_rest = at_rest && holds_[i].at_rest;
    largest = std::max(largest, dot(holds_[i].asked, holds_[i].asked));
  }
  constexpr double least = ConstraintSettings::negligible_gap;
  if (largest == 0.0 || (at_rest && largest <= least * least)) return;
  if (known > 1) make_rigid(in, first, end, known);
  if (known < end - first) inherit(in, first, end);
  for (int i = first; i < end; ++i) largest = std::max(largest, dot(holds_[i].asked, holds_[i].asked));
  // Sticking does not leave so much: the bodies were put elsewhere.
  if (std::sqrt(largest) > in.time_step * in.settings.largest_correction) {
    for (int i = first; i < end; ++i) holds_[i] = Hold{.body_a = holds_[i].body_a, .body_b = holds_[i].body_b};
    return;
  }
  const double gain = 1.0 / in.time_step;
  for (int i = first; i < end; ++i) {
    const Matrix3& frame = in.builder.frame(i);
    const Vec& e = holds_[i].asked;
    const Pack4 offset{gain * dot(to_vec3(frame.col(0)), e), gain * dot(to_vec3(frame.col(1)), e), 0.0, 0.0};
    rows[i].offset += offset;
    rows[i].free_velocity += offset;
  }
}

void StickMemory::recall(const Inputs& in, RowSet& rows) {
  const int count = in.settings.holds_sticking() ? in.builder.num_contacts() : 0;
  holds_.resize(count);
  if (count > 0) find_still_trees(in);
  auto before = in.warm_starts.begin();
  const auto end = in.warm_starts.end();
  int first = 0;  // of the contacts of a pair of bodies
  for (int i = 0; i < count; ++i) {
    const ConstraintIdentity& id = rows[i].id;
    Hold& hold = holds_[i];
    hold = {.body_a = shapes_[id.first].body, .body_b = shapes_[id.second].body};
    if (in.builder.has_moving_surface(i)) {  // it carries away what it holds
      if (hold.body_a != holds_[first].body_a || hold.body_b != holds_[first].body_b) {
        hold_group(in, first, i, rows);
        first = i;
      }
      continue;
    }
    bool has_past = before != end && before->id == id;
    if (!has_past) {
      while (before != end && before->id < id) ++before;
      has_past = before != end && before->id == id;
    }
    if (has_past) {
      hold.before = static_cast<int>(before - in.warm_starts.begin());
      const bool stuck = rows[i].left_depth == 0.0 &&
                         (before->normal[0] != 0.0 || before->normal[1] != 0.0 || before->normal[2] != 0.0);
      if (!stuck && was_pushed(*before)) hold.past = Past::slid;
      if (stuck && is_still(hold, in.dynamics)) {
        hold.past = Past::resting;
      } else if (stuck || (hold.past == Past::slid && !was_fast(*before, in.time_step))) {
        measure(in, i, *before, stuck, hold);
      }
    }
    if (hold.body_a != holds_[first].body_a || hold.body_b != holds_[first].body_b) {
      hold_group(in, first, i, rows);
      first = i;
    }
  }
  if (count > 0) hold_group(in, first, count, rows);
}

void StickMemory::store_nothing(WarmStart& next) {
  for (double* to : {next.point_a, next.point_b, next.normal, next.end_velocity}) std::fill(to, to + 3, 0.0);
}

void StickMemory::store(const Inputs& in, const RowSet& rows, int contact, bool sticks, const Pack4& end,
                        WarmStart& next) const {
  if (holds_.empty()) return store_nothing(next);
  const Matrix3& frame = in.builder.frame(contact);
  save(end[0] * to_vec3(frame.col(0)) + end[1] * to_vec3(frame.col(1)) + end[2] * to_vec3(frame.col(2)),
       next.end_velocity);
  if (!sticks || rows[contact].left_depth > 0.0 || in.builder.has_moving_surface(contact)) {
    for (double* to : {next.point_a, next.point_b, next.normal}) std::fill(to, to + 3, 0.0);
    return;
  }
  save(normal_of(in, contact), next.normal);
  const Hold& hold = holds_[contact];
  if (hold.past == Past::resting) {
    const WarmStart& before = in.warm_starts[hold.before];
    std::copy_n(before.point_a, 3, next.point_a);
    std::copy_n(before.point_b, 3, next.point_b);
    return;
  }
  const Vec p = position_of(in, contact);
  save_material(in.dynamics, hold.body_a, p, next.point_a);
  save_material(in.dynamics, hold.body_b, p - hold.error, next.point_b);
}

}  // namespace stiction
