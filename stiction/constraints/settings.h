// How positions enter a velocity problem (specification 3.2, 3.3).
#pragma once

namespace stiction {

struct ConstraintSettings {
  // Baumgarte: a penetration of Φ asks for the separating speed K (−Φ − slop), K = baumgarte/Δt, at most
  // largest_correction. 0 … 1, no unit; 0 never corrects.
  double baumgarte = 0.2;
  double slop = 0.0;                 // m (rad for limits); penetration that is left alone
  double largest_correction = 10.0;  // m/s (rad/s)
  // Position-level projection in place of Baumgarte: velocities stay free of the correction, so no energy is added.
  bool project_positions = false;
  double restitution_threshold = 1e-2;  // m/s; slower impacts do not bounce
  double limit_margin = 1e-2;           // rad or m; limits nearer than this, or reachable in the step, become rows
};

}  // namespace stiction
