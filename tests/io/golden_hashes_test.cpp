// The same bits: five scenes step to states whose hashes are known, with 1, 2 and 4 threads.
//
// The last bits depend on the compiler (which products it contracts with sums), on the processor it compiles for (in
// which order packs of its registers are summed) and on the C library (sine, exponential): tests/data/golden_hashes.txt
// has one line for each kind of build and scene. A kind that is not there is skipped, and the lines to add are printed.
#ifdef STICTION_MUJOCO
#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/sim/simulator.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

std::string kind_of_build() {
  std::ostringstream kind;
#ifdef __clang__
  kind << "clang-" << __clang_major__;
#else
  kind << "gcc-" << __GNUC__;
#endif
  kind << "/" STICTION_PROCESSOR;
  kind << "/glibc-" << gnu_get_libc_version();
  return kind.str();
}

// FNV-1a over the bytes of positions and velocities.
std::uint64_t hash_of(const State& state) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](const VectorX& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      unsigned char bytes[sizeof(double)];
      std::memcpy(bytes, &values[i], sizeof(double));
      for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
    }
  };
  add(state.q);
  add(state.v);
  return hash;
}

std::string hash_after(const std::string& scene, int threads, int steps) {
  SimulatorSettings settings;
  settings.threads = threads;
  Simulator simulator(load_mjcf(testing::scene_file("") + scene + ".xml").model, settings);
  for (int k = 0; k < steps; ++k) simulator.step();
  std::ostringstream text;
  text << std::hex << hash_of(simulator.state());
  return text.str();
}

class GoldenHashes : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(GoldenHashes, StayTheSame) {
  const auto& [scene, steps] = GetParam();
  const std::string hash = hash_after(scene, 1, steps);
  EXPECT_EQ(hash_after(scene, 2, steps), hash) << "two threads";
  EXPECT_EQ(hash_after(scene, 4, steps), hash) << "four threads";
  EXPECT_NE(hash_after(scene, 1, steps - 1), hash) << "the scene does not move";

#ifndef NDEBUG
  const bool is_optimised = false;
#else
  const bool is_optimised = !testing::sanitized;
#endif
  if (!is_optimised) GTEST_SKIP() << "another optimisation contracts other products; threads were compared";
  std::ifstream file(testing::data_file("golden_hashes.txt"));
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (std::string kind, name, value; file >> kind >> name >> value;) known[{kind, name}] = value;
  ASSERT_FALSE(known.empty());
  const auto found = known.find({kind_of_build(), scene});
  if (found == known.end()) GTEST_SKIP() << "unknown kind of build: " << kind_of_build() << ' ' << scene << ' ' << hash;
  EXPECT_EQ(hash, found->second);
}

INSTANTIATE_TEST_SUITE_P(Scenes, GoldenHashes,
                         ::testing::Values(std::pair{"quadruped", 1000}, std::pair{"humanoid_stand", 1000},
                                           std::pair{"boxes", 400}, std::pair{"gripper", 400},
                                           std::pair{"terrain", 400}),
                         [](const auto& scene) { return std::string(scene.param.first); });

}  // namespace
}  // namespace stiction
#endif
