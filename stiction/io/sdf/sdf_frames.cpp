// Where links, joints, frames and models are: every one stands at its pose in another, and is carried by a link or by
// the world.
#include <cmath>

#include "stiction/io/sdf/sdf_reader.h"

namespace stiction {
namespace {

constexpr double degree = 3.14159265358979323846 / 180.0;

Pose from_roll_pitch_yaw(const Vector3& position, const Vector3& rpy) {
  if (rpy == Vector3::Zero()) return Pose(position);
  const auto turn = [](double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis); };
  const Quaternion rotation =
      turn(rpy[2], Vector3::UnitZ()) * turn(rpy[1], Vector3::UnitY()) * turn(rpy[0], Vector3::UnitX());
  return {rotation, position};
}

}  // namespace

Pose read_sdf_pose(const XmlElement& pose) {
  const XmlValue text = pose.text();
  const XmlValue format = pose.attribute("rotation_format"), degrees = pose.attribute("degrees");
  if (!text || text.string("").empty()) return Pose();
  if (format.string("euler_rpy") == "quat_xyzw") {
    const std::vector<double> x = text.numbers(7);
    const Quaternion rotation(x[6], x[3], x[4], x[5]);
    if (!(rotation.norm() > 1e-6)) text.refuse("the quaternion has length zero");
    return {rotation.normalized(), Vector3(x[0], x[1], x[2])};
  }
  if (format.string("euler_rpy") != "euler_rpy") format.refuse("euler_rpy and quat_xyzw are read");
  const std::vector<double> x = text.numbers(6);
  const double unit = degrees.boolean(false) ? degree : 1.0;
  return from_roll_pitch_yaw(Vector3(x[0], x[1], x[2]), unit * Vector3(x[3], x[4], x[5]));
}

XmlValue relative_to(const XmlElement& pose) {
  const XmlValue now = pose.attribute("relative_to"), once = pose.attribute("frame");
  return now ? now : once;
}

int SdfReader::look_up(int scope, const std::string& name) const {
  if (name == "__model__") return scopes_[scope].frame;
  const auto at = scopes_[scope].frames.find(name);
  if (at != scopes_[scope].frames.end()) return at->second;
  const std::size_t end = name.find("::");
  if (end != std::string::npos) {
    const auto nested = scopes_[scope].scopes.find(name.substr(0, end));
    return nested == scopes_[scope].scopes.end() ? -1 : look_up(nested->second, name.substr(end + 2));
  }
  return name == "world" ? 0 : -1;
}

int SdfReader::find_frame(int scope, const XmlValue& name) const {
  const int found = look_up(scope, name.string());
  if (found < 0) name.refuse("there is no link, joint, frame or model of that name in the model");
  return found;
}

void SdfReader::connect_frame(SdfFrame& frame) {
  const int own_model = scopes_[frame.scope].frame;
  const XmlElement& element = frame.element;
  const XmlElement pose = element.child("pose");
  frame.pose = read_sdf_pose(pose);
  frame.base = own_model;
  if (element.name() == "frame") {
    const XmlValue attached = element.attribute("attached_to");
    frame.attached = attached && !attached.string("").empty() ? find_frame(frame.scope, attached) : own_model;
    frame.base = frame.attached;
  } else if (element.name() == "joint") {
    frame.attached = find_frame(frame.scope, element.required_child("child").text());
    frame.base = frame.attached;
  }
  const XmlValue relative = relative_to(pose);
  if (relative && !relative.string("").empty()) frame.base = find_frame(frame.scope, relative);
}

// The pose of a model may be meant for a frame in it: X_PM = X_PF X_MF⁻¹. Inner models come last, so they are done
// first; X_MF is the product of the poses on the way from the frame to the model.
void SdfReader::apply_placement_frames() {
  for (int k = static_cast<int>(scopes_.size()) - 1; k > 0; --k) {
    const SdfScope& scope = scopes_[k];
    if (scope.placement_frame.empty()) continue;
    int at = look_up(k, scope.placement_frame);
    if (at < 0) scope.placed_by.refuse("placement_frame is '" + scope.placement_frame + "', which is not in the model");
    Pose x;
    for (std::size_t length = 0; at != scope.frame; at = frames_[at].base) {
      if (at == 0 || ++length > frames_.size()) {
        scope.placed_by.refuse("placement_frame '" + scope.placement_frame + "' does not stand in the model");
      }
      x = frames_[at].pose * x;
    }
    frames_[scope.frame].pose = frames_[scope.frame].pose * x.inverse();
  }
}

void SdfReader::resolve_poses() {
  enum class State : std::uint8_t { open, on_the_way, done };
  std::vector<State> state(frames_.size(), State::open);
  frames_[0].world = frames_[0].pose;
  state[0] = State::done;
  std::vector<int> way;
  for (int k = 1; k < static_cast<int>(frames_.size()); ++k) {
    for (int at = k; state[at] != State::done; at = frames_[at].base) {
      if (state[at] == State::on_the_way) frames_[at].element.refuse("frames stand in each other in a circle");
      state[at] = State::on_the_way;
      way.push_back(at);
    }
    for (; !way.empty(); way.pop_back()) {
      SdfFrame& frame = frames_[way.back()];
      frame.world = frames_[frame.base].world * frame.pose;
      state[way.back()] = State::done;
      if (!frame.world.position.allFinite()) frame.element.refuse("its place in the world is too large for a number");
    }
  }
}

void SdfReader::resolve_attachments() {
  constexpr int open = -3, on_the_way = -2;
  carriers_.assign(frames_.size(), open);
  carriers_[0] = -1;
  std::vector<int> way;
  for (int k = 1; k < static_cast<int>(frames_.size()); ++k) {
    int at = k;
    for (; carriers_[at] == open && frames_[at].link < 0; at = frames_[at].attached) {
      carriers_[at] = on_the_way;
      way.push_back(at);
    }
    if (carriers_[at] == on_the_way) frames_[at].element.refuse("frames are attached to each other in a circle");
    if (carriers_[at] == open) carriers_[at] = frames_[at].link;
    for (; !way.empty(); way.pop_back()) carriers_[way.back()] = carriers_[at];
  }
}

void SdfReader::place_frames() {
  for (std::size_t k = 1; k < frames_.size(); ++k) connect_frame(frames_[k]);
  for (std::size_t k = 1; k < scopes_.size(); ++k) {
    const int link = scopes_[k].first_link;
    frames_[scopes_[k].frame].attached = link < 0 ? 0 : links_[link].frame;
  }
  apply_placement_frames();
  resolve_poses();
  resolve_attachments();
}

Pose SdfReader::pose_in_world(const XmlElement& pose, int scope, int base) const {
  const XmlValue relative = relative_to(pose);
  if (relative && !relative.string("").empty()) base = find_frame(scope, relative);
  return frames_[base].world * read_sdf_pose(pose);
}

}  // namespace stiction
