// What a ModelBuilder has been told, before it becomes a Model. Internal to the builder's sources.
//
//     checks (model_checks)  →  forest (model_forest)  →  tendons, actuators (model_transmissions), loops, keyframes
//     (model_links)  →  pairs
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stiction/model/model_builder.h"

namespace stiction {

// A body that stands as it stood in a model (attach_model.cpp): its chain of elementary joints, and frames on its
// *carrier*, the frame of the chain's last body or, without a chain, that of its parent. Laid out again as it is, to
// the last bit, where nothing above it moved.
struct KeptBody {
  struct Elementary {
    Body body{};
    std::vector<Dof> dofs{};
    VectorX q{}, v{};  // of the initial state
  };
  std::vector<Elementary> chain{};
  std::vector<int> chain_of_joint{};  // how many of these make each of BodyOptions::joints
  bool is_root = false;               // stands at `root` on its parent's frame, not on its parent's carrier
  Pose root{};
  Pose frame{};       // of the user's body on the carrier
  Inertia inertia{};  // of the carrier, in its frame; zero for bodies that were merged into it
  // Among the bodies that hang on the same one: where the first body of its model stands in the draft, and its place in
  // that model.
  int model = 0, order = 0;
};

// What a sensor carries that came with a model: bodies and shapes of the draft; the inertia is on the carrier.
struct KeptSensor {
  SensorPart part{};
  std::vector<int> other_shapes{};
  int body = -1;           // that the inertia is on; −1: the world
  bool on_carrier = true;  // of it; else on its own frame
};

struct ModelDraft {
  struct Site {
    std::string name;
    int body = -1;
    Pose pose;
    bool is_kept = false;  // the pose is on the body's carrier
  };

  Vector3 gravity{0.0, 0.0, -9.81};
  Fluid fluid{};
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
  std::vector<ShapePair> pair_materials;  // the last one of a pair holds
  std::vector<MountedCamera> cameras;     // by builder indices of bodies
  std::vector<SensorOptions> sensors;
  std::vector<FluidForm> fluid_forms;  // by builder indices of bodies

  // What came from models, by index above; poses are on carriers. Indices of bodies are those of the draft; degrees of
  // freedom count from the first one of the joint of LoopOptions and ActuatorOptions.
  std::map<int, KeptBody> kept_bodies;
  std::map<int, Shape> kept_shapes;
  std::map<int, Loop> kept_loops;
  std::map<int, Actuator> kept_actuators;
  std::map<int, std::vector<bool>> kept_tendons;  // which places are given on carriers
  std::vector<CarriedWeight> kept_weights;        // on carriers; bodies of the draft
  std::vector<FluidForm> kept_fluid_forms;        // on carriers; bodies of the draft
  std::map<int, KeptSensor> kept_sensors;
  std::map<int, std::vector<std::string>> kept_keyframes;  // whose q and v are those of these joints, in this order
  std::set<int> removed_bodies;                            // with all that hangs on them
  // Takes the removed bodies out, and whatever speaks of them.
  void drop_removed();

  // Gives a name to what has none, and refuses names that occur twice.
  void name_all();
};

// Where a body of the user went: X_BU on body `body` of the model (−1: the world).
struct BodyPlace {
  int body = -1;
  Pose pose{};
  Pose carrier{};  // of a kept body
  int first = -1;  // first body of its own chain; −1: it is fixed to another
};

// The free body that q and v begin with, in a world that was put into another one at `pose`; null: left alone.
void move_free_body_to(const Pose& pose, double* q, double* v);
// a · b, and b itself where a is the identity: a product with that may change the sign of a zero.
Pose composed(const Pose& a, const Pose& b);
// Where something is that is given on the carrier of a kept body, or of the world, or on any other body.
BodyPlace placed_on(int user, bool is_kept, const Pose& pose, const std::vector<BodyPlace>& place);

// Puts a model into the draft. Where it throws the draft is not to be used.
void attach_model(const Model& model, const AttachOptions& options, ModelDraft& draft);

// Forest: bodies, trees, joints, dofs, frames, shapes, initial state. Returns the place of every body of the draft.
std::vector<BodyPlace> lay_out_forest(const ModelDraft& draft, Model& model);

// Fluid forms (model_fluid.cpp). `own_inertia` by body of the draft, of a kept one on its carrier: in a fluid, those
// without a form get the box of it.
void lay_out_fluid_forms(const ModelDraft& draft, const std::vector<BodyPlace>& place,
                         const std::vector<Inertia>& own_inertia, Model& model);

// Body::name, from the frames.
void name_bodies(Model& model);

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

// Sensors (model_sensors.cpp), after shapes.
void lay_out_sensors(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);
void check_sensor(const SensorOptions& options, std::string_view what);  // by itself
void check_stored_sensors(Model& model);  // of a model that comes from elsewhere; fills places of values
// What shapes without an inertia of the body make of it.
Inertia shape_inertia(const ShapeOptions& shape);

// Degrees of freedom by the names of their joints.
class JointDirectory {
 public:
  explicit JointDirectory(const Model& model);
  // The degree of freedom of a joint that has one.
  int single_dof(const std::string& name, const std::string& what, const char* field) const;
  const Joint& joint(const std::string& name) const { return *joints_.at(name); }
  // Of a kept element: degree of freedom `offset` of a joint that is there.
  int dof_of(const std::string& name, int offset) const { return joints_.at(name)->first_velocity + offset; }

 private:
  std::unordered_map<std::string_view, const Joint*> joints_;
};

void lay_out_links(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);
void lay_out_keyframes(const ModelDraft& draft, Model& model);
void lay_out_pairs(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model);

}  // namespace stiction
