// Our part of falling_robots.py: goes through recorded poses of a falling robot's hulls and prints the mean CPU time of
// Collider::collide in microseconds and the mean number of points. Usage: scene.bin poses.bin
#include <cstdio>
#include <ctime>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

template <class T>
T read(std::istream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  if (!in) throw std::runtime_error("the file is too short");
  return value;
}

struct Scene {
  int num_geoms = 0;
  double margin = 0.0;
  std::vector<int> geoms;  // of every body
  std::shared_ptr<const Model> model;
};

Scene read_scene(const char* path) {
  std::ifstream in(path, std::ios::binary);
  Scene scene;
  scene.num_geoms = read<int>(in);
  const int num_hulls = read<int>(in), num_pairs = read<int>(in), floor = read<int>(in);
  scene.margin = read<double>(in);
  ModelBuilder builder;
  std::vector<int> shape_of(static_cast<std::size_t>(scene.num_geoms), -1);
  shape_of.at(static_cast<std::size_t>(floor)) = builder.add_shape({.name = "floor", .geometry = Plane{}});
  for (int i = 0; i < num_hulls; ++i) {
    const int geom = read<int>(in), n = read<int>(in);
    std::vector<Vector3> vertices;
    for (int k = 0; k < 3 * n; k += 3) {
      const double x = read<double>(in), y = read<double>(in);
      vertices.emplace_back(x, y, read<double>(in));
    }
    const int b = builder.add_body({.name = "geom" + std::to_string(geom)});
    shape_of.at(static_cast<std::size_t>(geom)) = builder.add_shape(
        {.name = "hull" + std::to_string(geom), .body = b, .geometry = ConvexHull::from_points(vertices), .mass = 1.0});
    scene.geoms.push_back(geom);
  }
  std::set<std::pair<int, int>> allowed;
  for (int i = 0; i < num_pairs; ++i) {
    const int a = read<int>(in), b = read<int>(in);
    allowed.insert({a, b});
  }
  for (const int a : scene.geoms)
    for (const int b : scene.geoms)
      if (a < b && !allowed.contains({a, b})) builder.exclude_shapes(shape_of[a], shape_of[b]);
  for (const int a : scene.geoms)
    if (!allowed.contains({std::min(a, floor), std::max(a, floor)}))
      builder.exclude_shapes(shape_of[a], shape_of[floor]);
  scene.model = builder.build();
  return scene;
}

int run(const char* scene_path, const char* poses_path) {
  const Scene scene = read_scene(scene_path);
  std::ifstream in(poses_path, std::ios::binary);
  std::vector<std::vector<Pose>> steps;
  const std::size_t row = 12 * static_cast<std::size_t>(scene.num_geoms);
  std::vector<double> raw(row);
  while (in.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(row * sizeof(double)))) {
    std::vector<Pose>& poses = steps.emplace_back();
    for (const int g : scene.geoms) {
      const double* p = raw.data() + 12 * g;
      poses.emplace_back(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(p + 3),
                         Vector3(p[0], p[1], p[2]));
    }
  }
  Collider collider(scene.model, {.margin = scene.margin});
  double best = 1e9, points = 0.0;
  for (int round = 0; round < 5; ++round) {
    CollisionCache cache;
    points = 0.0;
    timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (const std::vector<Pose>& poses : steps)
      points += static_cast<double>(collider.collide(poses, {}, cache).size());
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    best = std::min(best, 1e6 * static_cast<double>(end.tv_sec - start.tv_sec) +
                              1e-3 * static_cast<double>(end.tv_nsec - start.tv_nsec));
  }
  const double n = static_cast<double>(steps.size());
  std::printf("%.6g %.6g\n", best / n, points / n);
  return 0;
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: bench_falling_robots scene.bin poses.bin\n", stderr), 2;
  return stiction::run(argv[1], argv[2]);
}
