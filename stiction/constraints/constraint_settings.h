// How positions enter a velocity problem (theory §3.2, §3.3).
#pragma once

#include <algorithm>

#include "stiction/model/model.h"

namespace stiction {

struct ConstraintSettings {
  // Baumgarte: a penetration of Φ asks for the separating speed K (−Φ − slop), K = baumgarte/Δt, at most
  // largest_correction. 0 … 1, no unit; 0 never corrects.
  double baumgarte = 0.2;
  double slop = 0.0;                // m (rad for limits); penetration that is left alone
  double largest_correction = 1.0;  // m/s (rad/s); bodies that start inside each other part, and do not explode
  // Position-level projection in place of Baumgarte: velocities stay free of the correction, so no energy is added.
  bool project_positions = false;
  // The same for loops, and for limits where there are loops, whatever holds for contacts. Linkages of robots are often
  // redundant (a plane four-bar with point or hinge loops): what rounding leaves of their errors cannot be driven out,
  // and a velocity that Baumgarte asks for in such a direction turns into energy. Projection leaves velocities alone.
  bool project_loops = true;
  // What sticks stays where it began to stick: the way that velocities alone let it creep is taken back (§3.8). Not
  // where no position error goes into velocities (project_positions, or a baumgarte of 0).
  bool hold_sticking = true;
  // Least compliance of a contact, relative to its own inverse mass w = tr(G_ii)/3: R_N ≥ relative_compliance · w, that
  // is c = relative_compliance · w Δt² in m/N, in place of what its materials say (§3.3). For heaps, which rigid have
  // soft modes that nobody solves in time; 1e-2 makes them solvable. Another law, and reported as such. 0: none.
  double relative_compliance = 0.0;
  // The same along the tangents, in rate form (3-22): a contact that sticks slips by so much of w times what its
  // friction impulse has changed since the last step, which is nothing at rest. For faces that meet in several points,
  // whose friction is shared out in many ways. It relaxes Coulomb's law, and steps say by how much. 0: none.
  double relative_tangent_compliance = 0.0;
  // Tangential compliance c_T of all contacts, m/N: R_T = c_T/Δt² beside whatever they have along their normals (3-23).
  // A relaxation of Coulomb's law: what sticks creeps at c_T F_T/Δt under a force F_T, unless hold_sticking takes that
  // back. Internal forces vanish with it. Reported in every step (StepReport::num_relaxed_contacts). Not beside
  // relative_tangent_compliance. 0: none.
  double tangential_compliance = 0.0;
  double restitution_threshold = 1e-2;  // m/s; slower impacts do not bounce
  double limit_margin = 1e-2;           // rad or m; limits nearer than this, or reachable in the step, become rows

  void validate() const;  // throws std::invalid_argument naming setting, value and range

  // Between bodies at rest a gap or penetration of so little is none, m (rad for limits): the size of an atom, and what
  // solving to 1e-9 leaves there. To mend it would ask contradictory things of contacts that share a load.
  static constexpr double negligible_gap = 1e-10;
  // Loop closures that differ from others by no more than this, m (rad), say the same (redundant_loops.h). Files that
  // describe linkages are rounded to 1e-6 or better.
  static constexpr double loop_tolerance = 1e-5;
  static constexpr double at_rest_speed = 1e-5;  // m/s, rad/s

  // What takes no more speed than this is driven out at once, not by Baumgarte's fraction: 0.2 mm/s lift nothing, and
  // gravity takes them back in the next step. Faces rest on corners of which some are a nanometre above their surface
  // and some below; with one rule for both a single motion mends them all, with two rules none does.
  static constexpr double gentle_correction = 2e-4;  // m/s (rad/s)

  // γ of a rigid one-sided row (3-3): the surface may just be reached; penetration is driven out where `corrects`.
  // Where nothing is driven out, a gap of an atom's size is none either, and one of two is itself again: faces that
  // slide have corners a rounding error above and below their surface, and what holds for the one must hold for the
  // other, without a jump that sweeps would have to follow.
  double one_sided_offset(double gap, double time_step, bool corrects) const {
    if (gap > 0.0) {
      const bool symmetric = corrects && baumgarte > 0.0;
      return (symmetric ? gap : std::min(gap, 2.0 * std::max(0.0, gap - negligible_gap))) / time_step;
    }
    const double deep = corrects ? std::max(0.0, -gap - slop) : 0.0;
    const double shallow = baumgarte > 0.0 ? std::min(deep, gentle_correction * time_step) : 0.0;
    return -std::min(largest_correction, (shallow + baumgarte * (deep - shallow)) / time_step);
  }

  bool holds_sticking() const { return hold_sticking && !project_positions && baumgarte > 0.0; }

  // Whether loops and limits of the model are projected.
  bool projects_joints(const Model& model) const {
    return project_positions || (project_loops && !model.loops.empty());
  }
};

}  // namespace stiction
