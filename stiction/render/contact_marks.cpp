#include "stiction/render/contact_marks.h"

#include <algorithm>
#include <cmath>

namespace stiction::raster {
namespace {

constexpr int segments = 20;

// The force is drawn on the body that is held, never on the world: 1 for a, −1 for b.
double side_of(const Model& model, const Contact& contact) {
  if (contact.body_a < 0) return -1.0;
  if (contact.body_b < 0) return 1.0;
  return model.gravity.dot(contact.point.normal) > 0.0 ? -1.0 : 1.0;
}

Thing mark(const Pose& pose, Color color) {
  Thing thing;
  thing.pose = pose;
  thing.color = to_light(color);
  thing.is_mark = true;
  return thing;
}

// As long as the force; the head begins where the shaft ends.
void add_arrow(const Vector3& at, const Vector3& along, double width, Color color, Scene& out) {
  const double length = along.norm();
  width = std::min(width, 0.08 * length);
  const double head = std::min(0.4 * length, 6.0 * width), shaft = length - head;
  const Pose pose(rotation_with_z(along / length), at);
  Surface surface;
  make_surface(Cylinder{width, 0.5 * shaft}, segments, surface);
  surface.num_smooth = 0;
  add_thing(mark(pose * Pose(Vector3(0.0, 0.0, 0.5 * shaft)), color), surface, out);
  make_cone(2.4 * width, head, segments, surface);
  add_thing(mark(pose * Pose(Vector3(0.0, 0.0, shaft)), color), surface, out);
}

}  // namespace

Color regime_color(ContactRegime regime) {
  switch (regime) {
    case ContactRegime::open:
      return {139, 149, 161};
    case ContactRegime::sticking:
      return {47, 127, 224};
    case ContactRegime::sliding:
      return {240, 138, 29};
  }
  return {};
}

double typical_force(std::span<const Contact> contacts) {
  std::vector<double> forces;
  for (const Contact& contact : contacts) {
    const double force = contact.force.norm();
    if (force > 0.0 && std::isfinite(force)) forces.push_back(force);
  }
  if (forces.empty()) return 0.0;
  const auto place = forces.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(forces.size() - 1));
  std::nth_element(forces.begin(), place, forces.end());
  return *place;
}

void add_contacts(const Model& model, std::span<const Contact> contacts, const MarkOptions& options, Scene& out) {
  Surface ball;
  for (const Contact& contact : contacts) {
    const Color color = regime_color(contact.regime);
    if (!contact.point.position.allFinite()) continue;
    if (options.points) {
      const double radius = options.point_radius * (contact.regime == ContactRegime::open ? 0.6 : 1.0);
      make_surface(Sphere{radius}, segments, ball);
      ball.num_smooth = 0;
      add_thing(mark(Pose(contact.point.position), color), ball, out);
    }
    const double force = contact.force.norm();
    if (!options.arrows || !(force > options.least_force) || !std::isfinite(force)) continue;
    add_arrow(contact.point.position, side_of(model, contact) * options.metres_per_newton * contact.force,
              0.4 * options.point_radius, color, out);
  }
}

}  // namespace stiction::raster
