// Events per second of a heap of bouncing balls: EventSimulator on balls in a box that bounce without loss, or with
// some.
//
//     bench_events [--balls 8,36,125] [--seconds 1] [--restitution 1,0.9] [--friction 0.3] [--repeat 3]
//
// A table: events, and of these crowds passed by a time step; events per second of CPU time, the best of so many runs;
// looks at pairs per event; the largest penetration; whether the run is certified.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/model/model_builder.h"
#include "stiction/sim/event_simulator.h"

namespace stiction {
namespace {

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) values.push_back(std::stod(part));
  return values;
}

// Balls of 5 cm and 0.5 kg on a lattice, a little out of line, between four walls.
std::shared_ptr<const Model> heap(int balls, double restitution, double friction) {
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(balls))));
  const double half = 0.09 * side + 0.08;
  ModelBuilder builder;
  const auto add_wall = [&](const std::string& name, const Pose& pose) {
    ShapeOptions wall;
    wall.name = name;
    wall.geometry = Plane{};
    wall.pose = pose;
    wall.material = {.friction = friction, .restitution = restitution};
    builder.add_shape(wall);
  };
  add_wall("ground", Pose());
  int walls = 0;
  for (const Vector3& normal : {Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0)}) {
    add_wall("wall" + std::to_string(walls++), Pose(rotation_with_z(normal), -half * normal));
  }
  for (int k = 0; k < balls; ++k) {
    const double x = 0.18 * (k % side - 0.5 * (side - 1)) + 0.0007 * (k * 7 % 11);
    const double y = 0.18 * (k / side % side - 0.5 * (side - 1)) + 0.0007 * (k * 5 % 13);
    const int body = builder.add_body(
        {.name = "ball" + std::to_string(k), .pose = Pose(Vector3(x, y, 0.3 + 0.2 * (k / side / side)))});
    ShapeOptions ball;
    ball.body = body;
    ball.name = "ball" + std::to_string(k);
    ball.geometry = Sphere{0.05};
    ball.mass = 0.5;
    ball.material = {.friction = friction, .restitution = restitution};
    builder.add_shape(ball);
  }
  return builder.build();
}

void measure(int balls, double restitution, double friction, double seconds, int repeat) {
  const auto model = heap(balls, restitution, friction);
  double best = 0.0;
  EventReport report;
  for (int k = 0; k < repeat; ++k) {
    EventSimulator simulator(model, {.step = 5e-3, .keep_events = false});
    const std::clock_t begin = std::clock();
    report = simulator.advance(seconds);
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::max(best, static_cast<double>(report.num_events) / cpu);
  }
  std::printf("| %d | %g | %g | %ld | %ld | %.0f | %.1f | %.1e | %s |\n", balls, restitution, seconds,
              report.num_events, report.num_time_steps, best,
              static_cast<double>(report.num_looks) / static_cast<double>(std::max(1L, report.num_events)),
              report.largest_penetration, report.certified() ? "yes" : "no");
}

void run(int argc, char** argv) {
  std::vector<double> counts{8, 36, 125}, restitutions{1.0, 0.9};
  double seconds = 1.0, friction = 0.3;
  int repeat = 3;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (k + 1 >= argc) throw std::invalid_argument(word + " needs a value, or is no option");
    const std::string value = argv[++k];
    if (word == "--balls") {
      counts = numbers(value);
    } else if (word == "--restitution") {
      restitutions = numbers(value);
    } else if (word == "--seconds") {
      seconds = std::stod(value);
    } else if (word == "--friction") {
      friction = std::stod(value);
    } else if (word == "--repeat") {
      repeat = std::stoi(value);
    } else {
      throw std::invalid_argument("no option " + word);
    }
  }
  std::puts("| balls | e | s | events | time steps | events/s | looks per event | penetration, m | certified |");
  std::puts("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const double count : counts) {
    for (const double e : restitutions) measure(static_cast<int>(count), e, friction, seconds, repeat);
  }
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  try {
    stiction::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_events: %s\n", error.what());
    return 2;
  }
  return 0;
}
