#include "stiction/io/write_model.h"

#include <algorithm>
#include <filesystem>

#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/io/sdf/write_sdf.h"
#include "stiction/io/urdf/write_urdf.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using Writer = WrittenModel (*)(const Model& model, const std::string& path);

Writer writer_for(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (ending == ".xml" || ending == ".mjcf") return write_mjcf;
  if (ending == ".urdf") return write_urdf;
  if (ending == ".sdf") return write_sdf;
  refuse(path, ": the ending '", ending,
         "' names no format that can be written; those are .xml and .mjcf (MJCF), .urdf and .sdf");
}

}  // namespace

WrittenModel write_model(const Model& model, const std::string& path) {
  return writer_for(path)(model, path);
}

void check_model_ending(const std::string& path) {
  writer_for(path);
}

}  // namespace stiction
