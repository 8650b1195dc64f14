#include "stiction/problem_files/fclib.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/hdf5.h"
#include "tests/support/fclib_files.h"
#include "tests/support/random_problems.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

std::string scratch(const std::string& name) {
  return (fs::path(::testing::TempDir()) / ("stiction-" + std::to_string(getpid()) + "-" + name)).string();
}

bool same_bits(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

// The file stores G, not its factors, so compare with G as a matrix.
ContactProblem in_matrix_form(const testing::RandomProblemOptions& options) {
  return testing::random_problem(options).in_form(DelassusForm::sparse);
}

void expect_same_matrix(const std::string& a, const std::string& b, const std::string& group) {
  const auto fa = hdf5::File::open(a);
  const int m = fa.read_int(group + "/m"), n = fa.read_int(group + "/nzmax");
  const auto p = fa.read_ints(group + "/p", m + 1), i = fa.read_ints(group + "/i", n);
  const VectorX x = fa.read_doubles(group + "/x", n);
  const auto fb = hdf5::File::open(b);
  EXPECT_EQ(m, fb.read_int(group + "/m"));
  EXPECT_EQ(n, fb.read_int(group + "/nzmax"));
  EXPECT_EQ(-2, fb.read_int(group + "/nz"));
  EXPECT_EQ(p, fb.read_ints(group + "/p", m + 1));
  EXPECT_EQ(i, fb.read_ints(group + "/i", n));
  EXPECT_TRUE(same_bits(x, fb.read_doubles(group + "/x", n)));
}

// The stored arrays of a file that was read and written are those of the file, bit for bit.
TEST(Fclib, RoundTripOfEveryShippedFileIsExact) {
  const auto files = testing::fclib_files();
  ASSERT_EQ(27u, files.size());
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const FclibProblem contents = read_fclib(path);
    const std::string copy = scratch("round-trip.hdf5");
    write_fclib(copy, contents);
    expect_same_matrix(path, copy, "/fclib_local/W");
    const int m = contents.problem.num_rows();
    {
      const auto a = hdf5::File::open(path), b = hdf5::File::open(copy);
      EXPECT_TRUE(same_bits(a.read_doubles("/fclib_local/vectors/q", m), b.read_doubles("/fclib_local/vectors/q", m)));
      EXPECT_TRUE(same_bits(a.read_doubles("/fclib_local/vectors/mu", m / 3),
                            b.read_doubles("/fclib_local/vectors/mu", m / 3)));
    }
    const FclibProblem again = read_fclib(copy);
    EXPECT_TRUE(same_bits(contents.problem.free_velocity(), again.problem.free_velocity()));
    EXPECT_EQ(contents.title, again.title);
    EXPECT_EQ(contents.description, again.description);
    EXPECT_EQ(contents.degrees_of_freedom, again.degrees_of_freedom);
    ASSERT_EQ(contents.guesses.size(), again.guesses.size());
    for (size_t k = 0; k < contents.guesses.size(); ++k) {
      EXPECT_TRUE(same_bits(contents.guesses[k].impulse, again.guesses[k].impulse));
      EXPECT_TRUE(same_bits(contents.guesses[k].velocity, again.guesses[k].velocity));
    }
  }
}

// Normal first in the file, last with us: rows, columns, q and the answers.
TEST(Fclib, PutsTheNormalLast) {
  const FclibProblem contents = read_fclib(testing::scene_file("fclib/Rover4396.hdf5"));
  const auto file = hdf5::File::open(testing::scene_file("fclib/Rover4396.hdf5"));
  const VectorX q = file.read_doubles("/fclib_local/vectors/q", 6), w = file.read_doubles("/fclib_local/W/x", 36);
  const int from[3] = {1, 2, 0};
  const MatrixX g = contents.problem.to_dense();
  for (int i = 0; i < 6; ++i) {
    const int file_row = i - i % 3 + from[i % 3];
    EXPECT_EQ(q[file_row], contents.problem.free_velocity()[i]);
    for (int j = 0; j < 6; ++j) EXPECT_EQ(w[6 * file_row + j - j % 3 + from[j % 3]], g(i, j));
  }
}

TEST(Fclib, StoresASolution) {
  FclibProblem contents{.problem = in_matrix_form({.seed = 3, .contacts = 5}), .title = "random"};
  FclibSolution answer{VectorX::LinSpaced(15, 0.1, 2.3), VectorX::LinSpaced(15, -1.0, 1.0 / 3.0)};
  contents.solution = answer;
  const std::string path = scratch("solution.hdf5");
  write_fclib(path, contents);
  const FclibProblem again = read_fclib(path);
  ASSERT_TRUE(again.solution.has_value());
  EXPECT_TRUE(same_bits(answer.impulse, again.solution->impulse));
  EXPECT_TRUE(same_bits(answer.velocity, again.solution->velocity));
  EXPECT_EQ("random", again.title);
  EXPECT_EQ(contents.problem.to_dense(), again.problem.to_dense());
}

TEST(Fclib, KeepsEqualities) {
  FclibProblem contents{.problem = in_matrix_form({.seed = 5, .contacts = 4, .bilateral = 3})};
  const int m = contents.problem.num_rows();
  contents.solution = FclibSolution{VectorX::LinSpaced(m, 1.0, 2.0), {}};
  const std::string path = scratch("equalities.hdf5");
  write_fclib(path, contents);
  const FclibProblem again = read_fclib(path);
  EXPECT_EQ(contents.problem.to_dense(), again.problem.to_dense());
  EXPECT_TRUE(same_bits(contents.problem.free_velocity(), again.problem.free_velocity()));
  EXPECT_TRUE(same_bits(contents.solution->impulse, again.solution->impulse));
  EXPECT_EQ(4 + (m - 12), again.problem.num_constraints());
  EXPECT_EQ(ConstraintKind::bilateral, again.problem.constraint(4).kind);
}

// A matrix as the format stores it, in one of its three schemes.
void write_file_matrix(hdf5::File& file, const std::string& group, const MatrixX& matrix, int scheme) {
  std::vector<int> p, i;
  std::vector<double> x;
  const int rows = static_cast<int>(matrix.rows()), cols = static_cast<int>(matrix.cols());
  const int outer = scheme == -2 ? rows : cols, inner = scheme == -2 ? cols : rows;
  for (int o = 0; o < outer; ++o) {
    if (scheme < 0) p.push_back(static_cast<int>(i.size()));
    for (int k = 0; k < inner; ++k) {
      const double value = scheme == -2 ? matrix(o, k) : matrix(k, o);
      if (value == 0.0) continue;
      if (scheme >= 0) p.push_back(o);  // columns of triplets
      i.push_back(k);
      x.push_back(value);
    }
  }
  if (scheme < 0) p.push_back(static_cast<int>(i.size()));
  const int count = static_cast<int>(i.size());
  file.make_group(group);
  file.write_int(group + "/m", rows);
  file.write_int(group + "/n", cols);
  file.write_int(group + "/nzmax", count);
  file.write_int(group + "/nz", scheme < 0 ? scheme : count);
  file.write_ints(group + "/p", p);
  file.write_ints(group + "/i", i);
  file.write_doubles(group + "/x", ConstVectorMap(x.data(), count));
}

// Contacts first, then equalities: M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b.
std::string write_global(const testing::Mechanics& mechanics, int scheme, const MatrixX& inertia) {
  const std::string path = scratch("global.hdf5");
  auto file = hdf5::File::create(path);
  const MatrixX j = mechanics.jacobian;
  const int m = 3 * static_cast<int>(std::count_if(mechanics.constraints.begin(), mechanics.constraints.end(),
                                                   [](const auto& c) { return c.kind == ConstraintKind::frictional; }));
  const int l = static_cast<int>(j.rows()) - m;
  MatrixX h(j.cols(), m);
  VectorX w(m);
  for (int row = 0; row < m; ++row) {  // ours (t1, t2, n), the file's (n, t1, t2)
    const int file_row = row - row % 3 + (row + 1) % 3;
    h.col(file_row) = j.row(row);
    w[file_row] = mechanics.offset[row];
  }
  file.make_group("/fclib_global");
  file.write_int("/fclib_global/spacedim", 3);
  write_file_matrix(file, "/fclib_global/M", inertia, scheme);
  write_file_matrix(file, "/fclib_global/H", h, scheme);
  write_file_matrix(file, "/fclib_global/G", j.bottomRows(l).transpose(), scheme);
  file.make_group("/fclib_global/vectors");
  file.write_doubles("/fclib_global/vectors/f", VectorX(mechanics.inertia * mechanics.velocity_free));
  file.write_doubles("/fclib_global/vectors/w", w);
  file.write_doubles("/fclib_global/vectors/b", mechanics.offset.tail(l));
  file.write_doubles("/fclib_global/vectors/mu", VectorX::Constant(m / 3, 0.5));
  file.close();
  return path;
}

TEST(Fclib, GlobalProblemsInEveryStorageScheme) {
  const auto mechanics = testing::random_mechanics({.seed = 9, .contacts = 6, .bilateral = 2});
  const ContactProblem expected = mechanics.problem();
  const MatrixX g = expected.to_dense(), full = mechanics.inertia;
  for (int scheme : {-2, -1, 0}) {
    for (const MatrixX& inertia : {full, MatrixX(full.triangularView<Eigen::Upper>())}) {
      const std::string path = write_global(mechanics, scheme, inertia);
      for (FclibGlobal form : {FclibGlobal::factored, FclibGlobal::condensed}) {
        const ContactProblem problem = read_fclib(path, form).problem;
        EXPECT_EQ(form == FclibGlobal::factored ? DelassusForm::factored : DelassusForm::sparse, problem.form());
        EXPECT_LE((problem.to_dense() - g).cwiseAbs().maxCoeff(), 1e-11 * g.cwiseAbs().maxCoeff());
        EXPECT_LE((problem.free_velocity() - expected.free_velocity()).cwiseAbs().maxCoeff(), 1e-11);
        EXPECT_EQ(expected.num_rows(), problem.num_rows());
      }
    }
  }
  MatrixX crooked = full;
  crooked(0, 1) += 0.1;
  const std::string path = write_global(mechanics, -2, crooked);
  EXPECT_THROW(read_fclib(path, FclibGlobal::factored), std::invalid_argument);
  EXPECT_FALSE(read_fclib(path, FclibGlobal::condensed).problem.is_symmetric());
  EXPECT_THROW(read_fclib(write_global(mechanics, -2, MatrixX::Zero(full.rows(), full.cols()))), std::invalid_argument);
}

TEST(Fclib, RefusesToWriteWhatTheFormatCannotHold) {
  const std::string path = scratch("unwritable.hdf5");
  fs::remove(path);
  EXPECT_THROW(write_fclib(path, {.problem = testing::random_problem({.limits = 1})}), std::invalid_argument);
  EXPECT_THROW(write_fclib(path, {.problem = testing::random_problem({.compliance = 0.1})}), std::invalid_argument);
  EXPECT_THROW(write_fclib("/nowhere/at/all.hdf5", {.problem = testing::random_problem({})}), std::runtime_error);
  FclibProblem wrong_size{.problem = testing::random_problem({})};
  wrong_size.solution = FclibSolution{VectorX::Zero(1), {}};
  EXPECT_THROW(write_fclib(path, wrong_size), std::invalid_argument);
  EXPECT_FALSE(fs::exists(path)) << "a failed write leaves nothing behind";
  EXPECT_FALSE(fs::exists(path + ".part"));
}

}  // namespace
}  // namespace stiction
