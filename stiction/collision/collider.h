// Finds the contact points of a world (theory §5).
//
//     Collider collider(model);
//     CollisionCache cache;                                  // part of the state: kept axes, odometers, simplices
//     std::span<const ContactPoint> points = collider.collide(body_poses, body_reach, cache);
//
// A pair is reported where its gap is at most margin + reach_a + reach_b. Points come sorted by identity, so their
// order depends on nothing but the world. No allocation once the largest number of pairs was met.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/model/model.h"

namespace stiction {

enum class BroadPhase {
  automatic,   // pair list up to some hundred pairs, else grid
  pair_list,   // every allowed pair, with odometers: robots
  many_bodies  // for thousands of bodies; large and static shapes aside
};

struct CollisionSettings {
  double margin = 1e-3;  // m; gaps up to here are reported whatever the speed
  BroadPhase broad_phase = BroadPhase::automatic;
  bool use_caches = true;  // off: every pair from scratch, for tests

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct CollisionCache;  // collision/collision_cache.h

class Collider {
 public:
  explicit Collider(std::shared_ptr<const Model> model, const CollisionSettings& settings = {});
  ~Collider();
  Collider(Collider&&) noexcept;
  Collider& operator=(Collider&&) noexcept;

  // body_pose: X_WB of every body. body_reach: how far any point of the body may move in the step, m, ≥ 0 (empty: 0).
  // The view stays valid until the next call.
  std::span<const ContactPoint> collide(std::span<const Pose> body_pose, std::span<const double> body_reach,
                                        CollisionCache& cache);
  // The same, into a list of the caller's.
  void collide(std::span<const Pose> body_pose, std::span<const double> body_reach, CollisionCache& cache,
               std::vector<ContactPoint>& points);

  // What is remembered of a pair is forgotten: after a look at poses that were never taken, deep inside each other, a
  // warm start would lead to a way out on the wrong side.
  void forget_pair(int shape_a, int shape_b, CollisionCache& cache);

  // From here on the changes of one cache are noted, and take_back() undoes them.
  void note_changes();
  void take_back(CollisionCache& cache) noexcept;

  const CollisionSettings& settings() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
