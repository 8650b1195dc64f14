// Inertias of a URDF file: of every link, and of the lumps of links that are fixed to each other and move as one.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "stiction/io/urdf/urdf_reader.h"
#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"

namespace stiction {

bool is_finite(const Inertia& inertia) {
  return std::isfinite(inertia.mass) && inertia.com.allFinite() && inertia.moment.allFinite();
}

Inertia repaired_inertia(const Inertia& inertia) {
  constexpr double least_ratio = 1e-3;
  const PrincipalAxes principal = principal_axes(0.5 * (inertia.moment + inertia.moment.transpose()));
  Vector3 e = principal.moments;  // ascending
  if (!(e[2] > 0.0)) {
    const double radius = std::cbrt(inertia.mass / (1000.0 * 4.0 / 3.0 * 3.141592653589793));
    e.setConstant(0.4 * inertia.mass * radius * radius);
  }
  e = e.cwiseMax(least_ratio * e[2]);
  const double lacking = e[2] - e[0] - e[1];
  if (lacking > 0.0) e[0] += 0.5 * lacking * (1.0 + 1e-9), e[1] += 0.5 * lacking * (1.0 + 1e-9);
  Inertia out = inertia;
  out.moment = principal.axes * e.asDiagonal() * principal.axes.transpose();
  out.moment = (0.5 * (out.moment + out.moment.transpose())).eval();
  return out;
}

void UrdfReader::read_inertias() {
  for (UrdfLink& link : links_) link.inertia = read_inertia(link.element);
}

std::optional<Inertia> UrdfReader::read_inertia(const XmlElement& link) {
  const XmlElement inertial = link.child("inertial");
  if (!inertial) return std::nullopt;
  Inertia inertia;
  const XmlValue mass = inertial.required_child("mass").attribute("value");
  inertia.mass = mass.number();
  const Pose origin = read_origin(inertial.child("origin"));
  const XmlElement tensor = inertial.child("inertia");
  if (!tensor && inertia.mass != 0.0 && !options_.repair_inertia) tensor.refuse("it is missing");
  const auto entry = [&](const char* name) { return tensor.attribute(name).number(0.0); };
  const double xx = entry("ixx"), yy = entry("iyy"), zz = entry("izz");
  const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
  inertia.moment << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  if (inertia.mass == 0.0 && inertia.moment.isZero(0.0)) return std::nullopt;
  const std::string name = link.attribute("name").string();
  if (inertia.mass < 0.0 && !options_.repair_inertia) {
    mass.refuse("link '" + name + "': the mass must not be negative");
  }
  if (!(inertia.mass > 0.0) && options_.repair_inertia) {
    note(inertial, "inertial of link", name, "its mass is not positive: taken for none (repair_inertia)");
    return std::nullopt;
  }
  return inertia.in(origin);
}

// Parents come before children in order_.
void UrdfReader::find_lumps() {
  for (const int k : order_) {
    UrdfLink& link = links_[k];
    if (link.parent_joint < 0) {
      link.lump = options_.base == BaseKind::floating && link.name != "world" ? k : -1;
    } else {
      const UrdfJoint& joint = joints_[link.parent_joint];
      link.lump = joint.type == UrdfJointType::fixed ? links_[joint.parent].lump : k;
    }
  }
}

void UrdfReader::fix_joints_without_mass() {
  std::vector<bool> behind(links_.size());  // whether anything with an inertia is
  for (auto k = order_.rbegin(); k != order_.rend(); ++k) {
    UrdfLink& link = links_[*k];
    if (link.inertia) behind[*k] = true;
    if (link.parent_joint < 0) continue;
    UrdfJoint& joint = joints_[link.parent_joint];
    if (behind[*k]) behind[joint.parent] = true;
    if (behind[*k] || joint.type == UrdfJointType::fixed) continue;
    note(joint.element, "joint", joint.name, "no mass moves with it: it is fixed at zero");
    joint.type = UrdfJointType::fixed;
    joint.is_mimic = false;
  }
  find_lumps();
}

// Only what moves as one must have an inertia that a body can have: parts that look odd by themselves (a camera of no
// extent, on a robot) are common and harmless, and so is what is fixed to the world.
void UrdfReader::sum_lumps() {
  std::vector<Inertia> sum(links_.size());
  std::vector<std::optional<Inertia>> own;
  for (const UrdfLink& link : links_) own.push_back(link.inertia);
  std::vector<Pose> in_lump(links_.size());
  for (const int k : order_) {
    UrdfLink& link = links_[k];
    if (link.lump < 0) continue;
    if (link.lump != k) {
      const UrdfJoint& joint = joints_[link.parent_joint];
      in_lump[k] = in_lump[joint.parent] * joint.origin;
    }
    if (link.inertia) sum[link.lump] = sum[link.lump] + link.inertia->in(in_lump[k]);
    link.inertia.reset();
  }
  for (const int k : order_) {
    UrdfLink& link = links_[k];
    if (link.lump < 0) link.inertia.reset();
    if (link.lump != k || (sum[k].mass == 0.0 && sum[k].moment.isZero(0.0))) continue;
    try {
      check_inertia(sum[k], "link '" + link.name + "', with all that is fixed to it");
    } catch (const std::invalid_argument& e) {
      const XmlElement inertial = link.element.child("inertial");
      const XmlElement& at = inertial ? inertial : link.element;
      if (!is_finite(sum[k])) at.refuse(e.what());
      if (!options_.repair_inertia) at.refuse(std::string(e.what()) + " (repair_inertia mends it)");
      note(at, "inertial of link", link.name, std::string(e.what()) + ": repaired (repair_inertia)");
      if (sum[k].mass == 0.0) continue;
      sum[k] = repaired_inertia(sum[k]);
    }
    link.inertia = sum[k];
  }
  keep_apart(own);
}

// Where a force sensor divides what moves as one, every link of it keeps what is its own; unless that makes no sense.
void UrdfReader::keep_apart(const std::vector<std::optional<Inertia>>& own) {
  std::set<int> divided;  // lumps
  for (const UrdfLink& link : links_) {
    if (link.is_seam) divided.insert(link.lump);
  }
  for (const int lump : divided) {
    const auto is_sound = [&](std::size_t k) {
      if (links_[k].lump != lump || !own[k]) return true;
      try {
        check_semi_inertia(*own[k], links_[k].name);
      } catch (const std::invalid_argument&) {
        return false;
      }
      return true;
    };
    bool sound = true;
    for (std::size_t k = 0; k < links_.size(); ++k) sound = sound && is_sound(k);
    if (!sound) continue;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (links_[k].lump != lump) continue;
      links_[k].inertia = own[k];
      links_[k].is_apart = true;
    }
  }
}

}  // namespace stiction
