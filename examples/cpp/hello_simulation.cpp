// A box falls on the ground, and every step says how right it is.
#include <cstdio>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

int main() {
  using namespace stiction;
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}, .material = {.friction = 0.5}});
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0, 0, 1))});
  builder.add_shape({.body = box, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .density = 1000});

  Simulator simulator(builder.build(), {.time_step = 1e-3});
  const StepReport& report = simulator.step(1000);  // one second: it falls, touches and rests
  const double height = simulator.body_pose(box).position.z();
  std::printf("height %.4f m, %d contacts, residual %.1e, %s\n", height, report.num_contacts, report.residuals.eps_nat,
              report.certified() ? "certified" : "not certified");
  return simulator.num_failed_steps() == 0 ? 0 : 1;
}
