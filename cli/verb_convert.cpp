#include "cli/verb_convert.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/json_model.h"
#include "stiction/io/write_mjcf.h"
#include "stiction/io/write_sdf.h"
#include "stiction/io/write_urdf.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

using Writer = WrittenModel (*)(const Model& model, const std::string& path);

// By the ending of the name.
Writer writer_for(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".xml" || ending == ".mjcf") return write_mjcf;
  if (ending == ".urdf") return write_urdf;
  if (ending == ".sdf") return write_sdf;
  refuse(path, ": the ending '", ending,
         "' names no format that can be written; those are .xml and .mjcf (MJCF), .urdf and .sdf");
}

void check_not_input(const std::string& out, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;
    if (std::filesystem::equivalent(parse_model_file(input).path, out, error)) {
      refuse(out, ": would overwrite the file that is read");
    }
  }
}

void print_list(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::cout << title << ":\n";
  for (const std::string& line : lines) std::cout << "  " << line << '\n';
}

}  // namespace

int convert_scene(ConvertOptions options) {
  const std::string out = options.model.files.back();
  options.model.files.pop_back();
  const Writer writer = writer_for(out);
  check_not_input(out, options.model.files);
  const LoadedModel loaded = load_model_files(options.model);
  WrittenModel written = writer(*loaded.model, out);
  // What the reader had to leave is not in the new file either.
  for (const IgnoredElement& ignored : loaded.ignored) written.lost.push_back(to_line(ignored));
  if (options.json) {
    std::cout << written_to_json(written) << '\n';
  } else {
    print_list("written", written.files);
    print_list("note", written.notes);
    print_list("lost", written.lost);
  }
  return written.lost.empty() || options.allow_loss ? exit_success : exit_failed;
}

}  // namespace stiction::cli
