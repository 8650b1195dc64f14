// Tendons: lengths that several joints share, and what acts along them.
//
// A fixed tendon has the length ℓ = offset + Σ c_i q_i. A spatial one is the way of a string that is pulled straight
// between sites, round spheres and cylinders; behind a pulley lengths count 1/divisor, and a new branch begins.
// Along it act a spring that is slack between two lengths, a damper, dry friction, limits, and actuators.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/math/pose.h"

namespace stiction {

enum class TendonKind : std::uint8_t { fixed, spatial };
std::string_view to_string(TendonKind kind);

struct TendonTerm {
  int dof = 0;  // of a revolute or prismatic joint
  double coefficient = 0.0;
};

enum class TendonPointKind : std::uint8_t {
  site,      // the string passes through it
  sphere,    // and round it where it is in the way
  cylinder,  // without end, along z
  pulley,    // no place: what follows is another branch
};
std::string_view to_string(TendonPointKind kind);

// A place on the way of a spatial tendon.
struct TendonPoint {
  TendonPointKind kind = TendonPointKind::site;
  int frame = -1;       // of a site, in Model::frames
  int body = -1;        // carries it; −1: the world
  Pose pose{};          // X_BP
  double radius = 0.0;  // sphere, cylinder, m
  // Of a sphere or cylinder: a site on whose side the string passes, or inside where the site lies within; −1: none.
  int side_frame = -1;
  double divisor = 1.0;  // pulley
};

struct Tendon {
  std::string name{};
  TendonKind kind = TendonKind::fixed;
  std::vector<TendonTerm> terms{};            // fixed; ascending degrees of freedom
  double offset = 0.0;                        // fixed, m or rad
  std::vector<TendonPoint> path{};            // spatial
  double stiffness = 0.0;                     // N/m
  double rest_lower = 0.0, rest_upper = 0.0;  // the spring is slack between these lengths
  double damping = 0.0;                       // N·s/m
  double dry_friction = 0.0;                  // N
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();  // of ℓ
  double effort_limit = std::numeric_limits<double>::infinity();  // of all actuators on it together, N
};

// Through what an actuator acts: the length ℓ that its gains know, and where its force goes.
enum class TransmissionKind : std::uint8_t {
  joint,   // ℓ = q of one degree of freedom
  tendon,  // ℓ of the tendon
  site,    // a force and a torque along fixed axes of a frame; ℓ = 0, or the way from a reference frame along them
  slider_crank,  // a slider along the z axis of one frame that a rod of given length joins with another
};
std::string_view to_string(TransmissionKind kind);

// What stands between control and force: a, the activation, is a part of the state.
enum class ActivationKind : std::uint8_t {
  none,
  integrator,    // ȧ = u
  filter,        // ȧ = (u − a)/T, by Euler's rule
  filter_exact,  // the same, exactly over a step
  muscle,        // ȧ = (u − a)/T(u, a), T_1 when it rises and T_2 when it falls
};
std::string_view to_string(ActivationKind kind);

}  // namespace stiction
