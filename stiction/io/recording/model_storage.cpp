#include "stiction/io/recording/model_storage.h"

#include <map>

#include "stiction/io/recording/byte_stream.h"
#include "stiction/model/builder/complete_model.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

constexpr std::uint64_t mark = 0x6c65646f4d697453;  // "StiModel"
// 1: no kinematic bodies, no cameras; 2: no transmissions; 3: no sensors, no torsional and rolling friction, no moving
// surfaces, no materials of pairs; 4: no fluid.
constexpr std::uint32_t version = 5, oldest_version = 1;

// One list of fields serves both directions: `Stream` is Out or In, and visit() names what an element consists of.
class Out {
 public:
  ByteWriter bytes;
  static constexpr std::uint32_t stored = version;

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void field(const T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      bytes.put(static_cast<std::uint8_t>(x));
    } else {
      bytes.put(x);
    }
  }
  void field(const std::string& x) { bytes.put_text(x); }
  template <class T>
  void field(const Eigen::PlainObjectBase<T>& x) {
    bytes.put_numbers(x.data(), T::SizeAtCompileTime);
  }
  void field(const VectorX& x) {
    bytes.put(static_cast<std::uint32_t>(x.size()));
    bytes.put_numbers(x.data(), static_cast<std::size_t>(x.size()));
  }
  template <std::size_t n>
  void field(const std::array<double, n>& x) {
    bytes.put_numbers(x.data(), n);
  }
  void field(const std::vector<std::pair<int, int>>& pairs) {
    bytes.put(static_cast<std::uint32_t>(pairs.size()));
    for (const auto& [a, b] : pairs) bytes.put(a), bytes.put(b);
  }
  template <class T, class Visit>
  void elements(const std::vector<T>& list, Visit visit) {
    bytes.put(static_cast<std::uint32_t>(list.size()));
    for (const T& e : list) visit(*this, e);
  }
};

class In {
 public:
  ByteReader bytes;
  std::uint32_t stored = version;  // of the bytes

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void field(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = bytes.get<std::uint8_t>() != 0;
    } else {
      bytes.get(x);
    }
  }
  void field(std::string& x) { x = bytes.get_text(); }
  template <class T>
  void field(Eigen::PlainObjectBase<T>& x) {
    bytes.get_numbers(x.data(), T::SizeAtCompileTime);
  }
  void field(VectorX& x) {
    x.resize(static_cast<Eigen::Index>(bytes.get_count(sizeof(double))));
    bytes.get_numbers(x.data(), static_cast<std::size_t>(x.size()));
  }
  template <std::size_t n>
  void field(std::array<double, n>& x) {
    bytes.get_numbers(x.data(), n);
  }
  void field(std::vector<std::pair<int, int>>& pairs) {
    pairs.resize(bytes.get_count(2 * sizeof(int)));
    for (auto& [a, b] : pairs) bytes.get(a), bytes.get(b);
  }
  template <class T, class Visit>
  void elements(std::vector<T>& list, Visit visit) {
    const std::size_t count = bytes.get_count(4);
    for (std::size_t k = 0; k < count; ++k) visit(*this, list.emplace_back());
  }
};

template <class Stream>
void visit_pose(Stream& s, auto& pose) {
  s.field(pose.rotation), s.field(pose.position);
}

template <class Stream>
void visit_body(Stream& s, auto& body) {
  s.field(body.parent), s.field(body.joint);
  visit_pose(s, body.placement);
  s.field(body.mass), s.field(body.com), s.field(body.inertia);
  if (s.stored >= 2) s.field(body.is_kinematic);
}

template <class Stream>
void visit_dof(Stream& s, auto& dof) {
  s.field(dof.armature), s.field(dof.damping), s.field(dof.stiffness), s.field(dof.rest_position);
  s.field(dof.dry_friction), s.field(dof.lower), s.field(dof.upper), s.field(dof.effort_limit);
  s.field(dof.velocity_limit);
}

template <class Stream>
void visit_joint(Stream& s, auto& joint) {
  s.field(joint.name), s.field(joint.kind), s.field(joint.first_body), s.field(joint.num_bodies);
  s.field(joint.first_position), s.field(joint.num_positions);
  s.field(joint.first_velocity), s.field(joint.num_velocities);
}

template <class Stream>
void visit_frame(Stream& s, auto& frame) {
  s.field(frame.name), s.field(frame.body), s.field(frame.is_site);
  visit_pose(s, frame.pose);
}

template <class Stream>
void visit_loop(Stream& s, auto& loop) {
  s.field(loop.name), s.field(loop.kind), s.field(loop.body_a), s.field(loop.body_b);
  visit_pose(s, loop.pose_a), visit_pose(s, loop.pose_b);
  s.field(loop.dof_a), s.field(loop.dof_b), s.field(loop.coefficients), s.field(loop.compliance);
}

template <class Stream>
void visit_actuator(Stream& s, auto& a) {
  s.field(a.name), s.field(a.kind), s.field(a.dof), s.field(a.gear), s.field(a.kp), s.field(a.kd);
  s.field(a.control_lower), s.field(a.control_upper), s.field(a.force_lower), s.field(a.force_upper);
}

template <class Stream>
void visit_keyframe(Stream& s, auto& key) {
  s.field(key.name), s.field(key.time), s.field(key.q), s.field(key.v), s.field(key.control);
}

template <class Stream>
void visit_camera(Stream& s, auto& camera) {
  s.field(camera.name), s.field(camera.frame);
  visit_pose(s, camera.pose);
  s.field(camera.mode), s.field(camera.target), s.field(camera.field_of_view);
}

template <class Stream>
void visit_material(Stream& s, auto& m) {
  s.field(m.friction), s.field(m.friction_2), s.field(m.restitution), s.field(m.compliance), s.field(m.damping);
  s.field(m.priority);
  if (s.stored < 4) return;
  s.field(m.torsional_friction), s.field(m.rolling_friction), s.field(m.surface_velocity), s.field(m.surface_spin);
}

// ---- geometry: a shape stores the kind and numbers, or the place of shared geometry in a list

using Shared = std::variant<std::shared_ptr<const ConvexHull>, std::shared_ptr<const TriangleMesh>,
                            std::shared_ptr<const HeightField>>;

template <class Surface>
void put_surface(ByteWriter& out, const Surface& surface) {
  out.put(static_cast<std::uint32_t>(surface.vertices().size()));
  for (const Vector3& v : surface.vertices()) out.put_numbers(v.data(), 3);
  out.put(static_cast<std::uint32_t>(surface.triangles().size()));
  for (const auto& t : surface.triangles()) out.append(t.data(), sizeof t);
}

void put_shared(ByteWriter& out, const Shared& shared) {
  out.put(static_cast<std::uint8_t>(shared.index()));
  if (const auto* hull = std::get_if<0>(&shared)) return put_surface(out, **hull);
  if (const auto* mesh = std::get_if<1>(&shared)) return put_surface(out, **mesh);
  const HeightField& field = *std::get<2>(shared);
  out.put(field.num_x()), out.put(field.num_y()), out.put(field.spacing_x()), out.put(field.spacing_y());
  out.put(static_cast<std::uint32_t>(field.heights().size()));
  out.put_numbers(field.heights().data(), field.heights().size());
}

Shared get_shared(ByteReader& in) {
  const int kind = in.get<std::uint8_t>();
  if (kind > 2) refuse("model: shared geometry of kind ", kind);
  if (kind == 2) {
    const int num_x = in.get<int>(), num_y = in.get<int>();
    const double spacing_x = in.get<double>(), spacing_y = in.get<double>();
    std::vector<double> heights(in.get_count(sizeof(double)));
    in.get_numbers(heights.data(), heights.size());
    return HeightField::make(num_x, num_y, spacing_x, spacing_y, heights);
  }
  std::vector<Vector3> vertices(in.get_count(sizeof(double) * 3));
  for (Vector3& v : vertices) in.get_numbers(v.data(), 3);
  std::vector<std::array<int, 3>> triangles(in.get_count(sizeof(int) * 3));
  for (auto& t : triangles) in.copy(t.data(), sizeof t);
  if (kind == 0) return ConvexHull::from_surface(vertices, triangles);
  return TriangleMesh::make(vertices, triangles);
}

struct PutGeometry {
  ByteWriter& out;
  const std::map<const void*, int>& place;

  void operator()(const Plane&) const {}
  void operator()(const Sphere& g) const { out.put(g.radius); }
  void operator()(const Capsule& g) const { out.put(g.radius), out.put(g.half_length); }
  void operator()(const Cylinder& g) const { out.put(g.radius), out.put(g.half_length); }
  void operator()(const Ellipsoid& g) const { out.put_numbers(g.radii.data(), 3); }
  void operator()(const Box& g) const { out.put_numbers(g.half_size.data(), 3); }
  template <class T>
  void operator()(const std::shared_ptr<const T>& g) const {
    out.put(place.at(g.get()));
  }
};

template <std::size_t kind>
Geometry shared_geometry(ByteReader& in, const std::vector<Shared>& shared) {
  const auto index = in.get<std::uint32_t>();
  if (index >= shared.size() || shared[index].index() != kind) {
    refuse("model: a shape has shared geometry ", index, ", which is missing or of another kind");
  }
  return std::get<kind>(shared[index]);
}

Geometry get_geometry(ByteReader& in, const std::vector<Shared>& shared) {
  const auto kind = in.get<std::uint8_t>();
  const auto vector = [&in] {
    Vector3 v;
    in.get_numbers(v.data(), 3);
    return v;
  };
  switch (static_cast<ShapeKind>(kind)) {
    case ShapeKind::plane:
      return Plane{};
    case ShapeKind::sphere:
      return Sphere{in.get<double>()};
    case ShapeKind::capsule: {
      const double radius = in.get<double>();
      return Capsule{radius, in.get<double>()};
    }
    case ShapeKind::cylinder: {
      const double radius = in.get<double>();
      return Cylinder{radius, in.get<double>()};
    }
    case ShapeKind::ellipsoid:
      return Ellipsoid{vector()};
    case ShapeKind::box:
      return Box{vector()};
    case ShapeKind::convex_hull:
      return shared_geometry<0>(in, shared);
    case ShapeKind::triangle_mesh:
      return shared_geometry<1>(in, shared);
    case ShapeKind::height_field:
      return shared_geometry<2>(in, shared);
  }
  refuse("model: a shape of kind ", static_cast<int>(kind));
}

// Distinct geometries in the order of the shapes that have them first.
std::vector<Shared> shared_of(const Model& model, std::map<const void*, int>& place) {
  std::vector<Shared> shared;
  const auto collect = [&](const auto& pointer) {
    if (place.emplace(pointer.get(), static_cast<int>(shared.size())).second) shared.push_back(pointer);
  };
  for (const Shape& shape : model.shapes) {
    if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape.geometry)) collect(*hull);
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&shape.geometry)) collect(*mesh);
    if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&shape.geometry)) collect(*field);
  }
  return shared;
}

template <class Stream>
void visit_shape(Stream& s, auto& shape) {
  s.field(shape.name), s.field(shape.body);
  visit_pose(s, shape.pose);
  visit_material(s, shape.material);
  s.field(shape.group), s.field(shape.mask), s.field(shape.color);
  s.field(shape.bound_center), s.field(shape.bound_radius);
}

// Everything but geometry.
template <class Stream>
void visit_model(Stream& s, auto& model) {
  s.field(model.gravity), s.field(model.friction_rule), s.field(model.suggested_time_step);
  s.elements(model.bodies, [](auto& t, auto& e) { visit_body(t, e); });
  s.elements(model.dofs, [](auto& t, auto& e) { visit_dof(t, e); });
  s.elements(model.joints, [](auto& t, auto& e) { visit_joint(t, e); });
  s.elements(model.frames, [](auto& t, auto& e) { visit_frame(t, e); });
  s.elements(model.shapes, [](auto& t, auto& e) { visit_shape(t, e); });
  s.elements(model.loops, [](auto& t, auto& e) { visit_loop(t, e); });
  s.elements(model.actuators, [](auto& t, auto& e) { visit_actuator(t, e); });
  s.elements(model.keyframes, [](auto& t, auto& e) { visit_keyframe(t, e); });
  s.field(model.excluded_pairs), s.field(model.forced_pairs);
  s.field(model.initial_position), s.field(model.initial_velocity);
}

template <class Stream>
void visit_tendon(Stream& s, auto& t) {
  s.field(t.name), s.field(t.kind), s.field(t.offset), s.field(t.stiffness), s.field(t.rest_lower);
  s.field(t.rest_upper), s.field(t.damping), s.field(t.dry_friction), s.field(t.lower), s.field(t.upper);
  s.field(t.effort_limit);
  s.elements(t.terms, [](auto& u, auto& e) { u.field(e.dof), u.field(e.coefficient); });
  s.elements(t.path, [](auto& u, auto& e) {
    u.field(e.kind), u.field(e.frame), u.field(e.body), u.field(e.radius), u.field(e.side_frame), u.field(e.divisor);
    visit_pose(u, e.pose);
  });
}

template <class Stream>
void visit_transmission(Stream& s, auto& a) {
  s.field(a.transmission), s.field(a.tendon), s.field(a.frame), s.field(a.reference_frame), s.field(a.crank_length);
  s.field(a.wrench), s.field(a.gain), s.field(a.bias), s.field(a.activation), s.field(a.time_constants);
  s.field(a.activation_lower), s.field(a.activation_upper), s.field(a.acts_early);
  auto& m = a.muscle;
  s.field(m.range_lower), s.field(m.range_upper), s.field(m.force), s.field(m.lower), s.field(m.upper);
  s.field(m.speed), s.field(m.passive), s.field(m.stretched), s.field(m.length_lower), s.field(m.length_upper);
}

// What version 3 has more.
template <class Stream>
void visit_transmissions(Stream& s, auto& model) {
  s.elements(model.carried_weights, [](auto& t, auto& e) { t.field(e.body), t.field(e.mass), t.field(e.center); });
  s.elements(model.tendons, [](auto& t, auto& e) { visit_tendon(t, e); });
  for (auto& actuator : model.actuators) visit_transmission(s, actuator);
  for (auto& loop : model.loops) s.field(loop.tendon_a), s.field(loop.tendon_b);
  for (auto& key : model.keyframes) s.field(key.activation);
}

void visit_numbers(Out& out, const std::vector<int>& list) {
  out.elements(list, [](Out& o, int x) { o.field(x); });
}
void visit_numbers(In& in, std::vector<int>& list) {
  in.elements(list, [](In& i, int& x) { i.field(x); });
}

// Everything but the region.
template <class Stream>
void visit_sensor(Stream& s, auto& sensor) {
  s.field(sensor.name), s.field(sensor.kind), s.field(sensor.element), s.field(sensor.frame);
  visit_pose(s, sensor.pose);
  s.field(sensor.has_reference), s.field(sensor.reference_frame);
  visit_pose(s, sensor.reference_pose);
  s.field(sensor.field), s.field(sensor.scale), s.field(sensor.cutoff), s.field(sensor.noise), s.field(sensor.delay);
  s.field(sensor.part.is_whole), s.field(sensor.part.inertia.mass), s.field(sensor.part.inertia.com);
  s.field(sensor.part.inertia.moment);
  visit_numbers(s, sensor.part.children), visit_numbers(s, sensor.part.shapes);
  s.field(sensor.has_other);
  visit_numbers(s, sensor.other_shapes);
}

void put_sensors(Out& out, const Model& model) {
  out.elements(model.sensors, [](auto& t, auto& e) { visit_sensor(t, e); });
  const std::map<const void*, int> none;
  for (const Sensor& sensor : model.sensors) {
    out.field(sensor.region.has_value());
    if (!sensor.region) continue;
    out.bytes.put(static_cast<std::uint8_t>(sensor.region->index()));
    std::visit(PutGeometry{out.bytes, none}, *sensor.region);
  }
}

void get_sensors(In& in, Model& model) {
  in.elements(model.sensors, [](auto& t, auto& e) { visit_sensor(t, e); });
  for (Sensor& sensor : model.sensors) {
    bool has_region = false;
    in.field(has_region);
    if (has_region) sensor.region = get_geometry(in.bytes, {});
  }
}

// What version 4 has more, beside what surfaces have.
template <class Stream>
void visit_pair_material(Stream& s, auto& pair) {
  auto& m = pair.material;
  s.field(pair.shape_a), s.field(pair.shape_b), s.field(m.friction), s.field(m.friction_2), s.field(m.direction_of);
  s.field(m.restitution), s.field(m.compliance), s.field(m.damping);
  s.field(m.torsional_friction), s.field(m.rolling_friction);
}

// What version 5 has more.
template <class Stream>
void visit_fluid(Stream& s, auto& model) {
  s.field(model.fluid.density), s.field(model.fluid.viscosity), s.field(model.fluid.wind);
  s.elements(model.fluid_forms, [](auto& t, auto& e) {
    t.field(e.body), t.field(e.kind);
    visit_pose(t, e.pose);
    t.field(e.half_axes), t.field(e.blunt_drag), t.field(e.slender_drag), t.field(e.angular_drag);
    t.field(e.kutta_lift), t.field(e.magnus_lift);
  });
}

}  // namespace

std::vector<std::byte> model_to_bytes(const Model& model) {
  Out out;
  const bool has_fluid = model.fluid.is_there() || !model.fluid.wind.isZero(0.0) || !model.fluid_forms.empty();
  out.bytes.put(mark);
  out.bytes.put(has_fluid ? version : version - 1);  // programs that know of no fluid read a model without
  visit_model(out, model);
  visit_transmissions(out, model);
  out.elements(model.pair_materials, [](auto& t, auto& e) { visit_pair_material(t, e); });
  std::map<const void*, int> place;
  const std::vector<Shared> shared = shared_of(model, place);
  out.bytes.put(static_cast<std::uint32_t>(shared.size()));
  for (const Shared& geometry : shared) put_shared(out.bytes, geometry);
  for (const Shape& shape : model.shapes) {
    out.bytes.put(static_cast<std::uint8_t>(shape.geometry.index()));
    std::visit(PutGeometry{out.bytes, place}, shape.geometry);
  }
  out.elements(model.cameras, [](auto& t, auto& e) { visit_camera(t, e); });
  put_sensors(out, model);
  if (has_fluid) visit_fluid(out, model);
  return out.bytes.bytes();
}

std::shared_ptr<const Model> model_from_bytes(std::span<const std::byte> bytes) {
  In in{ByteReader(bytes, "model")};
  if (in.bytes.get<std::uint64_t>() != mark) refuse("model: these bytes are no model");
  in.stored = in.bytes.get<std::uint32_t>();
  if (in.stored < oldest_version || in.stored > version) {
    refuse("model: stored in version ", in.stored, ", this program reads versions ", oldest_version, " to ", version);
  }
  Model model;
  visit_model(in, model);
  if (in.stored >= 3) visit_transmissions(in, model);
  if (in.stored >= 4) in.elements(model.pair_materials, [](auto& t, auto& e) { visit_pair_material(t, e); });
  const std::size_t num_shared = in.bytes.get_count(1);
  std::vector<Shared> shared;
  for (std::size_t k = 0; k < num_shared; ++k) shared.push_back(get_shared(in.bytes));
  for (Shape& shape : model.shapes) shape.geometry = get_geometry(in.bytes, shared);
  if (in.stored >= 2) in.elements(model.cameras, [](auto& t, auto& e) { visit_camera(t, e); });
  if (in.stored >= 4) get_sensors(in, model);
  if (in.stored >= 5) visit_fluid(in, model);
  if (in.bytes.num_left() > 0) refuse("model: ", in.bytes.num_left(), " bytes are left over");
  return complete_model(std::move(model));
}

}  // namespace stiction
