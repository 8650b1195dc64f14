// What the writers of model files share: the model as a tree of bodies, the text under way, its meshes, what is lost.
// Internal to write_mjcf, write_urdf and write_sdf.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "stiction/io/mesh/mesh_writer.h"
#include "stiction/io/writers/model_outline.h"
#include "stiction/io/written_model.h"
#include "stiction/io/xml/xml_writer.h"

namespace stiction {

class ModelWriter {
 protected:
  // `position`: where the file's bodies stand.
  ModelWriter(const Model& model, const VectorX& position, const std::string& path, XmlWriter xml)
      : model_(model), path_(path), outline_(model, position), meshes_(path), xml_(std::move(xml)) {}

  void lose(const std::string& what) { written_.lost.push_back(what); }
  // The name, or the name with so many "_" that nobody has it yet.
  std::string unique(std::string name) {
    while (!names_.insert(name).second) name.append("_");
    return name;
  }
  // The text into its file.
  WrittenModel finish() {
    write_text_file(path_, xml_.take());
    written_.files.push_back(path_);
    written_.files.insert(written_.files.end(), meshes_.files().begin(), meshes_.files().end());
    return std::move(written_);
  }

  const Model& model_;
  std::string path_;
  ModelOutline outline_;
  MeshWriter meshes_;
  XmlWriter xml_;
  WrittenModel written_;
  std::set<std::string> names_;  // taken
};

}  // namespace stiction
