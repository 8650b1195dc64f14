#include "stiction/problem_files/fclib.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/problem_files/hdf5.h"

namespace stiction {
namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Entry = Eigen::Triplet<double>;

// The one place that knows the order of a contact's rows: the file's are (n, t1, t2), ours (t1, t2, n).
// Rows after the contacts are equalities and stay where they are.
struct RowOrder {
  int num_contact_rows;

  int ours(int file_row) const {
    return file_row < num_contact_rows ? file_row - file_row % 3 + (file_row + 2) % 3 : file_row;
  }
  int in_file(int our_row) const {
    return our_row < num_contact_rows ? our_row - our_row % 3 + (our_row + 1) % 3 : our_row;
  }
  VectorX ours(VectorView file_values) const {
    VectorX values(file_values.size());
    for (int k = 0; k < static_cast<int>(values.size()); ++k) values[ours(k)] = file_values[k];
    return values;
  }
  VectorX in_file(VectorView our_values) const {
    VectorX values(our_values.size());
    for (int k = 0; k < static_cast<int>(values.size()); ++k) values[in_file(k)] = our_values[k];
    return values;
  }
};

struct FileMatrix {
  int rows = 0, cols = 0;
  std::vector<Entry> entries;  // in the file's order, repeated ones to be added
};

int read_size(const hdf5::File& file, const std::string& name) {
  const int value = file.read_int(name);
  if (value < 0) file.refuse(name, "is " + std::to_string(value) + "; it must not be negative");
  return value;
}

// Starts of compressed rows or columns: from zero, ascending, within the stored entries.
void check_starts(const hdf5::File& file, const std::string& name, const std::vector<int>& starts, int num_stored) {
  if (starts.front() != 0) file.refuse(name, "starts at " + std::to_string(starts.front()) + " instead of 0");
  for (size_t k = 1; k < starts.size(); ++k) {
    if (starts[k] < starts[k - 1]) file.refuse(name, "descends at " + std::to_string(k));
  }
  if (starts.back() > num_stored) {
    file.refuse(name,
                "counts " + std::to_string(starts.back()) + " entries but nzmax is " + std::to_string(num_stored));
  }
}

void check_index(const hdf5::File& file, const std::string& name, int position, int index, int limit) {
  if (index < 0 || index >= limit) {
    file.refuse(name, "entry " + std::to_string(position) + " is " + std::to_string(index) + "; the matrix has " +
                          std::to_string(limit) + " there");
  }
}

// nz = −2: compressed rows, −1: compressed columns, otherwise that many (row i, column p) pairs.
FileMatrix read_matrix(const hdf5::File& file, const std::string& group) {
  FileMatrix matrix;
  matrix.rows = read_size(file, group + "/m");
  matrix.cols = read_size(file, group + "/n");
  const int num_stored = read_size(file, group + "/nzmax");
  const int kind = file.read_int(group + "/nz");
  if (kind < -2) file.refuse(group + "/nz", "is " + std::to_string(kind) + ", which names no storage scheme");
  if (kind > num_stored) file.refuse(group + "/nz", "is larger than nzmax");

  const VectorX x = file.read_doubles(group + "/x", num_stored);
  if (kind >= 0) {
    const auto column = file.read_ints(group + "/p", kind), row = file.read_ints(group + "/i", kind);
    for (int k = 0; k < kind; ++k) {
      check_index(file, group + "/i", k, row[k], matrix.rows);
      check_index(file, group + "/p", k, column[k], matrix.cols);
      matrix.entries.emplace_back(row[k], column[k], x[k]);
    }
    return matrix;
  }
  const bool by_rows = kind == -2;
  const int outer = by_rows ? matrix.rows : matrix.cols, inner = by_rows ? matrix.cols : matrix.rows;
  const auto starts = file.read_ints(group + "/p", std::int64_t{outer} + 1);
  const auto index = file.read_ints(group + "/i", num_stored);
  check_starts(file, group + "/p", starts, num_stored);
  matrix.entries.reserve(static_cast<size_t>(starts.back()));
  for (int o = 0; o < outer; ++o) {
    for (int k = starts[o]; k < starts[o + 1]; ++k) {
      check_index(file, group + "/i", k, index[k], inner);
      if (by_rows) {
        matrix.entries.emplace_back(o, index[k], x[k]);
      } else {
        matrix.entries.emplace_back(index[k], o, x[k]);
      }
    }
  }
  return matrix;
}

void check_shape(const hdf5::File& file, const std::string& group, const FileMatrix& matrix, int rows, int cols) {
  if (matrix.rows != rows || matrix.cols != cols) {
    file.refuse(group, "is " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols) + " where " +
                           std::to_string(rows) + " x " + std::to_string(cols) + " is expected");
  }
}

std::vector<Constraint> make_constraints(const VectorX& mu, int num_equalities) {
  std::vector<Constraint> constraints;
  for (double friction : mu) constraints.push_back(Constraint::make_frictional(friction));
  for (int k = 0; k < num_equalities; ++k) constraints.push_back(Constraint::make_bilateral(1));
  return constraints;
}

// Number of values of a one-dimensional dataset; bounded by what is stored, so safe to size matrices with.
int length_of(const hdf5::File& file, const std::string& name) {
  const auto shape = file.shape(name);
  if (shape.size() != 1) file.refuse(name, "is not one-dimensional");
  return static_cast<int>(shape[0]);
}

// Vectors come first: their stored lengths bound every matrix before one is built.
VectorX read_vector(const hdf5::File& file, const std::string& name) {
  return file.read_doubles(name, length_of(file, name));
}

int check_contact_rows(const hdf5::File& file, const std::string& name, Eigen::Index rows, Eigen::Index num_mu) {
  if (rows != 3 * num_mu) {
    file.refuse(name, "has " + std::to_string(rows) + " entries, but three for each of " + std::to_string(num_mu) +
                          " friction coefficients are expected");
  }
  return static_cast<int>(rows);
}

void check_spacedim(const hdf5::File& file, const std::string& group) {
  const int dimension = file.read_int(group + "/spacedim");
  if (dimension != 3) {
    file.refuse(group + "/spacedim",
                "is " + std::to_string(dimension) + "; only problems in three dimensions are read");
  }
}

ContactProblem read_local(const hdf5::File& file) {
  const std::string group = "/fclib_local";
  check_spacedim(file, group);
  const VectorX mu = read_vector(file, group + "/vectors/mu"), q = read_vector(file, group + "/vectors/q");
  const int m = check_contact_rows(file, group + "/vectors/q", q.size(), mu.size());
  const bool has_equalities = file.has(group + "/V") || file.has(group + "/R");
  const VectorX s = has_equalities ? read_vector(file, group + "/vectors/s") : VectorX();
  const int l = static_cast<int>(s.size());

  const RowOrder order{m};
  std::vector<Entry> entries;
  const auto add = [&](const std::string& name, int rows, int cols, int first_row, int first_col) {
    const FileMatrix part = read_matrix(file, group + name);
    check_shape(file, group + name, part, rows, cols);
    for (const Entry& e : part.entries) {
      const int row = order.ours(first_row + e.row()), col = order.ours(first_col + e.col());
      entries.emplace_back(row, col, e.value());
      if (first_row != first_col) entries.emplace_back(col, row, e.value());  // V also stands below as Vᵀ
    }
  };
  add("/W", m, m, 0, 0);
  if (has_equalities) {
    add("/V", m, l, 0, m);
    add("/R", l, l, m, m);
  }
  SparseRows delassus(m + l, m + l);
  delassus.setFromTriplets(entries.begin(), entries.end());
  VectorX g(m + l);
  g << order.ours(q), s;
  return ContactProblem::from_sparse(make_constraints(mu, l), delassus, g);
}

bool is_symmetric(const SparseRows& matrix) {
  const SparseRows difference = matrix - SparseRows(matrix.transpose());
  const double scale = matrix.nonZeros() ? matrix.coeffs().cwiseAbs().maxCoeff() : 0.0;
  return difference.nonZeros() == 0 ||
         difference.coeffs().cwiseAbs().maxCoeff() <= ContactProblem::symmetry_tolerance * scale;
}

SparseRows read_inertia(const hdf5::File& file, const std::string& group, int nv) {
  FileMatrix part = read_matrix(file, group);
  check_shape(file, group, part, nv, nv);
  for (const Entry& e : part.entries) {
    if (!std::isfinite(e.value())) {
      file.refuse(group, "entry (" + std::to_string(e.row()) + ", " + std::to_string(e.col()) + ") is not finite");
    }
  }
  std::vector<char> has_row(nv, 0), has_col(nv, 0);
  for (const Entry& e : part.entries) has_row[e.row()] = has_col[e.col()] = 1;
  for (int k = 0; k < nv; ++k) {  // checked here because Eigen's LU does not end on an empty matrix
    if (!has_row[k] || !has_col[k])
      file.refuse(group, "is singular: nothing is stored for velocity " + std::to_string(k));
  }
  bool upper = false, lower = false;
  for (const Entry& e : part.entries) (e.row() < e.col() ? upper : lower) |= e.row() != e.col();
  if (upper != lower) {
    const size_t stored = part.entries.size();
    for (size_t k = 0; k < stored; ++k) {
      const Entry e = part.entries[k];
      if (e.row() != e.col()) part.entries.emplace_back(e.col(), e.row(), e.value());
    }
  }
  SparseRows inertia(nv, nv);
  inertia.setFromTriplets(part.entries.begin(), part.entries.end());
  return inertia;
}

// W = J M⁻¹ Jᵀ, column by column so that no dense matrix of that size is needed.
SparseRows condense(const Eigen::SparseLU<Eigen::SparseMatrix<double>>& inertia, const SparseRows& jacobian) {
  const int m = static_cast<int>(jacobian.rows());
  std::vector<Entry> entries;
  VectorX force(jacobian.cols()), velocity(jacobian.cols()), column(m);
  for (int j = 0; j < m; ++j) {
    force.setZero();
    for (SparseRows::InnerIterator it(jacobian, j); it; ++it) force[it.col()] += it.value();
    velocity = inertia.solve(force);
    column.noalias() = jacobian * velocity;
    for (int i = 0; i < m; ++i) {
      if (column[i] != 0.0) entries.emplace_back(i, j, column[i]);
    }
  }
  SparseRows delassus(m, m);
  delassus.setFromTriplets(entries.begin(), entries.end());
  return delassus;
}

ContactProblem read_global(const hdf5::File& file, FclibGlobal form) {
  const std::string group = "/fclib_global";
  check_spacedim(file, group);
  const VectorX f = read_vector(file, group + "/vectors/f"), w = read_vector(file, group + "/vectors/w"),
                mu = read_vector(file, group + "/vectors/mu");
  const int nv = static_cast<int>(f.size());
  const int m = check_contact_rows(file, group + "/vectors/w", w.size(), mu.size());
  const bool has_equalities = file.has(group + "/G");
  const VectorX b = has_equalities ? read_vector(file, group + "/vectors/b") : VectorX();
  const int l = static_cast<int>(b.size());

  const RowOrder order{m};
  std::vector<Entry> rows;
  const auto add = [&](const std::string& name, int cols, int first_row) {
    const FileMatrix part = read_matrix(file, group + name);
    check_shape(file, group + name, part, nv, cols);
    for (const Entry& e : part.entries) rows.emplace_back(order.ours(first_row + e.col()), e.row(), e.value());
  };
  add("/H", m, 0);
  if (has_equalities) add("/G", l, m);
  SparseRows jacobian(m + l, nv);
  jacobian.setFromTriplets(rows.begin(), rows.end());

  const SparseRows inertia = read_inertia(file, group + "/M", nv);
  VectorX g(m + l);
  g << order.ours(w), b;
  if (nv == 0) return ContactProblem::from_sparse(make_constraints(mu, l), SparseRows(m + l, m + l), g);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  lu.compute(Eigen::SparseMatrix<double>(inertia));
  if (lu.info() != Eigen::Success) file.refuse(group + "/M", "is singular");
  const VectorX v_free = lu.solve(f);
  g += jacobian * v_free;
  if (form == FclibGlobal::condensed) {
    return ContactProblem::from_sparse(make_constraints(mu, l), condense(lu, jacobian), g);
  }
  if (!is_symmetric(inertia)) {
    file.refuse(group + "/M", "is not symmetric, so it cannot be factored; read the problem condensed");
  }
  return ContactProblem::from_inertia(make_constraints(mu, l), inertia, jacobian, g);
}

FclibSolution read_solution(const hdf5::File& file, const std::string& group, const ContactProblem& problem) {
  int m = 0;
  while (m / 3 < problem.num_constraints() && problem.constraint(m / 3).kind == ConstraintKind::frictional) m += 3;
  const RowOrder order{m};
  const int l = problem.num_rows() - m;
  FclibSolution solution;
  VectorX values = VectorX::Zero(m + l);
  values.head(m) = file.read_doubles(group + "/r", m);
  if (l > 0) values.tail(l) = file.read_doubles(group + "/l", l);
  solution.impulse = order.ours(values);
  if (file.has(group + "/u")) {
    values.setZero();
    values.head(m) = file.read_doubles(group + "/u", m);
    solution.velocity = order.ours(values);
  }
  return solution;
}

void read_information(const hdf5::File& file, const std::string& group, FclibProblem& contents) {
  const auto read = [&](const std::string& name, std::string& text) {
    if (file.has(group + name)) text = file.read_string(group + name);
  };
  read("/title", contents.title);
  read("/description", contents.description);
  read("/math_info", contents.math_info);
  if (file.has_attribute(group, "numberOfDegreeOfFreedom")) {
    const double value = file.read_double_attribute(group, "numberOfDegreeOfFreedom");
    if (value >= 0 && value <= 2147483647.0) contents.degrees_of_freedom = static_cast<int>(value);
  }
}

// A number of rows in compressed form, FCLIB's nz = −2.
void write_matrix(hdf5::File& file, const std::string& group, const SparseRows& matrix) {
  std::vector<int> starts{0}, columns;
  std::vector<double> values;
  for (int row = 0; row < matrix.rows(); ++row) {
    for (SparseRows::InnerIterator it(matrix, row); it; ++it) {
      columns.push_back(static_cast<int>(it.col()));
      values.push_back(it.value());
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  file.make_group(group);
  file.write_int(group + "/m", static_cast<int>(matrix.rows()));
  file.write_int(group + "/n", static_cast<int>(matrix.cols()));
  file.write_int(group + "/nzmax", static_cast<int>(columns.size()));
  file.write_int(group + "/nz", -2);
  file.write_ints(group + "/p", starts);
  file.write_ints(group + "/i", columns);
  file.write_doubles(group + "/x", ConstVectorMap(values.data(), static_cast<Eigen::Index>(values.size())));
}

// Number of contact rows of a problem that the format can hold.
int check_writable(const std::string& path, const ContactProblem& problem) {
  int m = 0;
  bool equalities = false;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    if (c.kind == ConstraintKind::frictional && !equalities) {
      m += 3;
    } else if (c.kind == ConstraintKind::bilateral) {
      equalities = true;
    } else {
      refuse(path, ": FCLIB holds frictional contacts followed by bilateral rows; constraint ", i, " is ",
             to_string(c.kind));
    }
  }
  if (!problem.is_rigid()) refuse(path, ": FCLIB has no compliance; add R to G before writing");
  return m;
}

void write_solution(hdf5::File& file, const std::string& group, const FclibSolution& solution, const RowOrder& order,
                    int num_rows) {
  const int m = order.num_contact_rows;
  if (solution.impulse.size() != num_rows || (solution.velocity.size() != 0 && solution.velocity.size() != num_rows)) {
    refuse(file.path(), ": ", group, ": impulse and velocity must have ", num_rows, " entries");
  }
  file.make_group(group);
  const VectorX impulse = order.in_file(solution.impulse);
  file.write_doubles(group + "/r", impulse.head(m));
  if (num_rows > m) file.write_doubles(group + "/l", impulse.tail(num_rows - m));
  if (solution.velocity.size()) file.write_doubles(group + "/u", order.in_file(solution.velocity).head(m));
}

// W, V and R of a problem whose contacts fill the first rows, in the file's order.
void write_delassus(hdf5::File& file, const ContactProblem& problem, const RowOrder& order) {
  const int m = order.num_contact_rows, l = problem.num_rows() - m;
  std::vector<Entry> w, v, v_below, r;
  const SparseRows delassus = problem.to_sparse();
  for (int row = 0; row < delassus.rows(); ++row) {
    for (SparseRows::InnerIterator it(delassus, row); it; ++it) {
      const int i = order.in_file(row), j = order.in_file(static_cast<int>(it.col()));
      if (i < m && j < m) {
        w.emplace_back(i, j, it.value());
      } else if (i >= m && j >= m) {
        r.emplace_back(i - m, j - m, it.value());
      } else if (i < m) {
        v.emplace_back(i, j - m, it.value());
      } else {
        v_below.emplace_back(j, i - m, it.value());
      }
    }
  }
  const auto make = [](int rows, int cols, const std::vector<Entry>& entries) {
    SparseRows matrix(rows, cols);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  };
  write_matrix(file, "/fclib_local/W", make(m, m, w));
  if (l == 0) return;
  const SparseRows coupling = make(m, l, v), difference = coupling - make(m, l, v_below);
  if (difference.nonZeros() && difference.coeffs().cwiseAbs().maxCoeff() != 0.0) {
    refuse(file.path(), ": FCLIB couples contacts and equalities symmetrically, but G is not");
  }
  write_matrix(file, "/fclib_local/V", coupling);
  write_matrix(file, "/fclib_local/R", make(l, l, r));
}

}  // namespace

FclibProblem read_fclib(const hdf5::File& file, FclibGlobal global) {
  FclibProblem contents;
  const bool local = file.has("/fclib_local");
  const std::string group = local ? "/fclib_local" : "/fclib_global";
  if (!local && !file.has(group)) {
    refuse(file.path(), ": holds neither /fclib_local nor /fclib_global: no FCLIB problem");
  }
  try {
    contents.problem = local ? read_local(file) : read_global(file, global);
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    if (what.starts_with(file.path())) throw;
    refuse(file.path(), ": ", what);  // a value that no problem takes, named by its index
  }
  read_information(file, group + "/info", contents);
  if (file.has("/guesses/number_of_guesses")) {
    const int number = read_size(file, "/guesses/number_of_guesses");
    for (int k = 1; k <= number; ++k) {
      const std::string guess = "/guesses/" + std::to_string(k);
      if (!file.has(guess)) file.refuse(guess, "is missing, but number_of_guesses is " + std::to_string(number));
      contents.guesses.push_back(read_solution(file, guess, contents.problem));
    }
  }
  if (file.has("/solution/r")) contents.solution = read_solution(file, "/solution", contents.problem);
  return contents;
}

FclibProblem read_fclib(const std::string& path, FclibGlobal global) {
  return read_fclib(hdf5::File::open(path), global);
}

void write_fclib(const std::string& path, const FclibProblem& contents) {
  const ContactProblem& problem = contents.problem;
  const int m = check_writable(path, problem);
  const RowOrder order{m};
  hdf5::File file = hdf5::File::create(path);
  file.make_group("/fclib_local");
  file.write_int("/fclib_local/spacedim", 3);
  write_delassus(file, problem, order);

  const int num_contacts = m / 3, l = problem.num_rows() - m;
  VectorX mu(num_contacts);
  for (int c = 0; c < num_contacts; ++c) mu[c] = problem.constraint(c).friction;
  const VectorX g = order.in_file(problem.free_velocity());
  file.make_group("/fclib_local/vectors");
  file.write_doubles("/fclib_local/vectors/q", g.head(m));
  file.write_doubles("/fclib_local/vectors/mu", mu);
  if (l > 0) file.write_doubles("/fclib_local/vectors/s", g.tail(l));

  file.make_group("/fclib_local/info");
  file.write_string("/fclib_local/info/title", contents.title);
  file.write_string("/fclib_local/info/description", contents.description);
  file.write_string("/fclib_local/info/math_info", contents.math_info);
  if (contents.degrees_of_freedom >= 0) {
    file.write_int_attribute("/fclib_local/info", "numberOfDegreeOfFreedom", contents.degrees_of_freedom);
  }
  if (!contents.guesses.empty()) {
    file.make_group("/guesses");
    file.write_int("/guesses/number_of_guesses", static_cast<int>(contents.guesses.size()));
    for (size_t k = 0; k < contents.guesses.size(); ++k) {
      write_solution(file, "/guesses/" + std::to_string(k + 1), contents.guesses[k], order, problem.num_rows());
    }
  }
  if (contents.solution) write_solution(file, "/solution", *contents.solution, order, problem.num_rows());
  file.close();
}

}  // namespace stiction
