// One visit of a Gauss–Seidel sweep, the same for every method and every form of G: read σ_i, find the new λ_i, tell
// the σ that runs along.
//
//   Running   what σ_i costs: running_velocity.h
//   Law       what becomes of a frictional contact, and how far other constraints go:
//               law.contact(running, i, c, λ_i, σ_i, next)    false where it stays as it is
//               law.inverse(running, i, c, λ_i, σ_i)          W_i⁻¹ of three bilateral rows, row by row
//               law.relaxation()                              ω
//
// Half-lines, boxes and bilateral rows have an exact step of their own: λ_i ← P_C(λ_i − ω W_i⁻¹ σ_i), W_i = G_ii + R_i.
// Where W_i has no inverse one_contact.h says what stands for it. Rows that nothing can move are left alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/contact/constraint.h"
#include "stiction/math/horizontal_projection.h"
#include "stiction/solvers/sweeps/one_contact.h"

namespace stiction {

// λ ← H(λ + ω (next − λ)), H of (1-10), into `next`.
inline void relax_contact(double mu, double omega, const double* lambda, double* next) {
  for (int k = 0; k < 3; ++k) next[k] = lambda[k] + omega * (next[k] - lambda[k]);
  project_horizontally(mu, next);
}

// Every contact exactly (theory §2.3), by the fast path. Over-relaxed it moves λ ← H(λ + ω (solution − λ)), H of
// (1-10).
template <bool relaxed>
struct ExactLaw {
  OneContact* blocks = nullptr;  // one per constraint; what is unknown is prepared at the first visit
  double omega = 1.0;            // in (0, 2)

  double relaxation() const { return relaxed ? omega : 1.0; }

  template <class Running>
  OneContact& block(const Running& running, int i, const Constraint& c, const double* lambda,
                    const double* sigma) const {
    OneContact& out = blocks[i];
    if (out.state == OneContact::State::unknown) {
      running.read_block(i, c, out.w);
      out.prepare(lambda, sigma);
    }
    return out;
  }

  template <class Running>
  const double* inverse(const Running& running, int i, const Constraint& c, const double* lambda,
                        const double* sigma) const {
    return block(running, i, c, lambda, sigma).inverse;
  }

  template <class Running>
  bool contact(const Running& running, int i, const Constraint& c, const double* l, const double* s,
               double* next) const {
    if (l[2] == 0.0 && s[2] >= 0.0 && l[0] == 0.0 && l[1] == 0.0) return false;
    block(running, i, c, l, s).solve(c.friction, l, s, next);
    if constexpr (relaxed) relax_contact(c.friction, omega, l, next);
    return true;
  }
};

// Three bilateral rows: the change of λ.
template <class Running, class Law>
inline void step_point(const Running& running, Law& law, int i, const Constraint& c, const double* l, const double* s,
                       double* change) {
  const double* row = law.inverse(running, i, c, l, s);
  for (int k = 0; k < 3; ++k, row += 3) {
    change[k] = -law.relaxation() * (row[0] * s[0] + row[1] * s[1] + row[2] * s[2]);
  }
}

// A half-line, a box or a bilateral row. False where nothing can move it.
template <class Running, class Law>
inline bool solve_row(const Running& running, const Law& law, int i, const Constraint& c, double l, double s,
                      double& next) {
  const double w = running.diagonal(i, c);
  if (!(w > running.negligible())) return false;
  next = l - law.relaxation() * s / w;
  if (c.kind == ConstraintKind::unilateral) next = std::max(0.0, next);
  if (c.kind == ConstraintKind::dry_friction) next = std::clamp(next, -c.bound, c.bound);
  return true;
}

// λ_i of any constraint alone, given the others through its σ_i, into `next`.
template <class Running, class Law>
inline void solve_alone(const Running& running, Law& law, int i, const Constraint& c, const double* l, const double* s,
                        double* next) {
  for (int k = 0; k < c.rows; ++k) next[k] = l[k];
  if (c.kind == ConstraintKind::frictional) {
    law.contact(running, i, c, l, s, next);
  } else if (c.rows == 3) {
    double change[3];
    step_point(running, law, i, c, l, s, change);
    for (int k = 0; k < 3; ++k) next[k] = l[k] + change[k];
  } else {
    solve_row(running, law, i, c, l[0], s[0], next[0]);
  }
}

// How much constraint i changed, as a velocity where the running σ knows.
template <class Running, class Law>
inline double visit(Running& running, Law& law, int i, const Constraint& c, double* lambda) {
  double* l = lambda + c.first_row;
  double s[3], change[3] = {0.0, 0.0, 0.0};
  if (c.kind == ConstraintKind::frictional) {
    double next[3];
    running.template read<3>(i, c, lambda, s);
    if (!law.contact(running, i, c, l, s, next)) return 0.0;
    for (int k = 0; k < 3; ++k) change[k] = next[k] - l[k];
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) return 0.0;
    for (int k = 0; k < 3; ++k) l[k] = next[k];
    running.note(next[2]);
    return running.template add<3>(i, c, change);
  }
  if (c.rows == 3) {
    running.template read<3>(i, c, lambda, s);
    step_point(running, law, i, c, l, s, change);
    for (int k = 0; k < 3; ++k) {
      l[k] += change[k];
      running.note(std::abs(l[k]));
    }
    return running.template add<3>(i, c, change);
  }
  double next = 0.0;
  running.template read<1>(i, c, lambda, s);
  if (!solve_row(running, law, i, c, l[0], s[0], next)) return 0.0;
  change[0] = next - l[0];
  if (change[0] == 0.0) return 0.0;
  l[0] = next;
  running.note(std::abs(next));
  return running.template add<1>(i, c, change);
}

}  // namespace stiction
