// Recordings: what was appended comes back, files that grow are readable at any time, and simulations go on from them
// with the same bits. Kills are tried in tests/recording/kill_test.py.
#include "stiction/io/recording/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "stiction/io/recording/model_storage.h"
#include "stiction/problem_files/hdf5.h"
#include "stiction/problem_files/hdf5_table.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_files.h"

#ifdef STICTION_SANITIZED
#include "tests/support/hdf5_sanitizers.h"
#endif

namespace stiction {
namespace {

namespace fs = std::filesystem;
using testing::tumbling_pile;

class Recording : public ::testing::Test {
 protected:
  Recording() : folder_(fs::temp_directory_path() / ("stiction-recording-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    path_ = (folder_ / "run.h5").string();
  }
  ~Recording() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string path_;
};

// Drives the arm, so that control belongs to what must come back.
const StepReport& step(Simulator& simulator) {
  VectorX control(1);
  control[0] = std::sin(5.0 * simulator.state().time);
  simulator.set_control(control);
  return simulator.step();
}

bool same(const Contact& a, const Contact& b) {
  return a.point.id == b.point.id && a.point.position == b.point.position && a.point.normal == b.point.normal &&
         a.point.gap == b.point.gap && a.body_a == b.body_a && a.body_b == b.body_b && a.frame == b.frame &&
         a.impulse == b.impulse && a.force == b.force && a.velocity == b.velocity && a.friction == b.friction &&
         a.regime == b.regime;
}

void expect_same(const StepReport& a, const StepReport& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.num_contacts, b.num_contacts);
  EXPECT_EQ(a.num_sticking, b.num_sticking);
  EXPECT_EQ(a.num_sliding, b.num_sliding);
  EXPECT_EQ(a.num_open, b.num_open);
  EXPECT_EQ(a.num_limits, b.num_limits);
  EXPECT_EQ(a.num_dry_frictions, b.num_dry_frictions);
  EXPECT_EQ(a.num_loops, b.num_loops);
  EXPECT_EQ(a.num_islands, b.num_islands);
  EXPECT_EQ(a.num_sleeping_bodies, b.num_sleeping_bodies);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.factorisations, b.factorisations);
  EXPECT_EQ(std::memcmp(&a.residuals, &b.residuals, sizeof(double) * 9), 0);
  EXPECT_EQ(a.residuals.worst_constraint, b.residuals.worst_constraint);
  EXPECT_EQ(a.worst_contact, b.worst_contact);
  EXPECT_EQ(a.law_certified, b.law_certified);
  EXPECT_EQ(a.geometry_certified, b.geometry_certified);
  EXPECT_EQ(a.energy_certified, b.energy_certified);
  EXPECT_EQ(a.num_rechecks, b.num_rechecks);
  EXPECT_EQ(a.num_friction_torques, b.num_friction_torques);
  EXPECT_EQ(a.num_held_contacts, b.num_held_contacts);
  EXPECT_EQ(a.num_redundant_rows, b.num_redundant_rows);
  EXPECT_EQ(a.num_braked_trees, b.num_braked_trees);
  EXPECT_EQ(a.num_compliant_contacts, b.num_compliant_contacts);
  EXPECT_EQ(a.num_softened_contacts, b.num_softened_contacts);
  EXPECT_EQ(a.num_relaxed_contacts, b.num_relaxed_contacts);
  EXPECT_EQ(a.coupling_rounds, b.coupling_rounds);
  EXPECT_EQ(a.largest_loop_mismatch, b.largest_loop_mismatch);
  EXPECT_EQ(a.largest_compliance, b.largest_compliance);
  EXPECT_EQ(a.largest_static_depth, b.largest_static_depth);
  EXPECT_EQ(a.largest_relaxed_slip, b.largest_relaxed_slip);
  EXPECT_EQ(a.friction_error, b.friction_error);
  EXPECT_EQ(a.surface_work, b.surface_work);
  EXPECT_EQ(a.num_servos, b.num_servos);
  EXPECT_EQ(a.num_saturated_servos, b.num_saturated_servos);
  EXPECT_EQ(a.actuator_work, b.actuator_work);
  EXPECT_EQ(a.applied_work, b.applied_work);
  EXPECT_EQ(a.damped, b.damped);
  EXPECT_EQ(a.energy_error, b.energy_error);
  EXPECT_EQ(a.unforeseen_penetration, b.unforeseen_penetration);
  EXPECT_EQ(a.largest_gap_error, b.largest_gap_error);
  EXPECT_EQ(a.largest_normal_error, b.largest_normal_error);
  EXPECT_EQ(a.kinetic_energy, b.kinetic_energy);
  EXPECT_EQ(a.potential_energy, b.potential_energy);
  EXPECT_EQ(a.constraint_work, b.constraint_work);
  EXPECT_EQ(a.dissipated, b.dissipated);
  EXPECT_EQ(a.largest_penetration, b.largest_penetration);
  EXPECT_EQ(a.seconds, b.seconds);
}

// What a run was, kept in memory.
struct Kept {
  std::vector<State> states;
  std::vector<StepReport> reports;
  std::vector<std::vector<Contact>> contacts;

  void add(const Simulator& simulator) {
    states.push_back(simulator.state());
    reports.push_back(simulator.report());
    contacts.emplace_back(simulator.contacts().begin(), simulator.contacts().end());
  }
};

void expect_same(const RecordingReader& reader, const Kept& kept, std::int64_t num_steps) {
  ASSERT_EQ(reader.num_steps(), num_steps);
  const auto times = reader.times();
  const auto numbers = reader.step_numbers();
  const auto q = reader.positions(), v = reader.velocities(), control = reader.controls();
  const auto reports = reader.reports();
  ASSERT_EQ(q.rows(), num_steps);
  for (std::int64_t k = 0; k < num_steps; ++k) {
    const State& state = kept.states[k];
    EXPECT_EQ(times[k], state.time);
    EXPECT_EQ(numbers[k], state.step);
    EXPECT_EQ(std::memcmp(q.row(k).data(), state.q.data(), sizeof(double) * state.q.size()), 0);
    EXPECT_EQ(std::memcmp(v.row(k).data(), state.v.data(), sizeof(double) * state.v.size()), 0);
    EXPECT_EQ(control(k, 0), state.control[0]);
    expect_same(reports[k], kept.reports[k]);
  }
  std::vector<std::int64_t> begin;
  const auto contacts = reader.contacts(0, -1, begin);
  ASSERT_EQ(begin.size(), static_cast<std::size_t>(num_steps) + 1);
  for (std::int64_t k = 0; k < num_steps; ++k) {
    ASSERT_EQ(begin[k + 1] - begin[k], static_cast<std::int64_t>(kept.contacts[k].size())) << k;
    for (std::int64_t i = begin[k]; i < begin[k + 1]; ++i) {
      EXPECT_TRUE(same(contacts[i], kept.contacts[k][i - begin[k]]));
    }
  }
}

TEST_F(Recording, WhatWasAppendedComesBack) {
  Simulator simulator(tumbling_pile(8), {.time_step = 2e-3, .constraints = {.baumgarte = 0.3}});
  simulator.set_solver_option("tolerance", 1e-10);
  const State start = simulator.state();
  RecordingWriter writer(path_, simulator, {.steps_per_block = 7});
  Kept kept;
  for (int k = 0; k < 300; ++k) {
    writer.append(simulator, step(simulator));
    kept.add(simulator);
    if (k % 50 == 13) {  // the growing file, after whole blocks
      expect_same(RecordingReader(path_), kept, (k + 1) / 7 * 7);
    }
  }
  EXPECT_GT(simulator.report().num_contacts, 10);
  const auto growing = fs::file_size(path_);
  writer.close();
  EXPECT_LT(fs::file_size(path_), growing);
  EXPECT_FALSE(fs::exists(path_ + ".new"));
  EXPECT_FALSE(fs::exists(path_ + ".part"));
  const RecordingReader reader(path_);
  expect_same(reader, kept, 300);
  EXPECT_EQ(reader.settings().constraints.baumgarte, 0.3);
  EXPECT_EQ(reader.settings().time_step, 2e-3);
  ASSERT_EQ(reader.solver_options().size(), 1u);
  EXPECT_EQ(reader.solver_options()[0].second, 1e-10);
  EXPECT_EQ(model_to_bytes(*reader.model()), model_to_bytes(simulator.model()));
  for (const std::int64_t after : reader.saved_steps()) {
    const State& wanted = after == 0 ? start : kept.states[after - 1];
    EXPECT_EQ(reader.saved_state(after).to_bytes(), wanted.to_bytes()) << after;
  }
  EXPECT_EQ(reader.saved_steps().size(), 1u + 300 / 7 + 1);
  EXPECT_EQ(reader.contacts(299).size(), kept.contacts[299].size());
  EXPECT_EQ(reader.positions(10, 5).rows(), 5);
  EXPECT_EQ(reader.positions(10, 5)(0, 0), kept.states[10].q[0]);
}

TEST_F(Recording, ASimulationGoesOnWithTheSameBits) {
  const auto model = tumbling_pile(10);
  Simulator whole(model, {.time_step = 2e-3}), first(model, {.time_step = 2e-3});
  for (int k = 0; k < 400; ++k) step(whole);
  {
    RecordingWriter writer(path_, first, {.steps_per_block = 50});
    for (int k = 0; k < 230; ++k) writer.append(first, step(first));
  }  // closes
  {
    Simulator second = RecordingReader(path_).resume();
    auto writer = RecordingWriter::continue_at_end(path_, second, {.steps_per_block = 20});
    EXPECT_EQ(writer.num_steps(), 230);
    for (int k = 0; k < 100; ++k) writer.append(second, step(second));
    writer.flush();
    // From here on the file is what a killed process leaves: it is not closed, and its writer is gone.
    fs::copy_file(path_, path_ + ".killed");
  }
  fs::rename(path_ + ".killed", path_);
  Simulator third = RecordingReader(path_).resume();
  auto writer = RecordingWriter::continue_at_end(path_, third);
  for (int k = 0; k < 70; ++k) writer.append(third, step(third));
  writer.close();
  EXPECT_EQ(third.state().to_bytes(), whole.state().to_bytes());
  const RecordingReader reader(path_);
  ASSERT_EQ(reader.num_steps(), 400);
  const auto times = reader.times();
  for (int k = 1; k < 400; ++k) EXPECT_GT(times[k], times[k - 1]);
  Simulator middle = reader.resume(200);  // a full state in between
  for (int k = 0; k < 200; ++k) step(middle);
  EXPECT_EQ(middle.state().to_bytes(), whole.state().to_bytes());
}

// Forces and settings act on after a recording is gone on with, and can be looked at.
TEST_F(Recording, ForcesComeBack) {
  const auto model = tumbling_pile(4);
  const SimulatorSettings settings{.time_step = 2e-3, .constraints = {.project_loops = false}, .sleeping = true};
  const auto make = [&] {
    Simulator simulator(model, settings);
    simulator.set_joint_force(VectorX::LinSpaced(model->num_velocities(), -0.1, 0.2));
    simulator.add_external_force(1, {1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}, {0.01, 0.02, 0.03});
    return simulator;
  };
  Simulator whole = make(), first = make();
  {
    RecordingWriter writer(path_, first, {.steps_per_block = 10});
    EXPECT_EQ(RecordingReader(path_).resume().joint_force(), first.joint_force()) << "before the first step";
    EXPECT_EQ(RecordingReader(path_).resume().external_forces().size(), 1u);
    for (int k = 0; k < 50; ++k) {
      step(whole);
      writer.append(first, step(first));
    }
    for (Simulator* simulator : {&whole, &first}) {
      simulator->clear_external_forces();
      simulator->add_external_force(0, {0.0, 0.0, 5.0}, {0.0, 0.0, 0.0});
      simulator->add_external_force(2, {0.0, 4.0, 0.0}, {0.0, 0.0, 0.0});
      simulator->set_joint_force(VectorX::Constant(model->num_velocities(), 0.05));
    }
    for (int k = 0; k < 40; ++k) {
      step(whole);
      writer.append(first, step(first));
    }
  }
  Simulator second = RecordingReader(path_).resume();
  auto writer = RecordingWriter::continue_at_end(path_, second, {.steps_per_block = 10});
  for (int k = 0; k < 60; ++k) {
    step(whole);
    writer.append(second, step(second));
  }
  writer.close();
  EXPECT_EQ(second.state().to_bytes(), whole.state().to_bytes());
  const RecordingReader reader(path_);
  EXPECT_FALSE(reader.settings().constraints.project_loops);
  const auto forces = reader.joint_forces();
  ASSERT_EQ(forces.rows(), 150);
  EXPECT_EQ(forces(49, 0), -0.1);
  EXPECT_EQ(forces(50, 0), 0.05);
  EXPECT_EQ(forces(149, 3), 0.05);
  EXPECT_EQ(reader.joint_forces(50, 2).rows(), 2);
  ASSERT_EQ(reader.external_forces(0).size(), 1u);
  EXPECT_EQ(reader.external_forces(0)[0].body, 1);
  EXPECT_EQ(reader.external_forces(0)[0].force, Vector3(1.0, 2.0, 3.0));
  EXPECT_EQ(reader.external_forces(0)[0].point, Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(reader.external_forces(0)[0].torque, Vector3(0.01, 0.02, 0.03));
  ASSERT_EQ(reader.external_forces(149).size(), 2u);
  EXPECT_EQ(reader.external_forces(149)[1].force, Vector3(0.0, 4.0, 0.0));
  EXPECT_THROW(reader.external_forces(150), std::invalid_argument);
  EXPECT_EQ(reader.resume(50).external_forces().size(), 1u) << "as they were after the step before";
  EXPECT_EQ(reader.resume(60).external_forces().size(), 2u);
}

TEST_F(Recording, OnlyTheEndOfTheSameSimulationCanBeContinued) {
  const auto model = tumbling_pile(3);
  Simulator simulator(model, {.time_step = 2e-3});
  {
    RecordingWriter writer(path_, simulator);
    for (int k = 0; k < 10; ++k) writer.append(simulator, step(simulator));
    EXPECT_THROW(RecordingWriter::continue_at_end(path_, simulator), std::runtime_error) << "it is being written";
    EXPECT_THROW(RecordingWriter(path_, simulator), std::runtime_error) << "it is being written";
  }
  const auto message = [&](const Simulator& s) -> std::string {
    try {
      RecordingWriter::continue_at_end(path_, s);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(Simulator(tumbling_pile(4), {.time_step = 2e-3})).find("another model"), std::string::npos);
  EXPECT_NE(message(Simulator(model, {.time_step = 1e-3})).find("another time_step"), std::string::npos);
  EXPECT_NE(message(Simulator(model, {.time_step = 2e-3})).find("does not stand"), std::string::npos);
  EXPECT_EQ(RecordingReader(path_).num_steps(), 10) << "a refusal leaves the file as it was";
  RecordingWriter::continue_at_end(path_, simulator).close();
  EXPECT_EQ(RecordingReader(path_).num_steps(), 10);
}

TEST_F(Recording, WorldsWithoutActuatorsBodiesOrStepsAreRecorded) {
  Simulator empty(ModelBuilder().build(), {.time_step = 1e-3});
  RecordingWriter writer(path_, empty, {.steps_per_block = 2});
  for (int k = 0; k < 100; ++k) writer.append(empty, empty.step());  // longer than the room at the beginning
  EXPECT_EQ(RecordingReader(path_).controls().rows(), 100);
  writer.close();
  const RecordingReader reader(path_);
  EXPECT_EQ(reader.num_steps(), 100);
  EXPECT_EQ(reader.positions().cols(), 0);
  EXPECT_EQ(reader.positions().rows(), 100);
  {
    RecordingWriter none(path_, empty);
  }
  EXPECT_EQ(RecordingReader(path_).num_steps(), 0);
  EXPECT_EQ(RecordingReader(path_).resume().state().step, 100);
  EXPECT_THROW(RecordingReader(path_).contacts(0), std::invalid_argument);
}

TEST_F(Recording, MisuseIsRefused) {
  Simulator simulator(tumbling_pile(2), {.time_step = 1e-3}), other(tumbling_pile(3), {.time_step = 1e-3});
  EXPECT_THROW(RecordingWriter(path_, simulator, {.steps_per_block = 0}), std::invalid_argument);
  EXPECT_THROW(RecordingWriter(path_, simulator, {.compression = 10}), std::invalid_argument);
  EXPECT_THROW(RecordingWriter("/nowhere/run.h5", simulator), std::runtime_error);
  EXPECT_THROW(RecordingReader(path_ + ".missing"), std::invalid_argument);
  RecordingWriter writer(path_, simulator);
  EXPECT_THROW(writer.append(other, other.step()), std::invalid_argument);
  writer.append(simulator, simulator.step());
  writer.close();
  writer.close();
  EXPECT_THROW(writer.append(simulator, simulator.step()), std::runtime_error);
  const RecordingReader reader(path_);
  EXPECT_THROW(reader.times(0, 2), std::invalid_argument);
  EXPECT_THROW(reader.times(-1), std::invalid_argument);
  EXPECT_THROW(reader.saved_state(2), std::invalid_argument);
}

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void read_all(const RecordingReader& reader) {
  std::vector<std::int64_t> begin;
  reader.times(), reader.step_numbers(), reader.positions(), reader.velocities(), reader.controls(), reader.reports();
  reader.contacts(0, -1, begin);
  reader.joint_forces();
  for (std::int64_t k = 0; k < reader.num_steps(); ++k) reader.external_forces(k);
  for (const std::int64_t after : reader.saved_steps()) reader.saved_state(after);
}

// The library itself would read memory that is not its own.
TEST_F(Recording, TablesThatClaimToLieOutsideTheFileAreRefused) {
  Simulator simulator(tumbling_pile(2), {.time_step = 5e-3});
  RecordingWriter writer(path_, simulator, {.steps_per_block = 5, .compression = 0});
  for (int k = 0; k < 5; ++k) writer.append(simulator, step(simulator));
  writer.close();
  const auto whole = bytes_of(path_);
  const auto file = hdf5::File::open(path_);
  for (const char* table : {"/time", "/q", "/report", "/model", "/contact_begin", "/joint_force", "/external_begin",
                            "/saved_states/bytes"}) {
    const std::int64_t place = hdf5::table_place(file, table);
    ASSERT_GT(place, 0);
    for (const std::int64_t wrong :
         {std::int64_t{-240}, std::int64_t{-3}, static_cast<std::int64_t>(whole.size()) - 1}) {
      auto moved = whole;
      int found = 0;
      for (std::size_t k = 0; k + sizeof place <= moved.size(); ++k) {
        if (std::memcmp(&moved[k], &place, sizeof place) != 0) continue;
        std::memcpy(&moved[k], &wrong, sizeof wrong);
        ++found;
      }
      EXPECT_GT(found, 0) << table;
      EXPECT_THROW(read_all(RecordingReader::from_image(moved)), std::invalid_argument) << table << ' ' << wrong;
    }
  }
}

// Appends steps without their times, the only part that differs from run to run.
void record_untimed(RecordingWriter& writer, Simulator& simulator, int num_steps) {
  for (int k = 0; k < num_steps; ++k) {
    StepReport report = step(simulator);
    std::ranges::fill(report.seconds, 0.0);
    writer.append(simulator, report);
  }
}

TEST_F(Recording, TheSameStepsGiveTheSameBytes) {
  std::vector<std::byte> first;
  for (const bool again : {false, true}) {
    if (again) std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // times in HDF5 are whole seconds
    Simulator simulator(tumbling_pile(2), {.time_step = 5e-3});
    RecordingWriter writer(path_, simulator, {.steps_per_block = 5});
    record_untimed(writer, simulator, 10);
    writer.close();
    if (again) {
      EXPECT_EQ(first, bytes_of(path_));
    } else {
      first = bytes_of(path_);
    }
  }
}

TEST_F(Recording, ForeignTruncatedAndDamagedFilesGiveMessages) {
  EXPECT_THROW(RecordingReader::from_image(bytes_of(testing::scene_file("fclib/FC3D_Example1.hdf5"))),
               std::invalid_argument);
  Simulator simulator(tumbling_pile(3), {.time_step = 5e-3});
  RecordingWriter writer(path_, simulator, {.steps_per_block = 20});
  record_untimed(writer, simulator, 60);  // the same damage in every run
  const int num_damages = testing::num_samples(400, 4000);
  for (const bool closed : {false, true}) {
    if (closed) writer.close();
    const auto whole = bytes_of(path_);
    read_all(RecordingReader::from_image(whole));
    std::mt19937_64 rng(4);
    int refused = 0;
    for (int k = 0; k < num_damages; ++k) {
      auto damaged = whole;
      if (k % 4 == 0) {
        damaged.resize(rng() % damaged.size());
      } else {
        const std::size_t head = k % 4 == 1 ? damaged.size() : std::min<std::size_t>(damaged.size(), 8192);
        for (int n = 0; n < 5; ++n) damaged[rng() % head] = static_cast<std::byte>(rng());
      }
      try {
        read_all(RecordingReader::from_image(damaged));
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, num_damages / 4);
  }
}

}  // namespace
}  // namespace stiction
