#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <mutex>
#include <thread>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/verb_view.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/live_view.h"

namespace stiction::cli {
namespace {

LiveViewSettings settings_of(const ViewOptions& options) {
  LiveViewSettings settings;
  settings.host = options.host;
  settings.port = options.port;
  settings.title =
      options.title.empty() ? std::filesystem::path(options.scene.model.files[0]).filename().string() : options.title;
  settings.running = !options.paused;
  settings.speed = options.speed == "max" ? std::numeric_limits<double>::infinity() : std::stod(options.speed);
  settings.record_path = options.scene.record_path;
  settings.origins = options.origins;
  return settings;
}

void print_address(bool json, const std::string& address) {
  if (json) {
    viewer::JsonText text;
    std::cout << text.begin_object().add("address", std::string_view(address)).end_object().text() << std::endl;
  } else {
    std::cout << "open in a browser: " << address << "\nCtrl-C ends the simulation" << std::endl;
  }
}

}  // namespace

int view_scene(const ViewOptions& options) {
  check_run_options(options.scene);
  const LoadedModel loaded = load_model_files(options.scene.model);
  if (!loaded.ignored.empty()) {
    std::cerr << "stiction: " << loaded.ignored.size() << " elements of the scene are ignored; see stiction info\n";
  }
  Simulator simulator = make_simulator(options.scene, loaded.model);
  std::mutex turn;
  LiveView view(simulator, turn, settings_of(options));
  print_address(options.json, view.address());

  const Interrupt interrupt;
  std::string shown_failure;
  while (interrupt.signal() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::string failure = view.failure();
    if (failure != shown_failure && !failure.empty()) std::cerr << "stiction: paused: " << failure << '\n';
    shown_failure = std::move(failure);
  }
  view.close();
  for (const std::string& file : view.recorded_files()) {
    if (!options.json) std::cout << "recorded: " << file << '\n';
  }
  return exit_success;
}

}  // namespace stiction::cli
