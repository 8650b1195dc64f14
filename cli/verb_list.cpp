#include "cli/verb_list.h"

#include <iostream>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
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

}  // namespace stiction::cli
