// What rows of single velocities and relative velocities of bodies need of the factored inertia.
#pragma once

#include <span>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

// After factor_inertia: the unit row of one velocity through the factor, e_jᵀ L⁻¹ D^(−1/2), entry e for the ancestor at
// depth e. Returns the number of entries, depth + 1; y has room for padded4() of it.
int dof_through_factor(const Model& model, const DynamicsData& data, int dof, double* y);

// After factor_inertia: a row of several velocities through the factor, x ← x L⁻¹ D^(−1/2). `chain` has all velocities
// that it touches with all their ancestors, ascending; the rest of x is left alone.
void row_through_factor(const Model& model, const DynamicsData& data, std::span<const int> chain, double* x);

// After update_kinematics: spatial velocity of a body under joint velocities v, as (angular, 0, linear, 0) in world
// axes about its tree's reference. Along its chain: contacts need it of few bodies.
void body_velocity(const Model& model, const DynamicsData& data, const double* v, int body, Pack8& velocity);

// The same for all bodies at once, by their parents'.
void body_velocities(const DynamicsData& data, const double* v, AlignedVector<SpatialVector<double>>& velocity);

}  // namespace stiction
