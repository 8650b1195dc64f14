// The model files of a command line: one world of one or several files, each with a place and a prefix.
//
//     [PREFIX=]FILE[@x,y,z[,roll,pitch,yaw]]
//
// Lengths in m, angles in rad about the fixed axes x, y, z as in URDF. The prefix is put before every name of the file.
// A name that is a file as it stands is taken as it stands, whatever '=' and '@' are in it.
#pragma once

#include <string>
#include <vector>

#include "stiction/io/load.h"

namespace stiction::cli {

struct ModelFileOptions {
  std::vector<std::string> files;  // as above
  BaseKind base = BaseKind::as_in_file;
  std::vector<std::string> package_paths;
  bool sandbox = false;
  bool repair_inertia = false;
  bool meshes_as_terrain = false;
};

// Throws std::invalid_argument naming the text and what is wrong with it.
ModelPart parse_model_file(const std::string& text);

// Throws std::invalid_argument naming file and value.
LoadedModel load_model_files(const ModelFileOptions& options);

// "3 elements were ignored …", one line each: file:line: element: reason.
std::string to_line(const IgnoredElement& ignored);

// Numbers separated by commas; none where the text is something else.
bool parse_numbers(const std::string& text, std::vector<double>& numbers);

// "name=value" at the first '='. Throws std::invalid_argument beginning with `option` where there is none.
std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text);

}  // namespace stiction::cli
