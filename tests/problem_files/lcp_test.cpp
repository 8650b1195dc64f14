#include "stiction/problem_files/lcp.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "stiction/contact/lcp_judge.h"
#include "stiction/problem_files/hdf5.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

// Murty's problem is not symmetric, so a transposed matrix would show.
TEST(LcpFiles, RowsAreRows) {
  const LcpFile contents = read_lcp(testing::scene_file("fclib/lcp/lcp_exp_murty.hdf5"));
  const int n = contents.problem.size();
  const auto file = hdf5::File::open(testing::scene_file("fclib/lcp/lcp_exp_murty.hdf5"));
  const VectorX stored = file.read_doubles("/lcp/M", n * n);
  bool symmetric = true;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      EXPECT_EQ(stored[n * i + j], contents.problem.matrix(i, j));
      symmetric &= contents.problem.matrix(i, j) == contents.problem.matrix(j, i);
    }
  }
  EXPECT_FALSE(symmetric);
  EXPECT_FALSE(contents.source.empty());
}

TEST(LcpFiles, EveryShippedFileIsReadAndTheDefiniteOnesSolved) {
  int number = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::scene_file("fclib/lcp"))) {
    SCOPED_TRACE(entry.path());
    const LcpFile contents = read_lcp(entry.path().string());
    ++number;
    LinearComplementarity method;
    VectorX z;
    const LcpReport report = method.solve_lemke(contents.problem, z);
    if (report.status == LcpStatus::solved) {
      EXPECT_LE(judge_lcp(contents.problem, z).eps_rel, 1e-9);
    }
    for (const char* definite : {"deudeu", "ortiz", "trivial", "mmc"}) {
      if (entry.path().string().find(definite) != std::string::npos) {
        EXPECT_EQ(LcpStatus::solved, report.status);
      }
    }
  }
  EXPECT_EQ(9, number);
}

TEST(LcpFiles, RefusesOtherFiles) {
  EXPECT_THROW(read_lcp(testing::scene_file("fclib/Rover1039.hdf5")), std::invalid_argument);
  EXPECT_THROW(read_lcp(testing::scene_file("fclib/README.md")), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
