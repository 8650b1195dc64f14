// The contact points that a step from here may meet: those within the margin, or within reach of what moves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/dynamics/relative_motion.h"

namespace stiction {

class ContactFinder {
 public:
  ContactFinder(std::shared_ptr<const Model> model, const CollisionSettings& settings);

  // After update_kinematics: takes the poses of all bodies from it; those of before are kept as earlier_poses().
  void place(const DynamicsData& dynamics);
  void return_to_earlier() { poses_.swap(earlier_); }  // what place() did last is undone
  // What no point of a body moves in the step at the velocities of the kinematics, m; zero where a body has no shape.
  // Returns what no body with shapes exceeds in turning, rad.
  double find_ways(const DynamicsData& dynamics, double time_step, std::vector<double>& way) const;
  // False where no point of a shape moves farther by more than the slack with other velocities than with v. A quick
  // bound.
  bool may_go_beyond(const double* v, const double* other, double time_step, double slack) const;
  // Reaches that other velocities (relative_motion.h) exceed by more than the slack are widened to them; whether any.
  bool widen(const DynamicsData& dynamics, const AlignedVector<SpatialVector<double>>& velocity, double time_step,
             double slack, std::vector<double>& reach) const;

  // The points of pairs nearer than the margin and both reaches, where bodies are or where they were before.
  void find(std::span<const double> reach, CollisionCache& cache, std::vector<ContactPoint>& points);
  void find_earlier(std::span<const double> reach, CollisionCache& cache, std::vector<ContactPoint>& points);

  void forget_pair(const ContactIdentity& id, CollisionCache& cache) {
    collider_.forget_pair(id.shape_a, id.shape_b, cache);
  }

  // What the calls of a step change in the cache, and back.
  void note_changes() { collider_.note_changes(); }
  void take_back(CollisionCache& cache) noexcept { collider_.take_back(cache); }

  std::span<const Pose> poses() const { return poses_; }
  std::span<const Pose> earlier_poses() const { return earlier_; }
  double margin() const { return collider_.settings().margin; }

 private:
  void find_levers();

  std::shared_ptr<const Model> model_;
  Collider collider_;
  std::vector<double> radius_;  // m, of all shapes of a body about its origin; 0: no shape
  std::vector<double> lever_;   // by velocity: see find_levers()
  std::vector<Pose> poses_, earlier_;
};

}  // namespace stiction
