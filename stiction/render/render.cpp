#include "stiction/render/render.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stiction/dynamics/dynamics.h"
#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/render/contact_marks.h"
#include "stiction/render/picture.h"

namespace stiction {

using namespace raster;  // NOLINT: its own room

std::string_view to_string(Theme theme) {
  return theme == Theme::light ? "light" : "dark";
}

std::string_view to_string(Coloring coloring) {
  switch (coloring) {
    case Coloring::automatic:
      return "automatic";
    case Coloring::model:
      return "model";
    case Coloring::bodies:
      return "bodies";
  }
  return "?";
}

void RenderSettings::validate(const Model& model) const {
  const std::string sides = message("1 … ", Image::max_size, " pixels");
  require(width >= 1 && width <= Image::max_size, "width", width, sides);
  require(height >= 1 && height <= Image::max_size, "height", height, sides);
  if (camera) camera->validate();
  if (camera && !camera_name.empty()) refuse("camera and camera_name (\"", camera_name, "\"): give one of them");
  if (!camera_name.empty()) static_cast<void>(model.find_camera(camera_name));
  if (follow < -1 || follow >= model.num_bodies()) {
    refuse("follow is ", follow, "; the model has ", model.num_bodies(), " bodies, and -1 is none");
  }
  require(static_cast<int>(theme) <= 1, "theme", static_cast<int>(theme), "light or dark");
  require(static_cast<int>(coloring) <= 2, "coloring", static_cast<int>(coloring), "automatic, model or bodies");
  require(metres_per_newton >= 0.0 && std::isfinite(metres_per_newton), "metres_per_newton", metres_per_newton,
          "zero or positive, and finite");
}

struct Renderer::Workspace {
  Workspace(const Model& m, const RenderSettings& s)
      : model(m),
        settings(s),
        data(make_dynamics_data(m)),
        zero_velocity(VectorX::Zero(m.num_velocities())),
        initial(poses_at(m.initial_position)),
        camera_index(s.camera_name.empty() ? -1 : m.find_camera(s.camera_name)),
        bodies_by_color(s.coloring == Coloring::bodies || (s.coloring == Coloring::automatic && !has_colors(m))) {}

  std::vector<Pose> poses_at(VectorView q) {
    if (q.size() != model.num_positions()) {
      refuse("q has ", q.size(), " entries; the model has ", model.num_positions());
    }
    const VectorX copy = q;
    update_kinematics(model, copy.data(), zero_velocity.data(), *data);
    std::vector<Pose> poses;
    for (int body = 0; body < model.num_bodies(); ++body) poses.push_back(body_pose(*data, body));
    return poses;
  }

  Camera camera_for(const std::vector<Pose>& bodies) {
    if (camera_index >= 0 && settings.follow < 0) return camera_of(model, camera_index, bodies, initial);
    const bool follows = settings.follow >= 0;
    if (!chosen) {
      const double aspect = static_cast<double>(settings.width) / settings.height;
      chosen = settings.camera     ? *settings.camera
               : camera_index >= 0 ? camera_of(model, camera_index, initial, initial)
                                   : framing_camera(model, follows ? initial : bodies, aspect);
    }
    Camera camera = *chosen;
    if (!follows) return camera;
    const Vector3 moved = bodies[settings.follow].position - initial[settings.follow].position;
    if (moved.allFinite()) camera.position += moved, camera.target += moved;
    return camera;
  }

  MarkOptions marks_for(const Framing& framing, std::span<const Contact> contacts) {
    MarkOptions marks;
    marks.points = settings.show_contacts, marks.arrows = settings.show_forces;
    marks.point_radius = std::min(0.06 * framing.size, 0.016 * framing.extent);
    if (force_scale == 0.0) {
      const double typical = typical_force(contacts);
      force_scale = settings.metres_per_newton > 0.0 ? settings.metres_per_newton
                    : typical > 0.0                  ? std::min(1.6 * framing.size, 0.25 * framing.extent) / typical
                                                     : 0.0;
      least_force = 1e-3 * typical;
    }
    marks.metres_per_newton = force_scale;
    marks.least_force = least_force;
    marks.arrows = marks.arrows && force_scale > 0.0;
    return marks;
  }

  const Model& model;
  RenderSettings settings;
  std::unique_ptr<DynamicsData, DynamicsDataDeleter> data;
  VectorX zero_velocity;
  std::vector<Pose> initial;  // of the bodies
  int camera_index;
  bool bodies_by_color;
  std::optional<Camera> chosen;  // by the first picture, where it stays
  double force_scale = 0.0, least_force = 0.0;
};

namespace {

// Before anything is made of them.
const RenderSettings& checked(const RenderSettings& settings, const Model& model) {
  settings.validate(model);
  return settings;
}

}  // namespace

Renderer::Renderer(const Model& model, const RenderSettings& settings)
    : workspace_(std::make_unique<Workspace>(model, checked(settings, model))) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

const RenderSettings& Renderer::settings() const {
  return workspace_->settings;
}

Image Renderer::draw(VectorView q, std::span<const Contact> contacts) {
  Workspace& w = *workspace_;
  const std::vector<Pose> bodies = w.poses_at(q);
  const View view = view_of(w.camera_for(bodies), w.settings.width, w.settings.height);
  const Framing framing = framing_of(w.model, bodies);
  Scene scene;
  add_shapes(w.model, bodies, view, w.bodies_by_color, scene);
  if (w.settings.show_contacts || w.settings.show_forces) {
    add_contacts(w.model, contacts, w.marks_for(framing, contacts), scene);
  }
  const bool dark = w.settings.theme == Theme::dark;
  return draw_picture(scene, view, framing, {w.settings.width, w.settings.height, dark, w.settings.shadows});
}

Image Renderer::draw(const Simulator& simulator) {
  return draw(simulator.state().q, simulator.contacts());
}

Camera Renderer::camera_at(VectorView q) {
  return workspace_->camera_for(workspace_->poses_at(q));
}

Image render(const Simulator& simulator, const RenderSettings& settings) {
  return Renderer(simulator.model(), settings).draw(simulator);
}

Image render(const Model& model, VectorView q, const RenderSettings& settings, std::span<const Contact> contacts) {
  return Renderer(model, settings).draw(q, contacts);
}

}  // namespace stiction
