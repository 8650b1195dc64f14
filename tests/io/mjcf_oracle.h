// MuJoCo's own model and data of the same file, as the truth; and what tests of the MJCF reader share.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <variant>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/io/mjcf/mjcf.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "tests/support/test_files.h"

namespace stiction::testing {

inline const std::string humanoid = testing::scene_file("humanoid/humanoid.xml");

// MuJoCo's own model and data of the same file, as the truth.
struct Oracle {
  explicit Oracle(mjModel* model) : m(model), d(mj_makeData(model)) { mj_forward(m, d); }
  ~Oracle() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  static Oracle of_string(const std::string& xml) {
    char error[1000] = "";
    mjSpec* spec = mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error);
    mjModel* model = spec ? mj_compile(spec, nullptr) : nullptr;
    if (!model) throw std::runtime_error(spec ? mjs_getError(spec) : error);
    mj_deleteSpec(spec);
    return Oracle(model);
  }
  static Oracle of_file(const std::string& path) {
    const mjLogConfig before = mju_getLogConfig();  // warnings would go to a file in the working directory
    mjLogConfig silent = before;
    silent.logto_console = silent.logto_file = 0;
    mju_setLogConfig(silent);
    char error[1000] = "";
    mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    mju_setLogConfig(before);
    if (!model) throw std::runtime_error(error);
    return Oracle(model);
  }

  mjModel* m;
  mjData* d;
};

// q of ours from qpos of MuJoCo: the quaternions turned round.
inline VectorX to_position(const mjModel& m, const mjtNum* qpos) {
  VectorX q = ConstVectorMap(qpos, m.nq);
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_type[j] > mjJNT_BALL) continue;
    const int first = m.jnt_qposadr[j] + (m.jnt_type[j] == mjJNT_FREE ? 3 : 0);
    const Eigen::Vector4d wxyz = q.segment<4>(first);
    q.segment<4>(first) << wxyz[1], wxyz[2], wxyz[3], wxyz[0];
  }
  return q;
}

inline Pose frame_pose(const Model& model, const DynamicsData& data, int frame) {
  const Frame& f = model.frames[frame];
  return f.body < 0 ? f.pose : body_pose(data, f.body) * f.pose;
}

inline void expect_pose(const Pose& pose, const mjtNum* position, const mjtNum* matrix, double tolerance,
                        const char* what) {
  EXPECT_NEAR((pose.position - Eigen::Map<const Vector3>(position)).norm(), 0.0, tolerance) << what;
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> expected(matrix);
  EXPECT_NEAR((pose.rotation - expected).norm(), 0.0, tolerance) << what;
}

// Poses of all bodies, sites and geoms, the inertia matrix and the bias force, in the state that the oracle is in.
inline void expect_same_mechanics(const Model& model, const Oracle& oracle, double tolerance) {
  const mjModel& m = *oracle.m;
  ASSERT_EQ(m.nq, model.num_positions());
  ASSERT_EQ(m.nv, model.num_velocities());
  DynamicsData data(model);
  const VectorX q = to_position(m, oracle.d->qpos);
  update_kinematics(model, q.data(), oracle.d->qvel, data);
  update_inertia(model, data);
  for (int b = 1; b < m.nbody; ++b) {
    expect_pose(frame_pose(model, data, b - 1), oracle.d->xpos + 3 * b, oracle.d->xmat + 9 * b, tolerance, "body");
  }
  for (int s = 0; s < m.nsite; ++s) {
    expect_pose(frame_pose(model, data, m.nbody - 1 + s), oracle.d->site_xpos + 3 * s, oracle.d->site_xmat + 9 * s,
                tolerance, "site");
  }
  std::vector<mjtNum> full(m.nv * m.nv);
  mj_fullM(oracle.m, oracle.d, full.data());
  const Eigen::Map<const MatrixX> expected(full.data(), m.nv, m.nv);
  const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
  for (int k = 0; k < m.nv; ++k) {
    VectorX unit = VectorX::Unit(m.nv, k), column(m.nv);
    multiply_inertia(model, data, unit.data(), column.data());
    EXPECT_NEAR((column - expected.col(k)).cwiseAbs().maxCoeff(), 0.0, 10 * tolerance * scale) << "column of M " << k;
  }
  // τ that holds still: the bias force.
  VectorX zero = VectorX::Zero(m.nv), bias(m.nv);
  inverse_dynamics(model, data, zero.data(), nullptr, 0, bias.data());
  const ConstVectorMap expected_bias(oracle.d->qfrc_bias, m.nv);
  const double force = 1.0 + expected_bias.cwiseAbs().maxCoeff();
  EXPECT_NEAR((bias - expected_bias).cwiseAbs().maxCoeff(), 0.0, 100 * tolerance * force);
}

inline void randomise(Oracle& oracle, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  VectorX v(oracle.m->nv);
  for (double& x : v) x = uniform(random);
  mj_integratePos(oracle.m, oracle.d->qpos, v.data(), 1.0);
  for (int k = 0; k < oracle.m->nv; ++k) oracle.d->qvel[k] = uniform(random);
  mj_forward(oracle.m, oracle.d);
}

inline double total_mass(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass;
}

inline bool tells(const LoadedModel& loaded, const std::string& element, const std::string& reason) {
  return std::any_of(loaded.ignored.begin(), loaded.ignored.end(), [&](const IgnoredElement& i) {
    return i.element.find(element) != std::string::npos && i.reason.find(reason) != std::string::npos;
  });
}

inline std::string all_of(const LoadedModel& loaded) {
  std::string text;
  for (const IgnoredElement& i : loaded.ignored) text += i.element + ": " + i.reason + "\n";
  return text;
}

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace stiction::testing
