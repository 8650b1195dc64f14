// One joint of a simulator, by name:
//
//     JointHandle knee = simulator.joint("knee");
//     knee.position();            // rad or m
//     knee.set_velocity(0.5);     // the others keep theirs
//
// A handle is the joint's place in q and v and a pointer to the simulator, which it must not outlive. Joints of several
// degrees of freedom (free, ball, planar, …) have positions() and velocities(); position() and velocity() refuse them.
#pragma once

#include "stiction/sim/simulator.h"

namespace stiction {

class JointHandle {
 public:
  JointHandle(Simulator& simulator, int joint) : simulator_(&simulator), joint_(joint) {}

  int index() const { return joint_; }
  const Joint& joint() const { return simulator_->model().joints[static_cast<std::size_t>(joint_)]; }

  // Throw std::invalid_argument, naming the joint, where it has another number of entries.
  double position() const;
  double velocity() const;
  VectorX positions() const;
  VectorX velocities() const;
  // As Simulator::set_position and set_velocity: warm starts and caches are forgotten. Position limits are not looked
  // at; the next step pushes back.
  void set_position(double value);
  void set_velocity(double value);
  void set_positions(VectorView values);
  void set_velocities(VectorView values);

 private:
  void check_single(const char* what) const;

  Simulator* simulator_;
  int joint_;
};

}  // namespace stiction
