#include "cli/outputs.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "stiction/math/output_place.h"
#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const Output& output, const std::string& reason) {
  throw std::runtime_error(std::string(output.option) + " " + output.path + ": cannot be written: " + reason);
}

bool is_stream(const fs::file_status& status) {
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Where the file will stand, and that something can be made there.
std::string place_of(const Output& output) {
  std::error_code error;
  const fs::file_status status = fs::status(output.path, error);
  const std::string target =
      !output.only_regular && is_stream(status) ? output.path : OutputPlace::follow_links(output.path);
  if (fs::exists(status)) {
    if (::access(target.c_str(), W_OK) != 0) fail(output, std::strerror(errno));
    return target;
  }
  const fs::path folder = fs::path(target).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) fail(output, std::strerror(errno));
  return target;
}

// The same file, or the same name where neither is there yet.
bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return fs::is_regular_file(a, error);
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !fs::exists(a, error);
}

}  // namespace

void check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  std::vector<std::pair<const char*, std::string>> places;
  for (const Output& output : outputs) {
    if (output.path.empty()) continue;
    const std::string place = place_of(output);
    for (const std::string& input : inputs) {
      if (are_one_file(place, input)) refuse(output.option, " ", output.path, ": would overwrite a file that is read");
    }
    for (const auto& [option, other] : places) {
      if (are_one_file(place, other)) refuse(output.option, " ", output.path, ": is the file of ", option);
    }
    places.emplace_back(output.option, place);
  }
}

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  if (!is_stream(fs::status(path, error))) return save_file(path, write);
  std::ofstream out(path);
  write(out);
  out.close();
  if (!out) throw std::runtime_error(path + ": not everything could be written");
}

}  // namespace stiction::cli
