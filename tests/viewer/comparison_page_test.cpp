// The page of a comparison: which frames, what is told of the runs, and what is refused.
#include "stiction/viewer/comparison_page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

Comparison sliding_box(const std::vector<std::string>& solvers) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}, .material = {.friction = 0.5}});
  const int body = builder.add_body({.name = "box</script>", .pose = Pose(Vector3(0, 0, 0.1))});
  builder.add_shape(
      {.body = body, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .material = {.friction = 0.5}, .density = 500});
  const auto model = builder.build();
  State start = State::initial(*model);
  start.v[0] = 2.0;
  SimulatorSettings settings;
  settings.time_step = 5e-3;
  return Comparison(model, {.solvers = solvers, .simulator = settings}, start);
}

std::string text_of(const ComparisonPage& page, const Comparison& comparison) {
  std::ostringstream out;
  const ComparisonPageSummary summary = page.write(out, comparison);
  EXPECT_EQ(summary.num_bytes, static_cast<std::int64_t>(out.str().size()));
  return out.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
  return found;
}

TEST(ComparisonPage, HoldsTheModelOnceAndEveryRun) {
  Comparison comparison = sliding_box({"auto", "ccp-admm", "lcp-pgs"});
  ComparisonPage page(comparison, {.title = "a <box>", .every = 1});
  for (int k = 0; k < 100; ++k) {
    comparison.step();
    page.append(comparison);
  }
  const std::string text = text_of(page, comparison);
  EXPECT_EQ(count(text, "id=\"model\""), 1U);
  EXPECT_EQ(count(text, "id=\"meshes\""), 1U);
  EXPECT_EQ(count(text, "id=\"comparison\""), 1U);
  EXPECT_EQ(count(text, "-frames-"), 6U);  // 64 and 36 of each run
  EXPECT_EQ(count(text, "\"blocks\":[64,36]"), 3U);
  for (const char* id : {"run-0-steps", "run-1-steps", "run-2-steps", "run-2-distance"}) {
    EXPECT_EQ(count(text, std::string("id=\"") + id + "\""), 1U) << id;
  }
  EXPECT_NE(text.find("\\u003cbox>"), std::string::npos);
  EXPECT_EQ(text.find("box</script>\""), std::string::npos);
  for (const char* loading : {"src=\"http", "href=\"http", "@import", "url(http", "url(//"}) {
    EXPECT_EQ(text.find(loading), std::string::npos) << loading;
  }
}

TEST(ComparisonPage, ThePartingStepIsAFrameThatIsShown) {
  for (const std::int64_t every : {1, 7}) {
    Comparison comparison = sliding_box({"auto", "ccp-admm", "ncp-gs"});
    ComparisonPage page(comparison, {.title = "", .every = every});
    for (int k = 0; k < 76; ++k) {
      comparison.step();
      page.append(comparison);
    }
    const long parted = comparison.runs()[1].parting_step;
    ASSERT_GE(parted, 0);
    // Frame f is step every (f + 1), counted from 1.
    const std::int64_t frame = (parted + 1 + every - 1) / every - 1;
    const std::string text = text_of(page, comparison);
    EXPECT_NE(text.find("\"parting_step\":" + std::to_string(parted) + ",\"parting_frame\":" + std::to_string(frame)),
              std::string::npos)
        << every;
    EXPECT_EQ(count(text, "\"parting_step\":-1,\"parting_frame\":-1"), 2U);
    EXPECT_EQ(count(text, "\"num_frames\":" + std::to_string(76 / every)), 3U);
  }
}

TEST(ComparisonPage, CanBeWrittenInBetween) {
  Comparison comparison = sliding_box({"auto", "ccp-admm"});
  ComparisonPage once(comparison), twice(comparison);
  for (int k = 0; k < 90; ++k) {
    comparison.step();
    once.append(comparison);
    twice.append(comparison);
    if (k == 20 || k == 70) text_of(twice, comparison);
  }
  EXPECT_EQ(text_of(once, comparison), text_of(twice, comparison));
}

TEST(ComparisonPage, WhatCannotBeIsRefused) {
  Comparison comparison = sliding_box({"auto", "ccp-admm"});
  EXPECT_THROW(ComparisonPage(comparison, {.title = "", .every = 0}), std::invalid_argument);
  ComparisonPage page(comparison);
  std::ostringstream out;
  EXPECT_THROW(page.write(out, comparison), std::invalid_argument);  // no step yet
  comparison.step();
  page.append(comparison);
  const auto folder = std::filesystem::temp_directory_path() / ("stiction_compare_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  EXPECT_THROW(page.save((folder / "missing/page.html").string(), comparison), std::exception);
  EXPECT_THROW(page.save(folder.string(), comparison), std::exception);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  const ComparisonPageSummary summary = page.save((folder / "page.html").string(), comparison);
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(folder / "page.html")), summary.num_bytes);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stiction
