// Everything whose layout could depend on the processor that a program is compiled for, carried over the border between
// a program and the library and back: Eigen's matrices and quaternions, packs, vectors with memory of their own.
// Compiled without -march and with the sanitizers, against a library that is compiled for this machine.
#include <cstdint>
#include <cstdio>
#include <utility>

#include "stiction/contact/judge.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/io/load.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

int failures = 0;
void expect(bool holds, const char* what) {
  if (!holds) ++failures, std::printf("wrong: %s\n", what);
}

// Two unit masses that touch the ground, as a factor that is filled here.
ContactProblem factored_problem() {
  DelassusFactored factored;
  factored.node_size = {3, 3};
  factored.segment_begin = {0, 1, 2};
  factored.segment_node = {0, 1};
  factored.segment.resize(2);
  for (DelassusFactored::Segment& segment : factored.segment) {
    expect(reinterpret_cast<std::uintptr_t>(&segment) % 64 == 0, "alignment of a segment");
    for (int k = 0; k < 3; ++k) {
      double row[8] = {};
      row[k] = 1.0;
      segment.row[k] = load8(row);
    }
  }
  const VectorX velocity = (Eigen::VectorXd(6) << 0.0, 0.0, -1.0, 3.0, 0.0, -1.0).finished();
  return ContactProblem::from_factored({Constraint::make_frictional(0.5), Constraint::make_frictional(0.5)},
                                       std::move(factored), velocity);
}

void cross_with_problems() {
  ContactProblem problem = factored_problem();
  for (int round = 0; round < 3; ++round) {
    MatrixX matrix = problem.to_dense();  // taken there, freed here
    expect(matrix.isApprox(MatrixX::Identity(6, 6)), "matrix of a problem");
    matrix.conservativeResize(7, 7);
    matrix.conservativeResize(6, 6);
    problem = ContactProblem::from_sparse({problem.constraints().begin(), problem.constraints().end()},
                                          problem.to_sparse(), problem.free_velocity());
    ContactProblem copy = problem;
    for (const std::string_view name : solver_names()) {
      ContactSolution solution;
      make_solver(name)->solve(copy, solution);
      expect(solution.impulse.allFinite(), "impulse of a solver");
    }
  }
}

void cross_with_models(const char* file) {
  const Quaternion quarter(Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitY()));
  ModelBuilder builder;
  builder.add_shape({.geometry = Plane{}});
  const int body = builder.add_body({.name = "box", .pose = Pose(quarter, Vector3(0, 0, 0.5))});
  builder.add_shape({.body = body,
                     .pose = Pose(quarter.conjugate(), Vector3::Zero()),
                     .geometry = Box{Vector3(0.1, 0.2, 0.3)},
                     .density = 500.0});
  Simulator box(builder.build(), {.time_step = 2e-3});
  const State start = box.state();
  box.step(500);
  const State end = State::from_bytes(box.state().to_bytes());
  expect(end.q == box.state().q, "a state in bytes");
  box.set_state(start);
  box.step(500);
  expect(end.q == box.state().q && end.v == box.state().v, "the same bits again");

  Simulator robot(load_model(file).model);
  robot.step(200);
  const MatrixX inertia = inertia_matrix(robot.model(), robot.dynamics());
  expect(inertia.isApprox(inertia.transpose()), "inertia matrix");
  expect(robot.num_failed_steps() == 0, "steps of a robot");
  std::uint64_t sum = 0;
  for (const std::byte byte : robot.state().to_bytes()) sum = 31 * sum + static_cast<std::uint64_t>(byte);
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  cross_with_problems();
  cross_with_models(argv[1]);
  return failures;
}
