// Sequences of contact problems from running simulations (scenes/robot-problems): every step in order, with identities
// that persist from step to step, so that warm starts can be measured.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "stiction/contact/problem.h"

namespace stiction {
namespace hdf5 {
class File;
}

// Names a constraint across steps; equal in consecutive steps means the same contact, tangents carried along with it.
using SequenceIdentity = std::array<int, 3>;

struct SequenceStep {
  ContactProblem problem;            // factored; contacts and unilateral rows
  std::vector<SequenceIdentity> id;  // one per constraint
  VectorX reference;                 // stored impulse, N·s, as good as the README of the data says
};

struct Sequence {
  std::string name, description;
  double time_step = 0.0;  // s
  std::vector<SequenceStep> steps;
};

// Throws std::invalid_argument naming file and dataset when the file is not a sound sequence.
Sequence read_sequence(const std::string& path);
Sequence read_sequence(const hdf5::File& file);

// Writes what read_sequence() reads: G as J M⁻¹ Jᵀ with M = 1, so J = A of factored problems, and a root of G of
// others, each to rounding. Contacts with isotropic friction and one-sided rows, no compliance; other problems and
// numbers that do not fit are refused with std::invalid_argument naming the step. A failed write throws
// std::runtime_error and leaves an existing file as it was.
void write_sequence(const std::string& path, const Sequence& sequence);

// A guess for the problem of this step from the impulse of the step before: constraints with the same identity and as
// many rows keep their impulse, new ones start from zero.
void carry_over(std::span<const SequenceIdentity> ids_before, const ContactProblem& problem_before,
                VectorView impulse_before, std::span<const SequenceIdentity> ids_now, const ContactProblem& problem_now,
                VectorX& guess);

}  // namespace stiction
