// Worlds and measures of the tests of sticking.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction::testing {

inline SimulatorSettings settings(double time_step, bool hold = true) {
  SimulatorSettings s;
  s.time_step = time_step;
  s.constraints.hold_sticking = hold;
  return s;
}

inline Vector3 turned(const Vector3& axis, double angle, const Vector3& x) {
  return Eigen::AngleAxisd(angle, axis) * x;
}

// Where body `b` stands, seen from body `a`: position, and the rotation by columns.
inline Eigen::Matrix<double, 12, 1> seen_from(Simulator& simulator, int a, int b) {
  const Pose x_a = simulator.body_pose(a), x_b = simulator.body_pose(b);
  const Matrix3 turn = x_a.rotation.transpose() * x_b.rotation;
  Eigen::Matrix<double, 12, 1> seen;
  seen << x_a.rotation.transpose() * (x_b.position - x_a.position), turn.col(0), turn.col(1), turn.col(2);
  return seen;
}

// A heavy table with its top at z = 0 that turns at `speed`, and something on it at x = 0.5 m that turns with it.
struct Turntable {
  std::shared_ptr<const Model> model;
  int table = 0, load = 0;
  VectorX v;

  Turntable(const Geometry& top, const Geometry& carried, double height, double speed = 1.0, double tilt = 0.0,
            double mass = 1e3) {
    ModelBuilder builder;
    JointOptions hinge;
    hinge.kind = JointKind::revolute;
    builder.add_body({.name = "table",
                      .pose = Pose(Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitX())), Vector3::Zero()),
                      .joint = hinge,
                      .inertia = Inertia::of(Cylinder{1.0, 0.05}, mass)});
    ShapeOptions shape;
    shape.body = 0;
    shape.geometry = top;
    shape.pose = Pose(Vector3(0.0, 0.0, -0.05));
    shape.material.friction = 0.6;
    builder.add_shape(shape);
    const Vector3 place = turned(Vector3::UnitX(), tilt, Vector3(0.5, 0.0, height));
    add_free(builder, "load", carried, 1.0, Pose(Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitX())), place), 0.6);
    model = builder.build();
    table = model->frames[model->find_frame("table")].body;
    load = model->frames[model->find_frame("load")].body;
    const Vector3 omega = turned(Vector3::UnitX(), tilt, Vector3(0.0, 0.0, speed));
    v = VectorX::Zero(7);
    v[model->bodies[table].first_velocity] = speed;
    v.segment<3>(model->bodies[load].first_velocity) = omega.cross(place);
    v[model->bodies[load].first_velocity + 5] = speed;  // angular velocity in the body's axes
  }

  Simulator start(const SimulatorSettings& s) const {
    Simulator simulator(model, s);
    simulator.set_velocity(v);
    return simulator;
  }

  // How far the load moves on the table after the first 0.3 s, m (the rotation counted as a length at 1 m).
  double drift(const SimulatorSettings& s, double seconds) const {
    Simulator simulator = start(s);
    simulator.step(static_cast<int>(std::lround(0.3 / s.time_step)));
    const auto begin = seen_from(simulator, table, load);
    double most = 0.0;
    const int rounds = 100, steps = static_cast<int>(std::lround(seconds / s.time_step / rounds));
    for (int k = 0; k < rounds; ++k) {
      simulator.step(steps);
      most = std::max(most, (seen_from(simulator, table, load) - begin).cwiseAbs().maxCoeff());
    }
    EXPECT_EQ(simulator.num_uncertified_steps(), 0);
    return most;
  }
};

inline const Geometry table_top = Box{{1.0, 1.0, 0.05}}, box = Box{{0.1, 0.1, 0.1}};

}  // namespace stiction::testing
