// Single free bodies that spin (what is thrown, heaped and carried): their energy and momentum stay.
//
// An explicit step of Euler's equations J ω̇ = −ω × J ω adds energy in every step, a share of about (Δt ω)²: a brick
// that turns five times a second doubles its energy within seconds and in the end overflows. Here they take the
// implicit midpoint rule instead (theory (3-8)),
//
//     J (ω⁺ − ω) = −Δt ω̄ × J ω̄,   ω̄ = (ω + ω⁺)/2,
//
// which keeps what is quadratic and constant in the motion, ωᵀ J ω and ‖J ω‖, to rounding for every Δt. And it is their
// centre of mass that flies straight, wherever the body's frame lies. Trees of several bodies: Turning.
#pragma once

#include <vector>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

class FreeSpin {
 public:
  FreeSpin() = default;
  explicit FreeSpin(const Model& model);

  // After update_kinematics at v. `free_velocity`: v after an explicit step with all forces; its gyroscopic and
  // centripetal parts are exchanged, and so they are in `force`, all forces by velocity.
  void correct(const DynamicsData& data, const double* v, double time_step, double* free_velocity, double* force) const;

  // After `next_position` was made from q with `moved_by`: moves the centres of mass by that velocity, straight, and
  // tells the end velocity v⁺ of frames beside them at their new place.
  void carry_centers(const double* q, const double* moved_by, double time_step, double* next_position,
                     double* end_velocity) const;

  // After update_inertia at v: bodies whose frame lies beside their centre keep their energy all the same. What v·b of
  // the model's coordinates is less than the power of gravity on their centres, W.
  double straight_flight_power(const DynamicsData& data, const double* v) const;

 private:
  struct Spinner {
    int body, first_position, first_velocity;
    bool is_round, has_offset;  // no gyroscopic moment; centre of mass beside the origin
    double mass;
    Vector3 com;
    Matrix3 inertia, inverse;  // about the centre of mass, body axes
  };
  std::vector<Spinner> spinners_;
};

// ω⁺ of the rule above.
Vector3 spin_after(const Matrix3& inertia, const Vector3& spin, double time_step);

}  // namespace stiction
