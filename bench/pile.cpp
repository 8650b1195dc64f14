// Boxes dropped into a container: time per step, contacts and certificates, against the number of boxes.
//
//     bench_pile [COUNT]... [--steps N] [--tolerance E]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double half = 0.05, spacing = 0.2, friction = 0.5, time_step = 5e-3;

// Four walls and a floor that grow with the cube root of the count; boxes of 1 kg at random turns on a lattice.
std::shared_ptr<const Model> make_pile(int count) {
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
  const Geometry box = Box{{half, half, half}};
  for (int k = 0; k < count; ++k) {
    const Vector3 place(-width + spacing + step * (k % side), -width + spacing + step * (k / side % side),
                        0.15 + spacing * (k / side / side));
    const Quaternion turn = Quaternion(unit(random), unit(random), unit(random), unit(random)).normalized();
    ShapeOptions shape;
    shape.body = builder.add_body(
        {.name = "box" + std::to_string(k), .pose = Pose(turn, place), .inertia = Inertia::of(box, 1.0)});
    shape.geometry = box;
    shape.material.friction = friction;
    builder.add_shape(shape);
  }
  return builder.build();
}

void run(int count, int steps, double tolerance) {
  Simulator simulator(make_pile(count), {.time_step = time_step, .tolerance = tolerance});
  double contacts = 0.0, deepest = 0.0;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulator.step();
    contacts += report.num_contacts;
    deepest = std::max(deepest, report.largest_penetration);
  }
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%7d %10.3f %10.1f %12ld %12.1e %14.2e\n", count, passed.count() / steps, contacts / steps,
              steps - simulator.num_failed_steps(), simulator.worst_residual(), deepest);
  std::fflush(stdout);
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) try {
  std::vector<int> counts;
  int steps = 400;
  double tolerance = 1e-9;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--help" || word == "-h") {
      std::puts(
          "usage: bench_pile [COUNT]... [--steps N] [--tolerance E]\n\nBoxes dropped into a container; default 10 30 "
          "100.");
      return 0;
    }
    const bool option = word == "--steps" || word == "--tolerance";
    if (option && k + 1 == argc) throw std::invalid_argument(word + " needs a value");
    if (word == "--steps") {
      steps = std::stoi(argv[++k]);
    } else if (word == "--tolerance") {
      tolerance = std::stod(argv[++k]);
    } else {
      if (word.find_first_not_of("0123456789") != std::string::npos) throw std::invalid_argument("no count: " + word);
      counts.push_back(std::stoi(word));
    }
  }
  if (counts.empty()) counts = {10, 30, 100};
  std::printf("%d steps of %g s, tolerance %g\n  boxes    ms/step   contacts    certified   worst eps   deepest, m\n",
              steps, stiction::time_step, tolerance);
  for (const int count : counts) stiction::run(count, steps, tolerance);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bench_pile: " << error.what() << "; see --help\n";
  return 2;
}
