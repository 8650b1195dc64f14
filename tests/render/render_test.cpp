// Pictures against closed forms: outlines, order, shadows, cameras.
#include "stiction/render/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"
#include "stiction/render/rasterizer.h"
#include "stiction/render/shading.h"

namespace stiction {
namespace {

using Color4 = std::array<double, 4>;
constexpr Color4 red = {0.9, 0.05, 0.05, 1.0}, blue = {0.05, 0.05, 0.9, 1.0}, unseen = {1.0, 1.0, 1.0, 0.0};

std::shared_ptr<const Model> world_with(const Geometry& geometry, const Pose& pose, const Color4& color) {
  ModelBuilder builder;
  builder.add_shape({.pose = pose, .geometry = geometry, .color = color});
  return builder.build();
}

// The camera that looks along +x: y of the world goes to the left, z upwards.
RenderSettings along_x(double distance) {
  RenderSettings settings;
  settings.width = 320, settings.height = 240;
  settings.camera = Camera{{-distance, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.8};
  return settings;
}
double focal_length(const RenderSettings& s) {
  return 0.5 * s.height / std::tan(0.5 * s.camera->field_of_view);
}

// Pixels that a thing changes, and between which sides they lie.
struct Mask {
  int count = 0, left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
  bool is_filled = true;  // no holes within a row
};

Mask mask_of(const Geometry& geometry, const Pose& pose, const RenderSettings& settings) {
  const auto with = world_with(geometry, pose, red), without = world_with(geometry, pose, unseen);
  const Image a = render(*with, with->initial_position, settings), b = render(*without, VectorX(), settings);
  Mask mask;
  for (int y = 0; y < a.height(); ++y) {
    int first = -1, last = -1, count = 0;
    for (int x = 0; x < a.width(); ++x) {
      if (a.at(x, y) == b.at(x, y)) continue;
      if (first < 0) first = x;
      last = x;
      ++count;
    }
    if (count == 0) continue;
    mask.count += count;
    mask.left = std::min(mask.left, first), mask.right = std::max(mask.right, last + 1);
    mask.top = std::min(mask.top, y), mask.bottom = std::max(mask.bottom, y + 1);
    mask.is_filled = mask.is_filled && count == last - first + 1;
  }
  return mask;
}

TEST(Render, OutlineOfASphere) {
  const RenderSettings settings = along_x(3.0);
  const double f = focal_length(settings), r = 0.7;
  for (const double y : {0.0, 0.6}) {
    const Mask mask = mask_of(Sphere{r}, Pose(Vector3(0.0, y, 0.0)), settings);
    // Tangents from the eye: at the angle of the middle, and as much to both sides as the sphere takes.
    const double middle = std::atan2(-y, 3.0), half = std::asin(r / std::hypot(3.0, y));
    EXPECT_NEAR(mask.left, 160.0 + f * std::tan(middle - half), 1.0) << y;
    EXPECT_NEAR(mask.right, 160.0 + f * std::tan(middle + half), 1.0) << y;
    EXPECT_TRUE(mask.is_filled) << "holes between triangles";
    if (y != 0.0) continue;
    const double radius = f * r / std::sqrt(9.0 - r * r);
    EXPECT_NEAR(mask.top, 120.0 - radius, 1.0);
    EXPECT_NEAR(mask.bottom, 120.0 + radius, 1.0);
    // All pixels that it touches: its area, and half of those along the border.
    EXPECT_NEAR(mask.count, std::numbers::pi * radius * radius + 4.0 * radius, 2.5 * radius);
  }
}

TEST(Render, OutlineOfABox) {
  const RenderSettings settings = along_x(4.0);
  const double f = focal_length(settings);
  const Vector3 half(0.5, 0.4, 0.3);
  const Pose pose(Quaternion(0.9, 0.1, -0.3, 0.4).normalized(), Vector3(0.1, -0.2, 0.15));
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (int k = 0; k < 8; ++k) {
    const Vector3 corner =
        pose * Vector3((k & 1) ? half.x() : -half.x(), (k & 2) ? half.y() : -half.y(), (k & 4) ? half.z() : -half.z());
    const double depth = corner.x() + 4.0, x = 160.0 - f * corner.y() / depth, y = 120.0 - f * corner.z() / depth;
    left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
  }
  const Mask mask = mask_of(Box{half}, pose, settings);
  EXPECT_NEAR(mask.left, left, 1.0);
  EXPECT_NEAR(mask.right, right, 1.0);
  EXPECT_NEAR(mask.top, top, 1.0);
  EXPECT_NEAR(mask.bottom, bottom, 1.0);
  EXPECT_TRUE(mask.is_filled);
}

TEST(Render, EveryKindOfShapeIsDrawn) {
  const RenderSettings settings = along_x(3.0);
  const std::vector<Vector3> corners = {{0.5, 0, -0.4}, {-0.4, 0.5, -0.4}, {-0.4, -0.5, -0.4}, {0, 0, 0.6}};
  const std::vector<std::array<int, 3>> faces = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const std::vector<double> heights = {0.0, 0.3, 0.0, 0.2, 0.6, 0.1, 0.0, 0.2, 0.0};
  const std::vector<Geometry> shapes = {Sphere{0.5},
                                        Capsule{0.3, 0.4},
                                        Cylinder{0.4, 0.3},
                                        Ellipsoid{{0.5, 0.3, 0.4}},
                                        Box{{0.3, 0.4, 0.5}},
                                        ConvexHull::from_points(corners),
                                        TriangleMesh::make(corners, faces),
                                        HeightField::make(3, 3, 0.5, 0.5, heights)};
  for (const Geometry& shape : shapes) {
    const Mask mask = mask_of(shape, Pose(), settings);
    EXPECT_GT(mask.count, 500) << to_string(static_cast<ShapeKind>(shape.index()));
    EXPECT_LT(mask.count, 12000) << to_string(static_cast<ShapeKind>(shape.index()));
  }
}

TEST(Render, AnInfinitePlaneEndsAtTheHorizon) {
  ModelBuilder builder;
  builder.add_shape({.pose = Pose(Vector3(0.0, 0.0, -1.0)), .geometry = Plane{}});
  const auto model = builder.build();
  RenderSettings settings = along_x(1.0);  // level: the horizon is in the middle
  settings.theme = Theme::dark;            // where haze takes longest to hide it
  const Image image = render(*model, VectorX(), settings);
  const Color sky = image.at(160, 100);
  EXPECT_NE(image.at(160, 239), sky);
  EXPECT_EQ(image.at(10, 119), image.at(310, 119));
  settings.camera->position.z() = settings.camera->target.z() = -2.0;  // from below it is not seen
  const Image below = render(*model, VectorX(), settings);
  EXPECT_EQ(below.at(160, 239), below.at(160, 130));
}

TEST(Render, TheNearerOneIsSeen) {
  for (const bool red_first : {true, false}) {
    ModelBuilder builder;
    for (const bool is_red : {red_first, !red_first}) {
      builder.add_shape({.pose = Pose(Vector3(is_red ? -0.5 : 0.5, 0.0, 0.0)),
                         .geometry = Sphere{0.3},
                         .color = is_red ? red : blue});
    }
    const Color middle = render(*builder.build(), VectorX(), along_x(3.0)).at(160, 120);
    EXPECT_GT(middle.red, 2 * middle.blue);
  }
}

TEST(Render, GlassLetsTheOtherColourThrough) {
  const auto color_behind = [](double opacity) {
    ModelBuilder builder;
    builder.add_shape(
        {.pose = Pose(Vector3(-0.5, 0, 0)), .geometry = Box{{0.1, 0.5, 0.5}}, .color = {1, 0, 0, opacity}});
    builder.add_shape({.pose = Pose(Vector3(0.5, 0, 0)), .geometry = Box{{0.1, 0.5, 0.5}}, .color = {0, 0, 1, 1}});
    return render(*builder.build(), VectorX(), along_x(3.0)).at(160, 120);
  };
  const Color opaque = color_behind(1.0), half = color_behind(0.5), clear = color_behind(0.0);
  EXPECT_EQ(opaque.blue, 0);
  EXPECT_GT(half.blue, 40);
  EXPECT_GT(half.red, 40);
  EXPECT_EQ(clear.red, 0);
}

TEST(Render, TheShadowFallsWhereTheSunSays) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  const int ball = builder.add_body({.name = "ball", .pose = Pose(Vector3(0.0, 0.0, 1.0))});
  builder.add_shape({.body = ball, .geometry = Sphere{0.3}, .density = 1000.0});
  const auto model = builder.build();
  RenderSettings settings;
  settings.width = 320, settings.height = 240;
  settings.camera = Camera{{0.0, -0.01, 8.0}, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.6};
  const Image shaded = render(*model, model->initial_position, settings);
  settings.shadows = false;
  const Image plain = render(*model, model->initial_position, settings);
  const raster::View view = raster::view_of(*settings.camera, 320, 240);
  const Vector3 sun = raster::direction_to_sun(), place = Vector3(0, 0, 1) - sun / sun.z();
  const auto brightness = [&](const Image& image, const Vector3& point) {
    const Vector3 p = view.project(point);
    const Color c = image.at(static_cast<int>(p.x()), static_cast<int>(p.y()));
    return c.red + c.green + c.blue;
  };
  EXPECT_LT(brightness(shaded, place), 0.85 * brightness(plain, place));
  // The border: an ellipse of the sphere's radius across the sun's direction.
  const Vector3 across = Vector3(-sun.y(), sun.x(), 0.0).normalized();
  EXPECT_LT(brightness(shaded, place + 0.25 * across), 0.85 * brightness(plain, place + 0.25 * across));
  EXPECT_EQ(brightness(shaded, place + 0.36 * across), brightness(plain, place + 0.36 * across));
  EXPECT_EQ(brightness(shaded, -place), brightness(plain, -place));
}

TEST(Render, TheSameInputGivesTheSameBytes) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  for (int k = 0; k < 5; ++k) {
    const int body = builder.add_body({.pose = Pose(Vector3(0.3 * k, 0.1, 0.3))});
    builder.add_shape({.body = body, .geometry = Capsule{0.1, 0.1 + 0.02 * k}, .density = 500.0});
  }
  const auto model = builder.build();
  Renderer renderer(*model, {.width = 200, .height = 150});
  const Image first = renderer.draw(model->initial_position), second = renderer.draw(model->initial_position);
  const Image third = render(*model, model->initial_position, {.width = 200, .height = 150});
  EXPECT_TRUE(std::equal(first.bytes().begin(), first.bytes().end(), second.bytes().begin()));
  EXPECT_TRUE(std::equal(first.bytes().begin(), first.bytes().end(), third.bytes().begin()));
}

TEST(Render, AllThatMovesIsInThePicture) {
  ModelBuilder builder;
  std::vector<Vector3> places = {{0, 0, 0.2}, {5, 1, 0.3}, {-2, 4, 3.0}};
  for (const Vector3& place : places) {
    const int body = builder.add_body({.pose = Pose(place)});
    builder.add_shape({.body = body, .geometry = Sphere{0.2}, .density = 500.0});
  }
  const auto model = builder.build();
  for (const auto& [width, height] : {std::pair{640, 480}, {200, 600}, {900, 200}}) {
    Renderer renderer(*model, {.width = width, .height = height});
    const raster::View view = raster::view_of(renderer.camera_at(model->initial_position), width, height);
    for (const Vector3& place : places) {
      const Vector3 p = view.project(place);
      const double radius = 0.2 * view.focal / p.z();
      EXPECT_GE(std::min(p.x(), p.y()), radius);
      EXPECT_LE(p.x() + radius, width);
      EXPECT_LE(p.y() + radius, height);
    }
  }
}

// A hinge about z at (1, 0, 0) with cameras one metre out along its x.
class MountedCameras : public ::testing::Test {
 protected:
  void SetUp() override {
    ModelBuilder builder;
    const int arm = builder.add_body(
        {.name = "arm", .pose = Pose(Vector3(1.0, 0.0, 0.0)), .joint = {.name = "hinge", .kind = JointKind::revolute}});
    builder.add_shape({.body = arm, .pose = Pose(Vector3(0.5, 0.0, 0.0)), .geometry = Sphere{0.1}, .density = 1000.0});
    const Pose pose(Vector3(1.0, 0.0, 0.0));
    for (const CameraMode mode : {CameraMode::fixed, CameraMode::track, CameraMode::track_com, CameraMode::target}) {
      builder.add_camera({.name = std::string(to_string(mode)), .frame = arm, .pose = pose, .mode = mode});
    }
    builder.add_camera(
        {.name = "at_com", .pose = Pose(Vector3(0, 0, 5)), .mode = CameraMode::target_com, .target = arm});
    model_ = builder.build();
  }
  Camera camera(const std::string& name, double angle) const {
    VectorX q(1);
    q[0] = angle;
    return Renderer(*model_, {.camera_name = name}).camera_at(q);
  }
  static void expect_near(const Vector3& a, const Vector3& b) { EXPECT_LT((a - b).norm(), 1e-12) << a.transpose(); }
  std::shared_ptr<const Model> model_;
};

TEST_F(MountedCameras, GoWithTheirBodyAsTheirModeSays) {
  const double quarter = 0.5 * std::numbers::pi;
  const Camera fixed = camera("fixed", quarter);
  expect_near(fixed.position, {1.0, 1.0, 0.0});
  expect_near(fixed.target - fixed.position, {0.0, 0.0, -1.0});
  expect_near(fixed.up, {-1.0, 0.0, 0.0});        // y of the body
  const Camera track = camera("track", quarter);  // the body's origin does not move
  expect_near(track.position, {2.0, 0.0, 0.0});
  expect_near(track.up, {0.0, 1.0, 0.0});
  const Camera com = camera("track_com", quarter);  // the ball moves from (1.5, 0) to (1, 0.5)
  expect_near(com.position, {1.5, 0.5, 0.0});
  expect_near(com.up, {0.0, 1.0, 0.0});
  const Camera target = camera("target", quarter);  // of the world: its origin
  expect_near(target.position, {1.0, 1.0, 0.0});
  expect_near(target.target, {0.0, 0.0, 0.0});
  expect_near(camera("at_com", quarter).target, {1.0, 0.5, 0.0});
}

TEST_F(MountedCameras, AnUnknownNameIsAnsweredWithNearOnes) {
  try {
    Renderer(*model_, {.camera_name = "trak"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"track\""), std::string::npos) << error.what();
  }
}

TEST_F(MountedCameras, FollowMovesAlongFromTheInitialPosition) {
  RenderSettings settings;
  settings.camera = Camera{{5, 0, 0}, {0, 0, 0}};
  settings.follow = 0;
  VectorX q(1);
  q[0] = 1.0;
  expect_near(Renderer(*model_, settings).camera_at(q).position, {5, 0, 0});  // it only turns
}

TEST(Render, BadInputIsRefused) {
  const auto model = world_with(Sphere{0.5}, Pose(), red);
  const auto refused = [&](const auto& change, const std::string& part) {
    RenderSettings settings = along_x(3.0);
    change(settings);
    try {
      render(*model, VectorX(), settings);
      ADD_FAILURE() << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int bad : {0, -5, 16385, std::numeric_limits<int>::max()}) {
    refused([&](RenderSettings& s) { s.width = bad; }, "width");
    refused([&](RenderSettings& s) { s.height = bad; }, "height");
  }
  refused([&](RenderSettings& s) { s.camera->position.y() = nan; }, "position");
  refused([&](RenderSettings& s) { s.camera->target.x() = HUGE_VAL; }, "target");
  refused([&](RenderSettings& s) { s.camera->up.setZero(); }, "up");
  refused([&](RenderSettings& s) { s.camera->target = s.camera->position; }, "looks nowhere");
  for (const double bad : {0.0, -1.0, nan, 3.2}) {
    refused([&](RenderSettings& s) { s.camera->field_of_view = bad; }, "field_of_view");
  }
  refused([&](RenderSettings& s) { s.camera_name = "eye"; }, "give one");
  refused([&](RenderSettings& s) { s.camera.reset(), s.camera_name = "eye"; }, "no cameras");
  refused([&](RenderSettings& s) { s.follow = 3; }, "follow");
  refused([&](RenderSettings& s) { s.metres_per_newton = -1.0; }, "metres_per_newton");
  EXPECT_THROW(render(*model, VectorX(VectorX::Zero(2)), along_x(3.0)), std::invalid_argument);
}

TEST(Render, AwkwardCamerasStillTakePictures) {
  const auto model = world_with(Sphere{0.5}, Pose(), red);
  RenderSettings settings{.width = 40, .height = 30};
  settings.camera = Camera{{0, 0, 3}, {0, 0, 0}};  // straight down, up along the line of sight
  EXPECT_GT(render(*model, VectorX(), settings).at(20, 15).red, 100);
  settings.camera = Camera{{0.1, 0, 0}, {5, 0, 0}};  // inside of the sphere
  EXPECT_NO_THROW(render(*model, VectorX(), settings));
  settings.camera = Camera{{1e9, 0, 0}, {0, 0, 0}};
  EXPECT_NO_THROW(render(*model, VectorX(), settings));
  EXPECT_EQ(render(*model, VectorX(), {.width = 1, .height = 1}).width(), 1);
}

TEST(Render, PosesThatAreNotFiniteAreNotDrawn) {
  ModelBuilder builder;
  const int body = builder.add_body({.name = "ball"});
  builder.add_shape({.body = body, .geometry = Sphere{0.5}, .density = 1.0});
  const auto model = builder.build();
  VectorX q = model->initial_position;
  q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(render(*model, q));
}

TEST(Rasterizer, TrianglesThatShareAnEdgeShareNoSampleAndLeaveNoGap) {
  unsigned noise = 7;
  const auto number = [&noise](double low, double high) {
    noise = noise * 1664525U + 1013904223U;
    return low + (high - low) * (noise >> 8) / 16777216.0;
  };
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 middle(number(5, 25), number(5, 25), 1.0);
    // A fan about a point: every sample of its inside belongs to one triangle.
    std::vector<Vector3> rim;
    constexpr int count = 7;
    for (int k = 0; k < count; ++k) {
      const double angle = -2.0 * std::numbers::pi * k / count, radius = number(3, 40);
      rim.push_back(middle + Vector3(radius * std::cos(angle), radius * std::sin(angle), 0.0));
    }
    std::vector<raster::SampleBuffer> buffers;
    for (int k = 0; k < count; ++k) {
      std::vector<raster::ScreenTriangle> parts;
      const std::array<Vector3, 3> corners = {middle, rim[k], rim[(k + 1) % count]};
      raster::set_up(corners, 30, 30, false, parts);
      buffers.emplace_back(30, raster::turned_grid, true);
      buffers.back().begin(0, 30);
      for (const auto& part : parts) buffers.back().draw(part, 1);
    }
    const int x = static_cast<int>(middle.x()), y = static_cast<int>(middle.y());
    for (int j = 0; j < 30; ++j) {
      for (int i = 0; i < 30; ++i) {
        for (int s = 0; s < 4; ++s) {
          int times = 0;
          for (const auto& buffer : buffers) times += buffer.ids(i, j)[s] == 1;
          EXPECT_LE(times, 1) << i << ' ' << j;
        }
      }
    }
    int around = 0;  // at the middle all triangles meet
    for (const auto& buffer : buffers) {
      for (int s = 0; s < 4; ++s) around += buffer.ids(x, y)[s] == 1;
    }
    EXPECT_EQ(around, 4);
  }
}

}  // namespace
}  // namespace stiction
