#include "stiction/model/describe.h"

#include <algorithm>
#include <sstream>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

constexpr std::size_t most_shapes = 12;  // on one line

struct Dimensions {
  std::ostream& out;

  void operator()(const Plane&) const {}
  void operator()(const Sphere& s) const { out << " radius " << s.radius; }
  void operator()(const Capsule& c) const { out << " radius " << c.radius << " length " << 2.0 * c.half_length; }
  void operator()(const Cylinder& c) const { out << " radius " << c.radius << " length " << 2.0 * c.half_length; }
  void operator()(const Ellipsoid& e) const { three(2.0 * e.radii); }
  void operator()(const Box& b) const { three(2.0 * b.half_size); }
  void operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    out << " of " << hull->num_vertices() << " vertices";
  }
  void operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    out << " of " << mesh->num_triangles() << " triangles";
  }
  void operator()(const std::shared_ptr<const HeightField>& field) const {
    out << " of " << field->num_x() << " x " << field->num_y() << " samples";
  }
  void three(const Vector3& size) const { out << " " << size[0] << " x " << size[1] << " x " << size[2]; }
};

// name[first] or name[first..last]
void print_range(std::ostream& out, const char* name, int first, int count) {
  out << " " << name << "[" << first;
  if (count > 1) out << ".." << first + count - 1;
  out << "]";
}

// What the bodies carry, and the lines of the description.
class Description {
 public:
  explicit Description(const Model& model)
      : model_(model), frames_(model.bodies.size() + 1), shapes_(frames_.size()), level_(model.bodies.size()) {
    out_.precision(5);
    for (const Frame& frame : model.frames) {
      if (!frame.is_site) frames_[frame.body + 1].push_back(&frame);
    }
    for (const Shape& shape : model.shapes) shapes_[shape.body + 1].push_back(&shape);
  }

  std::string text() {
    print_summary();
    print_world();
    std::size_t first_joint = 0, joint = 0;  // joints [first_joint, joint) belong to the chain being read
    for (int k = 0; k < model_.num_bodies(); ++k) {
      const Body& body = model_.bodies[k];
      const bool is_inner = frames_[k + 1].empty();  // of a chain of joints: told with the last
      const bool starts_chain = body.parent < 0 || !frames_[body.parent + 1].empty();
      level_[k] = body.parent < 0 ? 1 : level_[body.parent] + (starts_chain ? 1 : 0);
      while (joint < model_.joints.size() && model_.joints[joint].first_body <= k) ++joint;
      if (is_inner) continue;
      print_body(k, first_joint, joint);
      first_joint = joint;
    }
    print_links();
    return out_.str();
  }

 private:
  void print_summary() {
    const Vector3& g = model_.gravity;
    const auto count = [](std::size_t n, const char* one, const char* many) {
      return std::to_string(n) + " " + (n == 1 ? one : many);
    };
    out_ << count(model_.bodies.size(), "body", "bodies") << " in " << count(model_.trees.size(), "tree", "trees")
         << ", " << model_.num_positions() << " positions, " << model_.num_velocities() << " velocities, "
         << count(model_.shapes.size(), "shape", "shapes") << "; gravity (" << g[0] << ", " << g[1] << ", " << g[2]
         << ") m/s²\n";
    if (!model_.fluid.is_there()) return;
    const auto& [density, viscosity, wind] = model_.fluid;
    const auto is_ellipsoid = [](const FluidForm& form) { return form.kind == FluidFormKind::ellipsoid; };
    const auto& forms = model_.fluid_forms;
    const auto ellipsoids = static_cast<std::size_t>(std::count_if(forms.begin(), forms.end(), is_ellipsoid));
    out_ << "fluid of " << density << " kg/m³, " << viscosity << " Pa·s, wind (" << wind[0] << ", " << wind[1] << ", "
         << wind[2] << ") m/s, on " << count(forms.size() - ellipsoids, "box", "boxes") << " and "
         << count(ellipsoids, "ellipsoid", "ellipsoids") << "\n";
  }

  void print_world() {
    out_ << "world";
    for (const Frame* frame : frames_[0]) out_ << " + " << frame->name;
    print_shapes(shapes_[0], ": ");
    out_ << "\n";
  }

  void print_body(int k, std::size_t first_joint, std::size_t end_joint) {
    out_ << std::string(2 * static_cast<std::size_t>(level_[k]), ' ');
    const char* before = "";
    for (const Frame* frame : frames_[k + 1]) out_ << before << frame->name, before = " + ";
    before = ": ";
    for (std::size_t j = first_joint; j < end_joint; ++j) {
      out_ << before;
      print_joint(model_.joints[j]);
      before = ", ";
    }
    if (model_.bodies[k].mass > 0.0) out_ << "; " << model_.bodies[k].mass << " kg";
    print_shapes(shapes_[k + 1], "; ");
    out_ << "\n";
  }

  void print_joint(const Joint& joint) {
    out_ << joint.kind << " '" << joint.name << "'";
    print_range(out_, "q", joint.first_position, joint.num_positions);
    print_range(out_, "v", joint.first_velocity, joint.num_velocities);
    const Dof& dof = model_.dofs[joint.first_velocity];
    if (dof.lower > -no_limit || dof.upper < no_limit) out_ << " " << dof.lower << " .. " << dof.upper;
  }

  void print_shapes(const std::vector<const Shape*>& shapes, const char* before) {
    for (std::size_t s = 0; s < std::min(most_shapes, shapes.size()); ++s) {
      out_ << before << shapes[s]->name << " " << to_string(shapes[s]->kind());
      std::visit(Dimensions{out_}, shapes[s]->geometry);
      before = ", ";
    }
    if (shapes.size() > most_shapes) out_ << " and " << shapes.size() - most_shapes << " more shapes";
  }

  // The joint of the user behind a degree of freedom.
  const std::string& joint_of(int dof) const {
    std::size_t j = 0;
    while (j + 1 < model_.joints.size() && model_.joints[j + 1].first_velocity <= dof) ++j;
    return model_.joints[j].name;
  }

  std::string carrier(int body) const { return body < 0 ? "world" : frames_[body + 1].front()->name; }

  void print_links() {
    for (const Loop& loop : model_.loops) {
      out_ << "loop '" << loop.name << "': " << to_string(loop.kind);
      if (loop.kind == LoopKind::tendon_equality) {
        out_ << " of '" << model_.tendons[loop.tendon_a].name << "'";
        if (loop.tendon_b >= 0) out_ << " and '" << model_.tendons[loop.tendon_b].name << "'";
        out_ << "\n";
        continue;
      }
      if (loop.kind != LoopKind::joint_equality) {
        out_ << " of " << carrier(loop.body_a) << " and " << carrier(loop.body_b) << "\n";
        continue;
      }
      out_ << " of '" << joint_of(loop.dof_a) << "'";
      if (loop.dof_b >= 0) out_ << " and '" << joint_of(loop.dof_b) << "'";
      out_ << "\n";
    }
    for (const Tendon& tendon : model_.tendons) {
      out_ << "tendon '" << tendon.name << "': " << to_string(tendon.kind);
      for (const TendonTerm& term : tendon.terms) out_ << " " << term.coefficient << " '" << joint_of(term.dof) << "'";
      if (!tendon.path.empty()) out_ << " of " << tendon.path.size() << " places";
      out_ << "\n";
    }
    for (const Actuator& a : model_.actuators) {
      out_ << "actuator '" << a.name << "': " << to_string(a.kind) << " on '"
           << (a.dof >= 0      ? joint_of(a.dof)
               : a.tendon >= 0 ? model_.tendons[a.tendon].name
                               : model_.frames[a.frame].name)
           << "'";
      if (a.activation != ActivationKind::none) out_ << ", " << to_string(a.activation);
      out_ << "\n";
    }
    for (const Keyframe& keyframe : model_.keyframes) {
      out_ << "keyframe '" << keyframe.name << "' at " << keyframe.time << " s\n";
    }
    for (const MountedCamera& camera : model_.cameras) {
      const auto name = [&](int frame) { return frame < 0 ? "world" : model_.frames[frame].name; };
      out_ << "camera '" << camera.name << "': " << to_string(camera.mode) << " on " << name(camera.frame);
      if (camera.target >= 0) out_ << ", at " << name(camera.target);
      out_ << "\n";
    }
    for (const Sensor& sensor : model_.sensors) print_sensor(sensor);
  }

  void print_sensor(const Sensor& sensor) {
    const auto frame = [&](int k) { return k < 0 ? std::string("world") : model_.frames[k].name; };
    out_ << "sensor '" << sensor.name << "': " << to_string(sensor.kind);
    const SensorObject object = object_of(sensor.kind);
    if (object == SensorObject::joint) out_ << " of '" << model_.joints[sensor.element].name << "'";
    if (object == SensorObject::tendon) out_ << " of '" << model_.tendons[sensor.element].name << "'";
    if (object == SensorObject::actuator) out_ << " of '" << model_.actuators[sensor.element].name << "'";
    if (object == SensorObject::frame) out_ << " of '" << frame(sensor.frame) << "'";
    if (sensor.has_reference) out_ << " from '" << frame(sensor.reference_frame) << "'";
    print_range(out_, "values", sensor.first_value, sensor.num_values);
    if (sensor.noise > 0.0) out_ << ", noise " << sensor.noise;
    if (sensor.delay > 0.0) out_ << ", delay " << sensor.delay << " s";
    out_ << "\n";
  }

  const Model& model_;
  std::vector<std::vector<const Frame*>> frames_;  // of the world first
  std::vector<std::vector<const Shape*>> shapes_;  // of the world first
  std::vector<int> level_;
  std::ostringstream out_;
};

}  // namespace

std::string describe(const Model& model) {
  return Description(model).text();
}

}  // namespace stiction
