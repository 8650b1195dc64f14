// Data to learn from: throws of a convex body at the ground, and single collisions, by any solver of the registry.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "stiction/learning/contact_samples.h"

namespace stiction {

// Ranges of what a body starts with; drawn evenly. Orientations are random over all rotations.
struct ThrowRanges {
  double lowest = 0.2, highest = 0.8;  // of the lowest point of the body above z = 0, m
  double speed = 1.0;                  // of each horizontal component, ±, m/s
  double vertical_speed = 1.0;         // ±, m/s
  double spin = 6.0;                   // of each component, ±, rad/s
  double impact_speed = 4.0;           // of single collisions, downwards at most, m/s

  void validate() const;
};

struct GenerateSettings {
  std::string solver = "auto";  // the truth: any name of solver_names()
  double time_step = 2e-3;      // s
  int steps = 800;              // of a throw
  std::uint64_t seed = 1;
  ThrowRanges ranges;
  PatchSettings patch;
  // Of one throw at most so many static steps in a row are kept: what rests says the same in every step.
  int most_static = 5;
  // Of single collisions: of which dimension the patch is to be, 0 … 2; −1: each a third.
  int dimension = -1;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// A convex body, centre of mass at its origin, that may be thrown at the plane z = 0. `points`: its corners (moved so
// that the centre of mass is the origin). friction_2 < 0: isotropic; otherwise friction along x, friction_2 along y.
struct ThrownBody {
  std::vector<Vector3> points;
  double density = 1000.0;  // kg/m³
  double friction = 1.0, friction_2 = -1.0;

  static ThrownBody box(const Vector3& half_size);
  // Regular pentagon of this circumscribed radius, height 2 half_length along z.
  static ThrownBody pentagonal_prism(double radius, double half_length);
  std::shared_ptr<const Model> model() const;
};

struct ThrowStart {
  VectorX q, v;
};
// Start k of a seed, the same whatever was asked for before.
ThrowStart throw_start(const Model& model, const ThrowRanges& ranges, std::uint64_t seed, int k);

// Every contact instance of `count` throws. The model: one free body of boxes and convex hulls over z = 0. `done` is
// told after each how many there are.
ContactData generate_throws(std::shared_ptr<const Model> model, int count, const GenerateSettings& settings,
                            const std::function<void(int)>& done = {});
// `count` single collisions: the body stands on a random corner, edge or face, at most a step above the ground.
ContactData generate_collisions(std::shared_ptr<const Model> model, int count, const GenerateSettings& settings,
                                const std::function<void(int)>& done = {});

}  // namespace stiction
