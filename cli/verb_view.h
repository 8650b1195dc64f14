// `stiction view RECORDING [-o PAGE]`: a recording as one HTML page that opens from disk.
// `stiction view SCENE…`: a scene in the browser while it is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/verb_run.h"

namespace stiction::cli {

struct ViewOptions {
  RunOptions scene;  // scene.model.files: one recording, or the files of a scene
  std::string title;
  bool json = false;

  // Of recordings.
  std::string page_path;   // empty: the recording's name with the ending .html
  std::int64_t every = 0;  // 0: not given, every step

  // Of scenes.
  std::string host = "127.0.0.1";
  int port = 0;
  std::string speed = "1";  // a number or "max"
  bool paused = false;
  std::vector<std::string> origins;
};

// Throws std::invalid_argument or std::runtime_error where a file cannot be read, the page not be written or the port
// not be listened at.
int view(const ViewOptions& options);

// A scene, until Ctrl-C or until the process is asked to end.
int view_scene(const ViewOptions& options);

}  // namespace stiction::cli
