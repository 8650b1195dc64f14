#include "stiction/model/model_builder.h"

#include <algorithm>
#include <unordered_set>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

std::string element(const char* kind, std::size_t index, const std::string& name) {
  return std::string(kind) + " " + std::to_string(index) + (name.empty() ? "" : " '" + name + "'");
}

// −1 is the world.
void check_body_index(int body, std::size_t num_bodies, std::string_view what, const char* field) {
  if (body < -1 || body >= static_cast<int>(num_bodies)) {
    refuse(what, ": ", field, " is ", body, "; there ", num_bodies == 1 ? "is " : "are ", num_bodies,
           num_bodies == 1 ? " body" : " bodies", " so far, and -1 is the world");
  }
}

// −1 is everything up to the last that build() finds.
void check_scope(int first, int end, std::size_t count, std::string_view what, const char* kind) {
  if (first < 0 || (end != -1 && end < first) || std::max(first, end) > static_cast<int>(count)) {
    refuse(what, ": scope of ", kind, " ", first, " … ", end, "; there are ", count, " so far");
  }
}

void check_enum(int value, int count, std::string_view what, const char* field) {
  if (value < 0 || value >= count) refuse(what, ": ", field, " is ", value, "; it must be one of the enumeration");
}

void check_joint_sequence(const std::vector<JointOptions>& joints, std::string_view what) {
  for (const JointOptions& joint : joints) {
    if (joint.kind == JointKind::free && joints.size() > 1) {
      refuse(what, ": a free joint among ", joints.size(), " joints; it leaves nothing to the others");
    }
    if (joint.kind == JointKind::free && !(joint.pose.position.isZero(0.0) && joint.pose.rotation.isIdentity(0.0))) {
      refuse(what, ": joint.pose of a free joint; a free body has its own frame as joint frame");
    }
  }
}

// Names of one kind of element: what is given must be unique; what is empty gets `base` or base_2, base_3 …
class Names {
 public:
  explicit Names(const char* kind) : kind_(kind) {}

  void claim(const std::string& name) {
    if (!name.empty() && !taken_.insert(name).second) refuse(kind_, " '", name, "': the name occurs twice");
  }
  void fill(std::string& name, const std::string& base) {
    if (!name.empty()) return;
    name = base;
    for (int k = 2; !taken_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
  }

 private:
  const char* kind_;
  std::unordered_set<std::string> taken_;
};

template <class Elements>
void name_elements(Elements& elements, const char* kind) {
  Names names(kind);
  for (const auto& e : elements) names.claim(e.name);
  for (std::size_t k = 0; k < elements.size(); ++k) names.fill(elements[k].name, kind + std::to_string(k));
}

void name_sensors(std::vector<SensorOptions>& sensors) {
  Names names("sensor");
  for (const SensorOptions& sensor : sensors) names.claim(sensor.name);
  for (SensorOptions& sensor : sensors) names.fill(sensor.name, std::string(to_string(sensor.kind)));
}

}  // namespace

void ModelDraft::name_all() {
  name_elements(bodies, "body");
  name_elements(shapes, "shape");
  name_elements(sites, "site");
  name_elements(loops, "loop");
  name_elements(tendons, "tendon");
  name_elements(keyframes, "keyframe");
  name_elements(cameras, "camera");
  name_sensors(sensors);
  Names joint_names("joint");
  for (const BodyOptions& body : bodies) {
    for (const JointOptions& joint : body.joints) joint_names.claim(joint.name);
  }
  for (BodyOptions& body : bodies) {
    for (JointOptions& joint : body.joints) joint_names.fill(joint.name, body.name);
  }
  Names actuator_names("actuator");
  for (const ActuatorOptions& actuator : actuators) actuator_names.claim(actuator.name);
  for (ActuatorOptions& actuator : actuators) {
    actuator_names.fill(actuator.name, !actuator.joint.empty()    ? actuator.joint
                                       : !actuator.tendon.empty() ? actuator.tendon
                                                                  : actuator.site);
  }
}

std::string_view to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::free:
      return "free";
    case JointKind::ball:
      return "ball";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::planar:
      return "planar";
    case JointKind::universal:
      return "universal";
    case JointKind::cylindrical:
      return "cylindrical";
  }
  return "?";
}

struct ModelBuilder::Draft : ModelDraft {};

ModelBuilder::ModelBuilder() : draft_(std::make_unique<Draft>()) {}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

void ModelBuilder::set_gravity(const Vector3& gravity) {
  check_finite(gravity, "world", "gravity");
  draft_->gravity = gravity;
}

void ModelBuilder::set_friction_rule(FrictionRule rule) {
  check_enum(static_cast<int>(rule), 5, "world", "friction rule");
  draft_->friction_rule = rule;
}

void ModelBuilder::set_suggested_time_step(double seconds) {
  if (!(seconds > 0.0) || seconds == no_limit) {
    refuse("world: suggested time step is ", seconds, " s; it must be positive and finite");
  }
  draft_->suggested_time_step = seconds;
}

void ModelBuilder::set_fluid(const Fluid& fluid) {
  check_fluid(fluid, "world");
  draft_->fluid = fluid;
}

int ModelBuilder::add_body(const BodyOptions& options) {
  const std::size_t index = draft_->bodies.size();
  const std::string what = element("body", index, options.name);
  check_body_index(options.parent, index, what, "parent");
  BodyOptions body = options;
  body.pose = checked_pose(options.pose, what, "pose");
  body.joints.clear();
  const std::vector<JointOptions> given = options.joints.empty() ? std::vector{options.joint} : options.joints;
  for (const JointOptions& joint : given) {
    const std::string which = what + ": joint" + (joint.name.empty() ? "" : " '" + joint.name + "'");
    check_enum(static_cast<int>(joint.kind), 8, which, "kind");
    const JointOptions checked = checked_joint(joint, which);
    if (joint.kind != JointKind::fixed) body.joints.push_back(checked);
  }
  check_joint_sequence(body.joints, what);
  if (body.is_kinematic && (body.joints.size() != 1 || body.joints[0].kind != JointKind::free)) {
    refuse(what, ": a kinematic body whose joint is not free; its velocity is set, not that of a joint");
  }
  if (options.inertia) check_semi_inertia(*options.inertia, what);
  check_finite(options.gravity_compensation, what, "gravity_compensation");
  draft_->bodies.push_back(std::move(body));
  return static_cast<int>(index);
}

int ModelBuilder::add_shape(const ShapeOptions& options) {
  const std::size_t index = draft_->shapes.size();
  const std::string what = element("shape", index, options.name);
  check_body_index(options.body, draft_->bodies.size(), what, "body");
  ShapeOptions shape = options;
  shape.pose = checked_pose(options.pose, what, "pose");
  check_geometry(options.geometry, what);
  check_material(options.material, what);
  check_not_negative(options.mass, what, "mass");
  check_not_negative(options.density, what, "density");
  for (int k = 0; k < 4; ++k) {
    if (!(options.color[k] >= 0.0 && options.color[k] <= 1.0)) {
      refuse(what, ": color[", k, "] is ", options.color[k], "; it must lie in 0 … 1");
    }
  }
  draft_->shapes.push_back(std::move(shape));
  return static_cast<int>(index);
}

int ModelBuilder::add_site(const std::string& name, int body, const Pose& pose) {
  const std::size_t index = draft_->sites.size();
  const std::string what = element("site", index, name);
  check_body_index(body, draft_->bodies.size(), what, "body");
  draft_->sites.push_back({name, body, checked_pose(pose, what, "pose")});
  return static_cast<int>(index);
}

int ModelBuilder::add_loop(const LoopOptions& options) {
  const std::size_t index = draft_->loops.size();
  const std::string what = element("loop", index, options.name);
  check_enum(static_cast<int>(options.kind), 5, what, "kind");
  check_body_index(options.body_a, draft_->bodies.size(), what, "body_a");
  check_body_index(options.body_b, draft_->bodies.size(), what, "body_b");
  LoopOptions loop = options;
  loop.pose_a = checked_pose(options.pose_a, what, "pose_a");
  loop.pose_b = checked_pose(options.pose_b, what, "pose_b");
  for (int k = 0; k < 5; ++k) {
    check_finite(options.coefficients[k], what, "coefficients[" + std::to_string(k) + "]");
  }
  check_not_negative(options.compliance, what, "compliance");
  draft_->loops.push_back(std::move(loop));
  return static_cast<int>(index);
}

int ModelBuilder::add_tendon(const TendonOptions& options) {
  const std::size_t index = draft_->tendons.size();
  const std::string what = element("tendon", index, options.name);
  check_tendon(options, what);
  TendonOptions tendon = options;
  for (TendonPointOptions& point : tendon.path) {
    check_body_index(point.body, draft_->bodies.size(), what, "path: body");
    point.pose = checked_pose(point.pose, what, "path: pose");
  }
  draft_->tendons.push_back(std::move(tendon));
  return static_cast<int>(index);
}

int ModelBuilder::add_actuator(const ActuatorOptions& options) {
  const std::size_t index = draft_->actuators.size();
  check_actuator(options, element("actuator", index, options.name));
  draft_->actuators.push_back(options);
  return static_cast<int>(index);
}

int ModelBuilder::add_fluid_form(const FluidForm& form) {
  const std::size_t index = draft_->fluid_forms.size();
  const std::string what = element("fluid form", index, "");
  check_body_index(form.body, draft_->bodies.size(), what, "body");
  draft_->fluid_forms.push_back(checked_fluid_form(form, what));
  return static_cast<int>(index);
}

int ModelBuilder::add_camera(const MountedCamera& camera) {
  const std::size_t index = draft_->cameras.size();
  const std::string what = element("camera", index, camera.name);
  check_body_index(camera.frame, draft_->bodies.size(), what, "frame");
  check_body_index(camera.target, draft_->bodies.size(), what, "target");
  draft_->cameras.push_back(checked_camera(camera, what));
  return static_cast<int>(index);
}

int ModelBuilder::add_sensor(const SensorOptions& options) {
  const std::size_t index = draft_->sensors.size(), count = draft_->bodies.size();
  const std::string what = element("sensor", index, options.name);
  SensorOptions sensor = options;
  if (sensor.body != SensorOptions::no_body) check_body_index(sensor.body, count, what, "body");
  if (sensor.reference_body != SensorOptions::no_body) {
    check_body_index(sensor.reference_body, count, what, "reference_body");
  }
  if (sensor.other_body != SensorOptions::no_body) check_body_index(sensor.other_body, count, what, "other_body");
  sensor.pose = checked_pose(options.pose, what, "pose");
  sensor.reference_pose = checked_pose(options.reference_pose, what, "reference_pose");
  check_sensor(sensor, what);
  draft_->sensors.push_back(std::move(sensor));
  return static_cast<int>(index);
}

int ModelBuilder::add_keyframe(const Keyframe& keyframe, const KeyframeScope& scope) {
  const std::size_t index = draft_->keyframes.size();
  const std::string what = element("keyframe", index, keyframe.name);
  check_finite(keyframe.time, what, "time");
  check_scope(scope.first_body, scope.end_body, draft_->bodies.size(), what, "bodies");
  check_scope(scope.first_actuator, scope.end_actuator, draft_->actuators.size(), what, "actuators");
  draft_->keyframes.push_back(keyframe);
  draft_->scopes.push_back(scope);
  return static_cast<int>(index);
}

void ModelBuilder::exclude_bodies(int body_a, int body_b) {
  check_body_index(body_a, draft_->bodies.size(), "excluded pair of bodies", "body_a");
  check_body_index(body_b, draft_->bodies.size(), "excluded pair of bodies", "body_b");
  draft_->excluded_bodies.emplace_back(std::minmax(body_a, body_b));
}

namespace {

std::pair<int, int> checked_shapes(int a, int b, std::size_t num_shapes, const char* what) {
  for (int shape : {a, b}) {
    if (shape < 0 || shape >= static_cast<int>(num_shapes)) {
      refuse(what, ": shape ", shape, " does not exist; there are ", num_shapes, " so far");
    }
  }
  if (a == b) refuse(what, ": shape ", a, " with itself");
  return std::minmax(a, b);
}

}  // namespace

void ModelBuilder::exclude_shapes(int shape_a, int shape_b) {
  draft_->excluded_shapes.push_back(checked_shapes(shape_a, shape_b, draft_->shapes.size(), "excluded pair of shapes"));
}

void ModelBuilder::force_pair(int shape_a, int shape_b) {
  draft_->forced_pairs.push_back(checked_shapes(shape_a, shape_b, draft_->shapes.size(), "forced pair of shapes"));
}

void ModelBuilder::set_pair_material(int shape_a, int shape_b, const PairMaterial& material) {
  const auto [a, b] = checked_shapes(shape_a, shape_b, draft_->shapes.size(), "material of a pair of shapes");
  ShapePair pair{a, b, material};
  if (a != shape_a && material.direction_of >= 0) pair.material.direction_of = 1 - material.direction_of;
  check_pair_material(pair.material, message("material of the pair of shapes ", a, " and ", b));
  draft_->pair_materials.push_back(pair);
}

void ModelBuilder::set_parents_collide(bool collide) {
  draft_->parents_collide = collide;
}

ModelBuilder ModelBuilder::from_model(const Model& model) {
  ModelBuilder builder;
  builder.draft_->gravity = model.gravity;
  builder.draft_->fluid = model.fluid;
  builder.draft_->friction_rule = model.friction_rule;
  builder.draft_->suggested_time_step = model.suggested_time_step;
  builder.attach(model);
  return builder;
}

int ModelBuilder::attach(const Model& model, const AttachOptions& options) {
  check_body_index(options.parent, draft_->bodies.size(), "attached model", "parent");
  AttachOptions checked = options;
  checked.pose = checked_pose(options.pose, "attached model", "pose");
  const int first = static_cast<int>(draft_->bodies.size());
  ModelDraft whole = *draft_;
  attach_model(model, checked, whole);
  static_cast<ModelDraft&>(*draft_) = std::move(whole);
  return first;
}

void ModelBuilder::remove_body(int body) {
  if (body < 0) refuse("removed body: the index is ", body, "; the world stays");
  check_body_index(body, draft_->bodies.size(), "removed body", "index");
  const auto kept = draft_->kept_bodies.find(body);
  if (kept != draft_->kept_bodies.end() && kept->second.chain.empty()) {
    refuse("removed body '", draft_->bodies[body].name,
           "': it was fixed to another one in the model it came from, and what was its own is not known any more; ",
           "remove what it is fixed to");
  }
  draft_->removed_bodies.insert(body);
}

int ModelBuilder::find_body(std::string_view name) const {
  for (std::size_t k = 0; k < draft_->bodies.size(); ++k) {
    if (draft_->bodies[k].name == name) return static_cast<int>(k);
  }
  refuse(unknown_name("body", name, names_of(draft_->bodies)));
}

std::shared_ptr<const Model> ModelBuilder::build() const {
  ModelDraft draft = *draft_;
  if (!draft.removed_bodies.empty()) draft.drop_removed();
  draft.name_all();
  auto model = std::make_shared<Model>();
  model->gravity = draft.gravity;
  model->fluid = draft.fluid;
  model->friction_rule = draft.friction_rule;
  model->suggested_time_step = draft.suggested_time_step;
  const std::vector<BodyPlace> place = lay_out_forest(draft, *model);
  name_bodies(*model);
  lay_out_rows(*model);
  check_mobility(*model);
  lay_out_transmissions(draft, place, *model);
  lay_out_links(draft, place, *model);
  lay_out_keyframes(draft, *model);
  model->cameras = draft.cameras;  // frames begin with the bodies of the draft, in their order
  lay_out_pairs(draft, place, *model);
  lay_out_sensors(draft, place, *model);
  return model;
}

}  // namespace stiction
