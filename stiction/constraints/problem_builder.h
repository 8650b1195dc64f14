// The contact problem of one island, from the rows of the step.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/row_set.h"
#include "stiction/contact/problem_writer.h"
#include "stiction/math/aligned_vector.h"
#include "stiction/model/model.h"

namespace stiction {

class ProblemBuilder {
 public:
  // Robots: one tree, up to `dense_rows` rows, get the matrix itself; so do several trees with joints, up to
  // `mechanism_rows`. Everything else is factored: velocity space is where piles and extreme mass ratios are solved.
  static constexpr int dense_rows = 200, mechanism_rows = 96;

  const ContactProblem& build(const Model& model, const RowSet& rows, std::span<const int> constraints);
  // Factored whatever its size: where G itself led nowhere, velocity space may.
  const ContactProblem& build_factored(const Model& model, const RowSet& rows, std::span<const int> constraints);
  static bool is_one_tree(const RowSet& rows, std::span<const int> constraints);
  const ContactProblem& problem() const { return writer_.problem(); }
  void set_velocity_floor(double speed) { writer_.velocity_floor = speed; }  // as ProblemWriter, m/s

 private:
  static constexpr int panel_velocities = 128;

  struct Range {
    int first = 0, end = 0;
  };
  void write_rows(DelassusForm form, int num_rows, const RowSet& rows, std::span<const int> constraints);
  bool find_tree(const Model& model, const RowSet& rows, std::span<const int> constraints);  // true
  bool find_range(const RowSet& rows, std::span<const int> constraints);
  void write_dense(const RowSet& rows, std::span<const int> constraints);
  void write_factored(const Model& model, const RowSet& rows, std::span<const int> constraints);

  ProblemWriter writer_;
  Range range_;                                // the velocities that lines are for
  AlignedVector<double> panel_;                // A by velocity, rows of the island
  std::vector<int> line_end_;                  // by velocity: one past the last row in its line; 0: no line
  std::vector<int> node_number_, used_nodes_;  // nodes of the model ↔ nodes of the island
};

}  // namespace stiction
