// Bodies dropped into a container: time per step, contacts and certificates, against their number.
//
//     bench_pile [COUNT]... [--shape box|sphere] [--steps N] [--tolerance E] [--csv]
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double half = 0.05, spacing = 0.2, friction = 0.5, time_step = 5e-3;

struct Options {
  std::vector<int> counts;
  Geometry geometry = Box{{half, half, half}};
  int steps = 400;
  double tolerance = 1e-9;
  bool csv = false;
};

// Four walls and a floor that grow with the cube root of the count; bodies of 1 kg at random turns on a lattice.
std::shared_ptr<const Model> make_pile(int count, const Geometry& geometry) {
  ModelBuilder builder;
  const auto add_plane = [&](const Pose& pose) {
    ShapeOptions plane;
    plane.geometry = Plane{};
    plane.pose = pose;
    plane.material.friction = friction;
    builder.add_shape(plane);
  };
  const double width = std::max(0.5, 0.12 * std::cbrt(count));
  add_plane(Pose());
  for (int k = 0; k < 4; ++k) {
    const Vector3 outwards(std::cos(k * M_PI / 2.0), std::sin(k * M_PI / 2.0), 0.0);
    add_plane(Pose(rotation_with_z(-outwards), outwards * width));
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int side = std::max(2, static_cast<int>(2.0 * width / spacing) - 1);
  const double step = (2.0 * width - 2.0 * spacing) / (side - 1);
  for (int k = 0; k < count; ++k) {
    const Vector3 place(-width + spacing + step * (k % side), -width + spacing + step * (k / side % side),
                        0.15 + spacing * (k / side / side));
    const Quaternion turn = Quaternion(unit(random), unit(random), unit(random), unit(random)).normalized();
    ShapeOptions shape;
    shape.body = builder.add_body(
        {.name = "body" + std::to_string(k), .pose = Pose(turn, place), .inertia = Inertia::of(geometry, 1.0)});
    shape.geometry = geometry;
    shape.material.friction = friction;
    builder.add_shape(shape);
  }
  return builder.build();
}

void run(int count, const Options& options) {
  Simulator simulator(make_pile(count, options.geometry), {.time_step = time_step, .tolerance = options.tolerance});
  double contacts = 0.0, deepest = 0.0;
  const std::clock_t begin = std::clock();
  for (int k = 0; k < options.steps; ++k) {
    const StepReport& report = simulator.step();
    contacts += report.num_contacts;
    deepest = std::max(deepest, report.largest_penetration);
  }
  const double milliseconds = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / options.steps;
  const char* format =
      options.csv ? "%d,%.4f,%.1f,%ld,%.1e,%.2e,%.2e\n" : "%7d %10.3f %10.1f %12ld %12.1e %14.2e %14.2e\n";
  std::printf(format, count, milliseconds, contacts / options.steps, options.steps - simulator.num_failed_steps(),
              simulator.worst_residual(), deepest, simulator.report().largest_penetration);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&]() -> std::string {
      if (k + 1 == argc) throw std::invalid_argument(word + " needs a value");
      return argv[++k];
    };
    if (word == "--steps") {
      options.steps = std::stoi(value());
    } else if (word == "--tolerance") {
      options.tolerance = std::stod(value());
    } else if (word == "--csv") {
      options.csv = true;
    } else if (word == "--shape") {
      const std::string shape = value();
      if (shape != "box" && shape != "sphere") throw std::invalid_argument("no shape: " + shape);
      if (shape == "sphere") options.geometry = Sphere{half};
    } else if (word.find_first_not_of("0123456789") == std::string::npos) {
      options.counts.push_back(std::stoi(word));
    } else {
      throw std::invalid_argument("no count: " + word);
    }
  }
  if (options.counts.empty()) options.counts = {10, 30, 100};
  return options;
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) try {
  for (int k = 1; k < argc; ++k) {
    if (std::string(argv[k]) != "--help" && std::string(argv[k]) != "-h") continue;
    std::puts(
        "usage: bench_pile [COUNT]... [--shape box|sphere] [--steps N] [--tolerance E] [--csv]\n\n"
        "Bodies dropped into a container; default 10 30 100 boxes, 400 steps.");
    return 0;
  }
  const stiction::Options options = stiction::parse(argc, argv);
  if (options.csv) {
    std::puts("bodies,ms_per_step,contacts,certified,worst_residual,deepest,deepest_at_the_end");
  } else {
    std::printf("%d steps of %g s, tolerance %g, CPU time\n", options.steps, stiction::time_step, options.tolerance);
    std::puts(" bodies    ms/step   contacts    certified   worst eps     deepest, m     at the end");
  }
  for (const int count : options.counts) stiction::run(count, options);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bench_pile: " << error.what() << "; see --help\n";
  return 2;
}
