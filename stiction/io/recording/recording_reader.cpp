#include <algorithm>

#include "stiction/io/recording/model_storage.h"
#include "stiction/io/recording/recording.h"
#include "stiction/io/recording/recording_layout.h"
#include "stiction/math/refuse.h"

namespace stiction {

using recording::Table;

struct RecordingReader::Contents {
  std::string path;
  std::vector<std::byte> image;  // not empty: the file itself
  std::shared_ptr<const Model> model;
  SimulatorSettings settings;
  recording::SolverOptions solver_options;
  std::string version;
  std::int64_t num_steps = 0;
  std::vector<std::int64_t> saved_steps, saved_begin;

  hdf5::File open() const { return image.empty() ? hdf5::File::open(path) : hdf5::File::from_image(image); }
  hdf5::TableType type(Table table) const {
    return model ? recording::type_of(table, model->num_positions(), model->num_velocities(),
                                      static_cast<int>(model->actuators.size()))
                 : recording::type_of(table, 0, 0, 0);
  }
  std::int64_t num_rows(const hdf5::File& file, Table table) const {
    return hdf5::num_table_rows(file, name_of(table), type(table));
  }
  void read(const hdf5::File& file, Table table, std::int64_t first, std::int64_t count, void* out) const {
    hdf5::read_table(file, name_of(table), type(table), first, count, out);
  }
  template <class T>
  std::vector<T> read_vector(const hdf5::File& file, Table table, std::int64_t first, std::int64_t count) const {
    if (count < 0 || first < 0 || count > num_rows(file, table) - first) {
      file.refuse(name_of(table), "has " + std::to_string(num_rows(file, table)) + " rows; " + std::to_string(count) +
                                      " from row " + std::to_string(first) + " on are expected");
    }
    std::vector<T> values(static_cast<std::size_t>(count));
    read(file, table, first, count, values.data());
    return values;
  }

  void read_header(const hdf5::File& file);
  void read_progress(const hdf5::File& file);
  std::pair<std::int64_t, std::int64_t> range(std::int64_t first, std::int64_t count) const;
  void check_step(std::int64_t step) const {
    if (step < 0 || step >= num_steps) {
      stiction::refuse(path, ": there is no step ", step, "; the recording has ", num_steps);
    }
  }
  Rows matrix(Table table, std::int64_t first, std::int64_t count) const;
  // Forces that the caller had set: row 0 at the start, row i + 1 in step i.
  VectorX joint_force_of(const hdf5::File& file, std::int64_t row) const;
  std::vector<BodyWrench> external_forces_of(const hdf5::File& file, std::int64_t row) const;
};

void RecordingReader::Contents::read_header(const hdf5::File& file) {
  if (!file.has_attribute("/", "format") || file.read_string_attribute("/", "format") != recording::format_name) {
    file.refuse("/", "is not a Stiction recording (attribute format)");
  }
  const double version_number = file.read_double_attribute("/", "version");
  if (version_number != recording::format_version) {
    file.refuse("/", "is a recording of version " + std::to_string(static_cast<int>(version_number)) +
                         "; this program reads version " + std::to_string(recording::format_version));
  }
  version = file.read_string_attribute("/", "stiction_version");
  settings = recording::read_settings(file);
  solver_options = recording::read_solver_options(file);
  const auto bytes = read_vector<std::byte>(file, Table::model, 0, num_rows(file, Table::model));
  try {
    model = model_from_bytes(bytes);
  } catch (const std::invalid_argument& error) {
    file.refuse(name_of(Table::model), error.what());
  }
}

// How far the file is complete. What lies beyond is a block that was being written, or zeros.
void RecordingReader::Contents::read_progress(const hdf5::File& file) {
  read(file, Table::num_steps, 0, 1, &num_steps);
  for (Table table : {Table::step, Table::time, Table::q, Table::v, Table::control, Table::report}) {
    if (num_steps < 0 || num_rows(file, table) < num_steps) {
      file.refuse(name_of(table), "has " + std::to_string(num_rows(file, table)) + " rows, but /num_steps is " +
                                      std::to_string(num_steps));
    }
  }
  if (num_rows(file, Table::contact_begin) <= num_steps) {
    file.refuse(name_of(Table::contact_begin), "has fewer rows than /num_steps and one");
  }
  if (num_rows(file, Table::joint_force) <= num_steps) {
    file.refuse(name_of(Table::joint_force), "has fewer rows than /num_steps and one");
  }
  if (num_rows(file, Table::external_begin) <= num_steps + 1) {
    file.refuse(name_of(Table::external_begin), "has fewer rows than /num_steps and two");
  }
  const std::int64_t room = num_rows(file, Table::state_after);
  saved_steps = read_vector<std::int64_t>(file, Table::state_after, 0, room);
  std::size_t count = 0;
  std::int64_t before = -1;
  while (count < saved_steps.size() && saved_steps[count] > before && saved_steps[count] <= num_steps) {
    before = saved_steps[count++];
  }
  saved_steps.resize(count);
  if (count == 0 || saved_steps.front() != 0) file.refuse(name_of(Table::state_after), "does not begin with 0");
  saved_begin = read_vector<std::int64_t>(file, Table::state_begin, 0, static_cast<std::int64_t>(count) + 1);
  const std::int64_t bytes = num_rows(file, Table::state_bytes);
  for (std::size_t k = 0; k < count; ++k) {
    if (saved_begin[k] < 0 || saved_begin[k + 1] < saved_begin[k] || saved_begin[k + 1] > bytes) {
      file.refuse(name_of(Table::state_begin), "entry " + std::to_string(k) + " or the next lies outside the " +
                                                   std::to_string(bytes) + " stored bytes");
    }
  }
}

std::pair<std::int64_t, std::int64_t> RecordingReader::Contents::range(std::int64_t first, std::int64_t count) const {
  if (first < 0 || first > num_steps || count < -1 || (count >= 0 && count > num_steps - first)) {
    refuse(path, ": steps from ", first, " on, ", count, " of them, are asked for; there are ", num_steps);
  }
  return {first, count < 0 ? num_steps - first : count};
}

RecordingReader::Rows RecordingReader::Contents::matrix(Table table, std::int64_t first, std::int64_t count) const {
  const auto [begin, size] = range(first, count);
  Rows rows(size, type(table).width);
  read(open(), table, begin, size, rows.data());
  return rows;
}

VectorX RecordingReader::Contents::joint_force_of(const hdf5::File& file, std::int64_t row) const {
  VectorX force(type(Table::joint_force).width);
  read(file, Table::joint_force, row, 1, force.data());
  return force;
}

std::vector<BodyWrench> RecordingReader::Contents::external_forces_of(const hdf5::File& file, std::int64_t row) const {
  const auto begin = read_vector<std::int64_t>(file, Table::external_begin, row, 2);
  const std::int64_t stored = num_rows(file, Table::external_forces);
  if (begin[0] < 0 || begin[1] < begin[0] || begin[1] > stored) {
    file.refuse(name_of(Table::external_begin), "entry " + std::to_string(row) + " or the next lies outside the " +
                                                    std::to_string(stored) + " external forces");
  }
  std::vector<BodyWrench> forces;
  try {
    for (const auto& entry :
         read_vector<recording::ExternalRow>(file, Table::external_forces, begin[0], begin[1] - begin[0])) {
      forces.push_back(recording::from_row(entry, *model));
    }
  } catch (const std::invalid_argument& error) {
    file.refuse(name_of(Table::external_forces), error.what());
  }
  return forces;
}

RecordingReader::RecordingReader() : contents_(std::make_unique<Contents>()) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

RecordingReader::RecordingReader(const std::string& path) : RecordingReader() {
  contents_->path = path;
  const hdf5::File file = contents_->open();
  contents_->read_header(file);
  contents_->read_progress(file);
}

RecordingReader RecordingReader::from_image(std::vector<std::byte> image) {
  RecordingReader reader;
  reader.contents_->path = "file image";
  reader.contents_->image = std::move(image);
  const hdf5::File file = hdf5::File::from_image(reader.contents_->image);
  reader.contents_->read_header(file);
  reader.contents_->read_progress(file);
  return reader;
}

const std::string& RecordingReader::path() const {
  return contents_->path;
}
std::shared_ptr<const Model> RecordingReader::model() const {
  return contents_->model;
}
const SimulatorSettings& RecordingReader::settings() const {
  return contents_->settings;
}
const std::vector<std::pair<std::string, double>>& RecordingReader::solver_options() const {
  return contents_->solver_options;
}
const std::string& RecordingReader::stiction_version() const {
  return contents_->version;
}
std::int64_t RecordingReader::num_steps() const {
  return contents_->num_steps;
}
const std::vector<std::int64_t>& RecordingReader::saved_steps() const {
  return contents_->saved_steps;
}

void RecordingReader::refresh() {
  contents_->read_progress(contents_->open());
}

VectorX RecordingReader::times(std::int64_t first, std::int64_t count) const {
  const auto [begin, size] = contents_->range(first, count);
  VectorX values(size);
  contents_->read(contents_->open(), Table::time, begin, size, values.data());
  return values;
}

std::vector<std::int64_t> RecordingReader::step_numbers(std::int64_t first, std::int64_t count) const {
  const auto [begin, size] = contents_->range(first, count);
  return contents_->read_vector<std::int64_t>(contents_->open(), Table::step, begin, size);
}

RecordingReader::Rows RecordingReader::positions(std::int64_t first, std::int64_t count) const {
  return contents_->matrix(Table::q, first, count);
}
RecordingReader::Rows RecordingReader::velocities(std::int64_t first, std::int64_t count) const {
  return contents_->matrix(Table::v, first, count);
}
RecordingReader::Rows RecordingReader::controls(std::int64_t first, std::int64_t count) const {
  return contents_->matrix(Table::control, first, count);
}

RecordingReader::Rows RecordingReader::joint_forces(std::int64_t first, std::int64_t count) const {
  const auto [begin, size] = contents_->range(first, count);
  Rows rows(size, contents_->type(Table::joint_force).width);
  contents_->read(contents_->open(), Table::joint_force, begin + 1, size, rows.data());
  return rows;
}

std::vector<BodyWrench> RecordingReader::external_forces(std::int64_t step) const {
  contents_->check_step(step);
  return contents_->external_forces_of(contents_->open(), step + 1);
}

std::vector<StepReport> RecordingReader::reports(std::int64_t first, std::int64_t count) const {
  const auto [begin, size] = contents_->range(first, count);
  const hdf5::File file = contents_->open();
  const auto rows = contents_->read_vector<recording::ReportRow>(file, Table::report, begin, size);
  const auto time = contents_->read_vector<double>(file, Table::time, begin, size);
  std::vector<StepReport> reports;
  reports.reserve(rows.size());
  try {
    for (std::size_t k = 0; k < rows.size(); ++k) reports.push_back(recording::from_row(rows[k], time[k]));
  } catch (const std::invalid_argument& error) {
    file.refuse(name_of(Table::report), error.what());
  }
  return reports;
}

std::vector<Contact> RecordingReader::contacts(std::int64_t step) const {
  std::vector<std::int64_t> begin;
  contents_->check_step(step);
  return contacts(step, 1, begin);
}

std::vector<Contact> RecordingReader::contacts(std::int64_t first, std::int64_t count,
                                               std::vector<std::int64_t>& begin) const {
  const auto [from, size] = contents_->range(first, count);
  const hdf5::File file = contents_->open();
  begin = contents_->read_vector<std::int64_t>(file, Table::contact_begin, from, size + 1);
  const std::int64_t stored = contents_->num_rows(file, Table::contacts);
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    if (begin[k] < 0 || begin[k + 1] < begin[k] || begin[k + 1] > stored) {
      file.refuse(name_of(Table::contact_begin), "entries of step " +
                                                     std::to_string(from + static_cast<std::int64_t>(k)) +
                                                     " lie outside the " + std::to_string(stored) + " contacts");
    }
  }
  const std::int64_t offset = begin.front();
  std::vector<Contact> contacts;
  if (size > 0) {
    const auto rows =
        contents_->read_vector<recording::ContactRow>(file, Table::contacts, offset, begin.back() - offset);
    contacts.reserve(rows.size());
    try {
      for (const recording::ContactRow& row : rows) contacts.push_back(recording::from_row(row, *contents_->model));
    } catch (const std::invalid_argument& error) {
      file.refuse(name_of(Table::contacts), error.what());
    }
  }
  for (std::int64_t& b : begin) b -= offset;
  return contacts;
}

State RecordingReader::saved_state(std::int64_t after) const {
  const Contents& c = *contents_;
  const auto found = std::lower_bound(c.saved_steps.begin(), c.saved_steps.end(), after);
  if (found == c.saved_steps.end() || *found != after) {
    refuse(c.path, ": there is no full state after ", after, " steps; saved_steps() tells which there are");
  }
  const auto k = static_cast<std::size_t>(found - c.saved_steps.begin());
  const hdf5::File file = c.open();
  const auto bytes =
      c.read_vector<std::byte>(file, Table::state_bytes, c.saved_begin[k], c.saved_begin[k + 1] - c.saved_begin[k]);
  try {
    State state = State::from_bytes(bytes);
    check_state(*c.model, state);
    return state;
  } catch (const std::invalid_argument& error) {
    file.refuse(name_of(Table::state_bytes), error.what());
  }
}

Simulator RecordingReader::resume() const {
  return resume(contents_->saved_steps.back());
}

Simulator RecordingReader::resume(std::int64_t after) const {
  const State state = saved_state(after);
  Simulator simulator(contents_->model, contents_->settings);
  for (const auto& [name, value] : contents_->solver_options) simulator.set_solver_option(name, value);
  const hdf5::File file = contents_->open();
  try {
    simulator.set_joint_force(contents_->joint_force_of(file, after));
    for (const BodyWrench& w : contents_->external_forces_of(file, after)) {
      simulator.add_external_force(w.body, w.force, w.point, w.torque);
    }
  } catch (const std::invalid_argument& error) {  // numbers that are not finite
    file.refuse(name_of(Table::joint_force), error.what());
  }
  simulator.set_state(state);  // last: a force that is set wakes what sleeps
  return simulator;
}

}  // namespace stiction
