// Sequences of problems, written; sequence.cpp reads them.
#include <algorithm>
#include <cmath>

#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/problem_files/hdf5.h"
#include "stiction/problem_files/sequence.h"

namespace stiction {
namespace {

// The arrays of the file, as they grow step by step.
struct Lines {
  std::vector<int> blocks, rows, kind, id, row_length, column;
  std::vector<double> mu, gamma, impulse, value;
  int nv = 1;

  void add_row(const std::vector<std::pair<int, double>>& entries) {
    row_length.push_back(static_cast<int>(entries.size()));
    for (const auto& [at, number] : entries) {
      column.push_back(at);
      value.push_back(number);
      nv = std::max(nv, at + 1);
    }
  }
};

void add_factored_rows(const ContactProblem& problem, Lines& lines) {
  const DelassusFactored& f = problem.factored();
  std::vector<int> first(f.node_size.size() + 1, 0);
  for (std::size_t k = 0; k < f.node_size.size(); ++k) first[k + 1] = first[k] + f.node_size[k];
  std::vector<std::pair<int, double>> entries;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int r = 0; r < problem.constraint(i).rows; ++r) {
      entries.clear();
      for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
        const int node = f.segment_node[s];
        for (int e = 0; e < f.node_size[node]; ++e) entries.emplace_back(first[node] + e, f.segment[s].row[r][e]);
      }
      lines.add_row(entries);
    }
  }
}

// Q √Λ of G = Q Λ Qᵀ; what rounding makes negative is zero.
void add_root_rows(const ContactProblem& problem, Lines& lines) {
  const MatrixX g = problem.to_dense();
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (g + g.transpose()));
  const double least = 1e-15 * eigen.values.cwiseAbs().maxCoeff();
  std::vector<std::pair<int, double>> entries;
  for (Eigen::Index row = 0; row < g.rows(); ++row) {
    entries.clear();
    for (Eigen::Index k = 0; k < g.cols(); ++k) {
      const double value = eigen.values[k];
      if (value > least) {
        entries.emplace_back(static_cast<int>(entries.size()), eigen.vectors(row, k) * std::sqrt(value));
      }
    }
    lines.add_row(entries);
  }
}

void check(const std::string& path, const SequenceStep& step, std::size_t number) {
  const ContactProblem& problem = step.problem;
  const auto fail = [&](const std::string& what) { refuse(path, ": step ", number, ": ", what); };
  if (!problem.is_rigid()) fail("the format holds no compliance");
  if (problem.num_rows() > 0 && !problem.is_symmetric()) fail("the format holds no asymmetric Delassus matrix");
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const ConstraintKind kind = problem.constraint(i).kind;
    if (kind == ConstraintKind::frictional || kind == ConstraintKind::unilateral) continue;
    fail(message("constraint ", i, " is neither a contact with isotropic friction nor a one-sided row"));
  }
  if (static_cast<int>(step.id.size()) != problem.num_constraints()) {
    fail(message(step.id.size(), " identities for ", problem.num_constraints(), " constraints"));
  }
  if (step.reference.size() != problem.num_rows()) {
    fail(message("the reference has ", step.reference.size(), " entries but the problem has ", problem.num_rows(),
                 " rows"));
  }
  if (!std::isfinite((step.reference.array() * 0.0).sum())) fail("the reference is not finite");
}

void add_step(const SequenceStep& step, Lines& lines) {
  const ContactProblem& problem = step.problem;
  lines.blocks.push_back(problem.num_constraints());
  lines.rows.push_back(problem.num_rows());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    lines.kind.push_back(c.kind == ConstraintKind::frictional ? 0 : 1);
    lines.mu.push_back(c.friction);
    lines.id.insert(lines.id.end(), step.id[i].begin(), step.id[i].end());
  }
  const VectorX& g = problem.free_velocity();
  lines.gamma.insert(lines.gamma.end(), g.begin(), g.end());
  lines.impulse.insert(lines.impulse.end(), step.reference.begin(), step.reference.end());
  if (problem.num_rows() == 0) return;
  if (problem.form() == DelassusForm::factored) {
    add_factored_rows(problem, lines);
  } else {
    add_root_rows(problem, lines);
  }
}

VectorView view_of(const std::vector<double>& values) {
  return ConstVectorMap(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

void write_sequence(const std::string& path, const Sequence& sequence) {
  if (!(sequence.time_step > 0.0) || !std::isfinite(sequence.time_step)) {
    refuse(path, ": the time step of the sequence is ", sequence.time_step, "; it must be finite and positive");
  }
  if (sequence.steps.empty()) refuse(path, ": the sequence has no steps");
  Lines lines;
  for (std::size_t k = 0; k < sequence.steps.size(); ++k) {
    check(path, sequence.steps[k], k);
    add_step(sequence.steps[k], lines);
  }
  const auto steps = static_cast<Eigen::Index>(sequence.steps.size());
  std::vector<int> diagonal(lines.nv);
  for (int k = 0; k < lines.nv; ++k) diagonal[k] = k;
  hdf5::File file = hdf5::File::create(path);
  file.write_string_attribute("/", "name", sequence.name);
  file.write_string_attribute("/", "description", sequence.description);
  file.write_double_attribute("/", "dt", sequence.time_step);
  file.write_ints("/blocks", lines.blocks);
  file.write_ints("/rows", lines.rows);
  file.write_ints("/kind", lines.kind);
  file.write_ints("/id", lines.id);
  file.write_ints("/J_len", lines.row_length);
  file.write_ints("/J_col", lines.column);
  file.write_ints("/M_row", diagonal);
  file.write_ints("/M_col", diagonal);
  file.write_doubles("/mu", view_of(lines.mu));
  file.write_doubles("/gamma", view_of(lines.gamma));
  file.write_doubles("/lambda", view_of(lines.impulse));
  file.write_doubles("/J_val", view_of(lines.value));
  // J v_f is zero: all of g is in gamma.
  file.write_doubles("/v_f", VectorX::Zero(steps * lines.nv), lines.nv);
  file.write_doubles("/M_val", VectorX::Ones(lines.nv), lines.nv);
  file.close();
}

}  // namespace stiction
