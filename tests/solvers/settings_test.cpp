// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/solvers/accelerated/solver_accelerated.h"
#include "stiction/solvers/admm/solver_admm.h"
#include "stiction/solvers/admm/solver_staggered.h"
#include "stiction/solvers/auto/solver_auto.h"
#include "stiction/solvers/interior_point/solver_ncp_ip.h"
#include "stiction/solvers/max_dissipation/solver_max_dissipation.h"
#include "stiction/solvers/newton/solver_ccp_newton.h"
#include "stiction/solvers/newton/solver_ncp_newton.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "stiction/solvers/pivoting/solver_anitescu_potra.h"
#include "stiction/solvers/sweeps/solver_gauss_seidel.h"
#include "stiction/solvers/sweeps/solver_pgs.h"
#include "stiction/solvers/sweeps/solver_raisim.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, SolverSettings) {
  EXPECT_RANGE(SolverSettings, tolerance, 0.0, -1.0);
  EXPECT_RANGE(SolverSettings, max_iterations, -1);
  EXPECT_RANGE(SolverSettings, acceptable_tolerance, -1.0);
}

TEST(SettingsRanges, SolverGaussSeidelSettings) {
  EXPECT_RANGE(SolverGaussSeidelSettings, over_relaxation, 0.0, 2.0);
}

TEST(SettingsRanges, SolverPgsSettings) {
  EXPECT_RANGE(SolverPgsSettings, over_relaxation, 0.0, 2.0);
}

TEST(SettingsRanges, SolverRaisimSettings) {
  EXPECT_RANGE(SolverRaisimSettings, decay, 0.0, 1.1);
  EXPECT_RANGE(SolverRaisimSettings, smallest_step, 0.0, 1.1);
  EXPECT_RANGE(SolverRaisimSettings, angle_tolerance, 0.0, -1.0);
}

TEST(SettingsRanges, SolverCcpNewtonSettings) {
  EXPECT_RANGE(SolverCcpNewtonSettings, regularisation, 0.0, -1.0);
}

TEST(SettingsRanges, SolverNcpNewtonSettings) {
  EXPECT_RANGE(SolverNcpNewtonSettings, first_sweeps, -1);
  EXPECT_RANGE(SolverNcpNewtonSettings, patience, 0, -1);
}

TEST(SettingsRanges, AdmmSettings) {
  EXPECT_RANGE(AdmmSettings, eta, 0.0, -1.0);
  EXPECT_RANGE(AdmmSettings, p, -0.6, 1.1);
  EXPECT_RANGE(AdmmSettings, p_step, -1.0);
  EXPECT_RANGE(AdmmSettings, tau, 1.0);
  EXPECT_RANGE(AdmmSettings, alpha, 1.0);
  EXPECT_RANGE(AdmmSettings, hold, -1);
  EXPECT_RANGE(AdmmSettings, over_relaxation, 0.0, 2.0);
  EXPECT_RANGE(AdmmSettings, anderson, -1, 31);
  EXPECT_RANGE(AdmmSettings, factorisation, -1, 4);
}

TEST(SettingsRanges, SolverStaggeredSettings) {
  EXPECT_RANGE(SolverStaggeredSettings, inner_iterations, 0, -1);
  EXPECT_RANGE(SolverStaggeredSettings, outer_anderson, -1, 31);
}

TEST(SettingsRanges, InteriorPointSettings) {
  EXPECT_RANGE(InteriorPointSettings, delta, -0.1, 1.0);
}

TEST(SettingsRanges, MaxDissipationSettings) {
  EXPECT_RANGE(MaxDissipationSettings, restitution, -0.1, 1.1);
  EXPECT_RANGE(MaxDissipationSettings, viscous_rounds, 0, 101);
}

TEST(SettingsRanges, LcpSettings) {
  EXPECT_RANGE(LcpSettings, max_pivots, -1);
  EXPECT_RANGE(LcpSettings, smallest_pivot, 0.0, 1.0);
  EXPECT_RANGE(LcpSettings, tie, -0.1, 1.0);
}

TEST(SettingsRanges, ContactLcpSettings) {
  EXPECT_RANGE(ContactLcpSettings, regularisation, -1.0);
}

TEST(SettingsRanges, AnitescuPotraSettings) {
  EXPECT_RANGE(AnitescuPotraSettings, directions, 3, 65);
}

TEST(SettingsRanges, SolverAcceleratedSettings) {
  EXPECT_RANGE(SolverAcceleratedSettings, window, -1, 17);
  EXPECT_RANGE(SolverAcceleratedSettings, sweeps_per_step, 0, 9);
  EXPECT_RANGE(SolverAcceleratedSettings, growth, 1.0);
  EXPECT_RANGE(SolverAcceleratedSettings, pause, -1);
}

TEST(SettingsRanges, AndersonWindowSettings) {
  EXPECT_RANGE(AndersonWindowSettings, columns, -1, 17);
  EXPECT_RANGE(AndersonWindowSettings, growth, 1.0);
  EXPECT_RANGE(AndersonWindowSettings, pause, -1);
  EXPECT_RANGE(AndersonWindowSettings, longest_pause, 0, -1);
  EXPECT_RANGE(AndersonWindowSettings, ridge, -1.0);
}

TEST(SettingsRanges, AcceleratedSweepsSettings) {
  EXPECT_RANGE(AcceleratedSweepsSettings, sweeps_per_step, 0, 9);
  EXPECT_RANGE(AcceleratedSweepsSettings, test_every, 0, -1);
  EXPECT_RANGE(AcceleratedSweepsSettings, cost, 0.0, -1.0);
  EXPECT_RANGE(AcceleratedSweepsSettings, cost_of_visit, -1.0);
  EXPECT_RANGE(AcceleratedSweepsSettings, cost_of_constraint, -1.0);
  EXPECT_RANGE(AcceleratedSweepsSettings, most_sweeps, 0, -1);
  EXPECT_RANGE(AcceleratedSweepsSettings, constraints_per_domain, 0, -1);
}

TEST(SettingsRanges, SolverAutoSettings) {
  EXPECT_RANGE(SolverAutoSettings, dense_rows, -1, 2001);
  EXPECT_RANGE(SolverAutoSettings, dense_island_rows, -1);
  EXPECT_RANGE(SolverAutoSettings, dense_pile_rows, -1);
  EXPECT_RANGE(SolverAutoSettings, contact_space_rows, -1);
  EXPECT_RANGE(SolverAutoSettings, insist_rows, -1);
  EXPECT_RANGE(SolverAutoSettings, sparse_fill, -0.1, 1.1);
  EXPECT_RANGE(SolverAutoSettings, island_constraints, -1);
  EXPECT_RANGE(SolverAutoSettings, stiff_mass_ratio, 0.0, -1.0);
}

}  // namespace
}  // namespace stiction
