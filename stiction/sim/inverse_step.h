// Inverse dynamics with contact (theory §6): which impulses and joint forces make a step end with the velocity
// v_ref?
//
//     σ = R λ + J v_ref + γ,   λ ∈ K,   −(σ + Γ(σ)) ∈ N_K(λ)                                          (6-1)
//     τ = RNEA(q, v, (v_ref − v)/Δt) − Jᵀ λ/Δt − (what else acts)                                     (6-2)
//
// K is that of the step: contacts, joint limits, dry friction and loops together. What else acts are the forces that
// the step adds by itself: springs and dampers of joints (implicit where the simulator's are), actuators at the present
// control, external forces. So τ is what Simulator::set_joint_force() takes, and step() then ends with v_ref.
//
// With v_ref given σ hardly depends on λ: (6-1) falls apart into one problem per constraint and is solved by
//     s = Γ(R λ + g),   λ ← P^{R+ρI}_K( −(R + ρI)⁻¹ (g + s − ρ λ) ),   g = J v_ref + γ,
// in one or two iterations. Rigid contact (R = 0) leaves λ open: whatever lies in K and does no work; the iteration
// takes the solution nearest to where it starts. Where v_ref contradicts a rigid constraint (it penetrates; it slides,
// in the CCP) there is no solution and λ grows without bound: `unreachable`.
//
// Restitution is not inverted: a v_ref that bounces is explained by τ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/constraints/constraint_identity.h"
#include "stiction/contact/judge.h"
#include "stiction/sim/simulator.h"

namespace stiction {

enum class InverseMethod {
  exact,  // v_ref as it is; what no actuator can give is reported
  // Respects under-actuation: v may leave v_ref. With the unactuated velocities d = (v − v_ref)_u and the impulse p of
  // forces on them, v minimises
  //     ½ dᵀ M_uu d + (1 − θ)/(2θ) pᵀ M_uu⁻¹ p,   p = M_uu d + r − J_uᵀ λ,                               J
  // r what v_ref asks of unactuated joints; v_ref is kept at actuated joints, as any other choice costs more. So
  // d = (1 − θ) M_uu⁻¹ (J_uᵀ λ − r), p = θ (r − J_uᵀ λ): a contact problem with (1 − θ) J_u M_uu⁻¹ J_uᵀ for G, which
  // a contact solver solves. θ = 0: no force on unactuated joints at all. θ → 1: exact.
  least_squares,
};
std::string_view to_string(InverseMethod method);

struct InverseStepSettings {
  InverseMethod method = InverseMethod::exact;
  ContactModel contact_model = ContactModel::ncp;  // ncp, or ccp: Γ = 0
  double proximal = 1e-8;                          // ρ, 1/kg
  double tolerance = 1e-6;  // exact: on the judge's eps_abs. (least_squares: the simulator's tolerance, on eps_nat)
  int max_iterations = 100;
  bool from_last_step = true;     // λ starts from the impulses of the last step, else from zero
  double unactuated_share = 0.0;  // θ, 0 … 1: how much of the defect forces on unactuated joints bear; least_squares
  // Velocities that no actuator drives. Empty: those without actuator; of a model without any actuator, those of free
  // and ball joints.
  std::vector<int> unactuated = {};

  // Throws std::invalid_argument naming setting, value and range.
  void validate(int num_velocities) const;
};

enum class InverseStatus {
  converged,
  unreachable,      // v_ref contradicts a rigid constraint; impulses grew until the iterations ended
  iteration_limit,  // the iterations, or those of the solver, ended
};
std::string_view to_string(InverseStatus status);

struct InverseStepResult {
  VectorX joint_force;  // τ by velocity, N·m or N; for Simulator::set_joint_force()
  VectorX velocity;     // that the step ends with: v_ref, or what least_squares made of it
  // What τ asks of velocities that no actuator drives (entries of τ there, zero elsewhere), N·m or N, and its norm.
  VectorX unactuated_force;
  double unactuated_norm = 0.0;
  double velocity_defect = 0.0;  // ‖velocity − v_ref‖

  std::vector<ConstraintIdentity> ids;  // of the constraints of the step
  std::vector<Constraint> constraints;  // their laws and rows
  VectorX impulse;                      // λ, by row, N·s; contacts in their frames (t1, t2, n)
  VectorX constraint_velocity;          // σ, by row
  VectorX constraint_impulse;           // Jᵀ λ by velocity, N·m·s

  InverseStatus status = InverseStatus::converged;
  int iterations = 0;
  Residuals residuals;  // of the judge
  // ‖λ‖ (N·s) and the judge's eps_abs before the first iteration and after each; exact.
  std::vector<double> impulse_history, residual_history;
  bool converged() const { return status == InverseStatus::converged; }
};

class InverseStep {
 public:
  // For the model and settings of this simulator.
  explicit InverseStep(const Simulator& simulator, const InverseStepSettings& settings = {});
  ~InverseStep();
  InverseStep(InverseStep&&) noexcept;

  // From the state, control and external forces that a simulator of the same model has now; it is not changed.
  const InverseStepResult& solve(const Simulator& simulator, VectorView v_ref);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

InverseStepResult inverse_step(const Simulator& simulator, VectorView v_ref, const InverseStepSettings& settings = {});

}  // namespace stiction
