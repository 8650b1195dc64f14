// Random problems of every sort with extreme numbers, in all forms: what `auto` says must agree with the judge, no
// solve may exceed its budget, and every failure has a kind.
//
// STICTION_SCAN=N in the environment: N problems instead of 1000.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "../support/hard_problems.h"
#include "../support/random.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/auto/solver_auto.h"

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
    default:
      return testing::random_mechanics({.seed = draw.seed(),
                                        .bodies = draw.index(1, 6),
                                        .contacts = draw.index(1, 12),
                                        .limits = draw.index(0, 3),
                                        .bilateral = draw.index(0, 3),
                                        .dry_friction = draw.index(0, 3),
                                        .friction = 0.5,
                                        .compliance = draw.chance(0.2) ? draw.uniform(1e-6, 1.0) : 0.0});
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
    const auto constraints = mechanics.constraints;
    mechanics.constraints.insert(mechanics.constraints.end(), constraints.begin(), constraints.end());
    mechanics.offset = VectorX::Zero(2 * rows);
    mechanics.compliance.conservativeResize(0);
  }
  return mechanics;
}

TEST(Torture, StatusAgreesWithTheJudgeAndBudgetsHold) {
  const char* scan = std::getenv("STICTION_SCAN");
  const int count = scan != nullptr ? std::atoi(scan) : 1000;
  std::array<int, static_cast<int>(SolveStatus::numerical_error) + 1> kinds{};
  for (int k = 0; k < count; ++k) {
    SCOPED_TRACE("problem " + std::to_string(k));
    testing::Random draw(static_cast<unsigned>(k));
    ContactProblem problem = draw_problem(draw).problem();
    const auto form = static_cast<DelassusForm>(draw.index(0, 2));
    if (form != DelassusForm::factored) problem = problem.in_form(form);
    SolverAuto solver;
    solver.settings().tolerance = std::pow(10.0, -draw.index(6, 10));
    solver.settings().max_iterations = draw.chance(0.5) ? 300 : draw.index(1, 1000);
    ContactSolution solution;
    if (draw.chance(0.4)) {
      const double size =
          std::pow(10.0, draw.uniform(-3.0, 12.0)) * problem.largest_free_velocity() / problem.largest_diagonal();
      solution.impulse = VectorX::NullaryExpr(problem.num_rows(), [&] { return size * draw.uniform(-1.0, 1.0); });
    }
    const SolveReport report = solver.solve(problem, solution);
    const double residual = judge(problem, solution.impulse).eps_nat;
    ++kinds[static_cast<int>(report.status)];
    EXPECT_LE(report.iterations, solver.settings().max_iterations);
    EXPECT_TRUE(solution.impulse.allFinite());
    if (report.status == SolveStatus::converged) {
      EXPECT_LE(residual, solver.settings().tolerance * (1.0 + 1e-6))
          << "claims more than the judge finds"
          << (problem.has_kind(ConstraintKind::anisotropic) ? ", anisotropic" : "");
    } else if (report.status != SolveStatus::numerical_error) {  // which says that λ is too large to be judged
      EXPECT_GT(residual, 0.5 * solver.settings().tolerance) << to_string(report.status) << " though solved";
    }
    EXPECT_NE(report.status, SolveStatus::interrupted);
    EXPECT_NE(report.status, SolveStatus::ray);
    EXPECT_NE(report.status, SolveStatus::acceptable);
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    RecordProperty(std::string(to_string(static_cast<SolveStatus>(k))), kinds[k]);
    std::printf("  %-16s %d\n", std::string(to_string(static_cast<SolveStatus>(k))).c_str(), kinds[k]);
  }
  EXPECT_GT(kinds[static_cast<int>(SolveStatus::converged)], count / 2);
}

}  // namespace
}  // namespace stiction
