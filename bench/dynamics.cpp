// Dynamics of robots and of many free bodies: stage by stage, and the sum that a step needs (Google Benchmark).
// `tree_dynamics.py` compares the sums with MuJoCo.
#include "stiction/dynamics/dynamics.h"

#include <benchmark/benchmark.h>

#include <map>
#include <random>

#include "../tests/support/tree_file.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/factor_chain.h"

namespace stiction {
namespace {

struct Robot {
  std::shared_ptr<const Model> model;
  VectorX q, v;
};

const Robot& robot(const std::string& name) {
  static std::map<std::string, Robot> cache;
  auto found = cache.find(name);
  if (found == cache.end()) {
    const testing::TreeFile file = testing::read_tree_file(STICTION_TEST_DATA "/dynamics/" + name + "-pinocchio.txt");
    found = cache.emplace(name, Robot{file.model, file.samples[0].q, file.samples[0].v}).first;
  }
  return found->second;
}

std::shared_ptr<const Model> free_bodies(int count) {
  ModelBuilder builder;
  for (int i = 0; i < count; ++i) {
    BodyOptions body{.pose = Pose(Vector3(i, 0.0, 1.0))};
    body.inertia = Inertia::of(Box{{0.1, 0.2, 0.3}}, 1.0);
    builder.add_body(body);
  }
  return builder.build();
}

void kinematics(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  for (auto _ : state) update_kinematics(*r.model, r.q.data(), r.v.data(), data);
}

void inertia(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  update_kinematics(*r.model, r.q.data(), r.v.data(), data);
  for (auto _ : state) update_inertia(*r.model, data);
}

void factor(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  update_kinematics(*r.model, r.q.data(), r.v.data(), data);
  update_inertia(*r.model, data);
  for (auto _ : state) factor_inertia(*r.model, nullptr, data);
}

void solve(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  update_kinematics(*r.model, r.q.data(), r.v.data(), data);
  update_inertia(*r.model, data);
  factor_inertia(*r.model, nullptr, data);
  VectorX x(r.model->num_velocities());
  for (auto _ : state) {
    x = r.v;
    solve_inertia(*r.model, data, x.data());
    benchmark::DoNotOptimize(x.data());
  }
}

// Kinematics, bias, M, factor and one solve.
void tree(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  VectorX a(r.model->num_velocities());
  const VectorX tau = VectorX::Zero(a.size());
  for (auto _ : state) {
    update_kinematics(*r.model, r.q.data(), r.v.data(), data);
    update_inertia(*r.model, data);
    factor_inertia(*r.model, nullptr, data);
    forward_dynamics(*r.model, data, tau.data(), a.data());
    benchmark::DoNotOptimize(a.data());
  }
}

// Points on the feet, several to a body, and G = A Aᵀ of their rows.
struct FootPoints {
  std::vector<int> bodies;
  int per_body;
  MatrixX g;
  AlignedVector<Pack8> chain;
  AlignedVector<Pack4> rows;  // per point: by depth, the three rows in lanes
  std::vector<int> length;

  FootPoints(const Model& model, const std::vector<std::string>& joints, int points) : per_body(points) {
    for (const std::string& name : joints) bodies.push_back(model.joints[model.find_joint(name)].first_body);
    const int n = static_cast<int>(bodies.size()) * per_body;
    g = MatrixX::Zero(3 * n, 3 * n);
    chain.resize(model.num_velocities());
    rows.resize(n * model.num_velocities());
    length.resize(n);
  }

  void update(const Model& model, const DynamicsData& data) {
    const int stride = model.num_velocities(), n = static_cast<int>(length.size());
    for (int p = 0; p < n; ++p) {
      const int body = bodies[p / per_body];
      if (p % per_body == 0) length[p] = chain_through_factor(model, data, body, chain.data());
      length[p] = length[p - p % per_body];
      const BodyState<double>& state = data.bodies[body];
      const Vec3<double> local(p & 1 ? 0.1 : -0.1, p & 2 ? 0.05 : -0.05, -0.1),
          r = state.position + state.rotation * local;
      Pack4* row = &rows[p * stride];
      for (int e = 0; e < length[p]; ++e) {
        const double* y = reinterpret_cast<const double*>(&chain[e]);
        row[e] = load4(y + 4) + cross(Vec3<double>(load4(y)), r).lanes();
      }
    }
    for (int p = 0; p < n; ++p) {
      for (int o = 0; o <= p; ++o) multiply(p, o, stride);
    }
  }

  void multiply(int p, int o, int stride) {
    // Both feet hang on the same root, six velocities; points of one foot share the whole chain.
    const int common = bodies[p / per_body] == bodies[o / per_body] ? length[p] : 6;
    const Pack4 *a = &rows[p * stride], *b = &rows[o * stride];
    Pack4 c0{}, c1{}, c2{};
    for (int e = 0; e < common; ++e) {
      c0 += a[e][0] * b[e];
      c1 += a[e][1] * b[e];
      c2 += a[e][2] * b[e];
    }
    for (int k = 0; k < 3; ++k) {
      g(3 * o + k, 3 * p) = g(3 * p, 3 * o + k) = c0[k];
      g(3 * o + k, 3 * p + 1) = g(3 * p + 1, 3 * o + k) = c1[k];
      g(3 * o + k, 3 * p + 2) = g(3 * p + 2, 3 * o + k) = c2[k];
    }
  }
};

void tree_and_points(benchmark::State& state, const std::string& name, const std::vector<std::string>& joints,
                     int per_body) {
  const Robot& r = robot(name);
  DynamicsData data(*r.model);
  FootPoints points(*r.model, joints, per_body);
  VectorX a(r.model->num_velocities());
  const VectorX tau = VectorX::Zero(a.size());
  for (auto _ : state) {
    update_kinematics(*r.model, r.q.data(), r.v.data(), data);
    update_inertia(*r.model, data);
    factor_inertia(*r.model, nullptr, data);
    forward_dynamics(*r.model, data, tau.data(), a.data());
    points.update(*r.model, data);
    benchmark::DoNotOptimize(points.g.data());
  }
}

void many_free_bodies(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  const auto model = free_bodies(count);
  DynamicsData data(*model);
  const VectorX v = VectorX::Constant(model->num_velocities(), 0.3);
  for (auto _ : state) {
    update_kinematics(*model, model->initial_position.data(), v.data(), data);
    update_inertia(*model, data);
    factor_inertia(*model, nullptr, data);
  }
  state.counters["ns_per_body"] =
      benchmark::Counter(1e-9 * count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(many_free_bodies)->Arg(100)->Arg(2000);

// Eight environments in one pack; the time is that of all eight.
void tree_in_packs(benchmark::State& state, const std::string& name) {
  const Robot& r = robot(name);
  DynamicsDataT<Pack8> data(*r.model);
  AlignedVector<Pack8> q, v;
  for (double x : r.q) q.push_back(broadcast8(x));
  for (double x : r.v) v.push_back(broadcast8(x));
  for (auto _ : state) {
    AlignedVector<Pack8>& x = v;
    update_kinematics(*r.model, q.data(), v.data(), data);
    update_inertia(*r.model, data);
    factor_inertia(*r.model, nullptr, data);
    benchmark::DoNotOptimize(x.data());
  }
}

[[maybe_unused]] const int registered = [] {
  for (const std::string name : {"ur5", "solo12", "talos"}) {
    benchmark::RegisterBenchmark(("kinematics/" + name).c_str(), kinematics, name);
    benchmark::RegisterBenchmark(("inertia/" + name).c_str(), inertia, name);
    benchmark::RegisterBenchmark(("factor/" + name).c_str(), factor, name);
    benchmark::RegisterBenchmark(("solve/" + name).c_str(), solve, name);
    benchmark::RegisterBenchmark(("tree/" + name).c_str(), tree, name);
    benchmark::RegisterBenchmark(("tree_in_packs/" + name).c_str(), tree_in_packs, name);
  }
  const std::vector<std::string> solo{"FL_KFE", "FR_KFE", "HL_KFE", "HR_KFE"},
      talos{"leg_left_6_joint", "leg_right_6_joint"};
  benchmark::RegisterBenchmark("tree_and_points/solo12", tree_and_points, "solo12", solo, 1);
  benchmark::RegisterBenchmark("tree_and_points/talos", tree_and_points, "talos", talos, 4);
  return 0;
}();

}  // namespace
}  // namespace stiction

BENCHMARK_MAIN();
