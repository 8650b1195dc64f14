// The contact points that a step from here may meet: those within the margin, or within reach of the bodies' speed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/dynamics/dynamics.h"

namespace stiction {

class ContactFinder {
 public:
  ContactFinder(std::shared_ptr<const Model> model, const CollisionSettings& settings);

  // After update_kinematics. The view stays valid until the next call.
  std::span<const ContactPoint> find(const DynamicsData& dynamics, double time_step, CollisionCache& cache);

 private:
  std::shared_ptr<const Model> model_;
  Collider collider_;
  std::vector<double> radius_;  // m, of all shapes of a body about its origin; 0: no shape
  std::vector<Pose> poses_;
  std::vector<double> reach_;
};

}  // namespace stiction
