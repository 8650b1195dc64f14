// A step that throws is undone: the simulator goes on as one that never tried. And what rests is awake where a state
// that was set says that it cannot rest.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;
using testing::sanitized;

// A cart on rails beside all else, with a motor and some dry friction.
void add_cart(ModelBuilder& builder) {
  JointOptions joint;
  joint.name = "cart";
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.dry_friction = 0.5;
  builder.add_body({.name = "cart",
                    .pose = Pose(Vector3(0.0, 5.0, 1.0)),
                    .joint = joint,
                    .joints = {},
                    .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity() * 0.01}});
  builder.add_actuator({.joint = "cart", .kind = ActuatorKind::torque});
}

// A stack that rests, a cart, a ball and a box that fall.
std::shared_ptr<const Model> make_world() {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "lower", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
  add_free(builder, "upper", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.3)), 0.5);
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(3.0, 0.0, 0.3)), 0.5);
  add_free(builder, "tumbler", Box{{0.1, 0.05, 0.2}}, 1.0,
           Pose(Quaternion(Eigen::AngleAxisd(0.5, Vector3(1, 2, 3).normalized())), Vector3(-2.0, 0.0, 0.3)), 0.5);
  add_cart(builder);
  return builder.build();
}

void expect_same(const Simulator& a, const Simulator& b, int step) {
  ASSERT_EQ(a.state().to_bytes(), b.state().to_bytes()) << "step " << step;
  const StepReport &x = a.report(), &y = b.report();
  EXPECT_EQ(x.kinetic_energy, y.kinetic_energy) << step;
  EXPECT_EQ(x.energy_error, y.energy_error) << step;
  EXPECT_EQ(x.energy_certified, y.energy_certified) << step;
  EXPECT_EQ(x.residuals.eps_nat, y.residuals.eps_nat) << step;
  EXPECT_EQ(x.num_sleeping_bodies, y.num_sleeping_bodies) << step;
  EXPECT_EQ(a.num_uncertified_steps(), b.num_uncertified_steps()) << step;
  ASSERT_EQ(a.contacts().size(), b.contacts().size()) << step;
  for (std::size_t i = 0; i < a.contacts().size(); ++i) {
    EXPECT_EQ(a.contacts()[i].impulse, b.contacts()[i].impulse) << step;
  }
}

TEST(UndoneStep, WithoutMemoryAtAnyPlaceOfIt) {
  if (sanitized) GTEST_SKIP() << "sanitizers have an allocator of their own";
  // glibc ends the process where it has no memory to note the destructor of a thread_local: let it note them first.
  Simulator(make_world(), {.time_step = 1e-3}).step(200);
  for (const bool sleeping : {false, true}) {
    const SimulatorSettings settings{.time_step = 1e-3, .sleeping = sleeping, .sleep_after = 5};
    Simulator tried(make_world(), settings), never(make_world(), settings);
    long failures = 0;
    for (int k = 0; k < 200; ++k) {
      const auto before = tried.state().to_bytes();
      for (long allowed = 0;; ++allowed) {
        try {
          const testing::FailingAllocation failing(allowed);
          tried.step();
          break;
        } catch (const std::bad_alloc&) {
          ++failures;
        }
        ASSERT_EQ(before, tried.state().to_bytes()) << "step " << k << ", allocation " << allowed;
        EXPECT_TRUE(std::isfinite(tried.constraint_impulse().sum()));  // whatever is asked for is there to be read
        for (const Contact& contact : tried.contacts()) EXPECT_TRUE(contact.impulse.allFinite());
      }
      never.step();
      expect_same(tried, never, k);
    }
    EXPECT_GT(failures, 100);  // the first steps take their memory
  }
}

// A solver that may do nothing fails; with its own limit it goes on.
TEST(UndoneStep, WhereTheSolverFails) {
  const SimulatorSettings settings{.time_step = 1e-3,
                                   .solver = "ncp-pgs",
                                   .acceptable_tolerance = 0.0,
                                   .on_failure = FailurePolicy::raise,
                                   .sleeping = true,
                                   .sleep_after = 5};
  Simulator tried(make_world(), settings), never(make_world(), settings);
  for (Simulator* simulator : {&tried, &never}) simulator->set_solver_option("max_iterations", 100000);
  int raised = 0;
  for (int k = 0; k < 300; ++k) {
    const auto before = tried.state().to_bytes();
    tried.set_solver_option("max_iterations", 1);
    try {
      tried.step();  // easy enough for one iteration
      for (Simulator* simulator : {&tried, &never}) simulator->set_state(State::from_bytes(before));
    } catch (const SolverFailure& failure) {
      ++raised;
      EXPECT_EQ(before, tried.state().to_bytes());
      EXPECT_FALSE(failure.report.accepted);
      EXPECT_EQ(static_cast<int>(tried.contacts().size()), failure.report.num_contacts);  // to see what failed
    }
    tried.set_solver_option("max_iterations", 100000);
    tried.step();
    never.step();
    ASSERT_EQ(tried.state().to_bytes(), never.state().to_bytes()) << k;
    EXPECT_EQ(tried.report().energy_error, never.report().energy_error) << k;
    EXPECT_EQ(tried.report().energy_certified, never.report().energy_certified) << k;
  }
  EXPECT_GT(raised, 10);
  EXPECT_EQ(tried.num_failed_steps(), raised);
}

// Forces that are too large stop a step in its middle.
TEST(UndoneStep, WhereVelocitiesAreNoLongerFinite) {
  Simulator tried(make_world(), {.time_step = 1e-3}), never(make_world(), {.time_step = 1e-3});
  const VectorX none = VectorX::Zero(tried.model().num_velocities());
  for (int k = 0; k < 100; ++k) {
    const auto before = tried.state().to_bytes();
    VectorX force = none;
    force[k % force.size()] = 1e308;
    tried.set_joint_force(force);
    tried.add_external_force(0, Vector3(1e308, 1e308, 0.0), Vector3(1e308, 0.0, 1e308));
    EXPECT_THROW(tried.step(), std::runtime_error);
    EXPECT_EQ(before, tried.state().to_bytes());
    tried.clear_external_forces();
    tried.set_joint_force(none);
    tried.step();
    never.step();
    expect_same(tried, never, k);
  }
}

// A brick that spins gains energy with the explicit rule; the certificate remembers the gains of a second.
TEST(UndoneStep, TheEnergyBalanceRemembers) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_free(builder, "brick", Box{{0.1, 0.05, 0.2}}, 1.0, Pose(Vector3(0.0, 0.0, 1.0)), 0.5);
  const SimulatorSettings settings{.time_step = 2e-3, .energy_tolerance = 1e-3, .implicit_turning = false};
  const auto model = builder.build();
  Simulator tried(model, settings), never(model, settings);
  VectorX v(6);
  v << 0.0, 0.0, 0.0, 5.0, 8.0, 6.0;
  for (Simulator* simulator : {&tried, &never}) simulator->set_velocity(v);
  for (int k = 0; k < 500; ++k) {
    tried.add_external_force(0, Vector3(1e308, 1e308, 0.0), Vector3(1e308, 0.0, 1e308));
    EXPECT_THROW(tried.step(), std::runtime_error);
    tried.clear_external_forces();
    tried.step();
    never.step();
    expect_same(tried, never, k);
  }
  EXPECT_GT(never.num_energy_uncertified_steps(), 10);
  EXPECT_LT(never.num_energy_uncertified_steps(), 490);
}

TEST(UndoneStep, InputsThatAreRefusedChangeNothing) {
  Simulator simulator(make_world(), {.time_step = 1e-3});
  simulator.step(20);
  const auto before = simulator.state().to_bytes();
  VectorX wrong = VectorX::Zero(simulator.model().num_velocities());
  wrong[3] = NAN;
  EXPECT_THROW(simulator.set_joint_force(wrong), std::invalid_argument);
  EXPECT_THROW(simulator.set_velocity(wrong), std::invalid_argument);
  EXPECT_THROW(simulator.set_control(VectorX::Zero(99)), std::invalid_argument);
  State state = simulator.state();
  state.q[0] = INFINITY;
  EXPECT_THROW(simulator.set_state(state), std::invalid_argument);
  EXPECT_EQ(before, simulator.state().to_bytes());
}

// A stack and a cart that sleep.
class Sleepers : public ::testing::Test {
 protected:
  Sleepers() : simulator_(make(), {.time_step = 1e-3, .sleeping = true, .sleep_after = 20}) {
    simulator_.step(500);
    EXPECT_EQ(simulator_.report().num_sleeping_bodies, 3);
  }
  static std::shared_ptr<const Model> make() {
    ModelBuilder builder;
    add_ground(builder, 0.5);
    add_free(builder, "lower", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
    add_free(builder, "upper", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.3)), 0.5);
    add_cart(builder);
    return builder.build();
  }
  Simulator simulator_;
};

TEST_F(Sleepers, GoOnSleepingWhereTheStateIsTheirOwn) {
  const State saved = State::from_bytes(simulator_.state().to_bytes());
  Simulator other(make(), simulator_.settings());
  other.set_state(saved);
  simulator_.set_state(saved);
  for (int k = 0; k < 30; ++k) {
    EXPECT_EQ(simulator_.step().num_sleeping_bodies, 3);
    EXPECT_EQ(other.step().num_sleeping_bodies, 3);
    ASSERT_EQ(simulator_.state().to_bytes(), other.state().to_bytes());
  }
}

TEST_F(Sleepers, WakeWherePositionsWereChanged) {
  State state = simulator_.state();
  state.q[0] += 5.0;  // the lower box is taken away
  simulator_.set_state(state);
  EXPECT_EQ(simulator_.step().num_sleeping_bodies, 0);
  simulator_.step(100);
  EXPECT_LT(simulator_.state().q[9], 0.27);  // the upper falls
}

TEST_F(Sleepers, WakeWhereVelocitiesWereChanged) {
  State state = simulator_.state();
  state.v[2] = 1.0;
  simulator_.set_state(state);
  EXPECT_EQ(simulator_.step().num_sleeping_bodies, 0);
  EXPECT_GT(simulator_.step().kinetic_energy, 0.1);
}

TEST_F(Sleepers, WakeWhereControlWasChanged) {
  State state = simulator_.state();
  state.control[0] = 3.0;
  simulator_.set_state(state);
  EXPECT_EQ(simulator_.step().num_sleeping_bodies, 0);
  EXPECT_GT(simulator_.state().v[12], 1e-3);
}

TEST_F(Sleepers, WakeWhereTheSimulatorHasOtherForces) {
  Simulator other(make(), simulator_.settings());
  VectorX force = VectorX::Zero(13);
  force[12] = 3.0;
  other.set_joint_force(force);
  other.set_state(simulator_.state());
  EXPECT_EQ(other.step().num_sleeping_bodies, 0);
  EXPECT_GT(other.state().v[12], 1e-3);
}

}  // namespace
}  // namespace stiction
