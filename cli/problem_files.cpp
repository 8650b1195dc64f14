#include "cli/problem_files.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "cli/shipped_scenes.h"
#include "stiction/problem_files/hdf5.h"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

ContactProblem in_chosen_form(ContactProblem problem, FormChoice form) {
  switch (form) {
    case FormChoice::as_stored:
      return problem;
    case FormChoice::dense:
      return problem.in_form(DelassusForm::dense);
    case FormChoice::sparse:
      return problem.in_form(DelassusForm::sparse);
  }
  return problem;
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& named : paths) {
    const std::string path = find_scene(named);
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error)) throw std::invalid_argument(missing_scene(path, {".hdf5", ".h5"}));
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string extension = entry.path().extension().string();
      if (entry.is_regular_file() && (extension == ".hdf5" || extension == ".h5")) {
        found.push_back(entry.path().string());
      }
    }
    if (found.empty()) throw std::invalid_argument(path + ": the folder holds no .hdf5 or .h5 file");
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

ProblemFile read_problem_file(const std::string& path, FormChoice form) {
  const hdf5::File file = hdf5::File::open(path);
  if (file.has("/lcp")) return read_lcp(file);
  if (file.has("/J_val")) {
    Sequence sequence = read_sequence(file);
    for (SequenceStep& step : sequence.steps) step.problem = in_chosen_form(std::move(step.problem), form);
    return sequence;
  }
  FclibProblem contents =
      read_fclib(file, form == FormChoice::as_stored ? FclibGlobal::factored : FclibGlobal::condensed);
  contents.problem = in_chosen_form(std::move(contents.problem), form);
  return contents;
}

}  // namespace stiction::cli
