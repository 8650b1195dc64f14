#include "cli/model_files.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "cli/shipped_scenes.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Pose pose_of(const std::vector<double>& numbers) {
  Pose pose(Vector3(numbers[0], numbers[1], numbers[2]));
  if (numbers.size() == 6) {
    pose.rotation = (Eigen::AngleAxisd(numbers[5], Vector3::UnitZ()) * Eigen::AngleAxisd(numbers[4], Vector3::UnitY()) *
                     Eigen::AngleAxisd(numbers[3], Vector3::UnitX()))
                        .toRotationMatrix();
  }
  return pose;
}

}  // namespace

bool parse_numbers(const std::string& text, std::vector<double>& numbers) {
  numbers.clear();
  const char* at = text.c_str();
  for (;;) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at || !std::isfinite(number)) return false;
    numbers.push_back(number);
    if (*end == '\0') return true;
    if (*end != ',') return false;
    at = end + 1;
  }
}

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(option, " ", text, ": expected name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

ModelPart parse_model_file(const std::string& text) {
  ModelPart part;
  part.path = text;
  if (is_file(text)) return part;
  if (const std::size_t at = text.rfind('@'); at != std::string::npos) {
    std::vector<double> numbers;
    const bool good = parse_numbers(text.substr(at + 1), numbers);
    if (!good || (numbers.size() != 3 && numbers.size() != 6)) {
      refuse(text, ": there is no such file, and '", text.substr(at + 1),
             "' is no place: expected FILE@x,y,z or FILE@x,y,z,roll,pitch,yaw");
    }
    part.options.pose = pose_of(numbers);
    part.path = text.substr(0, at);
  }
  const std::size_t equals = part.path.find('=');
  if (!is_file(part.path) && equals != std::string::npos) {
    part.options.prefix = part.path.substr(0, equals);
    part.path = part.path.substr(equals + 1);
  }
  part.path = find_scene(part.path);
  if (!is_file(part.path)) refuse(missing_scene(part.path, {".xml", ".urdf", ".sdf"}));
  return part;
}

LoadedModel load_model_files(const ModelFileOptions& options) {
  std::vector<ModelPart> parts;
  for (const std::string& file : options.files) {
    ModelPart part = parse_model_file(file);
    part.options.base = options.base;
    part.options.package_roots = options.package_paths;
    part.options.sandbox = options.sandbox;
    part.options.repair_inertia = options.repair_inertia;
    part.options.meshes_as_terrain = options.meshes_as_terrain;
    parts.push_back(std::move(part));
  }
  return load_models(parts);
}

std::string to_line(const IgnoredElement& ignored) {
  std::string line = ignored.file;
  if (ignored.line > 0) line.append(":").append(std::to_string(ignored.line));
  if (!line.empty()) line.append(": ");
  return line.append(ignored.element).append(": ").append(ignored.reason);
}

}  // namespace stiction::cli
