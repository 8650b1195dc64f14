#include "stiction/problem_files/sequence.h"

#include <map>
#include <numeric>
#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/problem_files/hdf5.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The arrays of the file, all steps one after the other.
struct Arrays {
  int nv = 0;
  std::vector<int> blocks, rows;              // per step
  std::vector<int> kind, id;                  // per constraint (id: three)
  VectorX mu;                                 // per constraint
  std::vector<int> row_length;                // per row: non-zeros of J
  VectorX gamma, impulse;                     // per row
  std::vector<int> column;                    // per non-zero of J
  VectorX value;                              // per non-zero of J
  std::vector<int> inertia_row, inertia_col;  // lower triangle of M
  VectorX inertia;                            // one set of values, or one per step
  bool constant_inertia = false;
  VectorX free_velocity;  // nv per step
};

// Sum of counts, each checked, so that the arrays they count can be asked for.
std::int64_t total(const hdf5::File& file, const std::string& name, const std::vector<int>& counts) {
  std::int64_t sum = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < 0) file.refuse(name, "entry " + std::to_string(k) + " is " + std::to_string(counts[k]));
    sum += counts[k];
  }
  return sum;
}

void check_below(const hdf5::File& file, const std::string& name, const std::vector<int>& values, int limit) {
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] < 0 || values[k] >= limit) {
      file.refuse(name, "entry " + std::to_string(k) + " is " + std::to_string(values[k]) + "; it must be below " +
                            std::to_string(limit));
    }
  }
}

Arrays read_arrays(const hdf5::File& file) {
  Arrays a;
  const std::int64_t steps = file.shape("/blocks")[0];
  a.blocks = file.read_ints("/blocks", steps);
  a.rows = file.read_ints("/rows", steps);
  const std::int64_t num_blocks = total(file, "/blocks", a.blocks), num_rows = total(file, "/rows", a.rows);
  a.kind = file.read_ints("/kind", num_blocks);
  check_below(file, "/kind", a.kind, 2);
  a.id = file.read_ints("/id", 3 * num_blocks);
  a.mu = file.read_doubles("/mu", num_blocks);
  a.row_length = file.read_ints("/J_len", num_rows);
  const std::int64_t num_values = total(file, "/J_len", a.row_length);
  a.gamma = file.read_doubles("/gamma", num_rows);
  a.impulse = file.read_doubles("/lambda", num_rows);
  a.column = file.read_ints("/J_col", num_values);
  a.value = file.read_doubles("/J_val", num_values);

  const auto velocity_shape = file.shape("/v_f"), inertia_shape = file.shape("/M_val");
  if (velocity_shape.size() != 2 || velocity_shape[0] != steps) file.refuse("/v_f", "must have one row per step");
  a.nv = static_cast<int>(velocity_shape[1]);
  a.free_velocity = file.read_doubles("/v_f", steps * a.nv);
  if (inertia_shape.size() != 2 || (inertia_shape[0] != steps && inertia_shape[0] != 1)) {
    file.refuse("/M_val", "must have one row, or one per step");
  }
  a.constant_inertia = inertia_shape[0] == 1;
  a.inertia = file.read_doubles("/M_val", inertia_shape[0] * inertia_shape[1]);
  a.inertia_row = file.read_ints("/M_row", inertia_shape[1]);
  a.inertia_col = file.read_ints("/M_col", inertia_shape[1]);
  check_below(file, "/J_col", a.column, a.nv);
  check_below(file, "/M_row", a.inertia_row, a.nv);
  check_below(file, "/M_col", a.inertia_col, a.nv);
  return a;
}

SparseRows inertia_of(const Arrays& a, int step) {
  const int n = static_cast<int>(a.inertia_row.size());
  const double* values = a.inertia.data() + (a.constant_inertia ? 0 : std::ptrdiff_t{n} * step);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    const int i = a.inertia_row[k], j = a.inertia_col[k];
    entries.emplace_back(i, j, values[k]);
    if (i != j) entries.emplace_back(j, i, values[k]);
  }
  SparseRows inertia(a.nv, a.nv);
  inertia.setFromTriplets(entries.begin(), entries.end());
  return inertia;
}

// Where a step begins in the arrays.
struct Position {
  int block = 0, row = 0, value = 0;
};

SequenceStep make_step(const hdf5::File& file, const Arrays& a, int step, const SparseRows& inertia, Position& at) {
  SequenceStep result;
  std::vector<Constraint> constraints;
  int rows_of_blocks = 0;
  for (int k = at.block; k < at.block + a.blocks[step]; ++k) {
    constraints.push_back(a.kind[k] == 0 ? Constraint::make_frictional(a.mu[k]) : Constraint::make_unilateral());
    rows_of_blocks += constraints.back().rows;
    result.id.push_back({a.id[3 * k], a.id[3 * k + 1], a.id[3 * k + 2]});
  }
  const int m = a.rows[step];
  if (rows_of_blocks != m) {
    file.refuse("/rows", "step " + std::to_string(step) + " has " + std::to_string(m) + " rows but its blocks have " +
                             std::to_string(rows_of_blocks));
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int r = 0; r < m; ++r) {
    for (int k = 0; k < a.row_length[at.row + r]; ++k, ++at.value) {
      entries.emplace_back(r, a.column[at.value], a.value[at.value]);
    }
  }
  SparseRows jacobian(m, a.nv);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  const VectorX g = jacobian * a.free_velocity.segment(std::ptrdiff_t{a.nv} * step, a.nv) + a.gamma.segment(at.row, m);
  result.problem = ContactProblem::from_inertia(std::move(constraints), inertia, jacobian, g);
  result.reference = a.impulse.segment(at.row, m);
  at.block += a.blocks[step];
  at.row += m;
  return result;
}

}  // namespace

Sequence read_sequence(const hdf5::File& file) {
  Sequence sequence;
  const Arrays arrays = read_arrays(file);
  if (file.has_attribute("/", "name")) sequence.name = file.read_string_attribute("/", "name");
  if (file.has_attribute("/", "description")) sequence.description = file.read_string_attribute("/", "description");
  sequence.time_step = file.read_double_attribute("/", "dt");
  if (!(sequence.time_step > 0.0)) file.refuse("/", "attribute dt must be positive");
  Position at;
  SparseRows inertia;
  for (int step = 0; step < static_cast<int>(arrays.blocks.size()); ++step) {
    if (step == 0 || !arrays.constant_inertia) inertia = inertia_of(arrays, step);
    try {
      sequence.steps.push_back(make_step(file, arrays, step, inertia, at));
    } catch (const std::invalid_argument& error) {
      const std::string what = error.what();
      if (what.starts_with(file.path())) throw;
      refuse(file.path(), ": step ", step, ": ", what);
    }
  }
  return sequence;
}

Sequence read_sequence(const std::string& path) {
  return read_sequence(hdf5::File::open(path));
}

void carry_over(std::span<const SequenceIdentity> ids_before, const ContactProblem& problem_before,
                VectorView impulse_before, std::span<const SequenceIdentity> ids_now, const ContactProblem& problem_now,
                VectorX& guess) {
  if (static_cast<int>(ids_before.size()) != problem_before.num_constraints() ||
      static_cast<int>(ids_now.size()) != problem_now.num_constraints() ||
      impulse_before.size() != problem_before.num_rows()) {
    refuse("carry_over: identities and impulse do not fit the problems");
  }
  std::map<SequenceIdentity, int> before;
  for (int i = 0; i < problem_before.num_constraints(); ++i) before.emplace(ids_before[i], i);
  guess.setZero(problem_now.num_rows());
  for (int i = 0; i < problem_now.num_constraints(); ++i) {
    const auto found = before.find(ids_now[i]);
    if (found == before.end()) continue;
    const Constraint &old = problem_before.constraint(found->second), &now = problem_now.constraint(i);
    if (old.rows != now.rows || old.kind != now.kind) continue;
    for (int r = 0; r < now.rows; ++r) guess[now.first_row + r] = impulse_before[old.first_row + r];
  }
}

}  // namespace stiction
