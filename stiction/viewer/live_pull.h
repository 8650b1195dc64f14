// The force of a mouse that pulls at a body: a spring with a damper between a point of the body and a place in the
// world.
//
//     F = m_p (ω² e − 2 ω ẋ_p),   ω = min(20/s, 1/(2 Δt)),   |ω² e| ≤ 200 m/s²
//
// e leads from the point to the place, ẋ_p is the point's velocity. m_p is the least inertia that the point shows in
// any direction: 1/m_p is the largest eigenvalue of J M⁻¹ Jᵀ, with J of the point and M of the whole mechanism, so a
// pull at a fingertip is as soft as the finger is light. Forces of a step act from its beginning, so that an oscillator
// of this ω and critical damping is stable for ω Δt ≤ 1/2, in any direction: contacts, loops and implicit damping only
// add to the inertia.
#pragma once

#include "stiction/dynamics/dynamics.h"

namespace stiction::viewer {

// After factor_inertia without anything added. `point` in the body's axes, `target` in the world.
BodyWrench pull_wrench(const Model& model, const DynamicsData& data, int body, const Vector3& point,
                       const Vector3& target, double time_step);

}  // namespace stiction::viewer
