#include "stiction/learning/contact_samples.h"

#include <charconv>
#include <cmath>

#include "stiction/learning/safetensors.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr const char* format_name = "stiction contact samples 1";
constexpr int point_numbers = 8 * ContactSample::most_points;

double to_number(const std::string& text, const std::string& what) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(what, " is no number");
  return value;
}

int whole(double value, int least, int most, const char* what, Eigen::Index sample, const std::string& where) {
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    refuse(where, ": ", what, " of sample ", sample, " is ", value, "; a whole number within ", least, " … ", most,
           " is wanted");
  }
  return static_cast<int>(value);
}

ContactSample to_sample(const MatrixX& rotation, const MatrixX& velocity, const MatrixX& impulse, const MatrixX& points,
                        Eigen::Index i) {
  ContactSample sample;
  for (int k = 0; k < 9; ++k) sample.rotation(k / 3, k % 3) = rotation(i, k);
  sample.velocity = {velocity.row(i).head<3>(), velocity.row(i).tail<3>()};
  sample.impulse = {impulse.row(i).head<3>(), impulse.row(i).tail<3>()};
  for (int k = 0; k < ContactSample::most_points; ++k) {
    sample.points[static_cast<std::size_t>(k)] = {points.row(i).segment<3>(8 * k), points.row(i).segment<3>(8 * k + 3),
                                                  points(i, 8 * k + 6), points(i, 8 * k + 7)};
  }
  return sample;
}

ContactData from_tensors(const TensorFile& file, const std::string& where) {
  if (file.value("format", where) != format_name) refuse(where, ": its format is no \"", format_name, '"');
  ContactData data;
  const auto number = [&](const char* key) { return to_number(file.value(key, where), where + ": " + key); };
  data.mass = number("mass");
  data.time_step = number("time_step");
  data.patch.touch_distance = number("touch_distance");
  data.patch.thickness = number("thickness");
  const auto matrix = [&](const char* name, Eigen::Index rows, Eigen::Index columns) {
    MatrixX m = file.matrix(name, where);
    if (m.rows() != rows || m.cols() != columns) {
      refuse(where, ": ", name, " is ", m.rows(), " by ", m.cols(), "; ", rows, " by ", columns, " is wanted");
    }
    return m;
  };
  const auto vector = [&](const char* name, Eigen::Index size) {
    VectorX v = file.vector(name, where);
    if (v.size() != size) refuse(where, ": ", name, " has ", v.size(), " entries; ", size, " are wanted");
    return v;
  };
  data.inertia = matrix("inertia", 3, 3);
  const Eigen::Index n = file.vector("state", where).size();
  const MatrixX rotation = matrix("rotation", n, 9), velocity = matrix("velocity", n, 6);
  const MatrixX impulse = matrix("impulse", n, 6), points = matrix("points", n, point_numbers);
  const VectorX state = vector("state", n), dimension = vector("dimension", n), num_points = vector("num_points", n);
  data.samples.reserve(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) {
    ContactSample sample = to_sample(rotation, velocity, impulse, points, i);
    sample.state = static_cast<PatchState>(whole(state[i], 0, 2, "state", i, where));
    sample.dimension = whole(dimension[i], 0, 2, "dimension", i, where);
    sample.num_points = whole(num_points[i], 1, ContactSample::most_points, "num_points", i, where);
    data.samples.push_back(sample);
  }
  for (const auto& [key, value] : file.metadata) {
    if (key.rfind("provenance.", 0) == 0) data.provenance[key.substr(11)] = value;
  }
  try {
    data.validate();
  } catch (const std::invalid_argument& error) {
    refuse(where, ": ", error.what());
  }
  return data;
}

}  // namespace

std::array<std::array<int, num_patch_states>, 3> ContactData::counts() const {
  std::array<std::array<int, num_patch_states>, 3> number{};
  for (const ContactSample& sample : samples) {
    ++number[static_cast<std::size_t>(sample.dimension)][static_cast<std::size_t>(sample.state)];
  }
  return number;
}

void ContactData::append(const ContactData& other) {
  if (other.mass != mass || other.inertia != inertia) {
    refuse("samples: those to append are of a body of ", other.mass, " kg, these of ", mass, " kg or another inertia");
  }
  if (other.time_step != time_step) refuse("samples: time_step is ", other.time_step, "; these have ", time_step);
  samples.insert(samples.end(), other.samples.begin(), other.samples.end());
}

void ContactData::validate() const {
  patch.validate();
  require(mass > 0.0 && std::isfinite(mass), "samples: mass", mass, "positive and finite");
  require(time_step > 0.0 && std::isfinite(time_step), "samples: time_step", time_step, "positive and finite");
  if (!inertia.allFinite() || !(inertia.determinant() > 0.0)) refuse("samples: inertia is not positive definite");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const ContactSample& s = samples[i];
    const auto check = [&](const char* what, const auto& values) {
      if (!values.allFinite()) refuse("samples: ", what, " of sample ", i, " is not finite");
    };
    check("rotation", s.rotation);
    if ((s.rotation.transpose() * s.rotation - Matrix3::Identity()).norm() > 1e-6 || s.rotation.determinant() < 0.0) {
      refuse("samples: rotation of sample ", i, " is no rotation");
    }
    check("velocity", s.velocity.linear);
    check("velocity", s.velocity.angular);
    check("impulse", s.impulse.linear);
    check("impulse", s.impulse.angular);
    for (const PatchPoint& point : s.all_points()) {
      check("points", point.offset);
      if (!(std::abs(point.normal.norm() - 1.0) < 1e-6))
        refuse("samples: a normal of sample ", i, " is not of length one");
      if (!std::isfinite(point.gap) || !std::isfinite(point.promise))
        refuse("samples: a gap of sample ", i, " is not finite");
    }
  }
}

void ContactData::save(const std::string& path) const {
  validate();
  const auto n = static_cast<Eigen::Index>(samples.size());
  MatrixX rotation(n, 9), velocity(n, 6), impulse(n, 6), points = MatrixX::Zero(n, point_numbers);
  VectorX state(n), dimension(n), num_points(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactSample& s = samples[static_cast<std::size_t>(i)];
    for (int k = 0; k < 9; ++k) rotation(i, k) = s.rotation(k / 3, k % 3);
    velocity.row(i) << s.velocity.linear.transpose(), s.velocity.angular.transpose();
    impulse.row(i) << s.impulse.linear.transpose(), s.impulse.angular.transpose();
    for (int k = 0; k < s.num_points; ++k) {
      const PatchPoint& p = s.points[static_cast<std::size_t>(k)];
      points.row(i).segment<8>(8 * k) << p.offset.transpose(), p.normal.transpose(), p.gap, p.promise;
    }
    state[i] = static_cast<double>(s.state);
    dimension[i] = s.dimension;
    num_points[i] = s.num_points;
  }
  TensorFile file;
  file.metadata["format"] = format_name;
  file.metadata["mass"] = message(mass);
  file.metadata["time_step"] = message(time_step);
  file.metadata["touch_distance"] = message(patch.touch_distance);
  file.metadata["thickness"] = message(patch.thickness);
  for (const auto& [key, value] : provenance) file.metadata["provenance." + key] = value;
  file.tensors["inertia"] = Tensor::from_matrix(inertia);
  file.tensors["rotation"] = Tensor::from_matrix(rotation);
  file.tensors["velocity"] = Tensor::from_matrix(velocity);
  file.tensors["impulse"] = Tensor::from_matrix(impulse);
  file.tensors["points"] = Tensor::from_matrix(points);
  file.tensors["state"] = Tensor::from_vector(state);
  file.tensors["dimension"] = Tensor::from_vector(dimension);
  file.tensors["num_points"] = Tensor::from_vector(num_points);
  write_safetensors(path, file);
}

ContactData ContactData::load(const std::string& path) {
  return from_tensors(read_safetensors(path), path);
}

ContactData ContactData::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return from_tensors(parse_safetensors(bytes, name), name);
}

bool make_sample(const RigidBody& body, const BodyVelocity& before_contact, const BodyVelocity& end,
                 const PatchImpulse& impulse, std::span<const PatchPoint> points, double time_step,
                 const PatchSettings& settings, ContactSample& sample) {
  std::vector<int> chosen;
  const ContactPatch patch = find_patch(points, before_contact, time_step, settings, chosen);
  if (patch.dimension < 0 || patch.num_points > ContactSample::most_points) return false;
  sample.rotation = body.rotation;
  sample.velocity = before_contact;
  sample.impulse = {impulse.linear, impulse.angular - patch.center.cross(impulse.linear)};
  sample.dimension = patch.dimension;
  sample.num_points = patch.num_points;
  double speed = 0.0;
  bool stands = true;
  for (int k = 0; k < patch.num_points; ++k) {
    const PatchPoint& point = points[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])];
    sample.points[static_cast<std::size_t>(k)] = point;
    speed = std::max(speed, before_contact.at(point.offset).norm());
  }
  const double still = 1e-4 * speed + 1e-6;
  for (const PatchPoint& point : sample.all_points()) {
    const Vector3 v = end.at(point.offset);
    const double along_normal = point.normal.dot(v);
    stands =
        stands && (v - along_normal * point.normal).norm() <= still && std::abs(along_normal + point.promise) <= still;
  }
  const bool nothing = impulse.linear.norm() <= 1e-6 * body.mass * std::max(speed, 1e-3);
  sample.state = nothing ? PatchState::detaching : stands ? PatchState::sticking : PatchState::sliding;
  return true;
}

}  // namespace stiction
