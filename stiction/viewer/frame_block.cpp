#include "stiction/viewer/frame_block.h"

#include <algorithm>
#include <cmath>

namespace stiction::viewer {
namespace {

// Digits of what is read as a number: five of forces, four of velocities of bodies, three of slip and gaps. Poses are
// full.
constexpr Precision body_velocity{13, 1e-6F};
constexpr Precision position{20}, normal{18}, force{17, 1e-6F}, velocity{11, 1e-6F}, gap{11, 1e-9F};

Precision precision_of(int column) {
  if (column < static_cast<int>(ContactColumn::gap)) return {};
  if (column < static_cast<int>(ContactColumn::position_x)) return gap;
  if (column < static_cast<int>(ContactColumn::normal_x)) return position;
  if (column < static_cast<int>(ContactColumn::force_t1)) return normal;
  return column < static_cast<int>(ContactColumn::velocity_t1) ? force : velocity;
}

// How far the contact frame is turned about its normal, from the frame that the page makes of the normal it gets.
double angle_of(const Matrix3& frame) {
  Vector3 rounded;
  for (int k = 0; k < 3; ++k) rounded[k] = round_to(static_cast<float>(frame(k, 2)), normal);
  const Matrix3 made = rotation_with_z(rounded);
  const double angle = std::atan2(frame.col(0).dot(made.col(1)), frame.col(0).dot(made.col(0)));
  constexpr double rounding = 1e-5;  // of the normal
  return std::abs(angle) < rounding ? 0.0 : angle;
}

void append_word(std::size_t value, Bytes& out) {
  for (int k = 0; k < 4; ++k) out.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
}

}  // namespace

FrameBlock::FrameBlock(const Model& model, double time_step)
    : model_(model), time_step_(time_step), dynamics_(model), last_rotation_(model.bodies.size()) {}

std::size_t FrameBlock::num_values() const {
  return num_body_columns * bodies_[0].size() + num_contact_columns * before_.size();
}

void FrameBlock::clear() {
  for (std::vector<float>& column : bodies_) column.clear();
  for (std::vector<float>& column : contacts_) column.clear();
  contacts_of_.clear();
  before_.clear();
  last_.clear();
}

void FrameBlock::add(VectorView q, VectorView v, std::span<const Contact> contacts) {
  add_bodies(q, v);
  add_contacts(contacts);
}

void FrameBlock::add_bodies(VectorView q, VectorView v) {
  update_kinematics(model_, q.data(), v.data(), dynamics_);
  const bool is_first = contacts_of_.empty();
  for (int body = 0; body < model_.num_bodies(); ++body) {
    const Pose pose = body_pose(dynamics_, body);
    Quaternion rotation(pose.rotation);
    const double side = is_first ? rotation.w() : rotation.dot(last_rotation_[body]);
    if (side < 0.0) rotation.coeffs() = -rotation.coeffs();
    last_rotation_[body] = rotation;
    const Vector3 moving = point_velocity(dynamics_, body, pose * model_.bodies[body].com);
    const Vector3 turning = angular_velocity(dynamics_, body);
    const double row[num_body_columns] = {
        pose.position.x(), pose.position.y(), pose.position.z(), rotation.x(), rotation.y(), rotation.z(), rotation.w(),
        moving.x(),        moving.y(),        moving.z(),        turning.x(),  turning.y(),  turning.z()};
    for (int k = 0; k < num_body_columns; ++k) bodies_[k].push_back(static_cast<float>(row[k]));
  }
}

void FrameBlock::add_contacts(std::span<const Contact> contacts) {
  std::vector<std::pair<ContactIdentity, std::int32_t>> rows;
  rows.reserve(contacts.size());
  for (const Contact& contact : contacts) {
    const ContactPoint& point = contact.point;
    const auto found = std::lower_bound(last_.begin(), last_.end(), point.id,
                                        [](const auto& row, const ContactIdentity& id) { return row.first < id; });
    const bool is_known = found != last_.end() && found->first == point.id;
    rows.emplace_back(point.id, static_cast<std::int32_t>(before_.size()));
    before_.push_back(is_known ? found->second : -1);
    const Vector3 pushing = contact.impulse / time_step_;
    const double row[num_contact_columns] = {static_cast<double>(point.id.shape_a),
                                             static_cast<double>(point.id.shape_b),
                                             static_cast<double>(contact.regime),
                                             contact.friction,
                                             point.gap,
                                             point.position.x(),
                                             point.position.y(),
                                             point.position.z(),
                                             contact.frame(0, 2),
                                             contact.frame(1, 2),
                                             contact.frame(2, 2),
                                             angle_of(contact.frame),
                                             pushing.x(),
                                             pushing.y(),
                                             pushing.z(),
                                             contact.velocity.x(),
                                             contact.velocity.y(),
                                             contact.velocity.z()};
    for (int k = 0; k < num_contact_columns; ++k) contacts_[k].push_back(static_cast<float>(row[k]));
  }
  std::sort(rows.begin(), rows.end());
  last_ = std::move(rows);
  contacts_of_.push_back(static_cast<std::int32_t>(contacts.size()));
}

Bytes FrameBlock::encode() const {
  Bytes out;
  out.reserve(4 * num_values() + 4 * (before_.size() + contacts_of_.size()) + 64);
  append_word(contacts_of_.size(), out);
  append_word(before_.size(), out);
  append_integers(contacts_of_, out);

  const auto num_bodies = static_cast<std::int32_t>(model_.bodies.size());
  std::vector<std::int32_t> above(bodies_[0].size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    above[i] = std::max(static_cast<std::int32_t>(i) - num_bodies, -1);
  }
  for (int k = 0; k < num_body_columns; ++k) {
    append_column(bodies_[k], above, out, k < num_pose_columns ? Precision{} : body_velocity);
  }

  // Contacts keep their order from frame to frame, so that the distance is mostly zero. New ones have −2³⁰.
  std::vector<std::int32_t> steps(before_.size());
  std::int32_t expected = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = before_[i] < 0 ? -(1 << 30) : before_[i] - expected;
    if (before_[i] >= 0) expected = before_[i] + 1;
  }
  append_integers(steps, out);
  for (int k = 0; k < num_contact_columns; ++k) append_column(contacts_[k], before_, out, precision_of(k));
  return out;
}

}  // namespace stiction::viewer
