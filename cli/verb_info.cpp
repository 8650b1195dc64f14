#include "cli/verb_info.h"

#include <iostream>

#include "cli/exit_code.h"
#include "cli/json_model.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/describe.h"

namespace stiction::cli {

int show_info(const InfoOptions& options) {
  const LoadedModel loaded = load_model_files(options.model);
  if (options.json) {
    std::cout << model_to_json(*loaded.model, options.model.files, loaded.ignored) << '\n';
    return exit_success;
  }
  std::cout << describe(*loaded.model) << "mass " << total_mass(*loaded.model) << " kg; suggested time step "
            << loaded.model->suggested_time_step << " s\n";
  if (loaded.ignored.empty()) {
    std::cout << "ignored: nothing\n";
    return exit_success;
  }
  std::cout << "ignored:\n";
  for (const IgnoredElement& ignored : loaded.ignored) std::cout << "  " << to_line(ignored) << '\n';
  return exit_success;
}

}  // namespace stiction::cli
