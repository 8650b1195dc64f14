// Lengths that several velocities share: ℓ(q) with ℓ̇ = Σ_j c_j(q) v_j. Those of the tendons of a model, in their order,
// then one for every actuator on a site or a slider-crank.
//
// Site: ℓ̇ is the velocity of the frame along the actuator's wrench, seen from its reference frame where there is one.
// Slider-crank: with the axis a of the slider, x from it to the crank and the rod r, ℓ = a·x − √((a·x)² + r² − x·x).
// Which velocities take part never changes; nothing allocates after construction.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiction/dynamics/dynamics.h"

namespace stiction {

class CoupledLengths {
 public:
  CoupledLengths() = default;
  explicit CoupledLengths(const Model& model);

  // After update_kinematics at q.
  void update(const Model& model, const DynamicsData& data, const double* q);

  int size() const { return static_cast<int>(lengths_.size()); }
  int of_actuator(int actuator) const { return of_actuator_[actuator]; }  // −1: it acts on a joint
  double length(int k) const { return lengths_[k]; }
  std::span<const int> velocities(int k) const { return part(velocity_, k); }  // ascending
  std::span<const double> coefficients(int k) const { return part(coefficient_, k); }
  std::span<const int> trees(int k) const {  // ascending
    return {trees_.data() + trees_begin_[k], trees_.data() + trees_begin_[k + 1]};
  }
  double rate(int k, const double* v) const;                       // ℓ̇
  void add_force(int k, double force, double* generalized) const;  // τ += c force

 private:
  template <class T>
  std::span<const T> part(const std::vector<T>& list, int k) const {
    return {list.data() + begin_[k], list.data() + begin_[k + 1]};
  }
  void begin_length();
  void add_body(const Model& model, int body);
  void end_length(const Model& model);
  double update_spatial(const Model& model, const DynamicsData& data, const Tendon& tendon);
  double update_site(const Model& model, const DynamicsData& data, const Actuator& actuator);
  double update_slider_crank(const Model& model, const DynamicsData& data, const Actuator& actuator);
  // dense_ += the rate of a point of a body along a direction; of its turning about one.
  void add_point(const Model& model, const DynamicsData& data, int body, const Vector3& point, const Vector3& along);
  void add_turning(const Model& model, const DynamicsData& data, int body, const Vector3& about);
  void gather(int k);

  std::vector<double> lengths_;
  std::vector<int> begin_{0}, velocity_, trees_begin_{0}, trees_;
  std::vector<double> coefficient_;
  std::vector<int> of_actuator_;
  std::vector<int> actuators_;  // of the lengths after those of tendons
  std::vector<double> dense_;   // by velocity, zero between uses
};

}  // namespace stiction
