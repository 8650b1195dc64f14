// The growing file. Its safety rests on three things that the system does whole or not at all, whenever the process is
// killed: a file takes another's name (rename), a file gets longer without anyone looking at the new part, and eight
// aligned bytes are written.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "stiction/io/recording/model_storage.h"
#include "stiction/io/recording/recording.h"
#include "stiction/io/recording/recording_layout.h"
#include "stiction/math/output_place.h"
#include "stiction/math/refuse.h"
#include "stiction/version.h"

namespace stiction {

using recording::num_tables;
using recording::Table;

struct RecordingWriter::File {
  struct Column {
    Table table;
    hdf5::TableType type;
    std::int64_t num_rows = 0;      // complete
    std::int64_t capacity = 0;      // rows in the file
    std::int64_t place = -1;        // of the first row in the file, bytes
    std::vector<std::byte> rows{};  // of the block that is being filled
    std::int64_t num_pending = 0;   // of them

    void complete() {
      num_rows += std::exchange(num_pending, 0);
      rows.clear();
    }
  };

  std::string path;                   // as given; messages have it
  std::optional<OutputPlace> output;  // until it is closed
  std::string target;                 // where the file stands, links followed
  int process;                        // that began it
  RecordingSettings settings;
  SimulatorSettings simulator_settings;
  recording::SolverOptions solver_options;
  std::shared_ptr<const Model> model;  // of the last step
  std::string version;
  std::vector<Column> columns;
  std::int64_t num_steps = 0, num_contacts = 0, num_external = 0, num_state_bytes = 0;  // appended
  std::int64_t steps_in_block = 0;
  State last_state{};
  std::int64_t last_saved = -1;       // num_steps when a full state was last put
  std::int64_t state_bytes_seen = 0;  // largest
  int descriptor = -1;

  File(const std::string& p, const Simulator& simulator, const RecordingSettings& s);
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Column& column(Table table) { return columns[static_cast<int>(table)]; }
  template <class T>
  void put(Table table, const T* values, std::size_t count, std::size_t num_rows = 1) {
    Column& c = column(table);
    const auto* bytes = reinterpret_cast<const std::byte*>(values);
    c.rows.insert(c.rows.end(), bytes, bytes + count * sizeof(T));
    c.num_pending += static_cast<std::int64_t>(num_rows);
  }
  void put(Table table, std::int64_t value) { put(table, &value, 1); }

  void check_same_run(const Simulator& simulator);
  void put_forces(const Simulator& simulator);
  void put_step(const Simulator& simulator, const StepReport& report);
  void complete_block();
  void take_over(const RecordingReader& reader);
  void write_block();
  void make_room();
  void copy_complete_rows(const std::vector<Column>& to);
  void write_at(std::int64_t place, const void* bytes, std::size_t size);
  void synchronise();
  void check_process() const;
  void pack();
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path + ": " + what + ": " + std::strerror(errno));
  }
};

namespace {

std::int64_t initial_capacity(Table table, const RecordingSettings& settings, std::int64_t state_bytes) {
  constexpr std::int64_t blocks = 16, contacts_per_step = 4;
  const std::int64_t steps = blocks * settings.steps_per_block;
  switch (table) {
    case Table::num_steps:
      return 1;
    case Table::contacts:
      return settings.contacts ? steps * contacts_per_step : 0;
    case Table::external_begin:
      return steps + 2;
    case Table::external_forces:
      return steps;
    case Table::state_after:
    case Table::state_begin:
      return blocks + 1;
    case Table::state_bytes:
      return blocks * state_bytes;
    case Table::model:
      return 0;  // exactly what it needs
    default:
      return steps + 1;
  }
}

bool grows(Table table) {
  return table != Table::num_steps && table != Table::model;
}

void write_header(hdf5::File& file, const std::string& version, const SimulatorSettings& settings,
                  const recording::SolverOptions& options) {
  file.write_string_attribute("/", "format", recording::format_name);
  file.write_int_attribute("/", "version", recording::format_version);
  file.write_string_attribute("/", "stiction_version", version);
  file.write_double_attribute("/", "time_step", settings.time_step);
  recording::write_settings(file, settings, options);
  file.make_group("/saved_states");
}

const RecordingSettings& checked(const RecordingSettings& settings) {
  settings.validate();
  return settings;
}

}  // namespace

void RecordingSettings::validate() const {
  require(steps_per_block >= 1 && steps_per_block <= 1000000, "steps_per_block", steps_per_block, "1 … 1000000");
  require(compression >= 0 && compression <= 9, "compression", compression, "0 … 9");
}

RecordingWriter::File::File(const std::string& p, const Simulator& simulator, const RecordingSettings& s)
    : path(p),
      output((checked(s), p)),
      target(output->target()),
      process(::getpid()),
      settings(s),
      simulator_settings(simulator.settings()),
      solver_options(simulator.solver_options().begin(), simulator.solver_options().end()),
      model(simulator.shared_model()),
      version(STICTION_VERSION) {
  for (int t = 0; t < num_tables; ++t) {
    const auto table = static_cast<Table>(t);
    columns.push_back({table, recording::type_of(table, model->num_positions(), model->num_velocities(),
                                                 static_cast<int>(model->actuators.size()))});
  }
}

// A file holds one model and one solver. A live view can give a simulator others.
void RecordingWriter::File::check_same_run(const Simulator& simulator) {
  if (simulator.settings().solver != simulator_settings.solver) {
    refuse(path, ": the recording was begun with solver ", simulator_settings.solver, ", the step was made by ",
           simulator.settings().solver, "; begin another one");
  }
  if (simulator.shared_model() == model) return;
  if (model_to_bytes(simulator.model()) != model_to_bytes(*model)) {
    refuse(path, ": the model is another one since the recording was begun (friction?); begin another recording");
  }
  model = simulator.shared_model();
}

// What the caller set: at the start, and in every step.
void RecordingWriter::File::put_forces(const Simulator& simulator) {
  const VectorX& force = simulator.joint_force();
  put(Table::joint_force, force.data(), static_cast<std::size_t>(force.size()));
  for (const BodyWrench& wrench : simulator.external_forces()) {
    const recording::ExternalRow row = recording::to_row(wrench);
    put(Table::external_forces, &row, 1);
    ++num_external;
  }
  put(Table::external_begin, num_external);
}

void RecordingWriter::File::put_step(const Simulator& simulator, const StepReport& report) {
  const State& state = simulator.state();
  put(Table::step, state.step);
  put(Table::time, &state.time, 1);
  put(Table::q, state.q.data(), static_cast<std::size_t>(state.q.size()));
  put(Table::v, state.v.data(), static_cast<std::size_t>(state.v.size()));
  put(Table::control, state.control.data(), static_cast<std::size_t>(state.control.size()));
  const recording::ReportRow row = recording::to_row(report);
  put(Table::report, &row, 1);
  if (settings.contacts) {
    for (const Contact& contact : simulator.contacts()) {
      const recording::ContactRow contact_row = recording::to_row(contact);
      put(Table::contacts, &contact_row, 1);
      ++num_contacts;
    }
  }
  put(Table::contact_begin, num_contacts);
  put_forces(simulator);
  ++num_steps;
  last_state = state;
}

// A block ends with a full state, so that the recording can be gone on with.
void RecordingWriter::File::complete_block() {
  if (last_saved != num_steps) {
    const std::vector<std::byte> bytes = last_state.to_bytes();
    put(Table::state_after, num_steps);
    put(Table::state_bytes, bytes.data(), bytes.size(), bytes.size());
    num_state_bytes += static_cast<std::int64_t>(bytes.size());
    put(Table::state_begin, num_state_bytes);
    state_bytes_seen = std::max(state_bytes_seen, static_cast<std::int64_t>(bytes.size()));
    last_saved = num_steps;
  }
  write_block();
  steps_in_block = 0;
}

// The block goes where nobody reads yet; then the number of steps makes it count.
void RecordingWriter::File::write_block() {
  const bool has_room = descriptor >= 0 && std::all_of(columns.begin(), columns.end(), [](const Column& c) {
                          return c.num_rows + c.num_pending <= c.capacity;
                        });
  if (!has_room) return make_room();
  for (Column& c : columns) {
    if (c.table == Table::num_steps || c.rows.empty()) continue;
    write_at(c.place + c.num_rows * static_cast<std::int64_t>(c.type.row_bytes()), c.rows.data(), c.rows.size());
  }
  synchronise();
  write_at(column(Table::num_steps).place, &num_steps, sizeof num_steps);
  synchronise();
  for (Column& c : columns) c.complete();
}

// A new file beside the old one with room for twice as much, all complete rows and the pending block in it, takes the
// name of the old one.
void RecordingWriter::File::make_room() {
  const std::string beside = target + ".new";
  std::vector<Column> next = columns;
  const int old = descriptor;
  try {
    hdf5::File file = hdf5::File::create_in_held_place(beside, path);
    write_header(file, version, simulator_settings, solver_options);
    for (Column& c : next) {
      const std::int64_t needed = c.num_rows + c.num_pending;
      const std::int64_t room = grows(c.table) ? 2 * needed : needed;
      c.capacity = std::max(room, initial_capacity(c.table, settings, state_bytes_seen));
      hdf5::make_table(file, name_of(c.table), c.type, c.capacity);
    }
    for (Column& c : next) c.place = hdf5::table_place(file, name_of(c.table));
    file.close();
    descriptor = ::open(beside.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) fail("cannot be written");
    copy_complete_rows(next);
    for (Column& c : next) {
      write_at(c.place + c.num_rows * static_cast<std::int64_t>(c.type.row_bytes()), c.rows.data(), c.rows.size());
      c.complete();
    }
    write_at(next[0].place, &num_steps, sizeof num_steps);
    synchronise();
    if (std::rename(beside.c_str(), target.c_str()) != 0) fail("cannot be written");
  } catch (...) {
    if (descriptor >= 0 && descriptor != old) ::close(descriptor);
    descriptor = old;
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw;
  }
  if (old >= 0) ::close(old);
  columns = std::move(next);
}

// From the file under our name to the one that `descriptor` is open on.
void RecordingWriter::File::copy_complete_rows(const std::vector<Column>& to) {
  if (std::all_of(to.begin(), to.end(), [](const Column& c) { return c.num_rows == 0; })) return;
  const hdf5::File before = hdf5::File::open(target);
  std::vector<std::byte> piece;
  for (const Column& c : to) {
    const auto row_bytes = static_cast<std::int64_t>(c.type.row_bytes());
    if (row_bytes == 0) continue;
    const std::int64_t most = std::max(std::int64_t{1}, (std::int64_t{1} << 20) / row_bytes);
    piece.resize(static_cast<std::size_t>(most * row_bytes));
    for (std::int64_t first = 0; first < c.num_rows; first += most) {
      const std::int64_t count = std::min(most, c.num_rows - first);
      hdf5::read_table(before, name_of(c.table), c.type, first, count, piece.data());
      write_at(c.place + first * row_bytes, piece.data(), static_cast<std::size_t>(count * row_bytes));
    }
  }
}

void RecordingWriter::File::write_at(std::int64_t place, const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor, at, size, place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot be written");
    at += written, place += written, size -= static_cast<std::size_t>(written);
  }
}

void RecordingWriter::File::synchronise() {
  if (settings.sync && ::fdatasync(descriptor) != 0) fail("cannot be written to the disk");
}

// A forked child has a copy of the writer; the file is its parent's.
void RecordingWriter::File::check_process() const {
  if (::getpid() != process)
    throw std::runtime_error(path + ": is recorded by the process that this one was forked of");
}

// The complete file takes the place of the growing one.
void RecordingWriter::File::pack() {
  const hdf5::File before = hdf5::File::open(target);
  hdf5::File file = hdf5::File::create_in_held_place(target, path);
  write_header(file, version, simulator_settings, solver_options);
  for (const Column& c : columns) {
    const bool is_counter = c.table == Table::num_steps;
    hdf5::make_packed_table(file, name_of(c.table), c.type, is_counter ? 1 : c.num_rows,
                            is_counter ? 0 : settings.compression,
                            [&](std::int64_t first, std::int64_t count, std::byte* out) {
                              hdf5::read_table(before, name_of(c.table), c.type, first, count, out);
                            });
  }
  file.close();
}

RecordingWriter::RecordingWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

RecordingWriter::~RecordingWriter() {
  try {
    close();
  } catch (const std::exception&) {
    // The blocks that are complete stay readable.
  }
}

RecordingWriter::RecordingWriter(const std::string& path, const Simulator& simulator, const RecordingSettings& settings)
    : file_(std::make_unique<File>(path, simulator, settings)) {
  const std::vector<std::byte> model = model_to_bytes(simulator.model());
  file_->put(Table::model, model.data(), model.size(), model.size());
  file_->put(Table::contact_begin, 0);
  file_->put(Table::external_begin, 0);
  file_->put_forces(simulator);
  file_->put(Table::state_begin, 0);
  file_->last_state = simulator.state();
  file_->complete_block();
}

void RecordingWriter::File::take_over(const RecordingReader& reader) {
  num_steps = last_saved = reader.num_steps();
  const hdf5::File file = hdf5::File::open(path);
  const auto last = [&](Table table, std::int64_t row) {
    std::int64_t value = 0;
    hdf5::read_table(file, name_of(table), column(table).type, row, 1, &value);
    return value;
  };
  const auto num_states = static_cast<std::int64_t>(reader.saved_steps().size());
  num_contacts = last(Table::contact_begin, num_steps);
  num_external = last(Table::external_begin, num_steps + 1);
  num_state_bytes = last(Table::state_begin, num_states);
  for (Column& c : columns) {
    switch (c.table) {
      case Table::num_steps:
        c.num_rows = 0;
        break;
      case Table::contact_begin:
      case Table::joint_force:
        c.num_rows = num_steps + 1;
        break;
      case Table::external_begin:
        c.num_rows = num_steps + 2;
        break;
      case Table::external_forces:
        c.num_rows = num_external;
        break;
      case Table::contacts:
        c.num_rows = num_contacts;
        break;
      case Table::state_after:
        c.num_rows = num_states;
        break;
      case Table::state_begin:
        c.num_rows = num_states + 1;
        break;
      case Table::state_bytes:
        c.num_rows = num_state_bytes;
        break;
      case Table::model:
        c.num_rows = hdf5::num_table_rows(file, name_of(c.table), c.type);
        break;
      default:
        c.num_rows = num_steps;
    }
  }
}

RecordingWriter RecordingWriter::continue_at_end(const std::string& path, const Simulator& simulator,
                                                 const RecordingSettings& settings) {
  auto file = std::make_unique<File>(path, simulator, settings);
  const RecordingReader reader(path);
  if (model_to_bytes(*reader.model()) != model_to_bytes(simulator.model())) {
    refuse(path, ": records another model than the simulator has");
  }
  const std::string setting = recording::different_setting(reader.settings(), simulator.settings());
  if (!setting.empty()) refuse(path, ": was recorded with another ", setting, " than the simulator has");
  if (reader.solver_options() != file->solver_options) refuse(path, ": was recorded with other solver options");
  if (reader.saved_steps().back() != reader.num_steps() ||
      reader.saved_state(reader.num_steps()).to_bytes() != simulator.state().to_bytes()) {
    refuse(path, ": the simulator does not stand where the recording ends; RecordingReader::resume() puts it there");
  }
  file->version = reader.stiction_version();
  file->take_over(reader);
  file->make_room();
  return RecordingWriter(std::move(file));
}

void RecordingWriter::append(const Simulator& simulator, const StepReport& report) {
  File& f = *file_;
  if (f.descriptor < 0) throw std::runtime_error(f.path + ": the recording is closed; nothing can be appended");
  f.check_process();
  const State& state = simulator.state();
  if (state.q.size() != f.column(Table::q).type.width || state.v.size() != f.column(Table::v).type.width ||
      state.control.size() != f.column(Table::control).type.width) {
    refuse(f.path, ": the recording was begun with another model");
  }
  f.check_same_run(simulator);
  f.put_step(simulator, report);
  if (++f.steps_in_block >= f.settings.steps_per_block) f.complete_block();
}

void RecordingWriter::flush() {
  file_->check_process();
  if (file_->descriptor >= 0 && file_->steps_in_block > 0) file_->complete_block();
}

void RecordingWriter::close() {
  if (!file_ || file_->descriptor < 0) return;
  flush();
  file_->pack();
  ::close(std::exchange(file_->descriptor, -1));
  file_->output.reset();
}

const std::string& RecordingWriter::path() const {
  return file_->path;
}
std::int64_t RecordingWriter::num_steps() const {
  return file_->num_steps;
}

}  // namespace stiction
