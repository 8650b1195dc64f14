// `stiction render SCENE|RECORDING -o PICTURE`: a picture, or of a recording a film.
#pragma once

#include "cli/picture_options.h"
#include "cli/verb_run.h"

namespace stiction::cli {

struct RenderOptions {
  RunOptions scene;  // scene.model.files: one recording, or the files of a scene
  PictureOptions picture;
  std::string path;
  double time = 0.0;       // s; of a scene: how long it is simulated before
  std::int64_t step = -1;  // of a recording, in place of the time; −1: not given
  bool has_time = false;
  bool film = false;  // of a recording: all of it
  double frames_per_second = 30.0;
};

// Throws std::invalid_argument or std::runtime_error where a file cannot be read or the picture not be written.
int render_scene(const RenderOptions& options);

}  // namespace stiction::cli
