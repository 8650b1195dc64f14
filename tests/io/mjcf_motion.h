// Motions beside MuJoCo's of the same file. Ours are of first order in Δt, so three time steps are extrapolated to
// none; MuJoCo runs as its options say, which should be RK4 at 0.1 ms.
#pragma once

#include "stiction/sim/simulator.h"
#include "tests/io/mjcf_oracle.h"

namespace stiction::testing {

inline constexpr const char* motion_header =
    R"(<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="1e-4"><flag contact="disable"/></option>)";

// The same where MuJoCo's equalities, limits and dry friction have to be hard. A row of it forgets J̇ v, and so misses
// by J̇ v/k in position: k = 1e8 needs a time step of 10 µs.
inline constexpr const char* hard_header =
    R"(<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="1e-5"><flag contact="disable"/></option>)";
inline constexpr const char *hard_solref = "-1e8 -2e4", *hard_solimp = "0.9999 0.9999 0.001 0.5 2";

// What a motion begins with; q empty: the first state of the model.
struct MotionStart {
  VectorX v{}, control{}, q{};
};

inline VectorX run_ours(const std::shared_ptr<const Model>& model, double time_step, double duration,
                        const MotionStart& start) {
  Simulator simulator(model, {.time_step = time_step});
  if (start.q.size() > 0) simulator.set_position(start.q);
  simulator.set_velocity(start.v);
  simulator.set_control(start.control);
  simulator.step(static_cast<int>(std::lround(duration / time_step)));
  EXPECT_EQ(0, simulator.num_uncertified_steps());
  return simulator.state().q;
}

// Velocities that differ from joint to joint.
inline VectorX mixed_velocity(int size, double speed) {
  VectorX v(size);
  for (int j = 0; j < size; ++j) v[j] = speed * (j % 2 ? -0.7 : 1.0);
  return v;
}

// Whether both are at the same place after some time with constant control; `finest`: the least of our three time
// steps. Where the motion has kinks (forces that saturate, strings that touch) these must be small.
inline ::testing::AssertionResult moves_alike(const std::shared_ptr<const Model>& model, Oracle& oracle,
                                              double duration, const MotionStart& start, double finest = 1e-4,
                                              double tolerance = 1e-6) {
  const mjModel& m = *oracle.m;
  if (m.nv != start.v.size() || m.nu != start.control.size()) {
    return ::testing::AssertionFailure() << m.nv << " velocities and " << m.nu << " controls there";
  }
  for (int j = 0; j < m.nv; ++j) oracle.d->qvel[j] = start.v[j];
  for (int k = 0; k < m.nu; ++k) oracle.d->ctrl[k] = start.control[k];
  const VectorX first = to_position(m, oracle.d->qpos);
  int limits = 0;
  while (oracle.d->time < duration - 0.5 * m.opt.timestep) {
    mj_step(oracle.m, oracle.d);
    limits = std::max(limits, oracle.d->nl);
  }
  const VectorX expected = to_position(m, oracle.d->qpos);
  const VectorX coarse = run_ours(model, 4.0 * finest, duration, start),
                fine = run_ours(model, 2.0 * finest, duration, start), finer = run_ours(model, finest, duration, start);
  const VectorX once = 2.0 * finer - fine, before = 2.0 * fine - coarse, twice = (4.0 * once - before) / 3.0;
  int worst = 0;
  const double distance = (twice - expected).cwiseAbs().maxCoeff(&worst);
  const double moved = (first - expected).cwiseAbs().maxCoeff();
  if (distance <= tolerance && moved >= 1e-3) return ::testing::AssertionSuccess();
  const auto error = [&](const VectorX& q) { return (q - expected).cwiseAbs().maxCoeff(); };
  return ::testing::AssertionFailure() << distance << " apart at q[" << worst << "] after a way of " << moved
                                       << "; by time step " << error(coarse) << ", " << error(fine) << ", "
                                       << error(finer) << ", extrapolated " << error(before) << ", " << error(once)
                                       << "; there are " << limits << " limits at most, " << oracle.d->ne
                                       << " rows of equalities, " << oracle.d->nf << " of friction";
}

// What is left of a model where motions can be the same: no contacts, and constraints as hard as MuJoCo can have them.
inline void harden(mjModel& m) {
  m.opt.integrator = mjINT_RK4;
  const bool is_constrained =
      m.neq > 0 || std::any_of(m.dof_frictionloss, m.dof_frictionloss + m.nv, [](mjtNum f) { return f > 0.0; });
  m.opt.timestep = is_constrained ? 1e-5 : 1e-4;
  m.opt.disableflags |= mjDSBL_CONTACT;
  const auto set = [](mjtNum* solref, mjtNum* solimp, mjtSize count) {
    constexpr mjtNum stiff[mjNREF] = {-1e8, -2e4}, stiff_impedance[mjNIMP] = {0.9999, 0.9999, 0.001, 0.5, 2.0};
    for (mjtSize k = 0; k < count; ++k) {
      std::copy_n(stiff, mjNREF, solref + mjNREF * k);
      std::copy_n(stiff_impedance, mjNIMP, solimp + mjNIMP * k);
    }
  };
  set(m.jnt_solref, m.jnt_solimp, m.njnt);
  set(m.dof_solref, m.dof_solimp, m.nv);
  set(m.eq_solref, m.eq_solimp, m.neq);
  set(m.tendon_solref_lim, m.tendon_solimp_lim, m.ntendon);
  set(m.tendon_solref_fri, m.tendon_solimp_fri, m.ntendon);
  std::fill_n(m.jnt_margin, m.njnt, 0.0);
  std::fill_n(m.tendon_margin, m.ntendon, 0.0);
}

// A state away from limits, with velocities that agree with the equalities of joints and controls that differ.
inline MotionStart mixed_start(Oracle& oracle, double speed, double control) {
  const mjModel& m = *oracle.m;
  MotionStart start;
  start.v = mixed_velocity(m.nv, speed);
  for (int j = 0; j < m.njnt; ++j) {
    if (!m.jnt_limited[j] || m.jnt_type[j] < mjJNT_SLIDE) continue;
    const double lower = m.jnt_range[2 * j], upper = m.jnt_range[2 * j + 1];
    mjtNum& q = oracle.d->qpos[m.jnt_qposadr[j]];
    if (!(q > lower + 0.2 * (upper - lower) && q < upper - 0.2 * (upper - lower))) q = 0.5 * (lower + upper);
    if (upper - lower < 1e-3) start.v[m.jnt_dofadr[j]] = 0.0;  // it is held
  }
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] != mjEQ_JOINT) continue;
    const int a = m.eq_obj1id[e], b = m.eq_obj2id[e];
    const mjtNum* c = m.eq_data + mjNEQDATA * e;
    const int at = m.jnt_qposadr[a];
    oracle.d->qpos[at] = m.qpos0[at] + c[0];
    start.v[m.jnt_dofadr[a]] = 0.0;
    if (b < 0) continue;
    oracle.d->qpos[m.jnt_qposadr[b]] = m.qpos0[m.jnt_qposadr[b]];
    start.v[m.jnt_dofadr[b]] = 0.0;
  }
  mj_forward(oracle.m, oracle.d);
  start.q = to_position(m, oracle.d->qpos);
  start.control.resize(m.nu);
  for (int k = 0; k < m.nu; ++k) {  // 0.4 … 0.6 of the range
    const double share = 0.4 + 0.2 * ((k * 7) % 5) / 4.0;
    const mjtNum* range = m.actuator_ctrlrange + 2 * k;
    start.control[k] = m.actuator_ctrllimited[k] ? range[0] + share * (range[1] - range[0]) : control * (share - 0.45);
  }
  return start;
}

inline void expect_same_motion(const std::string& xml, double duration, const VectorX& v,
                               const std::vector<double>& control, double finest = 1e-4) {
  const LoadedModel loaded = load_mjcf_string(xml);
  for (const IgnoredElement& i : loaded.ignored) {
    const bool is_seen_only = i.reason.find("only to ") == 0;
    EXPECT_TRUE(is_seen_only || i.element.find("option") == 0 || i.element.find("geom") == 0 ||
                i.element.find("solref") == 0)
        << i.element << ": " << i.reason;
  }
  ASSERT_EQ(control.size(), loaded.model->actuators.size());
  Oracle oracle = Oracle::of_string(xml);
  const VectorX u = ConstVectorMap(control.data(), static_cast<Eigen::Index>(control.size()));
  EXPECT_TRUE(moves_alike(loaded.model, oracle, duration, {.v = v, .control = u}, finest));
}

inline void expect_same_motion(const std::string& xml, double duration, double speed,
                               const std::vector<double>& control, double finest = 1e-4) {
  const int size = load_mjcf_string(xml).model->num_velocities();
  expect_same_motion(xml, duration, mixed_velocity(size, speed), control, finest);
}

}  // namespace stiction::testing
