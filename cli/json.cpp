#include "cli/json.h"

#include <nlohmann/json.hpp>

namespace stiction::cli {
namespace {

using Json = nlohmann::ordered_json;

// A file name need not be valid UTF-8; JSON text must be.
std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string records_to_json(const std::vector<RunRecord>& records) {
  Json list = Json::array();
  for (const RunRecord& r : records) {
    list.push_back({{"file", r.file},
                    {"solver", r.solver},
                    {"model", r.model},
                    {"status", r.status},
                    {"iterations", r.iterations},
                    {"seconds", r.seconds},
                    {"eps_abs", r.eps_abs},
                    {"eps_rel", r.eps_rel},
                    {"eps_nat", r.eps_nat},
                    {"ncp_eps_nat", r.ncp_eps_nat},
                    {"factorisations", r.factorisations},
                    {"symmetrised", r.symmetrised},
                    {"worst_constraint", r.worst_constraint},
                    {"steps", r.steps},
                    {"steps_converged", r.steps_converged}});
  }
  return to_text(list);
}

std::string solvers_to_json(const std::vector<SolverTraits>& solvers) {
  Json list = Json::array();
  for (const SolverTraits& t : solvers) {
    list.push_back({{"name", t.name},
                    {"model", to_string(t.model)},
                    {"summary", t.summary},
                    {"needs_symmetry", t.needs_symmetry},
                    {"needs_compliance", t.needs_compliance},
                    {"warm_starts", t.warm_starts},
                    {"takes_viscous", t.takes_viscous}});
  }
  return to_text(list);
}

std::string options_to_json(std::vector<SolverOption> options) {
  Json list = Json::array();
  for (const SolverOption& option : options) {
    Json entry{{"name", option.name}, {"description", option.description}};
    std::visit([&](const auto* value) { entry["default"] = *value; }, option.value);
    list.push_back(entry);
  }
  return to_text(list);
}

std::string scenes_to_json(const std::vector<std::pair<std::string, std::string>>& scenes) {
  Json list = Json::array();
  for (const auto& [file, header] : scenes) list.push_back({{"file", file}, {"header", header}});
  return to_text(list);
}

}  // namespace stiction::cli
