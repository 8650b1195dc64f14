#include "stiction/sim/assembly.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/constraints/row_builder.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/position_projection.h"

namespace stiction {
namespace {

constexpr double step = 1.0;  // s; a move is a velocity over it

class Assembler {
 public:
  Assembler(const std::shared_ptr<const Model>& model, double largest_move)
      : model_(*model), dynamics_(*model), builder_(model), rest_(VectorX::Zero(model->num_velocities())) {
    settings_.project_positions = true;
    settings_.baumgarte = 1.0;
    settings_.largest_correction = largest_move;
    settings_.limit_margin = std::numeric_limits<double>::infinity();  // all limits, near or far
  }

  // Rows at q; returns the largest error.
  double update(const VectorX& q) {
    update_kinematics(model_, q.data(), rest_.data(), dynamics_);
    update_inertia(model_, dynamics_);
    factor_inertia(model_, nullptr, dynamics_);
    builder_.build({.dynamics = dynamics_,
                    .q = q.data(),
                    .v = rest_.data(),
                    .v_free = rest_.data(),
                    .contacts = {},
                    .time_step = step,
                    .settings = settings_},
                   rows_);
    double largest = 0.0;
    for (int i = 0; i < rows_.size(); ++i) {
      if (rows_.id[i].source == ConstraintSource::dry_friction) continue;
      const bool is_loop = rows_.id[i].source == ConstraintSource::loop;
      if (is_loop && model_.loops[rows_.id[i].first].compliance > 0.0) continue;
      for (int r = 0; r < rows_.constraint[i].rows; ++r) {
        const double error = rows_.error[i][r];
        largest = std::max(largest, is_loop ? std::abs(error) : -error);
      }
    }
    return largest;
  }

  // q ← q ⊕ u.
  void move(VectorX& q) {
    end_velocity_.assign(rows_.size(), Pack4{});
    const VectorX& u = projection_.project(model_, dynamics_, rows_, end_velocity_, step, settings_);
    VectorX next(q.size());
    integrate(model_, q, u, step, next);
    q = next;
  }

 private:
  const Model& model_;
  DynamicsData dynamics_;
  RowBuilder builder_;
  PositionProjection projection_;
  ConstraintSettings settings_;
  RowSet rows_;
  VectorX rest_;
  std::vector<Pack4> end_velocity_;
};

void check_position(const Model& model, VectorView q) {
  if (q.size() != model.num_positions() || !q.allFinite()) {
    refuse("assembly: q has ", q.size(), " entries; ", model.num_positions(), " finite ones are wanted");
  }
}

}  // namespace

double assembly_error(const std::shared_ptr<const Model>& model, VectorView q) {
  check_position(*model, q);
  return Assembler(model, 1.0).update(q);
}

Assembly assemble(const std::shared_ptr<const Model>& model, VectorView q, const AssemblySettings& settings) {
  check_position(*model, q);
  if (!(settings.largest_move > 0.0)) refuse("assembly: largest_move is ", settings.largest_move);
  Assembler assembler(model, settings.largest_move);
  VectorX at = q;
  Assembly best{.q = at, .error = assembler.update(at)};
  double error = best.error;
  for (; error > settings.tolerance && best.iterations < settings.max_iterations; ++best.iterations) {
    assembler.move(at);
    if (!at.allFinite()) break;
    error = assembler.update(at);
    if (!(error < best.error)) continue;
    best.error = error;
    best.q = at;
  }
  best.converged = best.error <= settings.tolerance;
  return best;
}

std::shared_ptr<const Model> assembled(const std::shared_ptr<const Model>& model, const AssemblySettings& settings) {
  const Assembly assembly = assemble(model, model->initial_position, settings);
  if (assembly.iterations == 0 || assembly.q == model->initial_position) return model;
  auto out = std::make_shared<Model>(*model);
  out->initial_position = assembly.q;
  return out;
}

}  // namespace stiction
