// What a ModelBuilder has been told, before it becomes a Model. Internal to the builder's sources.
//
//     checks (model_checks)  →  forest (model_forest)  →  tendons, actuators (model_transmissions), loops, keyframes (model_links)  →  pairs
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction {

struct ModelDraft {
  struct Site {
    std::string name;
    int body = -1;
    Pose pose;
  };

  Vector3 gravity{0.0, 0.0, -9.81};
  FrictionRule friction_rule = FrictionRule::geometric_mean;
  double suggested_time_step = 1e-3;
  bool parents_collide = false;
  // Names are unique and not empty once name_all() ran. Every body has its joints in `joints`, fixed ones left out.
  std::vector<BodyOptions> bodies;
  std::vector<ShapeOptions> shapes;
  std::vector<Site> sites;
  std::vector<LoopOptions> loops;
  std::vector<TendonOptions> tendons;
  std::vector<ActuatorOptions> actuators;
  std::vector<Keyframe> keyframes;
  std::vector<KeyframeScope> scopes;  // of the keyframes
  std::vector<std::pair<int, int>> excluded_bodies, excluded_shapes, forced_pairs;

  // Gives a name to what has none, and refuses names that occur twice.
  void name_all();
};

// Where a body of the user went: X_BU on body `body` of the model (−1: the world).
struct BodyPlace {
  int body = -1;
  Pose pose{};
};

// Forest: bodies, trees, joints, dofs, frames, shapes, initial state. Returns the place of every body of the draft.
std::vector<BodyPlace> lay_out_forest(const ModelDraft& draft, Model& model);

// Parents of dofs, packed rows of M, velocity nodes, trees of a single free body; from bodies and trees.
void lay_out_rows(Model& model);

// Refuses joints that nothing resists: no mass behind them, or two that do the same.
void check_mobility(const Model& model);

// Tendons and actuators (model_transmissions.cpp).
void lay_out_transmissions(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);
// Their numbers, by themselves, and what they name, for a model that comes from elsewhere.
void check_tendon(const TendonOptions& options, std::string_view what);
void check_actuator(const ActuatorOptions& options, std::string_view what);
void check_stored_transmissions(Model& model);  // fills Actuator::first_activation

// Degrees of freedom by the names of their joints.
class JointDirectory {
 public:
  explicit JointDirectory(const Model& model);
  // The degree of freedom of a joint that has one.
  int single_dof(const std::string& name, const std::string& what, const char* field) const;

 private:
  std::unordered_map<std::string_view, const Joint*> joints_;
};

void lay_out_links(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);
void lay_out_keyframes(const ModelDraft& draft, Model& model);
void lay_out_pairs(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);

}  // namespace stiction
