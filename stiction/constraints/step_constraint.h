// A constraint of a step: its law and what its one to three rows ask for. Their A is in the RowSet that it belongs to.
#pragma once

#include <array>

#include "stiction/constraints/constraint_identity.h"
#include "stiction/contact/constraint.h"
#include "stiction/math/pack.h"

namespace stiction {

struct StepConstraint {
  Constraint law;
  ConstraintIdentity id;                    // ascending
  std::array<int, 2> trees{-1, -1};         // trees that it touches, −1: none
  int first_segment = 0, first_column = 0;  // in its RowSet; they end where those of the next one begin
  // Rows of a loop that others say already (redundant_loops.h), by bit; all of a contact that no joint moves along
  // its normal.
  unsigned left_out = 0;
  double doubt = 0.0;        // of a loop: ‖A_r‖² that moving its points by loop_tolerance may change
  double left_depth = 0.0;   // penetration of a contact that is not driven out (corrections.h), m
  bool jam_changed = false;  // WarmStart::left_depth is to be negative
  bool is_carried = false;   // a contact whose surfaces move: γ_T is their velocity, and StickMemory adds nothing
  bool is_softened = false;  // a contact whose R is that of ConstraintSettings::relative_compliance
  bool is_relaxed = false;   // a contact with R of relative_tangent_compliance on its tangents
  Pack4 free_velocity{};     // g = J v_f + γ, lanes = rows
  Pack4 offset{};            // γ
  Pack4 compliance{};        // R
  Pack4 error{};             // position error: gap of a contact (third lane) or limit, of a loop, m or rad
  Pack4 guess{};             // impulse to start from
  Pack4 last{};              // of a relaxed contact: its tangential impulse in the last step

  bool is_left_out() const { return left_out == (1U << law.rows) - 1U; }  // all of it
};

}  // namespace stiction
