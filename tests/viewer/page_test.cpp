// Pages of recordings: what is in them, which steps, and what is refused.
#include "stiction/viewer/page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/model_text.h"

namespace stiction {
namespace {

class Pages : public ::testing::Test {
 protected:
  Pages() {
    folder_ = std::filesystem::temp_directory_path() / ("stiction_page_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Pages() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  RecordingReader record(int steps, const SimulatorSettings& settings = {}) const {
    ModelBuilder builder;
    builder.add_shape({.geometry = Plane{}});
    const Quaternion tilt(Eigen::AngleAxisd(0.4, Vector3(1.0, 0.5, 0.0).normalized()));
    for (int i = 0; i < 3; ++i) {
      const int body = builder.add_body({.name = "</script>\"box\x01 " + std::to_string(i),
                                         .pose = Pose(tilt, Vector3(0.3 * i, 0.0, 0.2 + 0.2 * i))});
      builder.add_shape({.body = body, .geometry = Box{Vector3(0.1, 0.1, 0.1)}, .density = 500});
    }
    Simulator simulator(builder.build(), settings);
    RecordingWriter writer(path("run.h5"), simulator);
    for (int i = 0; i < steps; ++i) writer.append(simulator, simulator.step());
    writer.close();
    return RecordingReader(path("run.h5"));
  }

  std::filesystem::path folder_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
  return found;
}

TEST_F(Pages, HoldAllStepsInBlocksThatStandAlone) {
  const RecordingReader recording = record(200);
  std::ostringstream out;
  const PageSummary summary = write_page(recording, out);
  EXPECT_EQ(summary.num_frames, 200);
  EXPECT_EQ(summary.num_bytes, static_cast<std::int64_t>(out.str().size()));
  EXPECT_EQ(count(out.str(), "id=\"frames-"), 4U);  // of 64 each
  EXPECT_NE(out.str().find("\"blocks\":[64,64,64,8]"), std::string::npos);
  EXPECT_EQ(count(out.str(), "id=\"model\""), 1U);
  EXPECT_EQ(count(out.str(), "id=\"program\" data-packed"), 1U);
}

TEST_F(Pages, AskTheNetworkForNothing) {
  std::ostringstream out;
  write_page(record(3), out);
  const std::string page = out.str();
  for (const char* loading : {"src=\"http", "href=\"http", "@import", "url(http", "url(//"}) {
    EXPECT_EQ(page.find(loading), std::string::npos) << loading;
  }
}

TEST_F(Pages, EveryManyStepsAndTheLast) {
  std::ostringstream out;
  PageSettings settings;
  settings.every = 7;
  EXPECT_EQ(write_page(record(20), out, settings).num_frames, 4);  // 0, 7, 14, 19
  settings.every = 0;
  EXPECT_THROW(write_page(record(20), out, settings), std::invalid_argument);
}

TEST_F(Pages, StepsThatAreNotCertifiedAreNeverLeftOut) {
  const RecordingReader recording = record(300, {.time_step = 2e-3, .geometric_tolerance = 1e-7});
  std::int64_t shown = 0, uncertified = 0, step = 0;
  for (const StepReport& report : recording.reports()) {
    const bool is_regular = step % 50 == 0 || step == 299;
    shown += is_regular || !report.certified() ? 1 : 0;
    uncertified += report.certified() ? 0 : 1;
    ++step;
  }
  ASSERT_GT(uncertified, 0);
  ASSERT_LT(uncertified, 200);
  std::ostringstream out;
  PageSettings settings;
  settings.every = 50;
  const PageSummary summary = write_page(recording, out, settings);
  EXPECT_EQ(summary.num_frames, shown);
  EXPECT_EQ(summary.num_uncertified, uncertified);
}

TEST_F(Pages, NamesCannotEndTheirElement) {
  std::ostringstream out;
  write_page(record(1), out);
  EXPECT_NE(out.str().find("\\u003c/script>\\u0022box\\u0001 2"), std::string::npos);
  EXPECT_EQ(out.str().find("</script>\"box"), std::string::npos);
}

TEST_F(Pages, ARecordingWithoutStepsIsRefused) {
  std::ostringstream out;
  try {
    write_page(record(0), out);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("no complete step"), std::string::npos);
  }
}

TEST_F(Pages, AFileIsCompleteOrNotThere) {
  const RecordingReader recording = record(10);
  EXPECT_THROW(save_page(recording, path("missing/run.html")), std::exception);
  EXPECT_THROW(save_page(recording, folder_.string()), std::exception);
  PageSettings settings;
  settings.progress = [](double) { throw std::runtime_error("stop"); };
  EXPECT_THROW(save_page(recording, path("run.html"), settings), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(path("run.html")));
  EXPECT_FALSE(std::filesystem::exists(path("run.html.part")));
  const PageSummary summary = save_page(recording, path("run.html"));
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(path("run.html"))), summary.num_bytes);
  EXPECT_FALSE(std::filesystem::exists(path("run.html.part")));
}

TEST(ModelText, ShapesOfEveryKindAndSharedSurfaces) {
  ModelBuilder builder;
  const auto hull = ConvexHull::box(Vector3(0.1, 0.2, 0.3));
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}};
  const std::vector<double> heights = {0, 0, 0, 1};
  builder.add_shape({.geometry = Plane{}});
  builder.add_shape({.geometry = TriangleMesh::make(corners, triangles)});
  builder.add_shape({.geometry = HeightField::make(2, 2, 1.0, 1.0, heights)});
  for (int i = 0; i < 2; ++i) {
    const int body = builder.add_body({.name = "b" + std::to_string(i), .pose = Pose(Vector3(0, 0, 5.0 + 3 * i))});
    builder.add_shape({.body = body, .geometry = Sphere{0.1}, .density = 500});
    builder.add_shape({.body = body, .geometry = Capsule{0.1, 0.2}, .density = 500});
    builder.add_shape({.body = body, .geometry = Cylinder{0.1, 0.2}, .density = 500});
    builder.add_shape({.body = body, .geometry = Ellipsoid{Vector3(0.1, 0.2, 0.3)}, .density = 500});
    builder.add_shape({.body = body, .geometry = Box{Vector3(0.1, 0.2, 0.3)}, .density = 500});
    builder.add_shape({.body = body, .geometry = hull, .density = 500});
  }
  viewer::JsonText json;
  json.begin_object();
  viewer::add_model(*builder.build(), json);
  json.end_object();
  for (const char* kind :
       {"plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "convex_hull", "triangle_mesh", "height_field"}) {
    EXPECT_NE(json.text().find("\"kind\":\"" + std::string(kind) + "\""), std::string::npos) << kind;
  }
  EXPECT_NE(json.text().find("\"meshes\":[{\"vertices\":3,\"triangles\":1},{\"vertices\":4,\"triangles\":2},"
                             "{\"vertices\":8,\"triangles\":12}]"),
            std::string::npos);
}

TEST(JsonText, WhatIsNoTextAndNoNumber) {
  viewer::JsonText json;
  json.begin_object().add("a", std::string_view("\xff\xc3\xa9\xc3")).add("b", NAN).add("c", 0.1).end_object();
  EXPECT_EQ(json.text(), "{\"a\":\"\\ufffd\xc3\xa9\\ufffd\",\"b\":null,\"c\":0.1}");
}

}  // namespace
}  // namespace stiction
