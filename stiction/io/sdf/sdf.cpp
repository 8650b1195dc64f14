#include "stiction/io/sdf/sdf.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "stiction/io/sdf/sdf_reader.h"
#include "stiction/io/settle.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr int max_include_depth = 16, max_includes = 10'000, max_model_depth = 64;

constexpr int no_scope = std::numeric_limits<int>::max();

constexpr const char* seen_only = "only to be seen";

double read_version(const XmlElement& root) {
  const XmlValue version = root.attribute("version");
  const std::string text = version.string();
  // 1.10 comes after 1.9: the part behind the point is a number of its own.
  const std::optional<double> minor = text.starts_with("1.") ? parse_number(text.substr(2)) : std::nullopt;
  if (!minor || text.find_first_not_of("0123456789", 2) != std::string::npos || *minor > 99.0) {
    version.refuse("SDF of version 1 is read");
  }
  return *minor;
}

}  // namespace

void SdfReader::note(const XmlElement& at, const std::string& element, const std::string& reason) {
  notes_.push_back({.file = at.file(), .line = at.line(), .element = element, .reason = reason});
}

const SdfFile& SdfReader::open_file(XmlDocument document, const std::string& path) {
  const XmlElement& root = document.root();
  if (root.name() != "sdf") root.refuse("the root element of an SDF file is <sdf>");
  const double version = read_version(root);
  files_.push_back({std::move(document), ModelPath(path, options_), version});
  return files_.back();
}

void SdfReader::read(XmlDocument document, const std::string& path, std::vector<IgnoredElement>& ignored) {
  const SdfFile& file = open_file(std::move(document), path);
  std::error_code error;
  open_files_.push_back(std::filesystem::weakly_canonical(path, error).string());
  builder_.set_friction_rule(FrictionRule::minimum);
  scopes_.push_back({.element = file.document.root(), .file = &file});
  frames_.push_back({.element = file.document.root(), .name = "world", .pose = options_.pose});
  read_root(file);
  place_frames();
  read_joints();
  choose_tree();
  walk_tree();
  add_loops();
  add_mimics();
  add_gearboxes();
  add_actuators();
  exclude_pairs();
  add_sensors();
  for (const SdfFile& f : files_) f.document.report_unused(ignored);
  ignored.insert(ignored.end(), notes_.begin(), notes_.end());
}

void SdfReader::read_root(const SdfFile& file) {
  const XmlElement& root = file.document.root();
  for (const char* unused : {"light", "actor"}) {
    for (const XmlElement& element : root.children(unused)) element.ignore("only to be seen");
  }
  const std::vector<XmlElement> worlds = root.children("world"), models = root.children("model");
  if (worlds.empty() && models.empty()) root.refuse("there is no <model> and no <world> in it");
  if (worlds.size() > 1) worlds[1].refuse("a second world; one is read, put the others into files of their own");
  if (!worlds.empty() && !models.empty()) models[0].refuse("a model beside a world; put it into the world");
  names_models_ = !worlds.empty() || models.size() > 1;
  if (!worlds.empty()) read_world(worlds[0], file);
  for (const XmlElement& model : models) read_model(model, file, 0, XmlElement());
}

void SdfReader::read_world(const XmlElement& world, const SdfFile& file) {
  world.attribute("name");
  scopes_[0].element = world;
  for (const char* unused : {"light", "gui", "scene", "audio", "actor", "road", "state"}) {
    for (const XmlElement& element : world.children(unused)) element.ignore("only to be seen or heard");
  }
  for (const char* unused : {"wind", "atmosphere", "magnetic_field", "spherical_coordinates", "population"}) {
    for (const XmlElement& element : world.children(unused)) element.ignore("nothing here feels it");
  }
  for (const XmlElement& plugin : world.children("plugin")) plugin.ignore("a program of Gazebo");
  const XmlElement gravity = world.child("gravity");
  if (gravity) builder_.set_gravity(gravity.text().vector3());
  read_physics(world);
  for (const XmlElement& child : world.children()) {
    if (child.name() == "model") read_model(child, file, 0, XmlElement());
    if (child.name() == "include") read_include(child, file, 0);
    if (child.name() == "frame") add_frame(child, 0);
    if (child.name() == "joint") add_joint(child, 0);
  }
}

// Of several engines the one that is called default, or else the first.
void SdfReader::read_physics(const XmlElement& world) {
  const std::vector<XmlElement> engines = world.children("physics");
  if (engines.empty()) return;
  std::size_t chosen = 0;
  for (std::size_t k = 0; k < engines.size(); ++k) {
    if (engines[k].attribute("default").boolean(false)) chosen = k;
  }
  for (std::size_t k = 0; k < engines.size(); ++k) {
    engines[k].attribute("name"), engines[k].attribute("type");
    if (k != chosen) {
      engines[k].ignore("another set of settings holds");
      continue;
    }
    const XmlElement step = engines[k].child("max_step_size");
    if (step) builder_.set_suggested_time_step(step.text().positive());
    const XmlElement gravity = engines[k].child("gravity");  // of old versions
    if (gravity) builder_.set_gravity(gravity.text().vector3());
    for (const XmlElement& setting : engines[k].children()) {
      if (setting.name() == "max_step_size" || setting.name() == "gravity") continue;
      setting.ignore("settings of Gazebo's engines; the simulator has its own");
    }
  }
}

int SdfReader::new_frame(const XmlElement& element, const std::string& name, int scope) {
  frames_.push_back({.element = element, .name = name, .scope = scope});
  return static_cast<int>(frames_.size()) - 1;
}

void SdfReader::read_model(const XmlElement& model, const SdfFile& file, int parent, const XmlElement& include) {
  const int index = static_cast<int>(scopes_.size());
  SdfScope scope{.element = model, .file = &file, .parent = parent};
  const XmlElement new_name = include.child("name");
  const std::string own = model.attribute("name").string();
  const std::string name = new_name ? new_name.text().string() : own;
  const XmlElement& named = new_name ? new_name : model;
  const bool is_top = parent == 0;
  scope.top = is_top ? index : scopes_[parent].top;
  scope.prefix = scopes_[parent].prefix + (is_top && !names_models_ ? "" : name + "::");
  if (std::count(scope.prefix.begin(), scope.prefix.end(), ':') > 2 * max_model_depth) {
    model.refuse("models are nested more than " + std::to_string(max_model_depth) + " deep");
  }
  scope.is_static = scopes_[parent].is_static || model.text_of("static").boolean(false);
  if (include.child("static")) scope.is_static = scopes_[parent].is_static || include.text_of("static").boolean();
  scope.self_collide = model.text_of("self_collide").boolean(false);
  const XmlValue placement = model.attribute("placement_frame");
  scope.placement_frame = placement.string("");
  scope.placed_by = model;
  const XmlElement include_pose = include.child("pose"), include_placement = include.child("placement_frame");
  if (include_placement) {
    if (!include_pose) include_placement.refuse("it needs a <pose> beside it");
    scope.placement_frame = include_placement.text().string();
  } else if (include_pose) {
    scope.placement_frame.clear();
  }
  if (include) scope.placed_by = include;
  scope.frame = new_frame(scope.placed_by, scopes_[parent].prefix + name, parent);
  // The pose that holds: that of the include, or else the model's own.
  frames_[scope.frame].element = include_pose ? include : model;
  model.child("pose").accept();
  if (!scopes_[parent].frames.emplace(name, scope.frame).second) named.refuse("the name '" + name + "' occurs twice");
  scopes_[parent].scopes.emplace(name, index);
  scopes_.push_back(std::move(scope));
  read_children(index);
}

void SdfReader::read_children(int scope) {
  const XmlElement model = scopes_[scope].element;
  const SdfFile& file = *scopes_[scope].file;
  model.attribute("canonical_link");
  model.child("model_state").ignore("links start where their poses say");
  for (const char* unused : {"allow_auto_disable", "enable_wind", "gripper", "battery"}) {
    for (const XmlElement& element : model.children(unused)) element.ignore("belongs to Gazebo");
  }
  for (const XmlElement& plugin : model.children("plugin")) plugin.ignore("a program of Gazebo");
  for (const XmlElement& child : model.children()) {
    if (child.name() == "link") add_link(child, scope);
    if (child.name() == "joint") add_joint(child, scope);
    if (child.name() == "frame") add_frame(child, scope);
    if (child.name() == "model") read_model(child, file, scope, XmlElement());
    if (child.name() == "include") read_include(child, file, scope);
  }
  // A model is carried by its canonical link: the one it names, or its first, or the first of what is nested in it.
  SdfScope& s = scopes_[scope];
  const XmlValue canonical = model.attribute("canonical_link");
  if (canonical && !canonical.string("").empty()) {
    const int frame = look_up(scope, canonical.string());
    if (frame < 0 || frames_[frame].link < 0) canonical.refuse("there is no link of that name in the model");
    s.first_link = frames_[frame].link;
  }
  int first_nested = no_scope;  // in the order of the file
  for (const auto& [name, nested] : s.scopes) {
    if (scopes_[nested].first_link >= 0) first_nested = std::min(first_nested, nested);
  }
  if (s.first_link < 0 && first_nested != no_scope) s.first_link = scopes_[first_nested].first_link;
}

void SdfReader::add_link(const XmlElement& element, int scope) {
  SdfScope& s = scopes_[scope];
  const std::string name = element.attribute("name").string();
  const int frame = new_frame(element, s.prefix + name, scope);
  if (!s.frames.emplace(name, frame).second) element.refuse("the name occurs twice in the model");
  const int index = static_cast<int>(links_.size());
  frames_[frame].link = index;
  if (s.first_link < 0) s.first_link = index;
  SdfLink link{.element = element, .name = options_.prefix + s.prefix + name, .scope = scope, .frame = frame};
  link.is_static = s.is_static;
  link.self_collide = element.text_of("self_collide").boolean(s.self_collide);
  for (const XmlElement& visual : element.children("visual")) visual.ignore(seen_only);
  for (const char* unused : {"light", "projector", "particle_emitter", "audio_source", "audio_sink"}) {
    for (const XmlElement& other : element.children(unused)) other.ignore("only to be seen or heard");
  }
  for (const char* unused : {"battery", "enable_wind", "velocity_decay", "must_be_base_link"}) {
    element.child(unused).ignore("has no counterpart");
  }
  const XmlElement gravity = element.child("gravity"), kinematic = element.child("kinematic");
  if (gravity && !gravity.text().boolean()) gravity.ignore("gravity acts on every body");
  if (kinematic && kinematic.text().boolean()) kinematic.ignore("every body obeys the laws of motion");
  links_.push_back(std::move(link));
}

void SdfReader::add_frame(const XmlElement& element, int scope) {
  SdfScope& s = scopes_[scope];
  const std::string name = element.attribute("name").string();
  const int frame = new_frame(element, s.prefix + name, scope);
  if (!s.frames.emplace(name, frame).second) element.refuse("the name occurs twice");
}

// Old files call a joint like a link; then the name means the link.
void SdfReader::add_joint(const XmlElement& element, int scope) {
  SdfScope& s = scopes_[scope];
  const std::string name = element.attribute("name").string();
  const int frame = new_frame(element, s.prefix + name, scope);
  s.frames.emplace(name, frame);
  if (!s.joints.emplace(name, static_cast<int>(joints_.size())).second) {
    element.refuse("a joint of that name is there already");
  }
  SdfJoint joint{.element = element, .name = options_.prefix + s.prefix + name, .scope = scope, .frame = frame};
  for (const char* unused : {"physics", "plugin"}) {
    for (const XmlElement& other : element.children(unused)) other.ignore("belongs to Gazebo");
  }
  joints_.push_back(std::move(joint));
}

// A folder means the file that its model.config names for the highest version, or model.sdf.
std::string SdfReader::included_file(const std::string& found, const XmlElement& include) const {
  namespace fs = std::filesystem;
  if (!fs::is_directory(found)) return found;
  const std::string config = (fs::path(found) / "model.config").string();
  if (!fs::exists(config)) {
    const std::string plain = (fs::path(found) / "model.sdf").string();
    if (!fs::exists(plain)) include.refuse("there is neither model.config nor model.sdf in " + found);
    return plain;
  }
  const XmlDocument document = XmlDocument::read(config);
  std::string best;
  double version = -1.0;
  for (const XmlElement& sdf : document.root().children("sdf")) {
    const double v = sdf.attribute("version") ? read_version(sdf) : 0.0;
    if (v > version) best = sdf.text().string(), version = v;
  }
  if (best.empty()) document.root().refuse("it names no <sdf> file");
  return ModelPath(config, options_).resolve(best);
}

void SdfReader::read_include(const XmlElement& include, const SdfFile& file, int parent) {
  if (include.attribute("merge").boolean(false)) {
    include.refuse("merge is not read; include the model without it, or write its links into this one");
  }
  for (const XmlElement& plugin : include.children("plugin")) plugin.ignore("a program of Gazebo");
  const XmlElement uri = include.required_child("uri");
  std::string path;
  try {
    path = included_file(file.paths.resolve(uri.text().string()), include);
  } catch (const std::invalid_argument& e) {
    uri.text().refuse(e.what());
  }
  std::error_code error;
  path = std::filesystem::weakly_canonical(path, error).string();
  if (std::find(open_files_.begin(), open_files_.end(), path) != open_files_.end()) {
    uri.text().refuse("the file includes itself: " + path);
  }
  if (open_files_.size() > max_include_depth) {
    uri.text().refuse("files include each other more than " + std::to_string(max_include_depth) + " deep");
  }
  if (++num_includes_ > max_includes) uri.text().refuse("more than " + std::to_string(max_includes) + " includes");
  const SdfFile* opened = nullptr;
  for (const SdfFile& f : files_) {
    if (f.document.file() == path) opened = &f;
  }
  if (!opened) opened = &open_file(XmlDocument::read(path), path);
  const std::vector<XmlElement> models = opened->document.root().children("model");
  if (models.size() != 1)
    uri.text().refuse("one <model> is wanted in " + path + ", there are " + std::to_string(models.size()));
  open_files_.push_back(path);
  read_model(models[0], *opened, parent, include);
  open_files_.pop_back();
}

namespace {

LoadedModel finish(const ModelBuilder& builder, std::vector<IgnoredElement> ignored, const std::string& file) {
  try {
    const std::shared_ptr<const Model> model = settle(builder.build(), file, ignored);
    return {model, std::move(ignored)};
  } catch (const std::invalid_argument& e) {
    refuse(file, ": ", e.what());
  }
}

}  // namespace

void append_sdf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                std::vector<IgnoredElement>& ignored) {
  SdfReader(builder, options).read(XmlDocument::read(path), path, ignored);
}

LoadedModel load_sdf(const std::string& path, const LoadOptions& options) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_sdf(builder, path, options, ignored);
  return finish(builder, std::move(ignored), path);
}

LoadedModel load_sdf_string(const std::string& xml, const LoadOptions& options, const std::string& folder) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  const std::string file = "SDF string";
  SdfReader(builder, options)
      .read(XmlDocument::parse(xml, file), (std::filesystem::path(folder) / file).string(), ignored);
  return finish(builder, std::move(ignored), file);
}

}  // namespace stiction
