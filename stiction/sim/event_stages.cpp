// From event to event: what happens at an instant, and the smooth part after it (theory §7.1 to §7.4).
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/math/refuse.h"
#include "stiction/sim/event_workspace.h"

namespace stiction {
namespace {

constexpr int most_impacts = 10;  // at one instant

}  // namespace

void EventSimulator::Workspace::state_changed() {
  cache.clear();
  first_current = false;
  pending.reset();
  resting.set({}, {}, {});
  close_events = 0;
}

double EventSimulator::Workspace::accelerate(const VectorX& at, const VectorX& velocity, VectorX& acceleration) {
  stop_if_asked();
  ++report.num_evaluations;
  const double power = forces.accelerate(at, velocity, {control, applied, external_forces}, data, acceleration);
  return power + resting.accelerate(data, at, velocity, acceleration);
}

void EventSimulator::Workspace::update() {
  update_kinematics(*model, q.data(), v.data(), data);
  update_inertia(*model, data);
  factor_inertia(*model, nullptr, data);
  for (int b = 0; b < model->num_bodies(); ++b) poses[static_cast<std::size_t>(b)] = stiction::body_pose(data, b);
}

void EventSimulator::Workspace::check_start() {
  cache.clear();
  update();
  if (!model->shapes.empty()) collider.collide(poses, {}, cache, found);
  for (const ContactPoint& p : found) {
    if (p.gap >= -settings.event_tolerance) continue;
    refuse("event-driven simulation: shapes '", model->shapes[p.id.shape_a].name, "' and '",
           model->shapes[p.id.shape_b].name, "' overlap by ", -p.gap, " m at the start; no more than event_tolerance (",
           settings.event_tolerance, " m) is allowed");
  }
  for (const LimitedDof& l : limited) {
    const double beyond = std::max(l.lower - q[l.position], q[l.position] - l.upper);
    if (beyond <= settings.event_tolerance) continue;
    refuse("event-driven simulation: the joint of body '", model->bodies[model->dofs[l.dof].body].name, "' starts at ",
           q[l.position], ", beyond its limits ", l.lower, " … ", l.upper);
  }
}

void EventSimulator::Workspace::find_touching() {
  touching.clear();
  if (model->shapes.empty()) return;
  collider.collide(poses, {}, cache, found);
  for (const ContactPoint& p : found) {
    if (p.gap > tolerance) continue;
    touching.push_back(p);
    report.largest_penetration = std::max(report.largest_penetration, -p.gap);
  }
}

void EventSimulator::Workspace::record(MotionEvent event) {
  event.time = time;
  ++report.num_events;
  if (settings.keep_events) events.push_back(event);
  close_events = last_event >= 0.0 && time - last_event < settings.minimum_interval ? close_events + 1 : 0;
  last_event = time;
}

bool EventSimulator::Workspace::strike() {
  Impact blow = impact.solve(data, q, touching, v);
  if (!blow.happened) return false;
  ++report.num_impacts;
  report.status = std::max(report.status, blow.status);
  report.impact_change += blow.energy_change;
  report.largest_impact_gain = std::max(report.largest_impact_gain, blow.energy_change);
  merge(blow.residuals, report.impact_residuals);
  MotionEvent event;
  event.speed = blow.approach;
  if (blow.fastest.source == ConstraintSource::contact) {
    event.shape_a = blow.fastest.first, event.shape_b = blow.fastest.second;
  } else {
    event.dof = blow.fastest.first;
  }
  event.num_rows = blow.num_rows;
  event.status = blow.status;
  event.residual = blow.residuals.eps_nat;
  event.energy_change = blow.energy_change;
  event.solve_seconds = blow.solve_seconds;
  record(event);
  first_current = false;
  return true;
}

// What touches and does not part, joints at limits, joints that dry friction holds.
void EventSimulator::Workspace::find_resting() {
  std::vector<RestingContact> contacts;
  std::vector<RestingLimit> limits;
  std::vector<int> held;
  resting_pairs.clear();
  for (const ContactPoint& p : touching) {
    const int a = model->shapes[p.id.shape_a].body, b = model->shapes[p.id.shape_b].body;
    Vector3 c = Vector3::Zero();
    if (a >= 0) c += point_velocity(data, a, p.position);
    if (b >= 0) c -= point_velocity(data, b, p.position);
    const double normal = c.dot(p.normal);
    if (normal > settings.rest_speed) continue;
    const Vector3 slip = c - normal * p.normal;
    contacts.push_back({p, slip.norm() > settings.slip_speed, slip.normalized()});
    resting_pairs.emplace_back(p.id.shape_a, p.id.shape_b);
  }
  resting_pairs.erase(std::unique(resting_pairs.begin(), resting_pairs.end()), resting_pairs.end());
  for (const LimitedDof& l : limited) {
    if (q[l.position] - l.lower <= tolerance && v[l.dof] <= settings.rest_speed) {
      limits.push_back({l.dof, false});
    } else if (l.upper - q[l.position] <= tolerance && -v[l.dof] <= settings.rest_speed) {
      limits.push_back({l.dof, true});
    }
  }
  applied = joint_force;
  for (const int j : dry) {
    if (std::abs(v[j]) <= settings.rest_speed) {
      held.push_back(j);
    } else {
      applied[j] -= std::copysign(model->dofs[j].dry_friction, v[j]);
    }
  }
  if (!contacts.empty() || !limits.empty() || !dry.empty() || !resting.empty()) first_current = false;
  resting.set(contacts, limits, held);
  report.num_resting = static_cast<int>(contacts.size());
}

void EventSimulator::Workspace::settle() {
  update();
  find_touching();
  const double change_before = report.impact_change;
  bool struck = false;
  for (int k = 0; k < most_impacts && strike(); ++k) {
    struck = true;
    update();
  }
  if (pending && !struck) {
    MotionEvent event;
    event.kind = pending->kind;
    event.shape_a = pending->shape_a, event.shape_b = pending->shape_b, event.dof = pending->dof;
    if (pending->is_sure) record(event);
    report.num_unsure += !pending->is_sure;
    report.num_slip_ends += event.kind == EventKind::slip_end;
  }
  pending.reset();
  find_resting();
  energy = forces.energy(q, v, data);
  // Before the impacts there was what they took, too.
  const double change = report.impact_change - change_before;
  report.largest_energy = std::max({report.largest_energy, energy.kinetic, energy.kinetic - change});
}

double EventSimulator::Workspace::integrate_part(double h) {
  const RungeKutta::Tolerance accuracy{settings.relative_tolerance, settings.absolute_tolerance};
  if (!first_current) runge_kutta.first_power() = accelerate(q, v, runge_kutta.first_acceleration());
  first_current = true;
  for (;;) {
    runge_kutta.step(q, v, h, motion, accuracy);
    ++report.num_steps;
    if (!runge_kutta.velocity().allFinite() || !runge_kutta.position().allFinite()) {
      throw std::runtime_error(message("event-driven simulation at time ", time,
                                       ": velocities are not finite; positions, velocities or forces grew too large"));
    }
    if (runge_kutta.error() <= 1.0 || h < 1e-12) return h;
    ++report.num_rejected_steps;
    h = runge_kutta.next_step(h);
  }
}

// ---- The next event on the path.

void EventSimulator::Workspace::find_next_contact(double h, Next& next) {
  if (model->shapes.empty()) return;
  for (std::size_t b = 0; b < reach.size(); ++b) {
    const int body = static_cast<int>(b);
    reach[b] = body_radius[b] > 0.0 ? h * (path.speed(body) + path.turning(body) * body_radius[b]) : 0.0;
  }
  collider.collide(poses, reach, cache, found);
  std::pair<int, int> last{-1, -1};
  for (const ContactPoint& p : found) {
    const std::pair<int, int> pair{p.id.shape_a, p.id.shape_b};
    if (pair == last || std::binary_search(resting_pairs.begin(), resting_pairs.end(), pair)) continue;
    last = pair;
    stop_if_asked();
    const Touch touch = next_touch.find(path, pair.first, pair.second, std::min(h, next.after), tolerance);
    if (!(touch.time < next.after) || touch.time > h) continue;
    next = {};
    next.after = touch.time, next.is_sure = touch.is_sure, next.is_touch = touch.is_sure;
    next.shape_a = pair.first, next.shape_b = pair.second;
  }
}

void EventSimulator::Workspace::find_next_limit(Next& next) {
  const auto rests = [&](int dof, bool upper) {
    return std::any_of(resting.limits().begin(), resting.limits().end(),
                       [&](const RestingLimit& l) { return l.dof == dof && l.upper == upper; });
  };
  for (const LimitedDof& l : limited) {
    for (const bool upper : {false, true}) {
      if (rests(l.dof, upper)) continue;
      const double gap = upper ? l.upper - q[l.position] : q[l.position] - l.lower;
      if (!std::isfinite(gap)) continue;
      Cubic c = path.coordinate(l.dof, 0.0);
      for (double& x : c) x *= upper ? -1.0 : 1.0;
      c[0] = std::max(gap, 1e-3 * tolerance);
      const double end = std::min(path.duration(), next.after);
      const double s = first_root(c, end);
      if (!(s <= end) || !(s < next.after)) continue;
      next = {};
      next.after = s, next.dof = l.dof, next.upper = upper;
    }
  }
}

bool EventSimulator::Workspace::is_held(int shape_a, int shape_b, const ContactPoint& p) const {
  return std::any_of(resting.contacts().begin(), resting.contacts().end(), [&](const RestingContact& c) {
    return c.point.id.shape_a == shape_a && c.point.id.shape_b == shape_b && c.point.id.feature == p.id.feature;
  });
}

// The deepest point of a pair that is not held, below the tolerance; infinite: none. `safe`: how long no such point can
// come nearer than −tolerance/2.
double EventSimulator::Workspace::deepest_new_point(int shape_a, int shape_b, double s, double margin, double& safe) {
  const double limit = path.duration() - s;
  double deepest = std::numeric_limits<double>::infinity();
  safe = deepest;  // what is farther than the margin does not come within it on this path
  next_touch.look(path, shape_a, shape_b, s, margin);
  for (const ContactPoint& p : next_touch.points().points()) {
    if (is_held(shape_a, shape_b, p)) continue;
    if (p.gap <= tolerance && next_touch.parting_speed(p) < 0.0) deepest = std::min(deepest, p.gap);
    const double way = std::max(p.gap, 0.0) + 0.5 * tolerance;
    safe = std::min(safe, next_touch.safe_time(path, shape_a, shape_b, &p, s, limit, way));
  }
  return deepest;
}

// Shapes that touch already may come to touch elsewhere, too: a block that tips over. Between looks nothing new comes
// deeper than half the tolerance, or, where that would take more than `most_looks`, than 1/most_looks of the way that
// the fastest point goes.
void EventSimulator::Workspace::find_next_in_resting_pairs(Next& next) {
  constexpr int most_looks = 16;
  const double enough = -0.5 * tolerance;
  double safe = 0.0;
  for (const auto& [a, b] : resting_pairs) {
    const double h = std::min(path.duration(), next.after);
    const double fastest = fastest_point(path, model->shapes[a]) + fastest_point(path, model->shapes[b]);
    double low = 0.0, high = -1.0;
    for (double s = 0.0; high < 0.0;) {
      stop_if_asked();
      const double deepest = deepest_new_point(a, b, s, fastest * (h - s) + tolerance, safe);
      if (s > 0.0 && deepest < enough) {
        high = s;
      } else {
        low = s;
        if (s >= h || s + safe > h) break;
        s = std::min(h, s + std::max(safe, h / most_looks));
      }
    }
    if (high < 0.0) continue;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      const double gap = deepest_new_point(a, b, middle, tolerance, safe);
      if (middle <= low || middle >= high) break;
      (gap < enough ? high : low) = middle;
      if (std::abs(gap) <= -enough) break;  // within the tolerance
    }
    if (!(high < next.after)) continue;
    next = {};
    next.after = high, next.is_touch = true, next.shape_a = a, next.shape_b = b;
  }
}

// Slip of a contact along the direction that it had when the part began; infinite where it has gone.
double EventSimulator::Workspace::slip(int contact, double s) {
  const RestingContact& c = resting.contacts()[static_cast<std::size_t>(contact)];
  const Shape& a = model->shapes[c.point.id.shape_a];
  next_touch.look(path, c.point.id.shape_a, c.point.id.shape_b, s, 0.01 * std::min(1.0, a.bound_radius));
  for (const ContactPoint& p : next_touch.points().points()) {
    if (p.id.feature == c.point.id.feature) return next_touch.relative_velocity(p).dot(c.slip);
  }
  return std::numeric_limits<double>::infinity();
}

void EventSimulator::Workspace::find_next_slip_end(Next& next) {
  for (int i = 0; i < static_cast<int>(resting.contacts().size()); ++i) {
    const double end = std::min(path.duration(), next.after);
    if (!resting.contacts()[static_cast<std::size_t>(i)].slides || resting.normal_force(i) == 0.0) continue;
    stop_if_asked();
    if (slip(i, end) > 0.0) continue;
    double low = 0.0, high = end;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (slip(i, middle) > 0.0 ? low : high) = middle;
    }
    next = {};
    next.after = high, next.kind = EventKind::slip_end, next.contact = i;
    const ContactIdentity& id = resting.contacts()[static_cast<std::size_t>(i)].point.id;
    next.shape_a = id.shape_a, next.shape_b = id.shape_b;
  }
  for (const int j : dry) {
    if (std::abs(v[j]) <= settings.rest_speed) continue;
    Cubic c = path.speed_of(j);
    if (c[0] < 0.0) {
      for (double& x : c) x = -x;
    }
    const double end = std::min(path.duration(), next.after), s = first_root(c, end);
    if (!(s <= end) || !(s < next.after)) continue;
    next = {};
    next.after = s, next.kind = EventKind::slip_end, next.dof = j;
  }
}

EventSimulator::Workspace::Next EventSimulator::Workspace::find_next(double h) {
  path.set(q, v, runge_kutta.first_acceleration(), h, runge_kutta.displacement(), runge_kutta.velocity(),
           runge_kutta.acceleration());
  Next next;
  next.after = std::numeric_limits<double>::infinity();
  const long looks = next_touch.num_looks();
  find_next_contact(h, next);
  find_next_limit(next);
  find_next_in_resting_pairs(next);
  find_next_slip_end(next);
  report.num_looks += next_touch.num_looks() - looks;
  return next;
}

// By how much the last end misses the event, and how that changes with time; both in the unit of the event.
double EventSimulator::Workspace::miss(const Next& next, double& slope) {
  const VectorX &at = runge_kutta.position(), &velocity = runge_kutta.velocity();
  slope = 0.0;
  if (next.is_touch) {
    const auto place = [&](int body) { return body < 0 ? Pose() : stiction::body_pose(data, body); };
    const Shape &a = model->shapes[next.shape_a], &b = model->shapes[next.shape_b];
    PairGap gap;
    gap.look(a, place(a.body) * a.pose, b, place(b.body) * b.pose, 0.01);
    const ContactPoint* p = nullptr;
    for (const ContactPoint& x : gap.points()) {
      if (!is_held(next.shape_a, next.shape_b, x) && (p == nullptr || x.gap < p->gap)) p = &x;
    }
    if (p == nullptr) return 0.0;
    if (a.body >= 0) slope += p->normal.dot(point_velocity(data, a.body, p->position));
    if (b.body >= 0) slope -= p->normal.dot(point_velocity(data, b.body, p->position));
    return p->gap;
  }
  if (next.dof >= 0 && next.kind == EventKind::touch) {
    const LimitedDof& l =
        *std::find_if(limited.begin(), limited.end(), [&](const LimitedDof& x) { return x.dof == next.dof; });
    slope = next.upper ? -velocity[l.dof] : velocity[l.dof];
    return next.upper ? l.upper - at[l.position] : at[l.position] - l.lower;
  }
  if (next.dof >= 0) {  // dry friction: the sign of the speed
    const double sign = v[next.dof] < 0.0 ? -1.0 : 1.0;
    slope = sign * runge_kutta.acceleration()[next.dof];
    return sign * velocity[next.dof];
  }
  return 0.0;
}

// Integrates to the event, and mends its time by what the end misses.
void EventSimulator::Workspace::land(Next& next) {
  const RungeKutta::Tolerance accuracy{settings.relative_tolerance, settings.absolute_tolerance};
  const double enough = next.kind == EventKind::slip_end ? 0.1 * settings.rest_speed : 0.1 * tolerance;
  const double end = path.duration();
  for (int k = 0; k < 8; ++k) {
    if (next.after > 0.0) runge_kutta.step(q, v, next.after, motion, accuracy);
    if (next.after == 0.0) return;
    double slope = 0.0;
    const double error = miss(next, slope);
    if (std::abs(error) <= enough || !(slope < 0.0)) return;
    const double better = next.after - error / slope;
    if (!(better > 0.0) || better > 2.0 * end) return;
    next.after = better;
  }
}

// What rests makes the motion depend on where its parts begin and end: a shorter part may meet something else before.
void EventSimulator::Workspace::land_first(Next& next) {
  constexpr int most_tries = 6;
  for (int k = 0; k < most_tries; ++k) {
    land(next);
    if (resting.empty() || !(next.after > 0.0)) return;
    const Next before = find_next(next.after);
    const bool is_same = before.shape_a == next.shape_a && before.shape_b == next.shape_b && before.dof == next.dof;
    if (is_same || !(before.after < next.after)) return;
    next = before;
  }
}

void EventSimulator::Workspace::accept(double h) {
  if (h > 0.0) {
    q = runge_kutta.position(), v = runge_kutta.velocity();
    const SmoothForces::Energy end = forces.energy(q, v, data);
    const double change = end.kinetic + end.potential - energy.kinetic - energy.potential;
    report.work += runge_kutta.work();
    report.energy_error += std::abs(change - runge_kutta.work());
    resting.correct(data, q, v);
    runge_kutta.first_acceleration() = runge_kutta.acceleration();
    runge_kutta.first_power() = runge_kutta.power();
    first_current = resting.empty();
    time += h;
  }
  report.time = time;
}

void EventSimulator::Workspace::certify() {
  report.rest_residuals = resting.residuals();
  report.num_rest_solves = resting.num_solves();
  report.num_rest_problems = resting.num_problems();
  report.status = std::max(report.status, resting.status());
  report.kinetic_energy = energy.kinetic, report.potential_energy = energy.potential;
  const double worst = std::max(report.impact_residuals.eps_nat, report.rest_residuals.eps_nat);
  report.law_certified = worst <= settings.tolerance;
  report.geometry_certified = report.largest_penetration <= settings.event_tolerance && time_steps_miss_nothing;
  const double allowed = settings.energy_tolerance * report.largest_energy + 1e-12 * std::abs(energy.potential);
  // Of impacts one by one: a gain must not hide behind what an earlier one took.
  report.energy_certified = report.energy_error + report.time_step_gain <= allowed &&
                            report.largest_impact_gain <= 1e-10 * std::max(report.largest_energy, 1e-12);
}

void EventSimulator::Workspace::go_on(double end, bool stop_at_event) {
  const long events_before = report.num_events;
  settle();
  const double rounding = 1e-15 * std::max(1.0, std::abs(end));
  while (end - time > rounding) {
    if (stop_at_event && report.num_events > events_before) break;
    certify();
    set_mark();
    stop_if_asked();
    if (close_events >= settings.most_close_events) {
      pass_crowd(end - time);
      settle();
      continue;
    }
    const bool is_fixed = settings.integrator == Integrator::rk4;
    const double wanted = is_fixed ? settings.step : std::min(step, settings.largest_step);
    double h = integrate_part(std::min(wanted, end - time));
    if (!is_fixed) step = std::min(settings.largest_step, runge_kutta.next_step(h));
    Next next = find_next(h);
    const bool lands = next.after <= h;
    if (lands) {
      land_first(next);
      h = next.after;
      pending = next;
    }
    const bool is_last = !lands && end - time <= h * (1.0 + 1e-12);
    accept(h);
    if (is_last) time = report.time = end;
    settle();
  }
  if (end - time <= rounding) time = report.time = end;  // whoever asks for the time that was asked for goes no further
  certify();
}

}  // namespace stiction
