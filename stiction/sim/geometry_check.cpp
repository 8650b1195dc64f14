#include "stiction/sim/geometry_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr double rounding = 1e-7;     // m; never counts
constexpr double renamed = 1e-5;      // m; gaps of points that push differ by so much where points change their names
constexpr double part_of_way = 0.1;   // what linearisation may take
constexpr std::size_t few_rows = 64;  // steps with more contacts are solved again only for what might pass
constexpr double part_of_thickness = 0.1;  // of the thinner shape: deeper is solved again
constexpr double far_turn = 0.3;           // rad; bodies that turn farther are followed on their way
constexpr double slight_turn = 0.02;       // rad; normals that turn less are the same
constexpr double cosine_of_slight_turn = 0.9998;
constexpr double sharpest_radius = 1e-3;  // m; of curvature, for how normals turn with the way of a contact
constexpr double turned_in = 1e-4;        // m; what turns far and touches may overlap by so much on its way
constexpr double touching = 1e-5;         // m; nearer than this a sweep touches
constexpr double far_off = 0.01;          // m; farther off than this it does not matter how far

// Shapes of the pair, in order.
bool is_same_pair(const ContactIdentity& a, const ContactIdentity& b) {
  return a.shape_a == b.shape_a && a.shape_b == b.shape_b;
}
bool is_pair_before(const ContactIdentity& a, const ContactIdentity& b) {
  return a.shape_a != b.shape_a ? a.shape_a < b.shape_a : a.shape_b < b.shape_b;
}

// The least extent of a shape, m, where it is known: hulls and meshes may be as thin as anything.
double thickness(const Shape& shape) {
  switch (shape.kind()) {
    case ShapeKind::plane:
    case ShapeKind::height_field:
      return std::numeric_limits<double>::infinity();  // solid below
    case ShapeKind::sphere:
      return 2.0 * std::get<Sphere>(shape.geometry).radius;
    case ShapeKind::capsule:
      return 2.0 * std::get<Capsule>(shape.geometry).radius;
    case ShapeKind::cylinder: {
      const auto& cylinder = std::get<Cylinder>(shape.geometry);
      return 2.0 * std::min(cylinder.radius, cylinder.half_length);
    }
    case ShapeKind::ellipsoid:
      return 2.0 * std::get<Ellipsoid>(shape.geometry).radii.minCoeff();
    case ShapeKind::box:
      return 2.0 * std::get<Box>(shape.geometry).half_size.minCoeff();
    default:
      return 0.0;
  }
}

// The entries of the pair at the front of a list.
template <class T, class Identity>
std::span<const T> front_pair(std::span<const T> list, Identity&& id) {
  std::size_t n = 1;
  while (n < list.size() && is_same_pair(id(list[n]), id(list[0]))) ++n;
  return list.first(n);
}

}  // namespace

void GeometryCheck::check(const Inputs& in) {
  unforeseen_ = gap_error_ = normal_error_ = 0.0;
  is_certified_ = true;
  missed_.clear();
  tree_turn_.clear();
  if (!is_as_promised(in)) {
    unforeseen_ = gap_error_ = 0.0;
    compare_ends(in);
  }
  if (in.farthest_turn > far_turn || may_have_met(in)) sweep(in);
}

// The usual step: no point at its end is deeper than promised, those of rows that push are there, and no gap or normal
// of these is off. Both lists ascend.
bool GeometryCheck::is_as_promised(const Inputs& in) {
  if (in.asleep) return false;
  double unforeseen = 0.0, error = 0.0, cosine = 1.0;
  bool all_there = true;
  auto promise = in.promises.begin();
  const auto end = in.promises.end();
  for (const ContactPoint& point : in.found) {
    bool has_row = promise != end && promise->id == point.id;
    if (!has_row) {
      for (; promise != end && promise->id < point.id; ++promise) all_there &= !promise->is_carried;
      has_row = promise != end && promise->id == point.id;
    }
    const double promised = has_row ? std::min(0.0, promise->gap) : 0.0;
    unforeseen = std::max(unforeseen, promised - point.gap);
    if (!has_row) continue;
    if (promise->is_carried) {
      all_there &= is_near(in, *promise, point);
      error = std::max(error, std::abs(point.gap - promise->gap));
      cosine = std::min(cosine, promise->normal.dot(point.normal));
    }
    ++promise;
  }
  for (; promise != end; ++promise) all_there &= !promise->is_carried;
  unforeseen_ = unforeseen, gap_error_ = error;
  return all_there && unforeseen <= rounding && error <= renamed && cosine >= cosine_of_slight_turn;
}

// Whether a point without a row is within the ways of its bodies.
bool GeometryCheck::may_have_met(const Inputs& in) {
  auto promise = in.promises.begin();
  const auto way = [&](int shape) {
    const int body = in.model.shapes[shape].body;
    return body < 0 ? 0.0 : in.way[body];
  };
  const auto end = in.promises.end();
  for (const ContactPoint& point : in.sought) {
    if (promise != end && promise->id == point.id) {
      ++promise;
      continue;
    }
    while (promise != end && promise->id < point.id) ++promise;
    const bool has_row = promise != end && promise->id == point.id;
    if (!has_row && point.gap <= way(point.id.shape_a) + way(point.id.shape_b)) return true;
  }
  return false;
}

void GeometryCheck::find_tree_turns(const Inputs& in) {
  if (!tree_turn_.empty()) return;
  tree_turn_.assign(in.model.trees.size(), 0.0);
  for (std::size_t b = 0; b < in.way.size(); ++b) {
    double& turn = tree_turn_[in.model.bodies[b].tree];
    turn = std::max(turn, in.spin(static_cast<int>(b)).norm());
  }
}

// Whether nothing of the pair moves because both sides sleep or are the world.
bool GeometryCheck::is_still(const Inputs& in, const ContactPoint& point) {
  if (!in.asleep) return false;
  const auto sleeps = [&](int shape) {
    const int body = in.model.shapes[shape].body;
    return body < 0 || in.asleep[in.model.bodies[body].tree];
  };
  return sleeps(point.id.shape_a) && sleeps(point.id.shape_b);
}

// The way that the surfaces moved against each other at a point at the end of the step.
double GeometryCheck::way_at(const Inputs& in, const ContactIdentity& pair, const Vector3& position) const {
  const auto moved = [&](int shape) -> Vector3 {
    const int body = in.model.shapes[shape].body;
    if (body < 0) return Vector3::Zero();
    return position - in.before[body] * in.after[body].to_local(position);
  };
  return (moved(pair.shape_a) - moved(pair.shape_b)).norm();
}

double GeometryCheck::allowed(const Inputs& in, const ContactIdentity& pair, const Vector3& position) {
  find_tree_turns(in);
  // Of the tree: what turns next to the root moves what is far from it.
  const auto turning = [&](int shape) {
    const int body = in.model.shapes[shape].body;
    if (body < 0) return 0.0;
    const int tree = in.model.bodies[body].tree;
    return tree_turn_[tree] * tree_turn_[tree] * (position - in.root(tree)).norm();
  };
  const double turned = turning(pair.shape_a) + turning(pair.shape_b);
  return std::min(in.tolerance, std::max({rounding, part_of_way * way_at(in, pair, position), turned}));
}

void GeometryCheck::compare_pair(const Inputs& in, std::span<const GapPromise> promises,
                                 std::span<const ContactPoint> found) {
  double deepest = 0.0;
  for (const GapPromise& p : promises) deepest = std::min(deepest, p.gap);
  for (const ContactPoint& point : found) {
    if (!(point.gap < 0.0)) continue;
    double promise = deepest;
    for (const GapPromise& p : promises) {
      if (p.id.feature == point.id.feature) promise = std::min(0.0, p.gap);
    }
    const double beyond = promise - point.gap;
    if (!(beyond > 0.0)) continue;
    unforeseen_ = std::max(unforeseen_, beyond);
    if (beyond <= rounding || beyond <= allowed(in, point.id, point.position)) continue;
    is_certified_ = false;
    // Where many bodies tumble, a pair with rows that overlaps a little more than it should is left to the next step:
    // to solve everything again costs too much. What is deep for its thickness might come out on the other side.
    const bool is_cheap = in.promises.size() <= few_rows || in.is_recheck;
    if (is_cheap || promises.empty() || beyond > part_of_thickness * thinner(in, point)) {
      add_overlap(in, point, promise, beyond);
    }
  }
  bool all_kept = true;
  double lowest = 0.0;
  for (const GapPromise& p : promises) {
    if (p.is_carried) all_kept &= compare_row(in, p, found);
    if (!p.is_exact) lowest = std::min(lowest, p.gap_before);
  }
  // A pair that pushed, and is not there any more: one end was held, and the other went through.
  if (!all_kept && found.empty()) follow(in, promises[0].id, lowest - turned_in);
}

double GeometryCheck::thinner(const Inputs& in, const ContactPoint& point) {
  const double least = in.tolerance / part_of_thickness;  // what is thinner than this is taken for it
  return std::max(least,
                  std::min(thickness(in.model.shapes[point.id.shape_a]), thickness(in.model.shapes[point.id.shape_b])));
}

// The way out of an overlap at the end may be the wrong side of something thin: what counts is the normal with which
// the pair began to overlap on its way. Where it did so all the time, there is no other than that at the end.
void GeometryCheck::add_overlap(const Inputs& in, const ContactPoint& point, double promise, double beyond) {
  const double level = promise - std::min(0.5 * beyond, 2.0 * turned_in);
  const Shape &a = in.model.shapes[point.id.shape_a], &b = in.model.shapes[point.id.shape_b];
  FirstTouch touch = pair_sweep_.find(a, motion_of(in, a), b, motion_of(in, b), level);
  if (!touch.touches() || touch.time == 0.0) {
    missed_.push_back({point, 1.0, promise});
    return;
  }
  touch.point.id.shape_a = point.id.shape_a, touch.point.id.shape_b = point.id.shape_b;
  missed_.push_back({touch.point, touch.time, promise});
}

SweptBody GeometryCheck::motion_of(const Inputs& in, const Shape& shape) {
  if (shape.body < 0) return {};
  return SweptBody::between(in.before[shape.body], in.after[shape.body], shape.bound_center, in.spin(shape.body));
}

// Whether a point of the same name is where the bodies can have taken it.
bool GeometryCheck::is_near(const Inputs& in, const GapPromise& promise, const ContactPoint& point) {
  const double squared = (point.position - promise.position).squaredNorm();
  if (squared <= in.tolerance * in.tolerance) return true;
  const auto way = [&](int shape) {
    const int body = in.model.shapes[shape].body;
    return body < 0 ? 0.0 : in.way[body];
  };
  const double near = in.tolerance + way(point.id.shape_a) + way(point.id.shape_b);
  return squared <= near * near;
}

// The signed distance of a place from a shape, m; `about` is what it should be. Where nothing is near it is a bound.
double GeometryCheck::height_over(const Shape& shape, const Pose& X_WS, const Vector3& place, double about) {
  // Meshes tell depth only of what reaches out of them.
  const double radius = 2.0 * std::abs(about) + 1e-4;
  probe_.geometry = Sphere{radius}, probe_.bound_radius = radius;
  return pair_gap_.look(probe_, Pose(place), shape, X_WS, std::abs(about) + far_off) + radius;
}

// How far the place of a row was from the farther of the two surfaces when the step began.
double GeometryCheck::off_surfaces(const Inputs& in, const GapPromise& promise) {
  const auto off = [&](int index, double side) {
    const Shape& shape = in.model.shapes[index];
    const Pose X_WS = shape.body < 0 ? shape.pose : in.before[shape.body] * shape.pose;
    const Vector3 place = promise.position + (side * promise.gap_before) * promise.normal;
    return std::abs(height_over(shape, X_WS, place, 0.0));
  };
  return std::max(off(promise.id.shape_a, 0.5), off(promise.id.shape_b, -0.5));
}

// The gap where a row was less what it promised, from the points of the two bodies that were there: each over the
// other shape at the end. What slides leaves one of them behind; the better of both counts.
double GeometryCheck::error_of_place(const Inputs& in, const GapPromise& promise) {
  const auto error = [&](int own, int other, double side) {
    const Vector3 place = promise.position + (side * promise.gap_before) * promise.normal;
    const int body = in.model.shapes[own].body;
    const Vector3 moved = body < 0 ? place : in.after[body] * in.before[body].to_local(place);
    const Shape& shape = in.model.shapes[other];
    const Pose X_WS = shape.body < 0 ? shape.pose : in.after[shape.body] * shape.pose;
    return std::abs(height_over(shape, X_WS, moved, promise.gap) - promise.gap);
  };
  return std::min(error(promise.id.shape_a, promise.id.shape_b, 0.5),
                  error(promise.id.shape_b, promise.id.shape_a, -0.5));
}

// At the end, or a bound of it beyond the margin.
double GeometryCheck::distance_of_pair(const Inputs& in, const GapPromise& promise) {
  const Shape &a = in.model.shapes[promise.id.shape_a], &b = in.model.shapes[promise.id.shape_b];
  const auto pose = [&](const Shape& s) { return s.body < 0 ? s.pose : in.after[s.body] * s.pose; };
  return std::max(in.margin, pair_gap_.look(a, pose(a), b, pose(b), std::abs(promise.gap) + far_off));
}

// A row that carries an impulse against its point at the end; where that has another name now, against the nearest of
// the pair, and its place against the surfaces. Whether it is within what is allowed.
bool GeometryCheck::compare_row(const Inputs& in, const GapPromise& promise, std::span<const ContactPoint> found) {
  const ContactPoint* match = nullptr;
  bool is_there = false;
  for (const ContactPoint& point : found) {
    if (point.id.feature == promise.id.feature) {
      match = &point;
      compare_normals(in, promise, point);
      is_there = is_near(in, promise, point);
      break;
    }
    const auto off = [&](const ContactPoint& p) { return (p.position - promise.position).squaredNorm(); };
    if (!match || off(point) < off(*match)) match = &point;
  }
  double error = match ? std::abs(match->gap - promise.gap) : distance_of_pair(in, promise) - promise.gap;
  if (match && !is_there && error > renamed) error = std::min(error, error_of_place(in, promise));
  if (!is_there && !promise.is_exact) {
    const double off = off_surfaces(in, promise);
    if (off > in.tolerance) error = std::max(error, off);
  }
  if (!(error > 0.0)) return true;
  gap_error_ = std::max(gap_error_, error);
  if (error <= renamed || error <= allowed(in, promise.id, match ? match->position : promise.position)) return true;
  return is_certified_ = false;
}

void GeometryCheck::compare_normals(const Inputs& in, const GapPromise& promise, const ContactPoint& point) {
  const double cosine = promise.normal.dot(point.normal);
  if (cosine >= cosine_of_slight_turn) return;
  const auto turn = [&](int shape) {
    const int body = in.model.shapes[shape].body;
    return body < 0 ? 0.0 : in.spin(body).norm();
  };
  const double explained =
      turn(point.id.shape_a) + turn(point.id.shape_b) + way_at(in, point.id, point.position) / sharpest_radius;
  const double error = std::acos(std::clamp(cosine, -1.0, 1.0)) - explained;
  if (!(error > 0.0)) return;
  normal_error_ = std::max(normal_error_, error);
  if (error > slight_turn) is_certified_ = false;
}

void GeometryCheck::compare_ends(const Inputs& in) {
  std::span<const GapPromise> promises = in.promises;
  std::span<const ContactPoint> found = in.found;
  const auto id_of_promise = [](const GapPromise& p) -> const ContactIdentity& { return p.id; };
  const auto id_of_point = [](const ContactPoint& p) -> const ContactIdentity& { return p.id; };
  while (!promises.empty() || !found.empty()) {
    std::span<const GapPromise> pair_promises;
    std::span<const ContactPoint> pair_found;
    const bool takes_promises = found.empty() || (!promises.empty() && !is_pair_before(found[0].id, promises[0].id));
    const bool takes_found = promises.empty() || (!found.empty() && !is_pair_before(promises[0].id, found[0].id));
    if (takes_promises) {
      pair_promises = front_pair(promises, id_of_promise);
      promises = promises.subspan(pair_promises.size());
    }
    if (takes_found) {
      pair_found = front_pair(found, id_of_point);
      found = found.subspan(pair_found.size());
      if (is_still(in, pair_found[0])) continue;
    }
    compare_pair(in, pair_promises, pair_found);
  }
}

void GeometryCheck::sweep_pair(const Inputs& in, const ContactPoint& nearest, bool has_rows) {
  const Shape &a = in.model.shapes[nearest.id.shape_a], &b = in.model.shapes[nearest.id.shape_b];
  const auto way = [&](const Shape& s) { return s.body < 0 ? 0.0 : in.way[s.body]; };
  const auto turn = [&](const Shape& s) { return s.body < 0 ? 0.0 : in.spin(s.body).norm(); };
  if (nearest.gap > way(a) + way(b)) return;
  const bool turns_far = turn(a) > far_turn || turn(b) > far_turn;
  const bool is_open = !has_rows && nearest.gap > touching;
  if (!is_open && !turns_far) return;
  // What touches from the beginning and turns far may turn into the other.
  follow(in, nearest.id, is_open ? touching : std::min(nearest.gap, 0.0) - turned_in);
}

// When a pair first is as near as `level` between the ends of the step; a contact that was missed, where it goes on.
void GeometryCheck::follow(const Inputs& in, const ContactIdentity& pair, double level) {
  const Shape &a = in.model.shapes[pair.shape_a], &b = in.model.shapes[pair.shape_b];
  const SweptBody motion_a = motion_of(in, a), motion_b = motion_of(in, b);
  FirstTouch touch = pair_sweep_.find(a, motion_a, b, motion_b, level);
  // What touches at the very end has not gone through: the comparison there has seen it.
  if (!touch.touches() || touch.time >= 1.0) return;
  // How far the surfaces go on into each other.
  const Vector3& p = touch.point.position;
  const Vector3 on = (1.0 - touch.time) * (motion_b.velocity_of(p, touch.time) - motion_a.velocity_of(p, touch.time));
  const double depth = touch.point.normal.dot(on);
  if (!(depth > std::min(in.tolerance, std::max(2.0 * touching, part_of_way * on.norm())))) return;
  unforeseen_ = std::max(unforeseen_, depth);
  is_certified_ = false;
  touch.point.id.shape_a = pair.shape_a, touch.point.id.shape_b = pair.shape_b;
  missed_.push_back({touch.point, touch.time, 0.0});
}

void GeometryCheck::sweep(const Inputs& in) {
  std::span<const ContactPoint> sought = in.sought;
  std::span<const GapPromise> promises = in.promises;
  while (!sought.empty()) {
    const auto pair = front_pair(sought, [](const ContactPoint& p) -> const ContactIdentity& { return p.id; });
    sought = sought.subspan(pair.size());
    while (!promises.empty() && is_pair_before(promises[0].id, pair[0].id)) promises = promises.subspan(1);
    const bool has_rows = !promises.empty() && is_same_pair(promises[0].id, pair[0].id);
    const auto nearest = std::min_element(pair.begin(), pair.end(),
                                          [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
    sweep_pair(in, *nearest, has_rows);
  }
}

}  // namespace stiction
