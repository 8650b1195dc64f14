// Micro-benchmarks of the parts that every solve is made of: projections, the one-contact solution, the judge, the two
// sparse LUs, and whole solves of stored problems by every registered solver. CPU time; run with --help for filters.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/math/set_coulomb_cone.h"
#include "stiction/math/set_pyramid.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/sequence.h"
#include "stiction/solvers/linear_algebra/block_lu.h"
#include "stiction/solvers/linear_algebra/node_lu.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/one_contact.h"

namespace stiction {
namespace {

constexpr int num_samples = 4096;

std::vector<Vector3> random_vectors(double scale = 1.0) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal(0.0, scale);
  std::vector<Vector3> vectors(num_samples);
  for (Vector3& v : vectors) v = {normal(generator), normal(generator), normal(generator)};
  return vectors;
}

const ContactProblem& stored_problem(const std::string& name) {
  static std::map<std::string, ContactProblem> cache;
  auto found = cache.find(name);
  if (found == cache.end()) {
    const std::string path = std::string(STICTION_SCENES) + "/fclib/" + name + ".hdf5";
    found = cache.emplace(name, read_fclib(path).problem).first;
  }
  return found->second;
}

// The last step of a stored sequence, factored.
const ContactProblem& stored_step(const std::string& name) {
  static std::map<std::string, ContactProblem> cache;
  auto found = cache.find(name);
  if (found == cache.end()) {
    Sequence sequence = read_sequence(std::string(STICTION_SCENES) + "/robot-problems/" + name + ".hdf5");
    found = cache.emplace(name, std::move(sequence.steps.back().problem)).first;
  }
  return found->second;
}

template <class Set>
void project(benchmark::State& state) {
  const auto points = random_vectors();
  const Set set{0.5};
  for (auto _ : state) {
    for (const Vector3& x : points) benchmark::DoNotOptimize(set.project(x));
  }
  state.SetItemsProcessed(state.iterations() * num_samples);
}
BENCHMARK(project<SetCoulombCone>);
BENCHMARK(project<SetPyramid>);

void one_contact(benchmark::State& state) {
  const auto columns = random_vectors(), velocities = random_vectors(3.0);
  std::vector<OneContactBlock> blocks(num_samples);
  for (int i = 0; i < num_samples; ++i) {
    const Matrix3 w = Matrix3::Identity() + columns[i] * columns[i].transpose();
    blocks[i] = OneContactBlock(w);
  }
  for (auto _ : state) {
    for (int i = 0; i < num_samples; ++i) {
      Vector3 impulse;
      double alpha = 0.0;
      solve_one_contact(blocks[i], velocities[i].data(), 0.5, impulse.data(), alpha);
      benchmark::DoNotOptimize(impulse);
    }
  }
  state.SetItemsProcessed(state.iterations() * num_samples);
}
BENCHMARK(one_contact);

void judging(benchmark::State& state, const std::string& name) {
  const ContactProblem& problem = stored_problem(name);
  const VectorX impulse = VectorX::Ones(problem.num_rows());
  for (auto _ : state) benchmark::DoNotOptimize(judge(problem, impulse));
  state.SetItemsProcessed(state.iterations() * problem.num_constraints());
}
BENCHMARK_CAPTURE(judging, capsules, "Capsules-i101-404");
BENCHMARK_CAPTURE(judging, kaplas, "KaplasTower-i1061-4");

void block_lu_factor(benchmark::State& state, const std::string& name) {
  const ContactProblem& problem = stored_problem(name);
  const std::vector<Matrix3> diagonal(problem.num_constraints(), problem.largest_diagonal() * Matrix3::Identity());
  BlockLu lu;
  lu.analyse(problem.sparse());
  for (auto _ : state) benchmark::DoNotOptimize(lu.factor(problem.sparse(), diagonal));
}
BENCHMARK_CAPTURE(block_lu_factor, capsules, "Capsules-i101-404");
BENCHMARK_CAPTURE(block_lu_factor, rockpile, "RockPile_tob1");
BENCHMARK_CAPTURE(block_lu_factor, kaplas, "KaplasTower-i1061-4");

void block_lu_solve(benchmark::State& state, const std::string& name) {
  const ContactProblem& problem = stored_problem(name);
  const std::vector<Matrix3> diagonal(problem.num_constraints(), problem.largest_diagonal() * Matrix3::Identity());
  BlockLu lu;
  lu.analyse(problem.sparse());
  if (!lu.factor(problem.sparse(), diagonal)) state.SkipWithError("singular");
  const VectorX b = VectorX::Ones(3 * problem.num_constraints());
  VectorX x(b.size());
  for (auto _ : state) {
    lu.solve(b.data(), x.data());
    benchmark::DoNotOptimize(x.data());
  }
}
BENCHMARK_CAPTURE(block_lu_solve, capsules, "Capsules-i101-404");
BENCHMARK_CAPTURE(block_lu_solve, kaplas, "KaplasTower-i1061-4");

void node_lu_factor(benchmark::State& state, const std::string& name) {
  const ContactProblem& problem = stored_step(name);
  const std::vector<Matrix3> weight(problem.num_constraints(), Matrix3::Identity());
  NodeLu lu;
  lu.analyse(problem.factored());
  for (auto _ : state) benchmark::DoNotOptimize(lu.factor(problem.factored(), weight));
}
BENCHMARK_CAPTURE(node_lu_factor, kapla, "kapla");
BENCHMARK_CAPTURE(node_lu_factor, talos, "talos-fall");

// Cold solves at ε_rel ≤ 1e-8, workspace kept: what a second call costs.
void solve_stored(benchmark::State& state, const std::string& solver_name, const std::string& name) {
  const ContactProblem& problem = stored_problem(name);
  const auto solver = make_solver(solver_name);
  solver->settings().tolerance = 1e-8;
  solver->settings().use_relative = true;
  ContactSolution solution;
  SolveReport report;
  for (auto _ : state) {
    solution.impulse.setZero(problem.num_rows());
    report = solver->solve(problem, solution);
  }
  state.counters["eps_rel"] = judge(problem, solution.impulse, {solver->traits().model}).eps_rel;
  state.counters["iterations"] = report.iterations;
  state.SetLabel(std::string(to_string(report.status)));
}

void register_solves() {
  for (const std::string_view solver : solver_names()) {
    for (const std::string name : {"Rover1039", "OneObject-i1028-138", "Capsules-i101-404"}) {
      benchmark::RegisterBenchmark(("solve/" + std::string(solver) + "/" + name).c_str(), solve_stored,
                                   std::string(solver), name)
          ->Unit(benchmark::kMicrosecond)
          ->MinTime(0.05);
    }
  }
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  stiction::register_solves();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
