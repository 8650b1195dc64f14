// Every solver by name. A new solver is one line here; tests, command line, Python and benchmarks then find it.
#include <functional>
#include <stdexcept>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/solvers/accelerated/solver_accelerated.h"
#include "stiction/solvers/admm/solver_admm.h"
#include "stiction/solvers/admm/solver_staggered.h"
#include "stiction/solvers/auto/solver_auto.h"
#include "stiction/solvers/interior_point/solver_ncp_ip.h"
#include "stiction/solvers/max_dissipation/solver_max_dissipation.h"
#include "stiction/solvers/newton/solver_ccp_newton.h"
#include "stiction/solvers/newton/solver_ncp_newton.h"
#include "stiction/solvers/pivoting/solver_anitescu_potra.h"
#include "stiction/solvers/pivoting/solver_dantzig.h"
#include "stiction/solvers/pivoting/solver_lemke.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/solver_gauss_seidel.h"
#include "stiction/solvers/sweeps/solver_pgs.h"
#include "stiction/solvers/sweeps/solver_raisim.h"

namespace stiction {
namespace {

struct Entry {
  std::string_view name;
  std::function<std::unique_ptr<ContactSolver>()> make;
};

// In the order of listings: the default first, then by model.
const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"auto", [] { return std::make_unique<SolverAuto>(); }},
      {"ncp-gs", [] { return std::make_unique<SolverGaussSeidel>(); }},
      {"ncp-newton", [] { return std::make_unique<SolverNcpNewton>(); }},
      {"ncp-ip", [] { return std::make_unique<SolverInteriorPoint>(); }},
      {"ncp-admm", [] { return std::make_unique<SolverAdmm>(ContactModel::ncp); }},
      {"ncp-staggered", [] { return std::make_unique<SolverStaggered>(ContactModel::ncp); }},
      {"ncp-accelerated", [] { return std::make_unique<SolverAccelerated>(); }},
      {"ncp-pgs", [] { return std::make_unique<SolverPgs>(ContactModel::ncp); }},
      {"raisim-ds", [] { return std::make_unique<SolverRaisim>(true); }},
      {"raisim", [] { return std::make_unique<SolverRaisim>(false); }},
      {"ccp-newton", [] { return std::make_unique<SolverCcpNewton>(); }},
      {"ccp-admm", [] { return std::make_unique<SolverAdmm>(ContactModel::ccp); }},
      {"ccp-pgs", [] { return std::make_unique<SolverPgs>(ContactModel::ccp); }},
      {"lcp-lemke", [] { return std::make_unique<SolverLemke>(); }},
      {"lcp-anitescu-potra", [] { return std::make_unique<SolverAnitescuPotra>(); }},
      {"lcp-staggered", [] { return std::make_unique<SolverStaggered>(ContactModel::lcp); }},
      {"lcp-pgs", [] { return std::make_unique<SolverPgs>(ContactModel::lcp); }},
      {"lcp-dantzig", [] { return std::make_unique<SolverDantzig>(); }},
      {"max-dissipation", [] { return std::make_unique<SolverMaxDissipation>(); }},
  };
  return entries;
}

}  // namespace

std::vector<std::string_view> solver_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : registry()) names.push_back(entry.name);
  return names;
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name) {
  std::string known;
  std::vector<std::string> names;
  for (const Entry& entry : registry()) {
    if (entry.name == name) return entry.make();
    known += ' ';
    known += entry.name;
    names.emplace_back(entry.name);
  }
  if (!near_names(name, names).empty()) refuse("no solver is called '", name, "'; ", name_hint(name, names));
  refuse("no solver is called '", name, "'; there are:", known);
}

}  // namespace stiction
