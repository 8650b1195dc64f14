#include "stiction/collision/manifold/clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stiction/collision/manifold/feature.h"
#include "stiction/collision/manifold/reduce.h"

namespace stiction {
namespace {

const std::vector<Vector2> square{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
const std::vector<int> square_vertices{10, 11, 12, 13};

std::vector<ContactCandidate> clip(const std::vector<ClipCorner>& incident, ClipOptions options = {}) {
  if (options.margin == 0.0) options.margin = 1.0;
  std::vector<ContactCandidate> out(max_clip_corners);
  out.resize(clip_polygon({square, square_vertices}, incident, options, out.data()));
  return out;
}

const ContactCandidate* find(const std::vector<ContactCandidate>& all, std::uint64_t feature) {
  for (const ContactCandidate& c : all) {
    if (c.feature == feature) return &c;
  }
  return nullptr;
}

TEST(ClipPolygon, corner_of_the_incident_inside_keeps_its_vertex_and_crossings_name_both_edges) {
  // Covers the quadrant x, y > 0 of the square and more; height 0.1 x + 0.2 y.
  const auto made = clip({{0, 0, 0, 1}, {3, 0, 0.3, 2}, {3, 3, 0.9, 3}, {0, 3, 0.6, 4}});
  ASSERT_EQ(made.size(), 4u);
  const ContactCandidate* vertex = find(made, feature_vertex_b(1));
  const ContactCandidate* crossing = find(made, feature_edges(edge_bits(11, 12), edge_bits(1, 2)));
  const ContactCandidate* other = find(made, feature_edges(edge_bits(12, 13), edge_bits(4, 1)));
  const ContactCandidate* corner = find(made, feature_vertex_a(12));
  ASSERT_TRUE(vertex && crossing && other && corner);
  EXPECT_EQ(vertex->gap, 0.0);
  EXPECT_DOUBLE_EQ(crossing->x, 1.0);
  EXPECT_DOUBLE_EQ(crossing->gap, 0.1);
  EXPECT_NEAR(other->gap, 0.2, 1e-15);
  EXPECT_NEAR(corner->gap, 0.3, 1e-15);
}

TEST(ClipPolygon, names_do_not_depend_on_where_the_polygon_begins_or_its_sense) {
  std::vector<ClipCorner> incident{{0, 0, 0, 1}, {3, 0.5, 0, 2}, {2, 3, 0, 3}, {-0.5, 3, 0, 4}};
  auto names = [&] {
    std::vector<std::uint64_t> list;
    for (const ContactCandidate& c : clip(incident)) list.push_back(c.feature);
    std::sort(list.begin(), list.end());
    return list;
  };
  const auto expected = names();
  for (int k = 0; k < 4; ++k) {
    std::rotate(incident.begin(), incident.begin() + 1, incident.end());
    EXPECT_EQ(names(), expected);
  }
  std::reverse(incident.begin(), incident.end());
  EXPECT_EQ(names(), expected);
}

TEST(ClipPolygon, margin_leaves_high_corners_out) {
  ClipOptions options;
  options.margin = 0.25;
  EXPECT_EQ(clip({{0, 0, 0, 1}, {3, 0, 0.3, 2}, {3, 3, 0.9, 3}, {0, 3, 0.6, 4}}, options).size(), 3u);
}

TEST(ClipPolygon, segment_gives_its_two_ends_or_their_crossings) {
  const auto inside = clip({{-0.5, 0, 0, 0}, {0.5, 0, 0, 1}});
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_TRUE(find(inside, feature_vertex_b(0)) && find(inside, feature_vertex_b(1)));
  const auto across = clip({{-5, 0, 0, 0}, {0.5, 0, 0.55, 1}});
  ASSERT_EQ(across.size(), 2u);
  const ContactCandidate* crossing = find(across, feature_edges(edge_bits(10, 13), edge_bits(0, 1)));
  ASSERT_TRUE(crossing && find(across, feature_vertex_b(1)));
  EXPECT_NEAR(crossing->x, -1.0, 1e-15);
  EXPECT_NEAR(crossing->gap, 0.4, 1e-15);
  EXPECT_TRUE(clip({{-5, 3, 0, 0}, {5, 3, 0, 1}}).empty());
}

TEST(ClipPolygon, vertex_that_made_a_point_is_held_a_little_outside) {
  const std::vector<ClipCorner> incident{{0, 0, 0, 1}, {1.0005, 0, 0, 2}, {0, 0.5, 0, 3}};
  const std::uint64_t old[] = {feature_vertex_b(2)};
  ClipOptions options;
  EXPECT_FALSE(find(clip(incident, options), feature_vertex_b(2)));
  options.old_features = old;
  options.hold_distance = 1e-3;
  EXPECT_TRUE(find(clip(incident, options), feature_vertex_b(2)));
  options.old_features = {};
  EXPECT_FALSE(find(clip(incident, options), feature_vertex_b(2)));
  options.snap_distance = 1e-3;
  EXPECT_TRUE(find(clip(incident, options), feature_vertex_b(2)));
  options.snap_distance = options.hold_distance = 1e-4;
  EXPECT_FALSE(find(clip(incident, options), feature_vertex_b(2)));
}

TEST(Feature, swapping_twice_is_nothing) {
  for (std::uint64_t f : {feature_vertex_a(5), feature_vertex_b(32767), std::uint64_t{0},
                          feature_edges(edge_bits(3, 2), edge_bits(32767, 9))}) {
    EXPECT_EQ(swapped_feature(swapped_feature(f)), f);
  }
  EXPECT_EQ(swapped_feature(feature_edges(edge_bits(1, 2), edge_bits(3, 4))),
            feature_edges(edge_bits(3, 4), edge_bits(1, 2)));
  EXPECT_NE(feature_edges(edge_bits(1, 2), edge_bits(3, 4)), feature_edges(edge_bits(3, 4), edge_bits(1, 2)));
}

std::vector<ContactCandidate> ring(int n, double height_of_last = 0.0) {
  std::vector<ContactCandidate> all;
  for (int k = 0; k < n; ++k) {
    const double angle = 2 * M_PI * k / n;
    all.push_back({std::cos(angle), std::sin(angle), k == n - 1 ? height_of_last : 0.0, static_cast<std::uint64_t>(k)});
  }
  return all;
}

double area(const std::vector<ContactCandidate>& all, const int* index, int n) {
  double twice = 0.0;
  for (int k = 0; k < n; ++k) {
    const ContactCandidate &p = all[index[k]], &q = all[index[(k + 1) % n]];
    twice += p.x * q.y - p.y * q.x;
  }
  return 0.5 * std::abs(twice);
}

TEST(ChoosePoints, four_points_of_a_ring_enclose_a_square) {
  const auto all = ring(16);
  int chosen[4];
  ASSERT_EQ(choose_points(all, 1e-3, {}, chosen), 4);
  EXPECT_NEAR(area(all, chosen, 4), 2.0, 1e-12);
}

TEST(ChoosePoints, deepest_is_always_in) {
  auto all = ring(16);
  all.push_back({0.3, 0.2, -1e-3, 99});
  int chosen[4];
  const int n = choose_points(all, 1e-3, {}, chosen);
  EXPECT_EQ(std::count(chosen, chosen + n, 16), 1);
}

TEST(ChoosePoints, old_points_stay_while_they_are_nearly_as_good) {
  const auto all = ring(16);
  int chosen[4];
  const std::uint64_t good[] = {1, 5, 9, 13}, poor[] = {0, 1, 2, 3}, gone[] = {1, 5, 9, 77};
  choose_points(all, 1e-3, good, chosen);
  EXPECT_EQ(std::vector<int>(chosen, chosen + 4), (std::vector<int>{1, 5, 9, 13}));
  choose_points(all, 1e-3, poor, chosen);
  EXPECT_NEAR(area(all, chosen, 4), 2.0, 1e-12);
  choose_points(all, 1e-3, gone, chosen);
  EXPECT_NEAR(area(all, chosen, 4), 2.0, 1e-12);
}

TEST(ChoosePoints, points_on_a_line_give_its_ends) {
  std::vector<ContactCandidate> all;
  for (int k = 0; k < 7; ++k) all.push_back({0.1 * k, 0.2 * k, 0.0, static_cast<std::uint64_t>(k)});
  int chosen[4];
  const int n = choose_points(all, 1e-3, {}, chosen);
  EXPECT_EQ(std::count(chosen, chosen + n, 0), 1);
  EXPECT_EQ(std::count(chosen, chosen + n, 6), 1);
}

TEST(ChoosePoints, a_triangle_with_a_fourth_beyond_its_side) {
  // The farthest pair is an edge of the hull: both other points are on one side of it.
  const std::vector<ContactCandidate> all{{-2, 0, 0, 0}, {2, 0, 0, 1},   {-1, 1, 0, 2},
                                          {1, 1, 0, 3},  {0, 0.5, 0, 4}, {0.1, 0.2, 0, 5}};
  int chosen[4];
  ASSERT_EQ(choose_points(all, 1e-3, {}, chosen), 4);
  EXPECT_NEAR(area(all, chosen, 4), 3.0, 1e-12);
}

}  // namespace
}  // namespace stiction
