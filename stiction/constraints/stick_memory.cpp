#include "stiction/constraints/stick_memory.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Vec = Vec3<double>;

// A contact that turns by less than this in a step, rad, and is no farther than that from where its points met, m, has
// not travelled: the arc over so little differs from its chord by 1e-13 m where the radius is a millimetre.
constexpr double still_turn = 1e-6, still_way = 1e-6;
constexpr double largest_turn = 1.0;   // rad per step; what turns faster is not followed
constexpr double same_normal = 0.999;  // cosine, between normals that belong to one face
// A contact does not travel faster than round bodies of the sizes given roll; what does has jumped.
constexpr double jump = 2.0;

Vec load(const double* x) {
  return {x[0], x[1], x[2]};
}

void save(const Vec& x, double* to) {
  to[0] = x.x(), to[1] = x.y(), to[2] = x.z();
}

// Where a point of a body is, and which point of a body is there.
Vec placed(const DynamicsData& d, int body, const double* point) {
  if (body < 0) return load(point);
  const BodyState<double>& s = d.bodies[body];
  return d.reference[d.tree_of[body]] + (s.position + turn(s.rotation, point));
}

void save_material(const DynamicsData& d, int body, const Vec& position, double* to) {
  if (body < 0) return save(position, to);
  const BodyState<double>& s = d.bodies[body];
  const Vec r = (position - d.reference[d.tree_of[body]]) - s.position;
  to[0] = dot(s.rotation.x, r), to[1] = dot(s.rotation.y, r), to[2] = dot(s.rotation.z, r);
}

Vec velocity_at(const DynamicsData& d, int body, const Vec& position) {
  if (body < 0) return Vec(0.0, 0.0, 0.0);
  const SpatialVector<double>& v = d.bodies[body].velocity;
  const int tree = d.tree_of[body];
  return d.reference_velocity[tree] + (v.linear + cross(v.angular, position - d.reference[tree]));
}

Vec turning(const DynamicsData& d, int body) {
  return body < 0 ? Vec(0.0, 0.0, 0.0) : d.bodies[body].velocity.angular;
}

// T(φ) x.
Vec unrolled(const Vec& phi, const Vec& x) {
  const double t = dot(phi, phi);
  const double kappa = 1.0 / 12.0 + t * (1.0 / 720.0 + t * (1.0 / 30240.0 + t / 1209600.0));
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

bool was_pushed(const WarmStart& before) {
  return before.impulse[0] != 0.0 || before.impulse[1] != 0.0 || before.impulse[2] != 0.0;
}

}  // namespace

StickMemory::Hold StickMemory::nothing_held(int body_a, int body_b) {
  const Vec zero(0.0, 0.0, 0.0);
  return {zero, zero, body_a, body_b};
}

// e_T of a contact that stuck in the last step.
void StickMemory::measure(const Inputs& in, int contact, const WarmStart& before, Hold& hold) const {
  const DynamicsData& d = in.dynamics;
  const Vec n = normal_of(in, contact), p = position_of(in, contact);
  const Vec a = placed(d, hold.body_a, before.point_a), b = placed(d, hold.body_b, before.point_b);
  const Vec w_a = turning(d, hold.body_a), w_b = turning(d, hold.body_b);
  const double dt = in.time_step;
  const Vec turn = dt * (w_a - w_b), over_a = p - a, over_b = p - b, n_before = load(before.normal);
  const double angle = dot(turn, turn), way = dot(over_a, over_a), turns = dt * dt * (dot(w_a, w_a) + dot(w_b, w_b));
  if (!(turns <= largest_turn * largest_turn) || dot(n, n_before) < std::min(same_normal, 1.0 - turns)) return;
  hold.past = Past::held;
  if (angle <= still_turn * still_turn && way <= still_way * still_way) {
    hold.past = Past::resting;
    hold.error = tangential(n, a - b);
    return;
  }
  const ContactIdentity& id = in.contacts[in.builder.point(contact)].id;
  const double size = std::min(in.model.shapes[id.shape_a].bound_radius, in.model.shapes[id.shape_b].bound_radius);
  if (way > jump * jump * angle * size * size) {
    hold.error = tangential(n, a - b);
    return;
  }
  const double spin_a = dot(n, w_a), spin_b = dot(n, w_b);
  const Vec frame = cross(n_before, n) + (dt * (std::abs(spin_a) < std::abs(spin_b) ? spin_a : spin_b)) * n;
  hold.error = tangential(n, unrolled(dt * w_b - frame, over_b) - unrolled(dt * w_a - frame, over_a));
}

// What is taken back: e_T, and half of what c_T gained on its way in the last step.
void StickMemory::foresee(const Inputs& in, int contact, const WarmStart& before, Hold& hold) const {
  const Vec p = position_of(in, contact), last = load(before.end_velocity);
  const Vec v_a = velocity_at(in.dynamics, hold.body_a, p), v_b = velocity_at(in.dynamics, hold.body_b, p);
  constexpr double slow = ConstraintSettings::at_rest_speed;
  hold.at_rest = dot(v_a, v_a) + dot(v_b, v_b) <= slow * slow;
  const Vec gained = tangential(normal_of(in, contact), 0.5 * ((v_a - v_b) - last));
  if (!hold.is_known() && dot(last, last) > dot(gained, gained)) return;
  hold.asked = hold.error + in.time_step * gained;
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
  if (known < end - first) inherit(in, first, end);
  for (int i = first; i < end; ++i) largest = std::max(largest, dot(holds_[i].asked, holds_[i].asked));
  // Sticking does not leave so much: the bodies were put elsewhere.
  if (std::sqrt(largest) > in.time_step * in.settings.largest_correction) {
    for (int i = first; i < end; ++i) holds_[i] = nothing_held(holds_[i].body_a, holds_[i].body_b);
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
  auto before = in.warm_starts.begin();
  const auto end = in.warm_starts.end();
  int first = 0;  // of the contacts of a pair of bodies
  for (int i = 0; i < count; ++i) {
    const RowIdentity& id = rows[i].id;
    Hold& hold = holds_[i];
    hold = nothing_held(in.model.shapes[id.first].body, in.model.shapes[id.second].body);
    while (before != end && before->id < id) ++before;
    if (before != end && before->id == id) {
      hold.before = static_cast<int>(before - in.warm_starts.begin());
      const bool stuck = before->normal[0] != 0.0 || before->normal[1] != 0.0 || before->normal[2] != 0.0;
      if (stuck && rows[i].left_depth == 0.0) {
        measure(in, i, *before, hold);
      } else if (was_pushed(*before)) {
        hold.past = Past::slid;
      }
      if (hold.past != Past::none) foresee(in, i, *before, hold);
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
  store_nothing(next);
  if (holds_.empty()) return;
  const Matrix3& frame = in.builder.frame(contact);
  save(end[0] * to_vec3(frame.col(0)) + end[1] * to_vec3(frame.col(1)) + end[2] * to_vec3(frame.col(2)),
       next.end_velocity);
  if (!sticks || rows[contact].left_depth > 0.0) return;
  const Hold& hold = holds_[contact];
  if (hold.past == Past::resting) {
    const WarmStart& before = in.warm_starts[hold.before];
    std::copy_n(before.point_a, 3, next.point_a);
    std::copy_n(before.point_b, 3, next.point_b);
  } else {
    const Vec p = position_of(in, contact);
    save_material(in.dynamics, hold.body_a, p, next.point_a);
    save_material(in.dynamics, hold.body_b, p - hold.error, next.point_b);
  }
  save(normal_of(in, contact), next.normal);
}

}  // namespace stiction
