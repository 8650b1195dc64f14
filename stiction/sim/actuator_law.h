// What an actuator makes of its input: activation, and force by length and velocity.
#pragma once

#include "stiction/model/model.h"
#include "stiction/sim/servo_law.h"

namespace stiction {

// The activation after a step; u within its limits.
double next_activation(const Actuator& actuator, double u, double activation, double time_step);
// What the force of this step belongs to: the activation at its beginning, or at its end where the actuator acts early.
double acting_input(const Actuator& actuator, double u, double activation, double time_step);

// Of an actuator, before gear: force − slope ℓ̇⁺ with ℓ and ℓ̇ at the beginning of the step,
// which looks ahead by `ahead` s. Gains that resist act at the end of the step; those that drive, and muscles, at its
// beginning.
ServoTangent actuator_line(const Actuator& actuator, double u, double length, double velocity, double ahead);

// F of a muscle, N.
double muscle_force(const Muscle& muscle, double activation, double length, double velocity);

}  // namespace stiction
