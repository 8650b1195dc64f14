#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "stiction/solvers/solver.h"

namespace stiction {
namespace {

TEST(SolverRegistry, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    make_solver("no-such-solver");
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-solver"), std::string::npos);
    for (std::string_view name : solver_names()) EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
  }
}

TEST(SolverRegistry, NamesAreUnique) {
  auto names = solver_names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace stiction
