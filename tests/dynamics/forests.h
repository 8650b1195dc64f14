// Random forests with joints of every kind, single free bodies among them, and states of them.
#pragma once

#include <memory>

#include "../support/random_model.h"

namespace stiction::testing {

// A free body about its centre of mass: its inertia matrix is constant.
inline BodyOptions random_single_body(Rng& rng) {
  BodyOptions body{.pose = random_pose(rng)};
  body.inertia = random_inertia(rng);
  body.inertia->com.setZero();
  return body;
}

// Single free bodies before, between and after trees of every kind; gravity along no axis.
inline std::shared_ptr<const Model> random_forest(unsigned seed) {
  Rng rng(seed);
  ModelBuilder builder;
  builder.set_gravity(Vector3(0.5, -0.7, -9.81));
  int shift = 0;
  const auto add_single_bodies = [&](int count) {
    for (int k = 0; k < count; ++k) builder.add_body(random_single_body(rng));
    shift += count;
  };
  add_single_bodies(random_int(rng, 0, 2));
  for (int part = 0; part < 2; ++part) {
    const RandomWorld world = random_world(rng, {.bodies = 1 + random_int(rng, 0, 11)});
    for (BodyOptions body : world.bodies) {
      if (body.parent >= 0) body.parent += shift;
      builder.add_body(body);
    }
    shift += static_cast<int>(world.bodies.size());
    add_single_bodies(random_int(rng, 1, 3));
  }
  return builder.build();
}

// A configuration, a velocity, an acceleration and forces.
struct Motion {
  VectorX q, v, a, tau;
};
inline Motion random_motion(const Model& model, unsigned seed) {
  Rng rng(seed + 1000);
  Motion m;
  m.q = random_position(rng, model);
  m.v = random_velocity(rng, model);
  m.a = random_velocity(rng, model);
  m.tau = random_velocity(rng, model);
  return m;
}

}  // namespace stiction::testing
