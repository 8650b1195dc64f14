#include "stiction/sim/state.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"

namespace stiction {
namespace {

constexpr std::uint64_t magic = 0x3630657461745353;     // "SState06", little endian
constexpr std::uint64_t magic_05 = 0x3530657461745353;  // had no memory of sensors
constexpr std::uint64_t magic_04 = 0x3430657461745353;  // had no activations
constexpr std::uint64_t magic_03 = 0x3330657461745353;  // did not know what they rest under

std::uint64_t checksum(std::span<const std::byte> bytes) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return hash;
}

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <class T>
  void put_array(const T* values, std::size_t count) {
    put(static_cast<std::uint64_t>(count));
    append(values, count * sizeof(T));
  }
  std::vector<std::byte> bytes;

 private:
  void append(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value;
    copy(&value, sizeof value);
    return value;
  }
  template <class Array>
  void get_array(Array& to) {
    const auto count = get<std::uint64_t>();
    using T = std::remove_reference_t<decltype(*to.data())>;
    if (count > bytes_.size() / sizeof(T))
      refuse("state: an array of ", count, " entries does not fit into the bytes left");
    to.resize(count);
    copy(to.data(), count * sizeof(T));
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  void copy(void* to, std::size_t size) {
    if (bytes_.size() < size) refuse("state: the bytes end ", size - bytes_.size(), " too early");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
};

// A contact point as plain numbers.
struct PointRecord {
  ContactIdentity id;
  double position[3], normal[3], gap;
};
static_assert(sizeof(PointRecord) == 72);

void put_found(const FoundContacts& found, Writer& to) {
  to.put_array(found.q.data(), found.q.size());
  to.put_array(found.reach.data(), found.reach.size());
  to.put(static_cast<std::uint64_t>(found.points.size()));
  for (const ContactPoint& p : found.points) {
    const Vector3 &x = p.position, &n = p.normal;
    to.put(PointRecord{p.id, {x[0], x[1], x[2]}, {n[0], n[1], n[2]}, p.gap});
  }
}

void get_found(Reader& from, FoundContacts& found) {
  from.get_array(found.q);
  from.get_array(found.reach);
  std::vector<PointRecord> records;
  from.get_array(records);
  found.points.resize(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const PointRecord& r = records[i];
    found.points[i] = {r.id, Eigen::Map<const Vector3>(r.position), Eigen::Map<const Vector3>(r.normal), r.gap};
  }
}

// Bytes from elsewhere may name shapes that do not exist.
void check_found(const Model& model, const FoundContacts& found) {
  if (!found.reach.empty() && found.reach.size() != model.bodies.size()) {
    refuse("state: contacts were found with ", found.reach.size(), " reaches but the model has ", model.bodies.size(),
           " bodies");
  }
  for (std::size_t b = 0; b < found.reach.size(); ++b) {
    if (!(found.reach[b] >= 0.0)) refuse("state: body ", b, " has a reach of ", found.reach[b]);
  }
  const int num_shapes = static_cast<int>(model.shapes.size());
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const ContactPoint& p = found.points[i];
    const int a = p.id.shape_a, b = p.id.shape_b;
    if (a < 0 || b < 0 || a >= num_shapes || b >= num_shapes || !model.may_collide(a, b)) {
      refuse("state: found contact ", i, " is between shapes ", a, " and ", b, ", which do not meet in the model");
    }
    if (i > 0 && p.id < found.points[i - 1].id) refuse("state: found contact ", i, " is out of order");
    if (!p.position.allFinite() || !std::isfinite(p.gap) || !(std::abs(p.normal.squaredNorm() - 1.0) <= 1e-6)) {
      refuse("state: found contact ", i, " has the gap ", p.gap, ", the normal (", p.normal.transpose(),
             ") and the position (", p.position.transpose(), ")");
    }
  }
}

void check_vector(const char* name, const VectorX& values, int wanted) {
  if (values.size() != wanted) {
    refuse("state: ", name, " has ", values.size(), " entries but the model has ", wanted);
  }
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse("state: ", name, "[", i, "] is ", values[i]);
  }
}

}  // namespace

State State::initial(const Model& model) {
  State state;
  state.q = model.initial_position;
  state.v = model.initial_velocity;
  state.control.setZero(static_cast<Eigen::Index>(model.actuators.size()));
  state.activation.setZero(model.num_activations());
  return state;
}

State State::from_keyframe(const Model& model, int keyframe) {
  if (keyframe < 0 || keyframe >= static_cast<int>(model.keyframes.size())) {
    refuse("keyframe ", keyframe, " does not exist; the model has ", model.keyframes.size());
  }
  const Keyframe& key = model.keyframes[keyframe];
  State state = initial(model);
  state.time = key.time;
  if (key.q.size() > 0) state.q = key.q;
  if (key.v.size() > 0) state.v = key.v;
  if (key.control.size() > 0) state.control = key.control;
  if (key.activation.size() > 0) state.activation = key.activation;
  return state;
}

std::vector<std::byte> State::to_bytes() const {
  Writer body;
  body.put(time);
  body.put(step);
  body.put_array(q.data(), q.size());
  body.put_array(v.data(), v.size());
  body.put_array(control.data(), control.size());
  body.put_array(warm_starts.data(), warm_starts.size());
  body.put_array(collision.bytes.data(), collision.bytes.size());
  put_found(found, body);
  body.put_array(rest_steps.data(), rest_steps.size());
  body.put(rest_inputs);
  body.put_array(activation.data(), activation.size());
  body.put_array(sensed.data(), sensed.size());
  body.put(sensed_from);
  Writer all;
  all.put(magic);
  all.put(checksum(body.bytes));
  all.bytes.insert(all.bytes.end(), body.bytes.begin(), body.bytes.end());
  return all.bytes;
}

State State::from_bytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  const auto version = reader.get<std::uint64_t>();
  if (version != magic && version != magic_05 && version != magic_04 && version != magic_03)
    refuse("state: these bytes are no state of this version");
  const auto sum = reader.get<std::uint64_t>();
  if (sum != checksum(bytes.subspan(16))) refuse("state: the checksum does not match: the bytes are damaged");
  State state;
  state.time = reader.get<double>();
  state.step = reader.get<std::int64_t>();
  reader.get_array(state.q);
  reader.get_array(state.v);
  reader.get_array(state.control);
  reader.get_array(state.warm_starts);
  reader.get_array(state.collision.bytes);
  get_found(reader, state.found);
  reader.get_array(state.rest_steps);
  if (version != magic_03) state.rest_inputs = reader.get<std::uint64_t>();
  if (version == magic || version == magic_05) reader.get_array(state.activation);
  if (version == magic) {
    reader.get_array(state.sensed);
    state.sensed_from = reader.get<std::int64_t>();
  }
  if (!reader.at_end()) refuse("state: bytes are left over");
  return state;
}

void State::save(const std::string& path) const {
  const auto bytes = to_bytes();
  save_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
}

State State::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, ": cannot be opened");
  std::vector<char> raw((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  try {
    return from_bytes(std::as_bytes(std::span(raw)));
  } catch (const std::invalid_argument& error) {
    refuse(path, ": ", error.what());
  }
}

void check_state(const Model& model, const State& state) {
  if (!std::isfinite(state.time)) refuse("state: time is ", state.time);
  check_vector("q", state.q, model.num_positions());
  check_vector("v", state.v, model.num_velocities());
  check_vector("control", state.control, static_cast<int>(model.actuators.size()));
  check_vector("activation", state.activation, model.num_activations());
  check_vector("sensed", state.sensed, static_cast<int>(state.sensed.size()));  // its size belongs to a time step
  for (const Body& body : model.bodies) {
    if (body.joint != JointType::free && body.joint != JointType::ball) continue;
    const int first = body.first_position + (body.joint == JointType::free ? 3 : 0);
    const double length = state.q.segment<4>(first).norm();
    if (!(std::abs(length - 1.0) <= 1e-3)) {
      refuse("state: the quaternion q[", first, " … ", first + 3, "] has length ", length, "; it must be 1");
    }
  }
  for (std::size_t i = 0; i < state.warm_starts.size(); ++i) {
    for (const double x : state.warm_starts[i].impulse) {
      if (!std::isfinite(x)) refuse("state: warm start ", i, " holds ", x);
    }
    const WarmStart& start = state.warm_starts[i];
    const int num_shapes = static_cast<int>(model.shapes.size());
    if (start.id.source == ConstraintSource::contact &&
        (start.id.first < 0 || start.id.first >= num_shapes || start.id.second < 0 || start.id.second >= num_shapes)) {
      refuse("state: warm start ", i, " is of shapes ", start.id.first, " and ", start.id.second,
             ", which do not exist");
    }
    if (!(start.left_depth >= 0.0)) refuse("state: warm start ", i, " is left at a depth of ", start.left_depth);
    for (const double* place : {start.point_a, start.point_b, start.normal, start.end_velocity}) {
      for (int k = 0; k < 3; ++k) {
        if (!std::isfinite(place[k])) refuse("state: warm start ", i, " sticks at ", place[k]);
      }
    }
  }
  check_found(model, state.found);
  if (!state.rest_steps.empty() && state.rest_steps.size() != model.trees.size()) {
    refuse("state: rest_steps has ", state.rest_steps.size(), " entries but the model has ", model.trees.size(),
           " trees");
  }
}

}  // namespace stiction
