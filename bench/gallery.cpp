// Ours in bench/gallery.py, without Python: steps a scene, and tells how far its bodies drift.
//   bench_gallery SCENE KEYFRAME DT SECONDS SETTLED FALLEN SEEN_FROM     KEYFRAME and SEEN_FROM: a name, or - for none
// Prints: simulated seconds, steps, CPU seconds of the steps, drift (m), 1 if something fell, certified steps, the
// judge's worst residual.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double arm = 0.05;  // m, as in gallery.py

// Four points of every body: its origin and one on each of its axes; as seen from a frame, if there is one.
std::vector<Vector3> points(Simulator& simulator, int eye) {
  std::vector<Vector3> shown;
  for (std::size_t f = 0; f < simulator.model().frames.size(); ++f) {
    const Pose pose = simulator.frame_pose(static_cast<int>(f));
    shown.push_back(pose.position);
    for (int axis = 0; axis < 3; ++axis) shown.push_back(pose.position + arm * pose.rotation.col(axis));
  }
  if (eye < 0) return shown;
  const Pose from = simulator.frame_pose(eye);
  for (Vector3& point : shown) point = from.rotation.transpose() * (point - from.position);
  return shown;
}

// Every stride-th point; 4 looks at origins alone. What is not finite is infinitely far.
double farthest(const std::vector<Vector3>& a, const std::vector<Vector3>& b, std::size_t stride) {
  double distance = 0.0;
  for (std::size_t k = 0; k < a.size(); k += stride) {
    const double moved = (a[k] - b[k]).norm();
    if (!std::isfinite(moved)) return std::numeric_limits<double>::infinity();
    distance = std::max(distance, moved);
  }
  return distance;
}

int run(char** arguments) {
  const auto named = [&](int k) { return std::string(arguments[k]) != "-"; };
  const double time_step = std::stod(arguments[3]), seconds = std::stod(arguments[4]);
  const double settles = std::min(std::stod(arguments[5]), seconds / 2), fallen = std::stod(arguments[6]);
  SimulatorSettings settings;
  settings.time_step = time_step;
  settings.sleeping = false;
  settings.max_iterations = 1000;  // a flat arch at 5 ms takes some 400 in one step of four thousand
  Simulator simulator(load_mjcf(arguments[1]).model, settings);
  if (named(2)) simulator.reset(simulator.model().find_keyframe(arguments[2]));
  const int eye = named(7) ? simulator.model().find_frame(arguments[7]) : -1;
  const long chunk = std::max(1L, std::lround(0.05 / time_step));

  const std::vector<Vector3> start = points(simulator, eye);
  std::vector<Vector3> settled;
  long steps = 0;
  double cpu = 0.0, drift = 0.0;
  bool fell = false;
  while (!fell && static_cast<double>(steps) * time_step < seconds - time_step / 2) {
    const std::clock_t begin = std::clock();
    simulator.step(chunk);
    cpu += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    steps += chunk;
    const std::vector<Vector3> now = points(simulator, eye);
    fell = farthest(now, start, 4) > fallen;
    if (settled.empty() && static_cast<double>(steps) * time_step >= settles - time_step / 2) settled = now;
    if (!settled.empty()) drift = std::max(drift, farthest(now, settled, 1));
  }
  std::printf("%.17g %ld %.17g %.17g %d %ld %.17g\n", static_cast<double>(steps) * time_step, steps, cpu, drift,
              fell ? 1 : 0, steps - static_cast<long>(simulator.num_uncertified_steps()), simulator.worst_residual());
  return 0;
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: bench_gallery SCENE KEYFRAME DT SECONDS SETTLED FALLEN SEEN_FROM; see bench/gallery.py\n");
    return 2;
  }
  try {
    return stiction::run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gallery: %s\n", error.what());
    return 2;
  }
}
