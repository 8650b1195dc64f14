// Pictures and films of a scene: what `run --video` and `render` are told alike.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/render/render.h"
#include "stiction/render/video.h"

namespace stiction::cli {

struct PictureOptions {
  std::string camera;            // a name, "x,y,z,tx,ty,tz", or empty: all that moves
  std::string follow;            // a body; empty: none
  std::string size = "640x480";  // "WIDTHxHEIGHT"
  bool dark = false, contacts = false, forces = false, no_shadows = false;
};

// What can be refused without the model. Throws std::invalid_argument naming option and text, as the one below.
void check_picture(const PictureOptions& options);
RenderSettings picture_settings(const PictureOptions& options, const Model& model);

// A film that takes pictures of a simulation at its own rate.
class Film {
 public:
  // `begin`: of the simulation, s.
  Film(const Model& model, const PictureOptions& options, const std::string& path, double frames_per_second,
       double begin);

  // Whether a picture is due at this time; the first is at the beginning.
  bool is_due(double time) const { return time >= next_ - 1e-9; }
  // After every step, and once before the first. Throws std::runtime_error where the film cannot be written.
  void look(double time, VectorView q, std::span<const Contact> contacts);
  void close() { writer_.close(); }
  std::int64_t num_frames() const { return writer_.num_frames(); }

 private:
  Renderer renderer_;
  VideoWriter writer_;
  double begin_, rate_, next_;
};

}  // namespace stiction::cli
