// Heaps of spheres, boxes, capsules or all three poured into a box: time by stage, shares of certified steps, depth,
// memory; how that grows with their number, and what friction, time step and mass ratio do to it.
//
//     bench_heaps [--shape sphere|box|capsule|mixed] [--counts 120,1001] [--frictions 0.5] [--dts 5e-3]
//                 [--mass-ratios 1] [--threads 1] [--compliances 0.01] [--seconds 5] [--steps N] [--tolerance 1e-6]
//                 [--tangents 0] [--margins 1e-3] [--start poured|packed] [--no-recheck] [--stages] [--csv FILE]
//                 [--max-iterations 300]
//
// --tangents is relative_tangent_compliance. One row per combination. Times are CPU time of all threads, ms per step
// ("wall" is not): of all steps, of the first half of them (falling) and of the last fifth (at rest). A compliance of 0
// is rigid contact. "packed" spheres begin as they lie at rest nearly, each on four others: a way to large heaps at
// rest that does not wait for the fall. --csv gets one line per step of the last combination.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double radius = 0.04, mass = 0.1;
constexpr int num_stages = static_cast<int>(StepStage::count);

struct Case {
  std::string shape;
  int count = 0;
  double friction = 0.5, dt = 5e-3, mass_ratio = 1.0, compliance = 1e-2, margin = 1e-3;
  int threads = 1;
};

struct Options {
  std::string shape = "sphere", csv;
  std::vector<double> counts{120, 1001}, frictions{0.5}, dts{5e-3}, mass_ratios{1.0}, threads{1}, compliances{1e-2};
  std::vector<double> margins{CollisionSettings{}.margin};
  double seconds = 5.0, tolerance = 1e-6, tangents = 0.0;
  int steps = 0, max_iterations = SimulatorSettings{}.max_iterations;
  bool stages = false, packed = false, recheck = true;
};

struct Result {
  std::vector<double> cpu, wall, eps, depth;  // by step: s, s, –, m
  std::array<double, num_stages> stages{};
  std::string lines;  // CSV
  double contacts = 0.0, sweeps = 0.0, rechecks = 0.0, slip = 0.0, last_slip = 0.0, kinetic = 0.0,
         potential_before = 0.0, potential = 0.0, compliance = 0.0, unforeseen = 0.0, penetrating = 0.0,
         friction_error = 0.0;  // of all steps the largest: m, m/s, N
  int factorisations = 0, not_accepted = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;  // MB
}

Geometry geometry_of(const std::string& shape, int k) {
  const int kind = shape == "mixed" ? k % 3 : shape == "sphere" ? 0 : shape == "box" ? 1 : 2;
  if (kind == 0) return Sphere{radius};
  if (kind == 1) return Box{Vector3::Constant(0.8 * radius)};
  return Capsule{0.7 * radius, 0.6 * radius};
}

// As bench/heaps.py has it: a lattice above a floor between four walls that are as far apart as the heap is deep.
// Packed spheres lie in layers that are shifted by half a pitch, each in the hollow of four of the layer below, a
// fiftieth of a radius apart.
std::shared_ptr<const Model> make_heap(const Case& c, bool packed) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -9.8));
  const auto add_plane = [&](const Vector3& normal, const Vector3& place) {
    builder.add_shape({.pose = Pose(Quaternion::FromTwoVectors(Vector3::UnitZ(), normal), place),
                       .geometry = Plane{},
                       .material = {.friction = c.friction}});
  };
  double half = c.count > 200 ? 0.04 * std::cbrt(c.count) : 0.2;
  const double close = 2.02 * radius;
  const int row = std::max(2, static_cast<int>(2.0 * half / close));
  if (packed) half = 0.5 * (row - 1) * close + 1.01 * radius;
  add_plane(Vector3::UnitZ(), Vector3::Zero());
  for (const Vector3& way : {Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0)}) {
    add_plane(-way, half * way);
  }
  const double pitch = c.shape == "sphere" ? 2.15 * radius : 2.6 * radius, room = 2.0 * half - 2.2 * radius;
  const int side = std::max(1, static_cast<int>(room / pitch) + 1);
  const double gap = room / std::max(1, side - 1);
  std::mt19937_64 random(1);
  const auto uniform = [&random](double from, double to) {
    return from + (to - from) * 0x1p-64 * static_cast<double>(random());
  };
  Vector3 at(0, 0, 0);  // of packed ones: columns and layer
  for (int k = 0; k < c.count; ++k) {
    Vector3 place(-half + 1.1 * radius + gap * (k % side) + uniform(-0.002, 0.002),
                  -half + 1.1 * radius + gap * (k / side % side) + uniform(-0.002, 0.002),
                  0.1 + 1.1 * pitch * (k / side / side));
    if (packed) {
      const int layer = static_cast<int>(at.z());
      const double shift = layer % 2 == 0 ? 0.0 : 0.5;
      place = close * Vector3(at.x() + shift, at.y() + shift, std::sqrt(0.5) * layer);
      place += Vector3(1.01 * radius - half, 1.01 * radius - half, 1.01 * radius);
      const int side_here = row - layer % 2;
      if (++at.x() == side_here) at.x() = 0, ++at.y();
      if (at.y() == side_here) at.y() = 0, ++at.z();
    }
    const Quaternion turn = Quaternion(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1)).normalized();
    const int body = builder.add_body({.pose = Pose(turn, place)});
    builder.add_shape({.body = body,
                       .geometry = geometry_of(c.shape, k),
                       .material = {.friction = c.friction},
                       .mass = mass * std::pow(c.mass_ratio, uniform(-0.5, 0.5))});
  }
  return builder.build();
}

Result run(const Case& c, const Options& options) {
  SimulatorSettings settings{
      .time_step = c.dt, .tolerance = options.tolerance, .acceptable_tolerance = options.tolerance};
  settings.constraints.relative_compliance = c.compliance;
  settings.constraints.relative_tangent_compliance = options.tangents;
  settings.threads = c.threads;
  settings.timed_every = 1;
  settings.collision.margin = c.margin;
  settings.recheck = options.recheck;
  settings.max_iterations = options.max_iterations;
  Simulator simulator(make_heap(c, options.packed), settings);
  const int steps = options.steps > 0 ? options.steps : static_cast<int>(std::lround(options.seconds / c.dt));
  Result result;
  for (int k = 0; k < steps; ++k) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    const StepReport& report = simulator.step();
    result.cpu.push_back(cpu_seconds() - cpu);
    result.wall.push_back(wall_seconds() - wall);
    result.eps.push_back(report.residuals.eps_nat);
    result.depth.push_back(report.largest_penetration);
    result.contacts += report.num_contacts, result.sweeps += report.iterations;
    result.factorisations += report.factorisations;
    result.rechecks += report.num_rechecks;
    result.slip = std::max(result.slip, result.last_slip = report.largest_relaxed_slip);
    result.not_accepted += !report.accepted;
    result.unforeseen = std::max(result.unforeseen, report.unforeseen_penetration);
    result.penetrating = std::max(result.penetrating, report.residuals.signorini_penetration);
    result.friction_error = std::max(result.friction_error, report.friction_error);
    if (!options.csv.empty()) {
      std::array<char, 256> line{};
      std::snprintf(line.data(), line.size(), "%d,%.4g,%d,%.3g,%.4g,%d,%d,%d,%.3g,%.3g,%.3g\n", k,
                    1e3 * result.cpu.back(), report.num_contacts, report.residuals.eps_nat, report.largest_penetration,
                    report.iterations, report.factorisations, report.num_rechecks, report.unforeseen_penetration,
                    report.residuals.signorini_penetration, report.friction_error);
      result.lines += line.data();
    }
    for (int s = 0; s < num_stages; ++s) result.stages[s] += report.seconds[s] / steps;
    if (k == 4 * steps / 5) result.potential_before = report.potential_energy;
  }
  result.kinetic = simulator.report().kinetic_energy;
  result.potential = simulator.report().potential_energy;
  result.compliance = simulator.report().largest_compliance;
  return result;
}

double mean(const std::vector<double>& x, std::size_t begin, std::size_t end) {
  double sum = 0.0;
  for (std::size_t k = begin; k < end; ++k) sum += x[k];
  return sum / static_cast<double>(std::max<std::size_t>(1, end - begin));
}

void print_row(const Case& c, const Result& r) {
  const std::size_t n = r.cpu.size();
  const auto share = [&](double limit) {
    return 100.0 *
           static_cast<double>(std::count_if(r.eps.begin(), r.eps.end(), [=](double e) { return e <= limit; })) /
           static_cast<double>(n);
  };
  const auto largest = [](const auto& begin, const auto& end) { return *std::max_element(begin, end); };
  std::printf(
      "| %s | %d | %g | %g | %g | %g | %g | %d | %zu | %.0f | %.3g | %.3g | %.3g | %.3g | %.3g | %.0f | %.1f | %.1f | "
      "%.0e "
      "| %d | "
      "%.2g | %.2g | %.1e | %.1e | %.1e | %.1e | %.0f |\n",
      c.shape.c_str(), c.count, c.friction, 1e3 * c.dt, c.mass_ratio, c.compliance, 1e3 * c.margin, c.threads, n,
      r.contacts / static_cast<double>(n), 1e3 * mean(r.cpu, 0, n), 1e3 * mean(r.cpu, 0, n / 2),
      1e3 * mean(r.cpu, 4 * n / 5, n), 1e3 * largest(r.cpu.begin(), r.cpu.end()), 1e3 * mean(r.wall, 0, n),
      r.sweeps / static_cast<double>(n), share(1e-6), share(1e-9), largest(r.eps.begin(), r.eps.end()), r.not_accepted,
      1e3 * largest(r.depth.begin(), r.depth.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1)), 1e3 * r.depth.back(),
      r.penetrating, r.friction_error, r.kinetic, r.potential - r.potential_before, peak_memory());
  std::fflush(stdout);
}

void print_stages(const Result& r) {
  for (int s = 0; s < num_stages; ++s) {
    if (r.stages[s] < 1e-6) continue;
    const std::string name(to_string(static_cast<StepStage>(s)));
    std::printf("  %-14s %9.3f ms wall\n", name.c_str(), 1e3 * r.stages[s]);
  }
  if (r.slip > 0.0) std::printf("  relaxed slip up to %.1e m/s, at the end %.1e\n", r.slip, r.last_slip);
  std::printf("  factorisations %d in all, steps solved again %.2f times, overlap that no row foresaw up to %.2g mm\n",
              r.factorisations, r.rechecks / static_cast<double>(r.cpu.size()), 1e3 * r.unforeseen);
}

void write_lines(const std::string& path, const Result& r) {
  std::ofstream out(path);
  out << "step,ms,contacts,eps_nat,depth,iterations,factorisations,rechecks,unforeseen,signorini_penetration,"
         "friction_error\n"
      << r.lines;
  if (!out) throw std::runtime_error("cannot write " + path);
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    list.push_back(std::stod(text.substr(at, end - at)));
    at = end + 1;
  }
  return list;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--stages" || word == "--no-recheck") {
      (word == "--stages" ? options.stages : options.recheck) = word == "--stages";
      continue;
    }
    if (k + 1 >= argc)
      throw std::invalid_argument(word + " needs a value, or is unknown; see the top of bench/heaps.cpp");
    const std::string value = argv[++k];
    if (word == "--shape") {
      options.shape = value;
    } else if (word == "--counts") {
      options.counts = numbers(value);
    } else if (word == "--frictions") {
      options.frictions = numbers(value);
    } else if (word == "--dts") {
      options.dts = numbers(value);
    } else if (word == "--mass-ratios") {
      options.mass_ratios = numbers(value);
    } else if (word == "--threads") {
      options.threads = numbers(value);
    } else if (word == "--compliances") {
      options.compliances = numbers(value);
    } else if (word == "--seconds") {
      options.seconds = std::stod(value);
    } else if (word == "--steps") {
      options.steps = std::stoi(value);
    } else if (word == "--tolerance") {
      options.tolerance = std::stod(value);
    } else if (word == "--tangents") {
      options.tangents = std::stod(value);
    } else if (word == "--margins") {
      options.margins = numbers(value);
    } else if (word == "--max-iterations") {
      options.max_iterations = std::stoi(value);
    } else if (word == "--csv") {
      options.csv = value;
    } else if (word == "--start" && (value == "packed" || value == "poured")) {
      options.packed = value == "packed";
    } else {
      throw std::invalid_argument("unknown argument " + word);
    }
  }
  if (options.shape != "sphere" && options.shape != "box" && options.shape != "capsule" && options.shape != "mixed") {
    throw std::invalid_argument("--shape " + options.shape + ": sphere, box, capsule or mixed");
  }
  return options;
}

void main_(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::printf(
      "| shape | bodies | μ | Δt, ms | mass ratio | ρ | margin, mm | threads | steps | contacts | ms | falling | at "
      "rest | longest "
      "| wall | "
      "iterations | to 1e-6, %% | to 1e-9, %% | worst | not accepted | depth falling, mm | at the end | "
      "−σ_N, m/s | friction off, N | kinetic, J | "
      "potential, change in the last fifth, J | memory, MB |\n| --- |%s\n",
      [] {
        std::string columns;
        for (int k = 0; k < 26; ++k) columns += " ---: |";
        return columns;
      }()
          .c_str());
  for (const double count : options.counts) {
    for (const double friction : options.frictions) {
      for (const double dt : options.dts) {
        for (const double ratio : options.mass_ratios) {
          for (const double compliance : options.compliances) {
            for (const double margin : options.margins) {
              for (const double threads : options.threads) {
                const Case c{options.shape, static_cast<int>(count),  friction, dt, ratio, compliance,
                             margin,        static_cast<int>(threads)};
                const Result result = run(c, options);
                print_row(c, result);
                if (options.stages) print_stages(result);
                if (!options.csv.empty()) write_lines(options.csv, result);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  try {
    stiction::main_(argc, argv);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_heaps: %s\n", e.what());
    return 2;
  }
}
