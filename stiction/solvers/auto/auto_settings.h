// Everything about `auto` that was found by measuring: one place, each with what it means, where it may lie, and why it
// has its value. Residuals are those of the goal (ε_nat or ε_rel), without unit; costs are factorisations of the
// problem. validate() throws std::invalid_argument naming setting, value and range.
#pragma once

#include "stiction/solvers/accelerated/accelerated_sweeps_settings.h"

namespace stiction {

// The running σ and the σ that a caller recomputes differ by rounding: what is accepted at this part of the tolerance
// here is accepted there at the whole of it. 0.9 … 1.
inline constexpr double auto_safety = 0.99;

// Compliant problems about a centre (auto_proximal.h).
struct AutoProximalSettings {
  double first = 1e-2, least = 1e-12, most = 1.0;  // ε of ε diag(G)
  double fall = 0.3, rise = 10.0;                  // factors of ε where steps settle, and where they do not
  int patience = 8;                                // Newton steps about one centre
  int early = 2;          // after so many the compliant residual must be below that of the centre
  double settled = 0.1;   // residual of the compliant problem to that of the problem, at a new centre
  double creeping = 0.5;  // residual of a new centre to that of the last one, from which on it creeps

  void validate() const;
};

// Robot scale, dense (auto_dense.h).
struct AutoDenseSettings {
  int sweeps = 4;               // exact sweeps before Newton, 0 … 10
  int few_contacts = 4;         // 0 … 8; with more that push, Newton is the cheaper way from the start
  double light_coupling = 0.1;  // largest |G_ij|/√(G_ii G_jj) with which sweeps come first: they shrink by its square
  int patience = 6;             // Newton steps without a new best before a restart, 1 … 20
  double release_below = 1.0;   // residual from which a Newton step gives up its proximal term where that holds it back
  double refine_below = 1e-3;   // residual from which any other one is followed by a refinement with the same factors
  double worthwhile = 0.5;      // a new best must be this much of the last one to count as progress: creeping is none
  int newton_steps = 80;        // in all restarts together; what is not found then takes an interior point less time
  int compliant_steps = 80;     // Newton steps of AutoProximal, once the first run has not settled
  int restarts = 6;             // of 4, 8, 16 … sweeps, then give up
  int near_restarts = 2;        // so many where the best is near: an interior point beside it takes less time than more
  double near = 1e-2;           // residual
  // ε of the proximal term ε K_ii (y_i − y_i(old)), by restart: too small and hyperstatic contacts make pivots vanish,
  // too large and steps are held back; none serves all. 1e-8 … 1e-3.
  double proximal[4] = {1e-5, 1e-7, 1e-4, 1e-6};
  // Of AutoActiveSet::step() in the first step from a guess. With the narrow one alone a falling humanoid takes 5 %
  // more Newton steps; with the wide one alone a box at rest close to its friction angle creeps ten times as much.
  double edge = 1e-6, wide_edge = 0.3;
  double in_motion = 1e-6;  // residual of the guess from which the edge is wide
  // σ is computed afresh where u ‖λ‖ of the largest impulse met is more than this part of what the test can see.
  double seen_rounding = 0.01;
  bool use_newton = true;
  AutoProximalSettings compliant;

  void validate() const;
};

// Many lightly coupled bodies (auto_many_bodies.h).
struct AutoManyBodiesSettings {
  double relaxation = 1.6;  // largest ω, in [1, 2)
  int max_sweeps = 400;     // give up when the speed of convergence promises more
  int watch = 16;           // sweeps between two looks at the speed of convergence
  int patience = 3;  // looks in a row that promise too many sweeps: a blow that runs through a heap is slow first
  int full_sweep_every = 16;    // the others visit what carries an impulse
  double quiet = 0.03;          // a contact that changed by less than this part of the largest change may wait
  double worth_testing = 6.0;   // full residual when the change is below this multiple of the tolerance
  double growth = 0.2;          // of ω per sweep
  double tolerated_rise = 2.0;  // of the largest change, which wobbles also where ω > 1 is right

  void validate() const;
};

// A turn of semismooth Newton (auto_newton.h).
struct AutoNewtonSettings {
  double worthwhile = 0.5;    // the residual must become so much of what it was …
  int look_every = 24;        // … within so many steps, or half of those already made
  int settled_every = 6;      // … within so many steps, once it is acceptable
  double turn = 100.0;        // factorisations; more than most need that succeed at all
  double cold_turn = 400.0;   // the same from zero
  double near = 1e-3;         // residual of a path's end from which Newton may do the rest
  double cold_beyond = 2e-4;  // residual of the best beyond which another start is worth its turn

  void validate() const;
};

// Interior points and paths in contact space (auto_contact_space.h).
struct AutoContactSpaceSettings {
  double near = 1e-2;  // residual of a guess beside which an interior point begins
  // κ there is this part of the residual, but no less than the other: what Newton leaves has the wrong contacts open or
  // sliding, however small its residual is, and they need room to change.
  double near_start = 0.1, least_start = 1e-4;
  int near_patience = 4;
  // δ of the paths and what each may cost. Every δ has a path of its own: where one gets lost another may not.
  double delta[3] = {0.6, 0.3, 0.8};
  int factorisations[3] = {600, 1500, 3000};
  double path_start = 3.0;     // scale of theory (4-9) from which paths begin
  double nearly_found = 1e-6;  // a residual below this says that there is a solution: no proof against it is sought
  // Of factored problems that are multiplied out: as in velocity space, products being of smaller blocks.
  double usual_products = 5e5;
  int least_factorisations = 12;
  AutoNewtonSettings newton;

  void validate() const;
};

// The same in velocity space (auto_velocity_space.h).
struct AutoVelocitySpaceSettings {
  double near = 1e-2;       // residual of a guess whose contacts are probably those of the solution
  double near_start = 0.1;  // κ beside a guess, of its residual; with 0.01 a fifth of the piles at rest stalls
  int probe_rounds = 8;     // of the stick probe
  double probe_eta = 1e-9;  // its η; with more, stacks with mass ratios of a million are not probed exactly enough
  // In a pile a box may rock on two corners, a motion that no contact hinders: blocks of I + AᵀA/η then have
  // eigenvalues of 1 and 1/η, their inverses err by 1e-16/η, and every round multiplies the error by 1e-16/η². With
  // 1e-9 the rounds diverge there, and a pile that lies still but for one such box needs an interior point in every
  // step. In motion it hardly ever succeeds, and what it leaves tells by 1e-9 which start is the better one.
  double probe_eta_of_piles = 1e-7;
  int few_nodes = 4;        // bodies; stacks of so few with mass ratios of a million gain nothing beside a guess
  int many_nodes = 10;      // fewer bodies are no pile
  int bent_nodes = 40;      // with more the second order at the predictor's end pays; a wall of 15 takes longer
  int large_nodes = 200;    // with so many bodies the whole path would cost as much as ten typical steps
  double high_floor = 0.2;  // least c_i of a start there; with less contacts that hardly move block the first steps
  int short_patience = 8;   // where something is done about what blocks; with 4 more folds are left uncrossed
  // Part of the probe's impulse outside the cones beyond which it is no good start. Of impulses that are all rounding,
  // as where contradicting contacts are made to stick, about half is.
  double much_violation = 0.45;
  int fold_rounds = 12;        // folds that are crossed one after the other
  double hardly = 0.3;         // κ of one round to that of the last, beyond which more bodies are taken around a fold
  double fold_reserve = 40.0;  // factorisations that are left for what is found beyond a fold
  double at_rest = 1e-6;       // of the largest free velocity
  double well_before = 100.0;  // κ of the point in the middle of the cones to that of the end
  int centring_steps = 2;      // there
  double delta[4] = {0.8, 0.95, 0.6, 0.3};  // as in contact space
  int factorisations[4] = {600, 1500, 1500, 3000};
  double path_start = 3.0;
  double least_path = 100.0;  // factorisations; with fewer hardly a path gets to its end
  double nearly_found = 1e-6;
  int retries = 8;        // where rounding λ to the units of the problem loses what passed inside …
  double stricter = 0.7;  // … with so much of the tolerance each
  // Products of blocks of a factorisation. One that takes more counts for as many as the time that it takes: 1001
  // spheres in a heap need 1.2 million, ten times of what the budget of a step was made for. Beyond the most that one
  // alone would take half a second; with more nodes than that even to find out takes too long.
  double usual_products = 1.5e5, most_products = 2e7;
  int most_nodes = 20000;
  double nodes_ordered = 500.0;   // for the price of one factorisation, where there are many
  int least_factorisations = 12;  // where one counts for several; with fewer hardly a start gets to its end
  int long_double_size = 60;      // velocities; dense, so about 0.1 ms per factorisation
  AutoNewtonSettings newton;

  void validate() const;
};

// Heavily damped Newton (auto_last_resort.h).
struct AutoLastResortSettings {
  double proximal[3] = {1e-2, 1e-1, 1e-3};  // η, one round each
  int max_steps = 300;                      // per round; it hardly ever succeeds later
  int first_sweeps = 10, sweeps_per_step = 5;

  void validate() const;
};

// Heaps whose contacts give (auto_heap.h).
struct AutoHeapSettings {
  int least_nodes = 60;  // bodies; below, Newton and the interior point are as quick, and reach more digits
  double least_compliance = 0.99e-2;  // R_N of tr(G_ii)/3; with a tenth of it a third of the steps is not solved
  // With more, faces meet: sweeps do not settle which corner bears, unless tangents give as normals do.
  double contacts_per_pair = 1.3;
  int most_sweeps = 1000;
  // Columns that are extrapolated from. Of 800 to 1200 spheres ten leave fewer steps unsolved than five, and take a
  // tenth less time; of 3000 to 10 000 they gain nothing, and their memory costs a third.
  int columns = 10, columns_of_large = 5, large_constraints = 8000;
  // Bodies up to which all other parts may try what sweeps did not solve; with more an interior point alone, for so
  // many factorisations, of which a large one counts for several (AutoVelocitySpaceSettings).
  int most_nodes_for_others = 200;
  int factorisations_beyond = 300;
  AcceleratedSweepsSettings sweeps;

  void validate() const;
};

struct AutoTuning {
  AutoHeapSettings heap;
  AutoDenseSettings dense;
  AutoManyBodiesSettings many_bodies;
  AutoContactSpaceSettings contact_space;
  AutoVelocitySpaceSettings velocity_space;
  AutoLastResortSettings last_resort;

  void validate() const;  // all of them
};

}  // namespace stiction
