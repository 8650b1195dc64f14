// A tree whose last body meets the ground by the learned contact model of that body alone (theory §9.5). The tree is
// cut at the joint above the distal body; the impulse s that this joint transmits is unknown:
//
//     A s + J M⁻¹ H(s) + c = 0,   A = J M⁻¹ Jᵀ + Ĵ M̂⁻¹ Ĵᵀ,   c = J v1 − Ĵ v̂1
//
// H is LearnedContact on the distal body with Jᵀ s beside its weight; M̂, Ĵ, v̂1 are those of what is above the cut. Five
// components for a revolute or prismatic joint, three for a ball joint; s by Powell's hybrid method. Then the friction
// found acts in a step of the whole tree with the solver lcp-dantzig, so that joints hold exactly and nothing
// penetrates, whatever was found.
//
// The networks are those of the isolated body: nothing is trained again.
#pragma once

#include <memory>

#include "stiction/learning/learned_contact.h"
#include "stiction/learning/powell_hybrid.h"

namespace stiction {

struct LearnedChainSettings {
  // On the gap between the velocities of the two sides of the cut, as a share of the speed there. The paper has 5e-3.
  double tolerance = 1e-6;
  int max_evaluations = 120;

  void validate() const;
};

struct LearnedChainReport {
  LearnedOutcome outcome;  // of the distal body in the last step
  PowellReport powell;     // of the last step with contact
  VectorX joint_impulse;   // s of the last step with contact, N·s and N·m·s
  double mismatch = 0.0;   // m/s: the distal body's velocity of the cut against that of the step of the whole tree
  // Since construction.
  long num_contact_steps = 0, num_unconverged = 0, num_frozen = 0;  // frozen: the state of the patch kept from jumping
  long num_evaluations = 0;
  long num_other_contact_steps = 0;  // another body touched something, or the distal one another: without friction
  double largest_penetration = 0.0;  // m
};

class LearnedChain {
 public:
  // `distal`: the body's name. Refused, with the reason: a body that others hang on or whose joint to its parent is no
  // single revolute, ball or prismatic one; damping, stiffness, armature, dry friction, limits, loops, actuators and
  // tendons, of which the cut does not know.
  LearnedChain(std::shared_ptr<const Model> model, const std::string& distal, ContactNetworks networks,
               const LearnedChainSettings& settings = {});
  ~LearnedChain();
  LearnedChain(LearnedChain&&) noexcept;

  const Simulator& simulator() const;
  const State& state() const { return simulator().state(); }
  void set_position(VectorView q);
  void set_velocity(VectorView v);
  void force_state(std::optional<PatchState> state);

  const LearnedChainReport& step();
  const LearnedChainReport& step(int count);
  const LearnedChainReport& report() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
