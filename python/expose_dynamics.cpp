// The room `dynamics`. Every quantity is written once and exposed twice: as a function of (model, q, v), and as a
// method of Simulator at its current state.
#include <string>

#include "arrays.h"
#include "shared_simulator.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/dynamics/point_motion.h"
#include "stiction/math/refuse.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// A state with everything that depends on it: kinematics, bias, M and its factor.
struct Evaluation {
  const Model& model;
  DynamicsData& data;
  const VectorX &q, &v;

  Evaluation(const Model& m, DynamicsData& d, const VectorX& position, const VectorX& velocity)
      : model(m), data(d), q(position), v(velocity) {
    update_kinematics(model, q.data(), v.data(), data);
    update_inertia(model, data);
    factor_inertia(model, nullptr, data);
  }

  // A vector over the velocities.
  VectorX by_velocity(const nb::object& value, const char* name) const {
    VectorX vector = to_vector(value, name);
    if (vector.size() != v.size()) {
      refuse(name, " has ", vector.size(), " entries but the model has ", v.size(), " velocities");
    }
    return vector;
  }
};

// q and v of the caller; v None: at rest.
State checked_state(const Model& model, const nb::object& q, const nb::object& v) {
  State state = State::initial(model);
  state.q = to_vector(q, "q");
  if (v.is_none()) {
    state.v.setZero();
  } else {
    state.v = to_vector(v, "v");
  }
  check_state(model, state);
  return state;
}

using Class = nb::class_<SharedSimulator>;
struct Places {
  nb::module_& module;
  Class& simulator;
};

template <class Result, class... Arguments, class... Extra>
void expose(Places& places, const char* name, Result (*quantity)(Evaluation&, Arguments...), const char* doc,
            const Extra&... extra) {
  places.simulator.def(
      name,
      [quantity](SharedSimulator& s, const Arguments&... arguments) {
        const Turn turn(s);
        if (!s.dynamics) s.dynamics.emplace(s.simulator.model());
        const State& state = s.simulator.state();
        Evaluation evaluation(s.simulator.model(), *s.dynamics, state.q, state.v);
        return quantity(evaluation, arguments...);
      },
      extra..., doc);
  const auto function = [quantity](const Model& model, const ArrayLike& q, const ArrayLike& v,
                                   const Arguments&... arguments) {
    const State state = checked_state(model, q, v);
    DynamicsData data(model);
    Evaluation evaluation(model, data, state.q, state.v);
    return quantity(evaluation, arguments...);
  };
  if constexpr (sizeof...(Arguments) == 0) {
    places.module.def(name, function, "model"_a, "q"_a, "v"_a = nb::none(), extra..., doc);
  } else {
    places.module.def(name, function, "model"_a, "q"_a, "v"_a, extra..., doc);
  }
}

void expose_matrices(Places& places) {
  expose(
      places, "inertia_matrix", +[](Evaluation& e) { return copy_matrix_to_numpy(inertia_matrix(e.model, e.data)); },
      "M, armature included");
  expose(
      places, "bias",
      +[](Evaluation& e) { return copy_to_numpy(ConstVectorMap(e.data.bias.data(), e.model.num_velocities())); },
      "Coriolis, centrifugal and gravity forces by velocity: M a + bias = tau; N m or N");
  expose(
      places, "frame_jacobian",
      +[](Evaluation& e, FrameLike frame) {
        return copy_matrix_to_numpy(frame_jacobian(e.model, e.data, to_frame(e.model, frame)));
      },
      "6 x num_velocities in world axes: (velocity of the frame's origin; angular velocity) = J v", "frame"_a);
  expose(
      places, "point_jacobian",
      +[](Evaluation& e, FrameLike body, ArrayLike point) {
        const int index = to_body(e.model, body);
        if (index < -1 || index >= e.model.num_bodies()) refuse("body ", index, " does not exist");
        return copy_matrix_to_numpy(point_jacobian(e.model, e.data, index, to_vector3(point, "point")));
      },
      "As frame_jacobian, of a point of a body given in world coordinates", "body"_a, "point"_a);
  expose(
      places, "center_of_mass_jacobian",
      +[](Evaluation& e) { return copy_matrix_to_numpy(center_of_mass_jacobian(e.model, e.data)); },
      "3 x num_velocities");
}

int existing_body(const Model& model, const nb::object& body) {
  const int index = to_body(model, body);
  if (index < -1 || index >= model.num_bodies()) refuse("body ", index, " does not exist");
  return index;
}

void expose_points(Places& places) {
  expose(
      places, "point_velocity",
      +[](Evaluation& e, FrameLike body, ArrayLike point) {
        return copy_to_numpy(point_velocity(e.data, existing_body(e.model, body), to_vector3(point, "point")));
      },
      "Of a point of a body, given in world coordinates; world axes, m/s", "body"_a, "point"_a);
  expose(
      places, "angular_velocity",
      +[](Evaluation& e, FrameLike body) {
        return copy_to_numpy(angular_velocity(e.data, existing_body(e.model, body)));
      },
      "Of a body, world axes, rad/s", "body"_a);
  expose(
      places, "point_acceleration",
      +[](Evaluation& e, ArrayLike acceleration, FrameLike body, ArrayLike point) {
        const VectorX a = e.by_velocity(acceleration, "acceleration");
        const PointAcceleration found =
            point_acceleration(e.model, e.data, a.data(), existing_body(e.model, body), to_vector3(point, "point"));
        return nb::make_tuple(copy_to_numpy(found.linear), copy_to_numpy(found.angular));
      },
      "Of a point of a body, given in world coordinates, where the velocities change at `acceleration`: linear (m/s^2) "
      "and of the body angular (rad/s^2), world axes",
      "acceleration"_a, "body"_a, "point"_a);
}

void expose_sums(Places& places) {
  expose(places, "kinetic_energy", +[](Evaluation& e) { return kinetic_energy(e.data, e.v.data()); }, "v' M v / 2, J");
  expose(
      places, "gravity_energy", +[](Evaluation& e) { return gravity_energy(e.data); },
      "J; zero with all centres of mass at the world's origin");
  expose(
      places, "spring_energy", +[](Evaluation& e) { return spring_energy(e.model, e.q.data()); },
      "of joint springs, J");
  expose(
      places, "energy",
      +[](Evaluation& e) {
        return kinetic_energy(e.data, e.v.data()) + gravity_energy(e.data) + spring_energy(e.model, e.q.data());
      },
      "kinetic_energy + gravity_energy + spring_energy, J");
  expose(
      places, "center_of_mass", +[](Evaluation& e) { return copy_to_numpy(center_of_mass(e.data)); },
      "of all bodies, m");
  expose(
      places, "center_of_mass_velocity", +[](Evaluation& e) { return copy_to_numpy(center_of_mass_velocity(e.data)); },
      "m/s");
  expose(places, "linear_momentum", +[](Evaluation& e) { return copy_to_numpy(linear_momentum(e.data)); }, "kg m/s");
  expose(
      places, "angular_momentum",
      +[](Evaluation& e, ArrayLike point) {
        return copy_to_numpy(
            angular_momentum(e.data, point.is_none() ? center_of_mass(e.data) : to_vector3(point, "point")));
      },
      "About a point of the world, or about the centre of mass; kg m^2/s", "point"_a = nb::none());
}

void expose_accelerations(Places& places) {
  expose(
      places, "forward_dynamics",
      +[](Evaluation& e, ArrayLike tau) {
        VectorX a = e.by_velocity(tau, "tau");
        forward_dynamics(e.model, e.data, a.data(), a.data());
        return copy_to_numpy(a);
      },
      "M^-1 (tau - bias): accelerations without contact, damping or springs", "tau"_a);
  expose(
      places, "inverse_dynamics",
      +[](Evaluation& e, ArrayLike acceleration) {
        VectorX tau(e.v.size());
        inverse_dynamics(e.model, e.data, e.by_velocity(acceleration, "acceleration").data(), nullptr, 0, tau.data());
        return copy_to_numpy(tau);
      },
      "M acceleration + bias, by recursion", "acceleration"_a);
  expose(
      places, "solve_inertia",
      +[](Evaluation& e, ArrayLike x) {
        VectorX y = e.by_velocity(x, "x");
        solve_inertia(e.model, e.data, y.data());
        return copy_to_numpy(y);
      },
      "M^-1 x", "x"_a);
}

}  // namespace

void expose_dynamics(nb::module_& module, Class& simulator) {
  Places places{module, simulator};
  expose_matrices(places);
  expose_points(places);
  expose_sums(places);
  expose_accelerations(places);
  module.def("total_mass", &total_mass, "model"_a, "kg");
  module.def(
      "frame_pose",
      [](const Model& model, const ArrayLike& q, const FrameLike& frame) {
        const State state = checked_state(model, q, nb::none());
        DynamicsData data(model);
        update_kinematics(model, state.q.data(), state.v.data(), data);
        return frame_pose(model, data, to_frame(model, frame));
      },
      "model"_a, "q"_a, "frame"_a, "Where a frame is at q, by index or name");
}

}  // namespace stiction::python
