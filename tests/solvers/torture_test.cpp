// Random problems of every sort with extreme numbers, in all forms: what a solver says must agree with the judge, no
// solve may exceed its budget, and every failure has a kind.
//
// STICTION_SCAN=N in the environment: N problems instead of 400; `./test --all` takes 10 000.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "../support/hard_problems.h"
#include "../support/random.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/auto/solver_auto.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

double draw_friction(testing::Random& draw) {
  if (draw.chance(0.1)) return 0.0;
  return draw.chance(0.4) ? std::pow(10.0, draw.uniform(0.0, 12.0)) : draw.uniform(0.05, 3.0);
}

testing::Mechanics draw_mechanics(testing::Random& draw) {
  switch (draw.index(0, 4)) {
    case 0:
      return testing::wedges(
          {.seed = draw.seed(), .bodies = draw.index(1, 3), .friction = 1.0, .half_angle = draw.uniform(0.3, 1.55)});
    case 1:
      return testing::three_point_heap({.seed = draw.seed(), .bodies = draw.index(1, 4), .partners = draw.index(1, 3)});
    case 2:
      return testing::mass_ratio_stack(std::pow(10.0, draw.uniform(0.0, 8.0)), draw.index(2, 4));
    case 3:
      return testing::box_columns({.seed = draw.seed(), .columns = draw.index(1, 2), .height = draw.index(1, 3)});
    default: {
      const int contacts = draw.index(1, 12);
      const bool has_torques = draw.chance(0.3);
      return testing::random_mechanics({.seed = draw.seed(),
                                        .bodies = draw.index(1, 6),
                                        .contacts = contacts,
                                        .limits = draw.index(0, 3),
                                        .bilateral = draw.index(0, 3),
                                        .dry_friction = draw.index(0, 3),
                                        .torsional = has_torques ? draw.index(0, contacts) : 0,
                                        .rolling = has_torques ? draw.index(0, contacts) : 0,
                                        .torque = std::pow(10.0, draw.uniform(-6.0, 0.0)),
                                        .friction = 0.5,
                                        .compliance = draw.chance(0.2) ? draw.uniform(1e-6, 1.0) : 0.0});
    }
  }
}

// Masses up to 1e8 times as large by body, friction of every size, anisotropic contacts, contacts that come twice.
testing::Mechanics draw_problem(testing::Random& draw) {
  testing::Mechanics mechanics = draw_mechanics(draw);
  const int bodies = static_cast<int>(mechanics.inertia.rows()) / 6;
  if (draw.chance(0.3)) {
    VectorX root(mechanics.inertia.rows());
    for (int k = 0; k < bodies; ++k) root.segment(6 * k, 6).setConstant(std::pow(10.0, draw.uniform(0.0, 4.0)));
    mechanics.inertia =
        Eigen::SparseMatrix<double, Eigen::RowMajor>(root.asDiagonal() * mechanics.inertia * root.asDiagonal());
  }
  const bool anisotropic = draw.chance(0.2);
  for (Constraint& c : mechanics.constraints) {
    if (c.kind != ConstraintKind::frictional) continue;
    const double friction = draw_friction(draw);
    c = anisotropic ? Constraint::make_anisotropic(draw.uniform(0.1, 2.0), draw.uniform(0.1, 2.0))
                    : Constraint::make_frictional(friction);
  }
  if (draw.chance(0.2)) {  // everything twice
    const Eigen::Index rows = mechanics.jacobian.rows();
    Eigen::SparseMatrix<double, Eigen::RowMajor> twice(2 * rows, mechanics.jacobian.cols());
    std::vector<Eigen::Triplet<double>> entries;
    for (int r = 0; r < rows; ++r) {
      for (decltype(twice)::InnerIterator it(mechanics.jacobian, r); it; ++it) {
        entries.emplace_back(r, it.col(), it.value());
        entries.emplace_back(r + rows, it.col(), it.value());
      }
    }
    twice.setFromTriplets(entries.begin(), entries.end());
    mechanics.jacobian = twice;
    auto again = mechanics.constraints;
    for (Constraint& c : again) c.partner += c.partner >= 0 ? static_cast<int>(again.size()) : 0;
    mechanics.constraints.insert(mechanics.constraints.end(), again.begin(), again.end());
    mechanics.offset = VectorX::Zero(2 * rows);
    mechanics.compliance.conservativeResize(0);
  }
  return mechanics;
}

// How a failure may be told; converged is none.
bool is_kind_of_failure(SolveStatus status, const SolverTraits& traits) {
  using enum SolveStatus;
  switch (status) {
    case iteration_limit:
    case stalled:
    case rounding:
    case no_solution:
    case numerical_error:
      return true;
    case regularised:
      return traits.needs_compliance || traits.needs_symmetry;
    case ray:
      return traits.name.starts_with("lcp");
    default:
      return false;
  }
}

int num_problems() {
  const char* scan = std::getenv("STICTION_SCAN");
  return scan != nullptr ? std::atoi(scan) : testing::fewer_sanitized(400, 100);
}

// A problem by its number, in one of the three forms, with a guess that may be far too large.
struct Trial {
  explicit Trial(int k) : draw(static_cast<unsigned>(k)) {
    problem = draw_problem(draw).problem();
    const auto form = static_cast<DelassusForm>(draw.index(0, 2));
    if (form != DelassusForm::factored) problem = problem.in_form(form);
  }
  void solve(ContactSolver& solver, int most) {
    SolverSettings& settings = solver.settings();
    settings.tolerance = std::pow(10.0, -draw.index(6, 10));
    settings.max_iterations = draw.chance(0.5) ? most : draw.index(1, 3 * most);
    if (draw.chance(0.4)) {
      const double size =
          std::pow(10.0, draw.uniform(-3.0, 12.0)) * problem.largest_free_velocity() / problem.largest_diagonal();
      solution.impulse = VectorX::NullaryExpr(problem.num_rows(), [&] { return size * draw.uniform(-1.0, 1.0); });
    }
    report = solver.solve(problem, solution);
    const SolverTraits& traits = solver.traits();
    EXPECT_TRUE(solution.impulse.allFinite());
    EXPECT_LE(report.iterations, settings.max_iterations);
    const double judged = judge(problem, solution.impulse, {.model = traits.model}).eps_nat;
    const bool anisotropic = problem.has_kind(ConstraintKind::anisotropic);
    if (report.status == SolveStatus::converged) {
      EXPECT_LE(judged, settings.tolerance * (1.0 + 1e-6))
          << "claims more than the judge finds" << (anisotropic ? ", anisotropic" : "");
      return;
    }
    EXPECT_TRUE(is_kind_of_failure(report.status, traits)) << to_string(report.status);
    // λ may be too large to be judged; and that nothing is inadmissible makes no optimum.
    const bool may_be_solved =
        report.status == SolveStatus::numerical_error || traits.model == ContactModel::max_dissipation;
    if (!may_be_solved) {
      EXPECT_GT(judged, 0.5 * settings.tolerance) << to_string(report.status) << " though solved";
    }
  }

  testing::Random draw;
  ContactProblem problem;
  ContactSolution solution;
  SolveReport report;
};

TEST(Torture, StatusAgreesWithTheJudgeAndBudgetsHold) {
  const int count = num_problems();
  std::array<int, static_cast<int>(SolveStatus::numerical_error) + 1> kinds{};
  for (int k = 0; k < count; ++k) {
    SCOPED_TRACE("problem " + std::to_string(k));
    Trial trial(k);
    SolverAuto solver;
    trial.solve(solver, 300);
    ++kinds[static_cast<int>(trial.report.status)];
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    RecordProperty(std::string(to_string(static_cast<SolveStatus>(k))), kinds[k]);
    std::printf("  %-16s %d\n", std::string(to_string(static_cast<SolveStatus>(k))).c_str(), kinds[k]);
  }
  EXPECT_GT(kinds[static_cast<int>(SolveStatus::converged)], count / 2);
}

// The same of all registered solvers, which may fail more often but no less honestly.
TEST(Torture, EverySolverIsHonest) {
  const auto names = solver_names();
  const int count = num_problems();
  for (int k = 0; k < count; ++k) {
    const std::string name(names[static_cast<std::size_t>(k) % names.size()]);
    SCOPED_TRACE("problem " + std::to_string(k) + ", " + name);
    Trial trial(k / static_cast<int>(names.size()));
    const auto solver = make_solver(name);
    trial.solve(*solver, 200);
  }
}

}  // namespace
}  // namespace stiction
