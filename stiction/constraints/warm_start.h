// What a step leaves to the next one, by constraint.
#pragma once

#include <span>

#include "stiction/constraints/constraint_identity.h"

namespace stiction {

class RowBuilder;
struct RowSet;

// The impulse that a constraint carried: a contact's in world axes, so that turned tangents do not matter; rows of
// other constraints as they are. And how deep a jammed contact was left, and where a contact began to stick.
struct WarmStart {
  ConstraintIdentity id;
  double impulse[3] = {0.0, 0.0, 0.0};  // N·s
  // m, as StepConstraint; negative: the jam has changed since, and the contact is to be driven out when its turn comes.
  double left_depth = 0.0;
  // Of a contact that sticks (StickMemory): the points of its bodies that met, in the bodies' frames (the world's: in
  // the world), m, and its normal in world axes. A normal of zero: it does not stick.
  double point_a[3] = {0.0, 0.0, 0.0}, point_b[3] = {0.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 0.0};
  double end_velocity[3] = {0.0, 0.0, 0.0};  // of a contact: J v⁺ at its beginning, world axes, m/s
};

// Guesses of the constraints that are among the warm starts; both ascend by identity. `builder` made the rows.
void recall_guesses(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows);

// (3-22) of the contacts that are relaxed: g_T loses R_T λ_T of the last step.
void relax_tangents(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows);

}  // namespace stiction
