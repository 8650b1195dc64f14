#include "cli/verb_convert.h"

#include <iostream>

#include "cli/exit_code.h"
#include "cli/json_model.h"
#include "cli/outputs.h"
#include "stiction/io/write_model.h"

namespace stiction::cli {
namespace {

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
  std::vector<std::string> inputs;
  for (const std::string& file : options.model.files) inputs.push_back(parse_model_file(file).path);
  check_outputs({{"OUT", out}}, inputs);
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
