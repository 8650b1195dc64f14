// Which contacts a step has to reckon with, and whether it did: stages at both ends of a step.
//
// Collision looks where a step ends; the next one begins with what was found there. What it must not miss is bounded by
// how far bodies may move: by their velocity when it looks, and by the free velocity, which is known only when the next
// step has its forces. Impacts may make bodies faster still; then the step is looked over again once it is solved.
#include <algorithm>
#include <cmath>

#include "stiction/math/vectorise.h"
#include "stiction/sim/workspace.h"

namespace stiction {
namespace {

constexpr double part_of_margin = 0.25;  // ways may exceed reaches by this part of the margin: pairs nearer are listed
constexpr double most_ahead = 20.0;      // times what gravity does in a step
constexpr int most_rechecks = 12;        // per step
constexpr std::uint64_t another_name = 0x9e3779b97f4a7c15;

// Whether some body moves farther than pairs were sought for. And what they are sought for in the next step: what was
// added to the way of a body in this one is a guess at what forces will do.
bool goes_beyond(std::span<const double> ways, std::span<const double> reaches, double slack, double falling,
                 std::vector<double>& next) {
  next.resize(ways.size());
  const double *way = ways.data(), *reach = reaches.data(), most = most_ahead * falling;
  double* const to = next.data();
  const int n = static_cast<int>(ways.size());
  int beyond = 0;
  STICTION_VECTORISE
  for (int b = 0; b < n; ++b) {
    beyond += !(way[b] <= reach[b] + slack);
    double ahead = reach[b] - way[b];
    ahead = ahead < falling ? falling : ahead;
    to[b] = way[b] + (most < ahead ? most : ahead);
  }
  return beyond != 0;
}

void widen(std::span<const double> way, std::vector<double>& reach) {
  for (std::size_t b = 0; b < way.size(); ++b) reach[b] = std::max(reach[b], way[b]);
}

}  // namespace

void Simulator::Workspace::find_contacts() {
  if (!placed) {
    contact_finder.place(dynamics);
    placed = true;
  }
  if (!found_current && !state.found.is_at(state.q)) {
    const double falling = time_step * time_step * model->gravity.norm();
    contact_finder.find_ways(dynamics, time_step, state.found.reach);
    for (double& reach : state.found.reach) reach += falling;
    contact_finder.find(state.found.reach, state.collision, state.found.points);
    state.found.q = state.q;
  }
  found_current = true;
  points = state.found.points;
  roles.clear();
  report.num_rechecks = 0;
  was_widened = false;
}

// Forces of this step may move bodies farther than the last one could know. True where bodies may sleep: what is newly
// within reach may wake some, and the free velocity is another one then.
bool Simulator::Workspace::reach_with_free_velocity() {
  if (model->shapes.empty() || was_widened) return false;
  const double slack = part_of_margin * contact_finder.margin();
  if (!contact_finder.may_go_beyond(state.v.data(), v_free.data(), time_step, slack)) return false;
  find_body_v_free();
  if (!contact_finder.widen(dynamics, body_v_free, time_step, slack, state.found.reach)) return false;
  contact_finder.find(state.found.reach, state.collision, state.found.points);
  points = state.found.points;
  was_widened = true;
  return settings.sleeping;
}

void Simulator::Workspace::find_body_v_free() {
  if (!body_v_free_current) body_velocities(dynamics, v_free.data(), body_v_free);
  body_v_free_current = true;
}

// Points with roles of their own.
void Simulator::Workspace::begin_roles() {
  if (!roles.empty()) return;
  points_with_roles.assign(points.begin(), points.end());
  roles.assign(points.size(), PointRole::usual);
  points = points_with_roles;
}

// The half space beyond the nearest point of something far is not the thing: what flies past it crosses it as well.
// Pairs farther than the margin are therefore followed along the free motion. Where they do not meet they make no row
// (should impulses bring them together, the look ahead finds that); where they meet with another normal, that counts.
void Simulator::Workspace::follow_free_motion() {
  constexpr double touching = 1e-5;     // m
  constexpr double like_normal = 0.98;  // cosine
  const double margin = contact_finder.margin();
  if (std::none_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.gap > margin; })) return;
  const auto motion = [&](const Shape& s) {
    if (s.body < 0) return SweptBody{};
    const auto b = static_cast<std::size_t>(s.body);
    const Pose& pose = contact_finder.poses()[b];
    const Vector3 pivot = pose * s.bound_center, spin_f = to_eigen(body_v_free[b].angular);
    const Vector3 arm = pivot - to_eigen(dynamics.reference[model->bodies[s.body].tree]);
    return SweptBody{pose, pivot, time_step * (to_eigen(body_v_free[b].linear) + spin_f.cross(arm)),
                     time_step * spin_f};
  };
  far_touches.clear();
  for (std::size_t first = 0, end; first < points.size(); first = end) {
    const ContactIdentity pair = points[first].id;
    const auto is_of_pair = [&](const ContactPoint& p) {
      return p.id.shape_a == pair.shape_a && p.id.shape_b == pair.shape_b;
    };
    double nearest = points[first].gap;
    for (end = first; end < points.size() && is_of_pair(points[end]); ++end)
      nearest = std::min(nearest, points[end].gap);
    const Shape &a = model->shapes[pair.shape_a], &b = model->shapes[pair.shape_b];
    if (nearest <= margin || a.kind() == ShapeKind::plane || b.kind() == ShapeKind::plane) continue;
    find_body_v_free();
    const bool approaches = std::any_of(
        points.begin() + static_cast<std::ptrdiff_t>(first), points.begin() + static_cast<std::ptrdiff_t>(end),
        [&](const ContactPoint& p) { return p.gap + time_step * normal_velocity(p, body_v_free) <= margin; });
    if (!approaches) continue;
    FirstTouch touch = pair_sweep.find(a, motion(a), b, motion(b), touching);
    touch.point.id.shape_a = pair.shape_a, touch.point.id.shape_b = pair.shape_b;
    if (touch.touches() && touch.point.normal.dot(points[first].normal) >= like_normal) continue;
    begin_roles();
    std::fill(roles.begin() + static_cast<std::ptrdiff_t>(first), roles.begin() + static_cast<std::ptrdiff_t>(end),
              PointRole::passes);
    if (touch.touches()) far_touches.push_back(touch);
  }
  for (const FirstTouch& touch : far_touches) {
    add_exact(moved_back(touch.point, touch.time, body_v_free), touch.point.gap, touch.time, body_v_free);
  }
  if (!roles.empty()) points = points_with_roles;
}

// From here on kinematics are those of the end of the step.
void Simulator::Workspace::look_ahead() {
  const bool has_shapes = !model->shapes.empty();
  next_found.q = q_end;
  if (has_shapes) list_promises();
  update_kinematics(*model, q_end.data(), v_end.data(), dynamics);
  kinematics_current = inertia_current = false;  // not of the state, until the step is accepted
  if (!has_shapes) return;
  contact_finder.place(dynamics);
  const double farthest_turn = contact_finder.find_ways(dynamics, time_step, end_way);
  const double margin = contact_finder.margin(), falling = time_step * time_step * model->gravity.norm();
  std::span<const ContactPoint> sought = points;
  if (goes_beyond(end_way, state.found.reach, part_of_margin * margin, falling, next_found.reach)) {
    wider_reach = state.found.reach;
    widen(end_way, wider_reach);
    contact_finder.find_earlier(wider_reach, state.collision, wider_points);
    sought = wider_points;
  }
  contact_finder.find(next_found.reach, state.collision, next_found.points);
  geometry_check.check({.model = *model,
                        .before = contact_finder.earlier_poses(),
                        .after = contact_finder.poses(),
                        .promises = promises,
                        .sought = sought,
                        .found = next_found.points,
                        .way = end_way,
                        .dynamics = dynamics,
                        .time_step = time_step,
                        .is_recheck = report.num_rechecks > 0,
                        .farthest_turn = farthest_turn,
                        .asleep = asleep(),
                        .margin = margin,
                        .tolerance = settings.geometric_tolerance});
  report.unforeseen_penetration = geometry_check.unforeseen_penetration();
  report.largest_gap_error = geometry_check.largest_gap_error();
  report.largest_normal_error = geometry_check.largest_normal_error();
  report.geometry_certified = geometry_check.is_certified();
}

// Gaps at the end of the step as its rows have them. Where positions are moved by more than v⁺ (projection) the rows'
// end velocities do not tell; the bodies' do.
void Simulator::Workspace::list_promises() {
  const int n = row_builder.num_contacts();
  promises.resize(static_cast<std::size_t>(n));
  const bool is_projected = settings.constraints.projects_joints(*model) && rows.num_constraints() > 0;
  if (is_projected) body_velocities(dynamics, v_move.data(), body_v_move);
  for (int i = 0; i < n; ++i) {
    const ContactPoint& point = points[row_builder.point(i)];
    double c_N = velocity[i][2] - rows[i].compliance[2] * impulse[i][2] - rows[i].offset[2];
    if (is_projected) c_N = normal_velocity(point, body_v_move);
    const bool is_exact = !roles.empty() && roles[static_cast<std::size_t>(row_builder.point(i))] == PointRole::exact;
    promises[i] = {point.id, point.position, point.normal, point.gap, point.gap + time_step * c_N, impulse[i][2] > 0.0,
                   is_exact};
  }
}

// Of the two bodies of a contact at its point.
double Simulator::Workspace::normal_velocity(const ContactPoint& point,
                                             const AlignedVector<SpatialVector<double>>& body_v) const {
  const auto along_normal = [&](int shape) {
    const int body = model->shapes[shape].body;
    if (body < 0) return 0.0;
    const Vector3 arm = point.position - to_eigen(dynamics.reference[model->bodies[body].tree]);
    const SpatialVector<double>& v = body_v[static_cast<std::size_t>(body)];
    return point.normal.dot(to_eigen(v.linear) + Vector3(to_eigen(v.angular)).cross(arm));
  };
  return along_normal(point.id.shape_a) - along_normal(point.id.shape_b);
}

// Contacts that the step missed become points: true where it is to be solved again. Kinematics and the factor of the
// inertia are those of its beginning again.
bool Simulator::Workspace::recheck() {
  if (!settings.recheck || geometry_check.missed().empty() || report.num_rechecks >= most_rechecks) return false;
  ++report.num_rechecks;
  contact_finder.return_to_earlier();
  update_kinematics(*model, state.q.data(), state.v.data(), dynamics);
  update_inertia(*model, dynamics);
  factor_inertia(*model, actuation.added_diagonal(), dynamics, fluid_forces.added_rows());
  body_velocities(dynamics, v_end.data(), body_v_end);
  begin_roles();
  for (const MissedContact& missed : geometry_check.missed()) {
    contact_finder.forget_pair(missed.point.id, state.collision);
    // The row Φ_s + Δt J (v − s v⁺) ≥ least, as a contact with the gap that says so at the beginning of the step.
    add_exact(moved_back(missed.point, missed.time, body_v_end), missed.point.gap - missed.least_gap, missed.time,
              body_v_end);
  }
  points = points_with_roles;
  return true;
}

// A point of contact after a part of the step as seen from the bodies at its beginning: arms about the reference of a
// tree stay, since it is these that turn a velocity of the tree into one along the normal there. Two trees: halfway.
ContactPoint Simulator::Workspace::moved_back(ContactPoint point, double time,
                                              const AlignedVector<SpatialVector<double>>& body_v) const {
  Vector3 moved = Vector3::Zero();
  double sides = 0.0;
  for (const int shape : {point.id.shape_a, point.id.shape_b}) {
    const int body = model->shapes[shape].body;
    if (body < 0) continue;
    const int root = model->trees[model->bodies[body].tree].first_body;
    moved += time * time_step * to_eigen(body_v[static_cast<std::size_t>(root)].linear);
    sides += 1.0;
  }
  point.position -= moved / std::max(1.0, sides);
  return point;
}

void Simulator::Workspace::add_exact(ContactPoint point, double gap, double time,
                                     const AlignedVector<SpatialVector<double>>& body_v) {
  point.gap = gap - time * time_step * normal_velocity(point, body_v);
  const auto find = [&] {
    return std::lower_bound(points_with_roles.begin(), points_with_roles.end(), point,
                            [](const ContactPoint& a, const ContactPoint& b) { return a.id < b.id; });
  };
  auto at = find();
  // Another point of the same name that was missed in an earlier round stays beside this one.
  while (at != points_with_roles.end() && at->id == point.id &&
         roles[static_cast<std::size_t>(at - points_with_roles.begin())] == PointRole::exact) {
    point.id.feature += another_name;
    at = find();
  }
  const auto index = at - points_with_roles.begin();
  if (at != points_with_roles.end() && at->id == point.id) {
    *at = point;
    roles[static_cast<std::size_t>(index)] = PointRole::exact;
  } else {
    points_with_roles.insert(at, point);
    roles.insert(roles.begin() + index, PointRole::exact);
  }
}

}  // namespace stiction
