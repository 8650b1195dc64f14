// Steps one free convex body against fixed ground by the data-augmented contact model, beside Simulator (theory §9.4).
//
//     LearnedSimulator simulator(model, ContactNetworks::load("box.safetensors"));
//     const LearnedReport& report = simulator.step();
//
// Every step: contacts of a Simulator with the solver lcp-dantzig, friction by LearnedContact, which acts as an
// external impulse, and a step of that simulator, whose normal problem, certificates and rechecks are those of any
// other solver's step. So what is certified is the frictionless law with the friction given: no penetration, no pull.
//
// It is no entry of the solver registry: a solver sees (G, g, μ), and the networks need poses and velocities.
// Parts of a mixture: several patches at once (a body in a corner) count as one.
#pragma once

#include <memory>

#include "stiction/learning/learned_contact.h"

namespace stiction {

struct LearnedReport {
  LearnedOutcome outcome;  // of the last step
  // Since construction or reset.
  long num_contact_steps = 0, num_static = 0, num_dynamic = 0, num_detach = 0;
  long num_released = 0, num_pushed = 0, num_braked = 0;
  double largest_penetration = 0.0;  // m, over all steps
  long num_uncertified_steps = 0;    // of the simulator below
};

class LearnedSimulator {
 public:
  // Time step: that of the networks. Throws std::invalid_argument where the model is not one free body against what is
  // fixed, or `settings` asks for another time step or solver.
  LearnedSimulator(std::shared_ptr<const Model> model, ContactNetworks networks,
                   const SimulatorSettings& settings = {});

  const Simulator& simulator() const { return simulator_; }  // state, contacts, certificates
  const State& state() const { return simulator_.state(); }
  void set_position(VectorView q) { simulator_.set_position(q); }
  void set_velocity(VectorView v) { simulator_.set_velocity(v); }
  void reset();
  void force_state(std::optional<PatchState> state) { contact_.force_state(state); }
  int body() const { return body_; }

  const LearnedReport& step();
  const LearnedReport& step(int count);
  const LearnedReport& report() const { return report_; }

 private:
  Simulator simulator_;
  LearnedContact contact_;
  int body_;
  LearnedReport report_;
  std::vector<PatchPoint> points_;
};

// The purely data-driven baseline (PDD): the networks `whole` give the impulse of the patch, nothing else acts: no
// classifier, no constraint. What it does is what the networks say: bodies sink in, creep, and may be pulled.
class DataDrivenSimulator {
 public:
  DataDrivenSimulator(std::shared_ptr<const Model> model, ContactNetworks networks,
                      const SimulatorSettings& settings = {});

  const State& state() const { return simulator_.state(); }
  void set_position(VectorView q) { simulator_.set_position(q); }
  void set_velocity(VectorView v) { simulator_.set_velocity(v); }
  void reset();
  void step();
  void step(int count);
  // Of the last step: the impulse on the body, its moment about the centre of mass, world axes; dimension −1: no
  // contact.
  const PatchImpulse& impulse() const { return impulse_; }
  int dimension() const { return dimension_; }
  const Vector3& center() const { return center_; }  // of the patch, from the centre of mass, world axes, m
  const Model& model() const { return simulator_.model(); }
  int body() const { return body_; }
  double largest_penetration() const { return largest_penetration_; }  // m, since construction or reset

 private:
  Simulator simulator_;  // finds contacts
  ContactNetworks networks_;
  int body_;
  ContactFeatures features_;
  PerceptronScratch scratch_;
  std::vector<PatchPoint> points_;
  std::vector<int> chosen_;
  VectorX output_, q_, v_;
  PatchImpulse impulse_;
  Vector3 center_ = Vector3::Zero();
  int dimension_ = -1;
  double largest_penetration_ = 0.0;
};

}  // namespace stiction
