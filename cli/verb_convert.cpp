#include "cli/verb_convert.h"

#include <filesystem>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/json_model.h"
#include "stiction/io/write_model.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

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
  check_model_ending(out);  // before time goes into reading
  check_not_input(out, options.model.files);
  const LoadedModel loaded = load_model_files(options.model);
  WrittenModel written = write_model(*loaded.model, out);
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
