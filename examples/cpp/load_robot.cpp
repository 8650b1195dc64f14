// Loads a robot (URDF, SDF, MJCF), lets it fall for a second, and asks for its inertia matrix and energy.
//
//     load_robot scenes/quadruped.xml
#include <cstdio>
#include <exception>

#include "stiction/dynamics/mechanics.h"
#include "stiction/io/load.h"
#include "stiction/sim/simulator.h"

int main(int argc, char** argv) try {
  using namespace stiction;
  if (argc != 2) {
    std::fprintf(stderr, "usage: load_robot FILE\n");
    return 2;
  }
  const LoadedModel loaded = load_model(argv[1]);
  for (const IgnoredElement& element : loaded.ignored) std::printf("ignored: %s\n", element.element.c_str());
  Simulator simulator(loaded.model);
  while (simulator.state().time < 1.0) simulator.step();

  // The same quantities without a simulator, at any position and velocity.
  const Model& model = simulator.model();
  const auto data = make_dynamics_data(model);
  update_kinematics(model, simulator.state().q.data(), simulator.state().v.data(), *data);
  update_inertia(model, *data);
  const MatrixX inertia = inertia_matrix(model, *data);
  const double kinetic = kinetic_energy(*data, simulator.state().v.data());
  std::printf("%d bodies of %.2f kg, %d velocities, trace of M %.3f, kinetic energy %.2e J\n", model.num_bodies(),
              total_mass(model), model.num_velocities(), inertia.trace(), kinetic);
  std::printf("%ld of %ld steps not certified\n", simulator.num_uncertified_steps(),
              static_cast<long>(simulator.state().step));
  return simulator.num_failed_steps() == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
