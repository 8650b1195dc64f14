// The scenes that come with the command: in the source folder, in an installation, in the Python package.
#pragma once

#include <string>
#include <vector>

namespace stiction::cli {

// The folder; beside the program where it was installed with it, else the one that the program was built with.
std::string shipped_scenes();

// The path, or where nothing is there and it begins with "scenes/", what comes with the command under that name: the
// examples of the documentation work in any folder. A path that is nowhere comes back as it is.
std::string find_scene(const std::string& path);

// What to say of a path that is nowhere: names near it in its folder, else those near it among the shipped files with
// one of these endings (".xml"):  kapla: there is no such file; did you mean "scenes/gallery/kapla.xml"?
std::string missing_scene(const std::string& path, const std::vector<std::string>& endings);

}  // namespace stiction::cli
