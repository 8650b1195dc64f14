// What the suite over all registered solvers shares: its problems and its fixture. It runs over solver_names(), so a
// new solver inherits it by its line in the registry. The judge is the authority on residuals.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace stiction {

using testing::Mechanics;
using testing::random_mechanics;
using testing::random_problem;
using testing::RandomProblemOptions;

inline constexpr double tolerance = 1e-9;

// ---- shared problems ----------------------------------------------------------------------------------------------

struct Family {
  std::string name;
  RandomProblemOptions options;
};

// More velocities than rows, so that λ is unique, too.
inline constexpr RandomProblemOptions isostatic{.seed = 5, .bodies = 6, .contacts = 6, .limits = 1, .dry_friction = 1};

inline std::vector<Family> families() {
  std::vector<Family> list;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::string suffix = "_" + std::to_string(seed);
    list.push_back({"contacts" + suffix, {.seed = seed, .bodies = 5, .contacts = 6, .friction = 0.4}});
    list.push_back({"hyperstatic" + suffix, {.seed = 10 + seed, .bodies = 3, .contacts = 9, .friction = 0.3}});
    list.push_back({"mixed" + suffix,
                    {.seed = 20 + seed,
                     .bodies = 6,
                     .contacts = 6,
                     .limits = 2,
                     .bilateral = 2,
                     .dry_friction = 2,
                     .friction = -1.0}});
    list.push_back({"torques" + suffix,
                    {.seed = 40 + seed, .bodies = 5, .contacts = 6, .torsional = 4, .rolling = 3, .friction = 0.4}});
    list.push_back({"compliant" + suffix,
                    {.seed = 30 + seed,
                     .bodies = 4,
                     .contacts = 8,
                     .limits = 2,
                     .bilateral = 2,
                     .dry_friction = 2,
                     .friction = -1.0,
                     .compliance = 0.1}});
  }
  return list;
}

inline ContactProblem rebuilt(const ContactProblem& like, const MatrixX& g, const VectorX& free,
                              const VectorX& compliance, std::vector<Constraint> constraints = {}) {
  if (constraints.empty()) constraints.assign(like.constraints().begin(), like.constraints().end());
  return ContactProblem::from_dense(std::move(constraints), g, free, compliance);
}

// ---- the suite ----------------------------------------------------------------------------------------------------

class AllSolvers : public ::testing::TestWithParam<std::string_view> {
 protected:
  struct Solved {
    SolveReport report;
    ContactSolution solution;
    bool converged() const { return report.status == SolveStatus::converged; }
  };

  static std::unique_ptr<ContactSolver> make(std::string_view name = GetParam()) {
    auto solver = make_solver(name);
    solver->settings().tolerance = tolerance;
    solver->settings().max_iterations = 20000;  // slow is not wrong; how slow is for the benchmarks to say
    return solver;
  }
  static Solved solve(const ContactProblem& problem, std::string_view name = GetParam()) {
    Solved result;
    result.report = make(name)->solve(problem, result.solution);
    return result;
  }
  ContactModel model() const { return solver_->traits().model; }
  // A method that adds compliance of its own is asked about problems that have their own.
  bool applies(const RandomProblemOptions& options) const {
    return options.compliance > 0.0 || !solver_->traits().needs_compliance;
  }
  RandomProblemOptions suited(RandomProblemOptions options) const {
    if (solver_->traits().needs_compliance) options.compliance = 0.1;
    return options;
  }
  double residual(const ContactProblem& problem, const VectorX& impulse) const {
    return judge(problem, impulse, {.model = model()}).eps_nat;
  }
  void expect_solved(const ContactProblem& problem, const Solved& result, const std::string& what) const {
    EXPECT_TRUE(result.solution.impulse.allFinite()) << what;
    EXPECT_TRUE(result.converged()) << what << ": " << to_string(result.report.status) << " after "
                                    << result.report.iterations << " iterations, residual "
                                    << residual(problem, result.solution.impulse);
    if (result.converged()) {
      EXPECT_LE(residual(problem, result.solution.impulse), 10.0 * tolerance) << what;
    }
  }
  // Velocities relative to the free ones.
  static double velocity_gap(const ContactProblem& problem, const VectorX& a, const VectorX& b) {
    return (a - b).cwiseAbs().maxCoeff() / problem.largest_free_velocity();
  }

  std::unique_ptr<ContactSolver> solver_ = make();
};

class FormsOfAProblem {
 public:
  explicit FormsOfAProblem(const ContactProblem& factored)
      : list_{{"factored", factored},
              {"sparse", factored.in_form(DelassusForm::sparse)},
              {"dense", factored.in_form(DelassusForm::dense)}} {}
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::pair<std::string, ContactProblem>> list_;
};

}  // namespace stiction
