// What contact rows need of the factored inertia: the chain of a body through the factor. Internal.
#pragma once

#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

// After factor_inertia: the motion columns of a body's chain through the factor, y = S L⁻¹ D^(−1/2), entry e for the
// ancestor velocity at depth e, about the tree's reference. Returns the number of entries, depth of the last velocity
// plus one; at most data.longest_chain. The row of a direction n at point p is then n·(y.linear + y.angular × r),
// r = p − reference; with these rows in A, A Aᵀ = J M⁻¹ Jᵀ.
template <class T>
int chain_through_factor(const Model& model, const DynamicsDataT<T>& data, int body, SpatialVector<T>* y);
// The same, an entry being (angular, 0, linear, 0).
int chain_through_factor(const Model& model, const DynamicsData& data, int body, Pack8* y);

}  // namespace stiction
