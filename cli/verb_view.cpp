#include "cli/verb_view.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "stiction/math/refuse.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/page.h"

namespace stiction::cli {
namespace {

// Scenes and other files that are handed over by mistake get a better answer than what HDF5 says of them.
void check_recording(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse(path, ": there is no such file");
  if (std::filesystem::is_directory(path, error)) refuse(path, ": is a folder; a recording is wanted");
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> start{};
  if (!file.read(start.data(), start.size()) && file.bad()) refuse(path, ": cannot be read");
  if (std::string_view(start.data(), start.size()) == "\x89HDF") return;
  refuse(path, ": is no recording; make one with: stiction run SCENE --record run.h5");
}

std::string size_text(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

void print_summary(bool json, const std::string& path, std::int64_t num_steps, const PageSummary& summary) {
  if (json) {
    viewer::JsonText text;
    text.begin_object().add("page", std::string_view(path)).add("num_steps", static_cast<double>(num_steps));
    text.add("num_frames", static_cast<double>(summary.num_frames));
    text.add("num_uncertified", static_cast<double>(summary.num_uncertified));
    text.add("num_bytes", static_cast<double>(summary.num_bytes)).end_object();
    std::cout << text.text() << '\n';
    return;
  }
  std::cout << path << ": " << summary.num_frames << " of " << num_steps << " steps, " << size_text(summary.num_bytes);
  if (summary.num_uncertified > 0) std::cout << ", " << summary.num_uncertified << " not certified";
  std::cout << "; open it in a browser\n";
}

}  // namespace

int view_recording(const ViewOptions& options) {
  check_recording(options.recording);
  const std::string path = options.page_path.empty()
                               ? std::filesystem::path(options.recording).replace_extension(".html").string()
                               : options.page_path;
  check_outputs({{"-o", path}}, {options.recording});
  const RecordingReader recording(options.recording);
  PageSettings settings{.title = options.title, .every = options.every, .progress = {}};
  Progress progress;
  settings.progress = [&](double done) {
    if (progress.due()) progress.show(bar(done) + " " + path);
  };
  const PageSummary summary = save_page(recording, path, settings);
  progress.clear();
  print_summary(options.json, path, recording.num_steps(), summary);
  return exit_success;
}

}  // namespace stiction::cli
