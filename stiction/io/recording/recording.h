// Recordings: what a simulation did, in one HDF5 file that holds everything to show it, to judge it and to go on with
// it: the model, the settings, every step's time, state, control, forces, contacts and report, and full states at the
// ends of blocks. docs/recordings.md describes the layout; h5py reads it.
//
//     RecordingWriter recording("run.h5", simulator);
//     for (...) recording.append(simulator, simulator.step());
//     recording.close();
//
//     RecordingReader reader("run.h5");
//     Simulator simulator = reader.resume();  // goes on with the same bits
//
// A process that is killed at any moment leaves a file that is readable up to its last complete block, and can be gone
// on with. How: while a recording grows, every table has a fixed place in the file with room to spare. A block is
// written into room that no reader looks at, then eight bytes, the number of complete steps, make it count. Where a
// table is full, a file with twice the room is written beside the old one and takes its name. So no structure of HDF5
// is ever changed in place, and the file can be read while it grows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/sim/simulator.h"

namespace stiction {

struct RecordingSettings {
  int steps_per_block = 100;  // what a kill loses at most; every block ends with a full state
  bool contacts = true;       // record the contacts of every step
  int compression = 1;        // gzip level of the closed file, 0 (none) … 9
  bool sync = false;          // wait for the disk at every block: blocks survive a loss of power too

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class RecordingWriter {
 public:
  // Begins a recording in place of any file of this name; the state of the simulator is its start.
  RecordingWriter(const std::string& path, const Simulator& simulator, const RecordingSettings& settings = {});
  // Goes on with a recording that was closed, or left by a process that is no more. Model, settings and state of the
  // simulator must be those at its end, as RecordingReader::resume() gives them.
  static RecordingWriter continue_at_end(const std::string& path, const Simulator& simulator,
                                         const RecordingSettings& settings = {});
  ~RecordingWriter();  // closes; what goes wrong then is lost, so call close()
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;

  // After every step that shall be in the file. Throws std::runtime_error where writing fails (disk full).
  void append(const Simulator& simulator, const StepReport& report);
  // Completes the block: what was appended so far is in the file.
  void flush();
  // Completes the file: tables at their size, compressed. Nothing can be appended afterwards.
  void close();

  const std::string& path() const;
  std::int64_t num_steps() const;  // appended, complete or not

 private:
  struct File;
  explicit RecordingWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

// Reads files that are complete, left behind or growing. The file is opened for each call and held by none. Bad files
// throw std::invalid_argument naming file, table and what is wrong.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& path);
  static RecordingReader from_image(std::vector<std::byte> image);  // the bytes of a file, for tests and fuzzing
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  const std::string& path() const;
  std::shared_ptr<const Model> model() const;
  const SimulatorSettings& settings() const;
  const std::vector<std::pair<std::string, double>>& solver_options() const;
  const std::string& stiction_version() const;  // that began it
  std::int64_t num_steps() const;               // complete when the reader was made
  void refresh();                               // looks again, for a file that grows

  // Of the recorded steps from `first` on, `count` of them; −1: all that follow.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  VectorX times(std::int64_t first = 0, std::int64_t count = -1) const;  // s, at the end of the step
  std::vector<std::int64_t> step_numbers(std::int64_t first = 0, std::int64_t count = -1) const;  // State::step
  Rows positions(std::int64_t first = 0, std::int64_t count = -1) const;                          // q, one row per step
  Rows velocities(std::int64_t first = 0, std::int64_t count = -1) const;                         // v
  Rows controls(std::int64_t first = 0, std::int64_t count = -1) const;
  // Forces that the caller had set and that acted in the step: Simulator::set_joint_force(), add_external_force().
  Rows joint_forces(std::int64_t first = 0, std::int64_t count = -1) const;
  std::vector<BodyWrench> external_forces(std::int64_t step) const;
  std::vector<StepReport> reports(std::int64_t first = 0, std::int64_t count = -1) const;
  std::vector<Contact> contacts(std::int64_t step) const;
  // Contacts of many steps: those of step first + i are the entries begin[i] … begin[i + 1] − 1.
  std::vector<Contact> contacts(std::int64_t first, std::int64_t count, std::vector<std::int64_t>& begin) const;

  // Full states: after how many recorded steps each was taken; 0 is the start, and the last is the end.
  const std::vector<std::int64_t>& saved_steps() const;
  State saved_state(std::int64_t after) const;  // one of saved_steps()
  // A simulator that stands there, without argument at the end, with the forces on joints and bodies that were set
  // then.
  Simulator resume() const;
  Simulator resume(std::int64_t after) const;

 private:
  struct Contents;
  RecordingReader();
  std::unique_ptr<Contents> contents_;
};

}  // namespace stiction
