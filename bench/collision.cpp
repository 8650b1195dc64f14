// Pair kernels of primitives, apart and touching, and whole calls of the collider for piles of many bodies and for
// one body on a terrain.
// CPU time per pair or per step; run with --help for filters.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/collision/collision_cache.h"
#include "stiction/collision/primitives/box_box.h"
#include "stiction/collision/primitives/primitives.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

constexpr double margin = 1e-3;
constexpr int num_poses = 256;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Matrix3 rotation() { return Quaternion(normal(), normal(), normal(), normal()).normalized().toRotationMatrix(); }
  Matrix3 turn(double angle) {
    return Eigen::AngleAxisd(angle * normal(), Vector3(normal(), normal(), normal()).normalized()).toRotationMatrix();
  }

 private:
  std::mt19937 engine_;
};

const Sphere sphere{0.1};
const Capsule capsule{0.05, 0.15};
const Cylinder cylinder{0.05, 0.1};
const Ellipsoid ellipsoid{{0.05, 0.1, 0.08}};
const Box box{{0.1, 0.05, 0.08}};

// Upright first shapes at a height over the second, turned about z; `apart`: turned at will, 0.2 m and more away.
std::vector<Pose> poses_over(double height, bool apart) {
  Random random(1);
  std::vector<Pose> poses(num_poses);
  for (Pose& p : poses) {
    const Matrix3 about_z = Eigen::AngleAxisd(random.uniform(-3.0, 3.0), Vector3::UnitZ()).toRotationMatrix();
    p.rotation = apart ? random.rotation() : Matrix3(about_z * random.turn(1e-4));
    p.position = Vector3(random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02),
                         apart ? height + random.uniform(0.2, 0.4) : height + random.uniform(-3e-4, 3e-4));
  }
  return poses;
}

template <class Kernel>
void measure(benchmark::State& state, double height, bool apart, const Matrix3& lay, Kernel&& kernel) {
  std::vector<Pose> poses = poses_over(height, apart);
  for (Pose& p : poses) p.rotation *= lay;
  Manifold m;
  std::size_t i = 0;
  long points = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernel(poses[i], m));
    points += m.size;
    i = (i + 1) % num_poses;
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

template <class Kernel>
void add(const std::string& name, double height, Kernel kernel, const Matrix3& lay = Matrix3::Identity()) {
  for (const bool apart : {true, false})
    benchmark::RegisterBenchmark((name + (apart ? "/apart" : "/touching")).c_str(),
                                 [=](benchmark::State& state) { measure(state, height, apart, lay, kernel); });
}

void add_kernels() {
  static const Pose floor;
  static const Matrix3 lying = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitX()).toRotationMatrix();
  static const Pose under_sphere(Vector3(0, 0, -0.1)), under_box(Vector3(0, 0, -0.08)),
      under_capsule(lying, Vector3(0, 0, -0.05));
  add("sphere-plane", 0.1,
      [](const Pose& X, Manifold& m) { return collide_sphere_plane(sphere, X, floor, margin, m); });
  add(
      "capsule-plane", 0.05,
      [](const Pose& X, Manifold& m) { return collide_capsule_plane(capsule, X, floor, margin, m); }, lying);
  add("box-plane", 0.08, [](const Pose& X, Manifold& m) { return collide_box_plane(box, X, floor, margin, m); });
  add("cylinder-plane", 0.1,
      [](const Pose& X, Manifold& m) { return collide_cylinder_plane(cylinder, X, floor, margin, m); });
  add("ellipsoid-plane", 0.08,
      [](const Pose& X, Manifold& m) { return collide_ellipsoid_plane(ellipsoid, X, floor, margin, m); });
  add("sphere-sphere", 0.09,
      [](const Pose& X, Manifold& m) { return collide_spheres(sphere, X, sphere, under_sphere, margin, m); });
  add("sphere-capsule", 0.09,
      [](const Pose& X, Manifold& m) { return collide_sphere_capsule(sphere, X, capsule, under_capsule, margin, m); });
  add("sphere-box", 0.1,
      [](const Pose& X, Manifold& m) { return collide_sphere_box(sphere, X, box, under_box, margin, m); });
  add(
      "capsule-capsule", 0.045,
      [](const Pose& X, Manifold& m) { return collide_capsules(capsule, X, capsule, under_capsule, margin, m); },
      lying);
  add(
      "capsule-box", 0.05,
      [](const Pose& X, Manifold& m) { return collide_capsule_box(capsule, X, box, under_box, margin, m); }, lying);
  const auto boxes = [](const Box& a) {
    return [a, memory = std::make_shared<BoxPairMemory>()](const Pose& X, Manifold& m) {
      return collide_boxes(a, X, box, under_box, margin, *memory, m);
    };
  };
  add("box-box", 0.04, boxes(Box{{0.02, 0.015, 0.04}}));
  add("box-box of eight crossings", 0.08, boxes(box));
}

// A block of n bodies on a floor, layer over layer, that tremble by `jitter` metres and radians per step.
struct Pile {
  std::shared_ptr<const Model> model;
  std::vector<std::vector<Pose>> steps;
};

Pile make_pile(int n, const Geometry& geometry, const Vector3& pitch, double jitter) {
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  const int side = static_cast<int>(std::ceil(std::cbrt(n)));
  std::vector<Pose> rest;
  for (int i = 0; i < n; ++i) {
    const int b = builder.add_body({});
    builder.add_shape({.body = b, .geometry = geometry, .mass = 1.0});
    rest.emplace_back(Vector3(pitch[0] * (i % side), pitch[1] * (i / side % side), pitch[2] * (i / side / side + 0.5)));
  }
  Pile pile{builder.build(), {}};
  Random random(2);
  for (int step = 0; step < 16; ++step) {
    pile.steps.push_back(rest);
    for (Pose& p : pile.steps.back())
      p.position += random.vector(jitter), p.rotation = random.turn(jitter) * p.rotation;
  }
  return pile;
}

void add_pile(const std::string& name, int n, const Geometry& geometry, const Vector3& pitch, double jitter) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const Pile pile = make_pile(n, geometry, pitch, jitter);
    Collider collider(pile.model);
    CollisionCache cache;
    std::size_t i = 0, points = 0;
    for (auto _ : state) {
      points = collider.collide(pile.steps[i], {}, cache).size();
      i = (i + 1) % pile.steps.size();
    }
    state.counters["points"] = static_cast<double>(points);
  })->Unit(benchmark::kMicrosecond);
}

// A height field of 60 × 60 cells of 5 cm: flat, or hills; and the same as a mesh.
std::shared_ptr<const HeightField> make_field(bool is_flat) {
  constexpr int n = 61;
  std::vector<double> heights;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) heights.push_back(is_flat ? 0.0 : 0.05 * std::sin(0.7 * i) * std::cos(0.5 * j));
  return HeightField::make(n, n, 0.05, 0.05, heights);
}
std::shared_ptr<const TriangleMesh> as_mesh(const HeightField& field) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < field.num_y(); ++j)
    for (int i = 0; i < field.num_x(); ++i) vertices.push_back(field.sample(i, j));
  for (int t = 0; t < field.num_triangles(); ++t) {
    const auto c = field.corners(t);
    const auto number = [&](int k) { return c[k].j * field.num_x() + c[k].i; };
    triangles.push_back({number(0), number(1), number(2)});
  }
  return TriangleMesh::make(vertices, triangles);
}

// One body that lies on a terrain, here and there.
void add_terrain(const std::string& name, const Geometry& body, const Matrix3& lay, double height,
                 const HeightField& field, const Geometry& ground) {
  ModelBuilder builder;
  builder.add_shape({.geometry = ground});
  const int b = builder.add_body({});
  builder.add_shape({.body = b, .geometry = body, .mass = 1.0});
  const std::shared_ptr<const Model> model = builder.build();
  Random random(3);
  std::vector<Pose> poses;
  for (int i = 0; i < num_poses; ++i) {
    Pose X(random.turn(1e-3) * lay, random.vector(1.0));
    X.position.z() = field.height_at(X.position.x(), X.position.y()) + height + random.uniform(-1e-3, 5e-4);
    poses.push_back(X);
  }
  benchmark::RegisterBenchmark(("terrain/" + name).c_str(), [=](benchmark::State& state) {
    Collider collider(model);
    CollisionCache cache;
    std::size_t i = 0, points = 0;
    for (auto _ : state) {
      points += collider.collide({&poses[i], 1}, {}, cache).size();
      i = (i + 1) % poses.size();
    }
    state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
  });
}

void add_terrains() {
  static const Matrix3 lying = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitX()).toRotationMatrix();
  for (const bool is_flat : {true, false}) {
    const auto field = make_field(is_flat);
    const auto mesh = as_mesh(*field);
    for (const bool is_mesh : {false, true}) {
      const Geometry ground = is_mesh ? Geometry(mesh) : Geometry(field);
      const std::string on = std::string(is_flat ? " on flat " : " on hills, ") + (is_mesh ? "mesh" : "field");
      add_terrain("sphere" + on, sphere, Matrix3::Identity(), 0.1, *field, ground);
      add_terrain("capsule" + on, capsule, lying, 0.05, *field, ground);
      add_terrain("cylinder" + on, cylinder, Matrix3::Identity(), 0.1, *field, ground);
      add_terrain("ellipsoid" + on, ellipsoid, Matrix3::Identity(), 0.08, *field, ground);
      add_terrain("box" + on, box, Matrix3::Identity(), 0.08, *field, ground);
    }
  }
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  using namespace stiction;
  benchmark::Initialize(&argc, argv);
  add_kernels();
  add_terrains();
  const Box cube{{0.05, 0.05, 0.05}}, kapla{{0.1, 0.025, 0.008}};
  add_pile("pile/216 spheres", 216, Sphere{0.05}, Vector3(0.1, 0.1, 0.1), 1e-5);
  add_pile("pile/102 kapla blocks", 102, kapla, Vector3(0.21, 0.06, 0.016), 1e-5);
  for (const int n : {1000, 3000, 10000}) {
    add_pile("pile/" + std::to_string(n) + " boxes", n, cube, Vector3(0.11, 0.11, 0.1), 1e-5);
    add_pile("pile/" + std::to_string(n) + " boxes in motion", n, cube, Vector3(0.11, 0.11, 0.1), 1e-2);
    add_pile("pile/" + std::to_string(n) + " boxes apart", n, cube, Vector3(0.2, 0.2, 0.2), 1e-3);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
