#include "cli/verb_view.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/recording_file.h"
#include "stiction/math/refuse.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/page.h"

namespace stiction::cli {
namespace {

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

int view_recording(const ViewOptions& options) {
  const std::string& file = options.scene.model.files[0];
  const std::string path =
      options.page_path.empty() ? std::filesystem::path(file).replace_extension(".html").string() : options.page_path;
  check_outputs({{"-o", path}}, {file});
  const RecordingReader recording(file);
  PageSettings settings{.title = options.title, .every = std::max<std::int64_t>(1, options.every), .progress = {}};
  Progress progress;
  settings.progress = [&](double done) {
    if (progress.due()) progress.show(bar(done) + " " + path);
  };
  const PageSummary summary = save_page(recording, path, settings);
  progress.clear();
  print_summary(options.json, path, recording.num_steps(), summary);
  return exit_success;
}

}  // namespace

int view(const ViewOptions& options) {
  const std::vector<std::string>& files = options.scene.model.files;
  for (const std::string& file : files) {
    if (!is_recording(file)) continue;
    if (files.size() > 1) refuse(file, ": is a recording; one of them alone makes a page");
    if (!options.scene.record_path.empty()) refuse("--record: ", file, " is a recording already");
    return view_recording(options);
  }
  if (!options.page_path.empty()) refuse("-o: is for recordings; a scene is shown live. See stiction view --help");
  if (options.every > 0) refuse("--every: is for recordings; a scene is shown live. See stiction view --help");
  return view_scene(options);
}

}  // namespace stiction::cli
