#include "cli/verb_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
#include "stiction/math/refuse.h"
#include "stiction/solvers/solver.h"

namespace stiction::cli {
namespace {

std::string notes_on(const SolverTraits& traits) {
  std::string notes;
  const auto add = [&](bool applies, const char* note) {
    if (applies) notes += (notes.empty() ? "" : ", ") + std::string(note);
  };
  add(traits.needs_symmetry, "symmetric G");
  add(traits.needs_compliance, "needs R > 0");
  add(!traits.warm_starts, "no warm start");
  add(traits.takes_viscous, "takes viscous");
  return notes;
}

struct ValueAsText {
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const {
    std::ostringstream text;
    text << *value;
    return text.str();
  }
};

// The comment that a file begins with, its lines joined.
std::string header_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text(4096, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  const std::size_t begin = text.find("<!--"), end = text.find("-->");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::istringstream words(text.substr(begin + 4, end - begin - 4));
  std::string header, word;
  while (words >> word) header.append(header.empty() ? "" : " ").append(word);
  return header;
}

// Up to the first full stop or colon.
std::string first_sentence(const std::string& text) {
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    if ((text[k] == '.' || text[k] == ':') && text[k + 1] == ' ') return text.substr(0, k);
  }
  return text;
}

}  // namespace

int list_solvers(bool json) {
  std::vector<std::unique_ptr<ContactSolver>> solvers;
  for (std::string_view name : solver_names()) solvers.push_back(make_solver(name));
  if (json) {
    std::vector<SolverTraits> traits;
    for (const auto& solver : solvers) traits.push_back(solver->traits());
    std::cout << solvers_to_json(traits) << '\n';
    return exit_success;
  }
  Table table({{"solver"}, {"model"}, {"notes"}, {"summary"}});
  for (const auto& solver : solvers) {
    const SolverTraits& t = solver->traits();
    table.add({std::string(t.name), std::string(to_string(t.model)), notes_on(t), std::string(t.summary)});
  }
  table.print(std::cout);
  return exit_success;
}

int list_options(const std::string& name, bool json) {
  const auto solver = make_solver(name);
  if (json) {
    std::cout << options_to_json(solver->options()) << '\n';
    return exit_success;
  }
  Table table({{"option"}, {"default", true}, {"meaning"}});
  for (const SolverOption& option : solver->options()) {
    table.add({std::string(option.name), std::visit(ValueAsText{}, option.value), std::string(option.description)});
  }
  table.print(std::cout);
  return exit_success;
}

int list_scenes(const std::string& folder, bool json) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".xml" || ending == ".urdf" || ending == ".sdf") files.push_back(entry.path());
  }
  if (error) refuse(folder, ": cannot be read: ", error.message());
  if (files.empty()) refuse(folder, ": the folder holds no .xml, .urdf or .sdf file");
  std::sort(files.begin(), files.end());
  if (json) {
    std::vector<std::pair<std::string, std::string>> scenes;
    for (const auto& file : files) scenes.emplace_back(file.string(), header_of(file));
    std::cout << scenes_to_json(scenes) << '\n';
    return exit_success;
  }
  Table table({{"scene"}, {"what it shows"}});
  for (const auto& file : files) table.add({file.string(), first_sentence(header_of(file))});
  table.print(std::cout);
  return exit_success;
}

}  // namespace stiction::cli
