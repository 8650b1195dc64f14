#include "stiction/io/load.h"

#include <algorithm>
#include <filesystem>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/io/model_path.h"
#include "stiction/io/sdf/sdf.h"
#include "stiction/io/settle.h"
#include "stiction/io/urdf/urdf.h"
#include "stiction/io/xml/xml.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

enum class ModelFormat { urdf, sdf, mjcf };

ModelFormat format_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (ending == ".urdf") return ModelFormat::urdf;
  if (ending == ".sdf" || ending == ".world") return ModelFormat::sdf;
  if (ending == ".mjcf" || ending == ".mjb") return ModelFormat::mjcf;
  if (ending == ".xacro") refuse(path, ": xacro is not expanded here; run xacro, and load the URDF that it writes");
  const std::string root = XmlDocument::read(path).root().name();
  if (root == "robot") return ModelFormat::urdf;
  if (root == "sdf") return ModelFormat::sdf;
  if (root == "mujoco" || root == "mujocoinclude") return ModelFormat::mjcf;
  refuse(path, ": the root element <", root, "> is none of <robot> (URDF), <sdf> and <mujoco> (MJCF)");
}

}  // namespace

LoadedModel load_model(const std::string& path, const LoadOptions& options) {
  const ModelPart part{path, options};
  return load_models({&part, 1});
}

LoadedModel load_models(std::span<const ModelPart> parts) {
  ModelBuilder builder;
  LoadedModel loaded;
  std::string closed_chains;  // a file whose start may want settling
  for (const ModelPart& part : parts) {
    switch (format_of(part.path)) {
      case ModelFormat::urdf:
        append_urdf(builder, part.path, part.options, loaded.ignored);
        break;
      case ModelFormat::sdf:
        append_sdf(builder, part.path, part.options, loaded.ignored);
        closed_chains = part.path;
        break;
      case ModelFormat::mjcf:
        append_mjcf(builder, part.path, part.options, loaded.ignored);
        break;
    }
  }
  try {
    loaded.model = builder.build();
    if (!closed_chains.empty()) loaded.model = settle(loaded.model, closed_chains, loaded.ignored);
  } catch (const std::invalid_argument& e) {
    if (parts.size() != 1) throw;
    refuse(parts[0].path, ": ", e.what());
  }
  return loaded;
}

}  // namespace stiction
