#include "stiction/io/model_path.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr int max_depth = 64;  // of folders above the model file

std::vector<std::string> split_list(const char* list) {
  std::vector<std::string> parts;
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parts;
}

int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// %20 and the like, as in addresses.
std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '%' && k + 2 < text.size() && hex_digit(text[k + 1]) >= 0 && hex_digit(text[k + 2]) >= 0) {
      out += static_cast<char>(16 * hex_digit(text[k + 1]) + hex_digit(text[k + 2]));
      k += 2;
    } else {
      out += text[k];
    }
  }
  return out;
}

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::canonical(path, error);
  return error ? std::string() : result.string();
}

// Whether `path` lies in `folder`; both canonical.
bool lies_in(const std::string& path, const std::string& folder) {
  if (folder.empty() || !path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.back() == '/' || path[folder.size()] == '/';
}

}  // namespace

ModelPath::ModelPath(const std::string& file, const LoadOptions& options) : sandbox_(options.sandbox) {
  if (file.find('\0') != std::string::npos) refuse("path '", file, "' holds a zero byte");
  std::error_code error;
  const fs::path parent = fs::path(file).parent_path();
  folder_ = canonical(parent.empty() ? "." : parent.string());
  if (folder_.empty()) folder_ = parent.string();
  for (const std::string& root : options.package_roots) {
    const std::string found = canonical(root);
    if (found.empty() || !fs::is_directory(found, error)) refuse("package_roots: '", root, "' is no folder");
    roots_.push_back(found);
  }
  if (sandbox_) return;
  for (const char* name : {"ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH"}) {
    for (const std::string& part : split_list(std::getenv(name))) environment_.push_back(part);
  }
  for (const std::string& part : split_list(std::getenv("AMENT_PREFIX_PATH"))) environment_.push_back(part + "/share");
}

void ModelPath::add_named(const std::string& base, const std::string& rest, std::vector<std::string>& out) const {
  out.push_back((fs::path(base) / rest).string());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (fs::path(base).filename() == rest.substr(0, slash)) {
    out.push_back((fs::path(base) / rest.substr(std::min(slash + 1, rest.size()))).string());
  }
}

std::vector<std::string> ModelPath::candidates(const std::string& name) const {
  std::vector<std::string> out;
  const std::size_t colon = name.find("://");
  const std::string scheme = colon == std::string::npos ? "" : name.substr(0, colon);
  std::string rest = colon == std::string::npos ? name : name.substr(colon + 3);
  if (scheme == "package" || scheme == "model") {
    rest.erase(0, rest.find_first_not_of('/'));  // package:///name is written too
    for (const std::string& root : roots_) add_named(root, rest, out);
    fs::path folder = folder_;
    for (int depth = 0; depth < max_depth; ++depth) {
      add_named(folder.string(), rest, out);
      if (folder == folder.parent_path()) break;
      folder = folder.parent_path();
    }
    for (const std::string& base : environment_) add_named(base, rest, out);
    return out;
  }
  if (scheme != "" && scheme != "file") refuse("'", name, "': files of ", scheme, ":// are not fetched");
  for (const std::string& path : scheme == "file" ? std::vector{rest, percent_decoded(rest)} : std::vector{rest}) {
    out.push_back((fs::path(folder_) / path).string());  // an absolute path replaces the folder
    if (fs::path(path).is_absolute()) continue;
    for (const std::string& root : roots_) out.push_back((fs::path(root) / path).string());
  }
  return out;
}

bool ModelPath::is_allowed(const std::string& path) const {
  if (!sandbox_ || lies_in(path, folder_)) return true;
  for (const std::string& root : roots_) {
    if (lies_in(path, root)) return true;
  }
  return false;
}

std::string ModelPath::resolve(const std::string& name) const {
  if (name.empty()) refuse("the name of a file is empty");
  if (name.find('\0') != std::string::npos) refuse("the name of a file holds a zero byte");
  const std::vector<std::string> places = candidates(name);
  bool refused = false;
  for (const std::string& place : places) {
    const std::string found = canonical(place);
    if (found.empty()) continue;
    if (is_allowed(found)) return found;
    refused = true;
  }
  if (refused) {
    refuse("'", name, "' lies outside the folder of the model file and package_roots, and sandbox is set");
  }
  std::string looked = places.front();
  for (std::size_t k = 1; k < std::min<std::size_t>(places.size(), 3); ++k) looked += ", " + places[k];
  if (places.size() > 3) looked += " and " + std::to_string(places.size() - 3) + " more places";
  const bool has_package = name.starts_with("package://") || name.starts_with("model://");
  refuse("'", name, "' was not found; looked for ", looked,
         has_package ? ". Name the folder that holds the package in package_roots" : "");
}

std::string read_whole_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  if (path.find('\0') != std::string::npos) refuse("path '", path, "' holds a zero byte");
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse(missing_file(path));
  if (fs::is_directory(status)) refuse(path, ": is a folder; name a file in it");
  if (!fs::is_regular_file(status)) refuse(path, ": is not a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > max_bytes) refuse(path, ": has ", size, " bytes; at most ", max_bytes, " are read");
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!stream || (size > 0 && !stream.read(text.data(), static_cast<std::streamsize>(size)))) {
    refuse(path, ": cannot be read");
  }
  return text;
}

}  // namespace stiction
