// Pictures of a world, without a browser or a graphics card.
//
//     render(simulator, {.width = 1280, .height = 720}).save("robot.png");
//
//     Renderer renderer(model, {.camera_name = "side", .show_forces = true});
//     for (...) frames.push_back(renderer.draw(simulator));
//
// Four samples a pixel, a sun with shadows, light from the sky, curved surfaces with their own normals, planes without
// end. The same input gives the same bytes. Poses that are not finite are not drawn.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stiction/render/camera.h"
#include "stiction/render/image.h"
#include "stiction/sim/simulator.h"

namespace stiction {

enum class Theme : std::uint8_t { light, dark };
std::string_view to_string(Theme theme);

enum class Coloring : std::uint8_t {
  automatic,  // as the model says, unless it gives all its bodies one colour
  model,      // Shape::color
  bodies,     // every body has a colour of its own
};
std::string_view to_string(Coloring coloring);

struct RenderSettings {
  int width = 640, height = 480;      // pixels, 1 … 16384
  std::optional<Camera> camera = {};  // none: the one of `camera_name`, else all that moves is in the picture
  std::string camera_name = {};       // one of Model::cameras
  // Where the camera, however it is chosen, is meant for the initial position and then moves along with this body; −1:
  // it does not.
  int follow = -1;
  Theme theme = Theme::light;
  Coloring coloring = Coloring::automatic;
  bool shadows = true;
  bool show_contacts = false;      // as points, by regime: sticking blue, sliding orange, open grey; before all bodies
  bool show_forces = false;        // contact forces as arrows, on what is held; colours as above
  double metres_per_newton = 0.0;  // length of arrows; 0: what suits the first picture that has forces

  // Throws std::invalid_argument naming setting, value and range, and names near an unknown camera.
  void validate(const Model& model) const;
};

class Renderer {
 public:
  // The model must outlive the renderer.
  explicit Renderer(const Model& model, const RenderSettings& settings = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  const RenderSettings& settings() const;
  // Throws std::invalid_argument where q has another size than the model.
  Image draw(VectorView q, std::span<const Contact> contacts = {});
  Image draw(const Simulator& simulator);
  // From where draw(q) looks. Without a camera of the settings it is chosen by the first picture, and stays.
  Camera camera_at(VectorView q);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

// One picture: of a simulator as it stands with the contacts of its last step, or of any position of a model.
Image render(const Simulator& simulator, const RenderSettings& settings = {});
Image render(const Model& model, VectorView q, const RenderSettings& settings = {},
             std::span<const Contact> contacts = {});

}  // namespace stiction
