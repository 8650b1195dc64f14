// Bodies in a fluid: closed forms of drag, what lift may not do, energy, and what else has to know of it.
#include "stiction/sim/fluid_forces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stiction/dynamics/mechanics.h"
#include "stiction/io/recording/model_storage.h"
#include "stiction/model/describe.h"
#include "stiction/model/model_edit.h"
#include "stiction/sim/event_simulator.h"
#include "stiction/sim/inverse_step.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_model.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using testing::random_vector;
using testing::random_velocity;
using testing::Rng;

constexpr double pi = 3.141592653589793;

double kinetic_energy_of(Simulator& simulator) {
  return kinetic_energy(simulator.dynamics(), simulator.state().v.data());
}

// One body of 2 kg that is round in its inertia, with one form about its centre.
struct Swimmer {
  Fluid fluid{};
  FluidForm form{};
  Vector3 gravity = Vector3::Zero();
  Vector3 moments = Vector3::Constant(0.05);
};

std::shared_ptr<const Model> make(const Swimmer& swimmer) {
  ModelBuilder builder;
  builder.set_gravity(swimmer.gravity);
  builder.set_fluid(swimmer.fluid);
  Inertia inertia{2.0, Vector3::Zero(), swimmer.moments.asDiagonal()};
  FluidForm form = swimmer.form;
  form.body = builder.add_body({.name = "swimmer", .inertia = inertia});
  builder.add_fluid_form(form);
  return builder.build();
}

VectorX moving(const Vector3& linear, const Vector3& angular) {
  VectorX v(6);
  v << linear, angular;
  return v;
}

const Vector3 radii(0.1, 0.2, 0.3);
constexpr double mean_radius = 0.2;

// ---- closed forms

TEST(FluidForces, AFallingBodyNearsItsTerminalVelocity) {
  const double beta = 0.8, mass = 2.0, c = 6.0 * pi * beta * mean_radius, dt = 1e-3;
  for (const FluidFormKind kind : {FluidFormKind::box, FluidFormKind::ellipsoid}) {
    const auto model = make({{.viscosity = beta}, {.kind = kind, .half_axes = radii}, {0.0, 0.0, -9.81}});
    Simulator simulator(model, {.time_step = dt});
    const double terminal = 9.81 * mass / c;
    for (int k = 1; k <= 2000; ++k) {
      simulator.step();
      // v⁺ (m + Δt c) = m (v − Δt g), and of first order e^(−c t/m)
      const double expected = -terminal * (1.0 - std::pow(1.0 + dt * c / mass, -k));
      ASSERT_NEAR(expected, simulator.state().v[2], 1e-11);
    }
    EXPECT_NEAR(-terminal * (1.0 - std::exp(-c / mass * 2.0)), simulator.state().v[2], 1e-3 * terminal);
    EXPECT_EQ(0, simulator.num_uncertified_steps());
  }
}

TEST(FluidForces, QuadraticDragIsExactAndEndsAtItsTerminalVelocity) {
  const double rho = 50.0, mass = 2.0, dt = 0.02;
  const auto model = make({{.density = rho}, {.half_axes = radii}});
  Simulator simulator(model, {.time_step = dt});
  const Vector3 start(3.0, -2.0, 5.0);
  simulator.set_velocity(moving(start, Vector3::Zero()));
  simulator.step(50);
  for (int i = 0; i < 3; ++i) {
    const double k = 2.0 * rho * radii[(i + 1) % 3] * radii[(i + 2) % 3] / mass;
    EXPECT_NEAR(start[i] / (1.0 + k * std::abs(start[i]) * 50 * dt), simulator.state().v[i], 1e-13);
  }
  const auto falling = make({{.density = rho}, {.half_axes = radii}, {0.0, 0.0, -9.81}});
  for (const double step : {1e-3, 0.1, 10.0}) {  // at any time step
    Simulator faller(falling, {.time_step = step});
    faller.set_velocity(moving({0.0, 0.0, -7.0}, Vector3::Zero()));
    faller.step(5000);
    EXPECT_NEAR(-std::sqrt(mass * 9.81 / (2.0 * rho * 0.1 * 0.2)), faller.state().v[2], 1e-9) << step;
  }
}

TEST(FluidForces, SpinDecays) {
  const double beta = 0.8, dt = 1e-3, moment = 0.05, c = 8.0 * pi * beta * std::pow(mean_radius, 3);
  Simulator viscous(make({{.viscosity = beta}, {.half_axes = radii}}), {.time_step = dt});
  viscous.set_velocity(moving(Vector3::Zero(), {3.0, -4.0, 5.0}));
  viscous.step(100);
  EXPECT_NEAR(-4.0 * std::pow(1.0 + dt * c / moment, -100), viscous.state().v[4], 1e-12);
  const double rho = 400.0, k = 0.5 * rho * 0.2 * (std::pow(0.1, 4) + std::pow(0.3, 4)) / moment;
  Simulator dense(make({{.density = rho}, {.half_axes = radii}}), {.time_step = dt});
  dense.set_velocity(moving(Vector3::Zero(), {0.0, -4.0, 0.0}));
  dense.step(100);
  EXPECT_NEAR(-4.0 / (1.0 + k * 4.0 * 100 * dt), dense.state().v[4], 1e-12);
}

TEST(FluidForces, WindCarriesAlong) {
  const Vector3 wind(3.0, -1.0, 2.0);
  for (const FluidFormKind kind : {FluidFormKind::box, FluidFormKind::ellipsoid}) {
    Simulator simulator(make({{20.0, 0.5, wind}, {.kind = kind, .half_axes = radii}}), {.time_step = 0.05});
    simulator.step(20000);
    EXPECT_LE((simulator.state().v.head<3>() - wind).norm(), 1e-6);
    simulator.set_velocity(moving(wind, Vector3::Zero()));
    simulator.step();
    EXPECT_LE((simulator.state().v - moving(wind, Vector3::Zero())).norm(), 1e-15);
  }
}

// Theory (3-29), a sphere: half the mass of the fluid that it displaces. A disc that is nearly flat carries 8/3 ρ r³
// across, and turns 16/45 ρ r⁵ about a diameter (Lamb).
TEST(FluidForces, FluidThatIsCarriedAlong) {
  Vector3 along, about;
  added_volumes(Vector3::Constant(0.3), along, about);
  const double volume = 4.0 / 3.0 * pi * 0.027;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(0.5 * volume, along[i], 1e-14);
  EXPECT_EQ(0.0, about.norm());
  added_volumes({0.3, 0.3, 3e-7}, along, about);
  EXPECT_NEAR(8.0 / 3.0 * 0.027, along[2], 1e-6);
  EXPECT_NEAR(16.0 / 45.0 * 0.00243, about[0], 1e-8);
  EXPECT_EQ(0.0, about[2]);
}

// ---- energy

TEST(FluidForces, NoTimeStepAddsEnergyToABody) {
  Rng rng(4);
  for (int trial = 0; trial < 60; ++trial) {
    Swimmer swimmer;
    const double density = testing::random_real(rng, 0.0, 300.0), viscosity = testing::random_real(rng, 0.0, 3.0);
    swimmer.fluid = {trial % 3 == 0 ? 0.0 : density, trial % 3 == 1 ? 0.0 : viscosity};
    swimmer.form.kind = trial % 2 ? FluidFormKind::ellipsoid : FluidFormKind::box;
    swimmer.form.half_axes = 0.3 * random_vector(rng).cwiseAbs() + Vector3::Constant(0.02);
    swimmer.form.pose = testing::random_pose(rng, trial % 4 < 2 ? 0.0 : 0.3);
    if (trial % 5 < 2) swimmer.moments = Vector3(0.02, 0.05, 0.06);
    const double dt = std::pow(10.0, testing::random_real(rng, -4.0, 2.0));
    Simulator simulator(make(swimmer), {.time_step = dt});
    simulator.set_velocity(moving(10.0 * random_vector(rng), 10.0 * random_vector(rng)));
    double energy = HUGE_VAL;
    for (int k = 0; k < 200; ++k) {
      simulator.step();
      const double now = kinetic_energy_of(simulator);
      ASSERT_LE(now, energy * (1.0 + 1e-12)) << "trial " << trial << ", step " << k << " of " << dt << " s";
      energy = now;
    }
    if (dt < 1e-2) {
      EXPECT_EQ(0, simulator.num_energy_uncertified_steps());
    }
  }
}

// Without drag nothing is lost either, however strong the lift.
TEST(FluidForces, LiftDoesNoWork) {
  for (const double dt : {1e-3, 0.05, 1.0, 30.0}) {
    const auto model = make({{.density = 400.0},
                             {.kind = FluidFormKind::ellipsoid,
                              .pose = Pose(Vector3(0.1, 0.0, -0.05)),
                              .half_axes = radii,
                              .blunt_drag = 0.0,
                              .slender_drag = 0.0,
                              .angular_drag = 0.0}});
    Simulator simulator(model, {.time_step = dt});
    simulator.set_velocity(moving({1.0, -2.0, 0.5}, {3.0, 1.0, -2.0}));
    const double energy = kinetic_energy_of(simulator);
    const VectorX start = simulator.state().v;
    simulator.step(100);
    EXPECT_NEAR(energy, kinetic_energy_of(simulator), 1e-10 * energy) << dt;
    EXPECT_GE((simulator.state().v - start).norm(), 0.1) << dt;
    EXPECT_LE(std::abs(simulator.report().damped), 1e-11 * energy);
  }
}

std::shared_ptr<const Model> fish(const Fluid& fluid, FluidFormKind kind, double armature = 0.0) {
  ModelBuilder builder;
  builder.set_gravity({0.0, 0.0, -1.0});
  builder.set_fluid(fluid);
  int parent = -1;
  for (int k = 0; k < 4; ++k) {
    JointOptions joint{.kind = k == 0 ? JointKind::free : k == 2 ? JointKind::ball : JointKind::revolute};
    if (k > 0) joint.armature = armature;
    if (k % 2) joint.axis = Vector3(0.3, 1.0, 0.0).normalized();
    const Inertia inertia = Inertia::of(Box{{0.1, 0.05, 0.02}}, 1.0).in(Pose(Vector3(0.1, 0.01, 0.0)));
    parent = builder.add_body({.parent = parent,
                               .pose = Pose(Vector3(k ? 0.22 : 0.0, 0.0, k ? 0.0 : 1.0)),
                               .joint = joint,
                               .inertia = inertia});
    if (kind == FluidFormKind::ellipsoid) {
      builder.add_fluid_form({.body = parent,
                              .kind = kind,
                              .pose = Pose(Quaternion(Eigen::AngleAxisd(0.3, Vector3::UnitX())), Vector3(0.1, 0, 0)),
                              .half_axes = {0.1, 0.05, 0.02}});
    }
  }
  return builder.build();
}

constexpr FluidFormKind kinds[] = {FluidFormKind::box, FluidFormKind::ellipsoid};
const Fluid stormy_water{200.0, 0.5, {1.0, -2.0, 0.5}};

VectorX random_speeds(const Model& model) {
  Rng rng(3);
  return 3.0 * random_velocity(rng, model);
}

// The change of energy is explained to what motion on a curve leaves, Δt³ per step; what the fluid did is in `damped`.
TEST(FluidForces, TheEnergyBalanceCloses) {
  for (const FluidFormKind kind : kinds) {
    const auto model = fish(stormy_water, kind);
    const auto worst = [&](double dt) {
      Simulator simulator(model, {.time_step = dt});
      simulator.set_velocity(random_speeds(*model));
      double error = 0.0, damped = 0.0;
      for (int k = 0; k < std::lround(0.2 / dt); ++k) {
        error = std::max(error, std::abs(simulator.step().energy_error));
        damped += std::abs(simulator.report().damped);
      }
      EXPECT_EQ(0, simulator.num_uncertified_steps());
      EXPECT_GE(damped, 1.0);
      return error;
    };
    const double coarse = worst(1e-3), fine = worst(5e-4);
    EXPECT_LE(coarse, 1e-4);
    EXPECT_LE(fine, coarse / 3.0);
  }
}

TEST(FluidForces, MechanismsComeToRestAtAnyTimeStep) {
  for (const FluidFormKind kind : kinds) {
    ModelEdit edit(fish({500.0, 1.0}, kind));
    edit.set_gravity(Vector3::Zero());
    const auto model = edit.build();
    for (const double dt : {1e-3, 1e-2, 0.1, 1.0, 10.0}) {
      Simulator simulator(model, {.time_step = dt});
      simulator.set_velocity(random_speeds(*model));
      const double start = kinetic_energy_of(simulator);
      double most = 0.0;
      for (int k = 0; k < std::max(300.0, 3.0 / dt); ++k) {
        simulator.step();
        most = std::max(most, kinetic_energy_of(simulator));
      }
      EXPECT_LE(most, start) << dt;
      EXPECT_LE(kinetic_energy_of(simulator), 0.05 * start) << dt;
    }
  }
}

// ---- who else must know

TEST(FluidForces, ForwardAfterInverseIsTheIdentity) {
  for (const FluidFormKind kind : kinds) {
    const auto model = fish(stormy_water, kind);
    for (const bool implicit : {true, false}) {
      Simulator simulator(model, {.time_step = 1e-3, .implicit = implicit});
      simulator.set_velocity(random_speeds(*model));
      simulator.step(3);
      const VectorX wanted = simulator.state().v + VectorX::LinSpaced(model->num_velocities(), -0.1, 0.2);
      const InverseStepResult inverse = inverse_step(simulator, wanted);
      simulator.set_joint_force(inverse.joint_force);
      simulator.step();
      EXPECT_LE((simulator.state().v - wanted).cwiseAbs().maxCoeff(), 1e-10);
    }
  }
}

TEST(FluidForces, ForwardAfterInverseIsTheIdentityOnTheGround) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.8);
  testing::add_quadruped(builder, {});
  builder.set_fluid(stormy_water);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX control(8);
  for (int leg = 0; leg < 4; ++leg) control.segment(2 * leg, 2) << (leg < 2 ? 0.5 : -0.5), (leg < 2 ? -1.0 : 1.0);
  simulator.set_control(control);
  simulator.step(800);
  EXPECT_GE(simulator.report().num_contacts, 2);
  EXPECT_EQ(0, simulator.num_law_uncertified_steps());
  const State before = simulator.state();
  simulator.step();
  const VectorX wanted = simulator.state().v;
  simulator.set_state(before);
  const InverseStepResult inverse = inverse_step(simulator, wanted);
  EXPECT_TRUE(inverse.converged());
  simulator.set_joint_force(inverse.joint_force);
  simulator.step();
  EXPECT_LE((simulator.state().v - inverse.velocity).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LE((inverse.constraint_impulse - simulator.constraint_impulse()).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(FluidForces, WrenchesOfJointsAndSensorsLeaveTheFluidOut) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  const double wind = 4.0, rho = 3.0;
  builder.set_fluid({.density = rho, .wind = {0.0, 0.0, wind}});
  const JointOptions joint{.kind = JointKind::revolute};
  const int sail = builder.add_body(
      {.name = "sail", .joint = joint, .inertia = Inertia{1.0, Vector3(0.5, 0, 0), Matrix3::Identity()}});
  builder.add_fluid_form({.body = sail, .pose = Pose(Vector3(0.5, 0, 0)), .half_axes = {0.2, 0.3, 0.01}});
  builder.add_site("seam", sail, Pose());
  builder.add_sensor({.name = "force", .kind = SensorKind::force, .site = "seam"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.step();
  const double force = 2.0 * rho * 0.2 * 0.3 * wind * wind;
  const auto [f, t] = simulator.joint_wrench(0);
  EXPECT_LE((f - Vector3(0.0, 0.0, -force)).norm(), 1e-12);
  EXPECT_LE((t - Vector3(0.0, 0.5 * force, 0.0)).norm(), 1e-12);
  EXPECT_NEAR(force, std::abs(simulator.sensor_data()[2]), 1e-12);
}

// v = v_t tanh(g t / v_t), between events to the accuracy of their rule.
TEST(FluidForces, EventSimulatorFollowsTheClosedForm) {
  const double rho = 50.0, mass = 2.0, terminal = std::sqrt(mass * 9.81 / (2.0 * rho * 0.1 * 0.2));
  EventSettings settings;
  settings.step = 1e-3;
  EventSimulator simulator(make({{.density = rho}, {.half_axes = radii}, {0.0, 0.0, -9.81}}), settings);
  simulator.advance(0.5);
  EXPECT_NEAR(-terminal * std::tanh(9.81 * 0.5 / terminal), simulator.v()[2], 1e-9);
  EXPECT_TRUE(simulator.report().certified());
}

TEST(FluidForces, NothingIsAllocatedAndStatesContinueBitForBit) {
  for (const FluidFormKind kind : kinds) {
    const auto model = fish(stormy_water, kind);
    Simulator simulator(model, {.time_step = 1e-3});
    simulator.set_velocity(random_speeds(*model));
    simulator.step(20);
    const State middle = simulator.state();
    const testing::AllocationGuard guard;
    simulator.step(100);
    EXPECT_EQ(0, guard.count());
    Simulator other(model_from_bytes(model_to_bytes(*model)), {.time_step = 1e-3});
    other.set_state(middle);
    other.step(100);
    EXPECT_EQ(simulator.state().q, other.state().q);
    EXPECT_EQ(simulator.state().v, other.state().v);
  }
}

// ---- models

TEST(FluidForces, ABodyIsTheBoxOfItsInertia) {
  ModelBuilder builder;
  builder.set_fluid({.density = 1.2});
  const Vector3 half(0.1, 0.3, 0.2);
  const Pose place(Quaternion(Eigen::AngleAxisd(0.4, Vector3(1, 2, 3).normalized())), Vector3(0.1, 0.2, 0.3));
  const int body = builder.add_body({.name = "body"});
  builder.add_shape({.body = body, .pose = place, .geometry = Box{half}, .density = 500.0});
  builder.add_body({.name = "moved", .inertia = Inertia::of(Sphere{0.1}, 1.0), .is_kinematic = true});
  const auto model = builder.build();
  ASSERT_EQ(1u, model->fluid_forms.size());
  const FluidForm& form = model->fluid_forms[0];
  EXPECT_EQ(FluidFormKind::box, form.kind);
  EXPECT_LE((form.pose.position - place.position).norm(), 1e-14);
  for (int k = 0; k < 3; ++k) {
    int axis = 0;
    EXPECT_NEAR(1.0, (place.rotation.transpose() * form.pose.rotation.col(k)).cwiseAbs().maxCoeff(&axis), 1e-12);
    EXPECT_NEAR(half[axis], form.half_axes[k], 1e-12);
  }
  EXPECT_NE(std::string::npos, describe(*model).find("1.2 kg/m³"));
}

TEST(FluidForces, FormsGoWithTheirModel) {
  const auto model = fish(stormy_water, FluidFormKind::ellipsoid);
  const auto bytes = model_to_bytes(*model);
  EXPECT_EQ(bytes, model_to_bytes(*model_from_bytes(bytes)));
  ModelBuilder again = ModelBuilder::from_model(*model);
  EXPECT_EQ(bytes, model_to_bytes(*again.build()));
  again.attach(*model, {.prefix = "b_", .pose = Pose(Vector3(3, 0, 0))});
  const auto two = again.build();
  ASSERT_EQ(8u, two->fluid_forms.size());
  EXPECT_EQ(two->fluid_forms[0].pose.position, two->fluid_forms[4].pose.position);
  again.remove_body(0);  // and all that hangs on it
  EXPECT_EQ(4u, again.build()->fluid_forms.size());
  // What was built without a fluid has its boxes as soon as there is one.
  const auto dry = fish({}, FluidFormKind::box);
  EXPECT_TRUE(dry->fluid_forms.empty());
  ModelEdit edit(dry);
  edit.set_fluid(stormy_water);
  const auto wet = edit.build(), built = fish(stormy_water, FluidFormKind::box);
  ASSERT_EQ(built->fluid_forms.size(), wet->fluid_forms.size());
  EXPECT_LE((built->fluid_forms[1].half_axes - wet->fluid_forms[1].half_axes).norm(), 1e-12);
  ModelBuilder filled = ModelBuilder::from_model(*dry);
  filled.set_fluid(stormy_water);
  EXPECT_EQ(4u, filled.build()->fluid_forms.size());
}

// Bytes of the version before are those of a model without a fluid, and are read.
TEST(FluidForces, ModelsWithoutAFluidAreStoredAsBefore) {
  const auto version = [](const Model& model) { return static_cast<int>(model_to_bytes(model)[8]); };
  EXPECT_EQ(4, version(*fish({}, FluidFormKind::box)));
  EXPECT_EQ(5, version(*fish(stormy_water, FluidFormKind::box)));
  auto later = model_to_bytes(*fish(stormy_water, FluidFormKind::box));
  later[8] = std::byte{6};
  EXPECT_REFUSED(model_from_bytes(later), "stored in version 6, this program reads versions 1 to 5");
}

TEST(FluidForces, BadValuesAreRefused) {
  ModelBuilder builder;
  const double nan = std::nan("");
  EXPECT_REFUSED(builder.set_fluid({.density = -1.0}), "fluid density is -1");
  EXPECT_REFUSED(builder.set_fluid({.viscosity = nan}), "fluid viscosity is nan");
  EXPECT_REFUSED(builder.set_fluid({.wind = {0.0, nan, 0.0}}), "wind");
  const int body = builder.add_body({.inertia = Inertia::of(Sphere{0.1}, 1.0)});
  const auto form = [&](auto&& change) {
    FluidForm f{.body = body, .kind = FluidFormKind::ellipsoid, .half_axes = radii};
    change(f);
    builder.add_fluid_form(f);
  };
  EXPECT_REFUSED(form([](FluidForm& f) { f.body = 3; }), "fluid form 0: body is 3");
  EXPECT_REFUSED(form([](FluidForm& f) { f.half_axes[1] = -0.1; }), "half_axes[1] is -0.1");
  EXPECT_REFUSED(form([](FluidForm& f) { f.half_axes[2] = 0.0; }), "half_axes[2] is 0");
  EXPECT_REFUSED(form([](FluidForm& f) { f.slender_drag = -0.5; }), "slender_drag is -0.5");
  EXPECT_REFUSED(form([&](FluidForm& f) { f.magnus_lift = nan; }), "magnus_lift is nan");
  EXPECT_TRUE(builder.build()->fluid_forms.empty());
  ModelEdit edit(builder.build());
  EXPECT_REFUSED(edit.set_fluid({.density = nan}), "fluid density is nan");
}

}  // namespace
}  // namespace stiction
