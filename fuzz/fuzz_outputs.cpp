// What the command is told to write: any name, any ending, names of things that are links, folders, pipes or held by
// another writer, and models with any names in them. A verb either succeeds, and then what it wrote can be read, or
// throws std::invalid_argument or std::runtime_error; JSON is JSON; what is no regular file stays what it is.
//
// Lines of the input: verb and flags, first output, second output, a name for the model.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "cli/verb_convert.h"
#include "cli/verb_info.h"
#include "cli/verb_run.h"
#include "cli/verb_solve.h"
#include "stiction/contact/problem.h"
#include "stiction/io/load.h"
#include "stiction/io/recording/recording.h"
#include "stiction/math/output_place.h"
#include "stiction/problem_files/fclib.h"

namespace {

namespace fs = std::filesystem;
using namespace stiction;

struct Scratch {
  Scratch() {
    std::string name = (fs::temp_directory_path() / "stiction_fuzz_XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    folder = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void fill(const std::string& model_name) const {
    for (const auto& entry : fs::directory_iterator(".")) fs::remove_all(entry.path());
    fs::create_directory("folder");
    std::ofstream("file") << "precious";
    fs::create_symlink("file", "link");
    fs::create_symlink("folder/new", "dangling");
    fs::create_symlink("circle", "circle");
    if (::mkfifo("pipe", 0600) != 0) std::abort();
    std::ofstream("ball.urdf") << "<robot name=\"" << model_name << "\"><link name=\"" << model_name
                               << "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
                                  "ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><sphere radius=\"0.1\"/>"
                                  "</geometry></collision></link></robot>";
  }
  std::string folder;
};

// The verbs work in the scratch folder, and the fuzzer where it was started.
struct Inside {
  explicit Inside(const std::string& folder) : before(fs::current_path()) { fs::current_path(folder); }
  ~Inside() { fs::current_path(before); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  fs::path before;
};

// Nothing outside of the scratch folder is ever named.
std::string tame(std::string name) {
  const bool inside = name.starts_with("folder/");
  if (inside) name.erase(0, 7);
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  if (name == "..") name = "_";
  return inside ? "folder/" + name : name;
}

bool is_pipe(const std::string& path) {
  std::error_code ignored;
  return fs::is_fifo(fs::status(path, ignored));
}

struct Task {
  char verb = 'r';
  bool json = false, held = false;
  std::string first, second, name;
};

Task read_task(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  Task task;
  std::string line;
  std::getline(lines, line);
  if (!line.empty()) task.verb = line[0];
  task.json = line.find('j') != std::string::npos;
  task.held = line.find('h') != std::string::npos;
  std::getline(lines, line);
  task.first = tame(line);
  std::getline(lines, line);
  task.second = tame(line);
  std::getline(lines, task.name);
  return task;
}

void run(const Task& task) {
  cli::RunOptions options;
  options.model.files = {"ball.urdf"};
  options.model.base = BaseKind::floating;
  options.steps = 2;
  options.record_path = task.first, options.report_path = is_pipe(task.second) ? "" : task.second;
  options.json = task.json;
  if (cli::run_scene(options) == 0 && !task.first.empty()) {
    if (RecordingReader(task.first).num_steps() != 2) std::abort();
  }
}

void convert(const Task& task) {
  if (is_pipe(task.first)) return;
  cli::ConvertOptions options;
  options.model.files = {"ball.urdf", task.first};
  options.json = task.json;
  cli::convert_scene(options);
  load_model(task.first);  // what was written can be read
}

void solve(const Task& task) {
  if (is_pipe(task.second)) return;
  static const ContactProblem problem = ContactProblem::from_dense(
      {Constraint::make_frictional(0.5)}, MatrixX::Identity(3, 3), VectorX(Vector3(0.1, 0.0, -1.0)));
  write_fclib("problem.hdf5", {.problem = problem});
  cli::SolveOptions options;
  options.paths = {"problem.hdf5"};
  options.solvers = {"auto"};
  options.save_path = task.first, options.history_path = task.second;
  options.json = task.json;
  if (cli::solve_files(options) == 0 && !task.first.empty()) read_fclib(task.first);
}

void perform(const Task& task) {
  if (task.verb == 'c') return convert(task);
  if (task.verb == 's') return solve(task);
  if (task.verb != 'i') return run(task);
  cli::InfoOptions options;
  options.model.files = {"ball.urdf"};
  options.json = task.json;
  cli::show_info(options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  const Task task = read_task(data, size);
  const Inside inside(scratch.folder);
  scratch.fill(task.name);
  std::ostringstream out, complaints;
  std::streambuf *const usual_out = std::cout.rdbuf(out.rdbuf()), *const usual_err =
                                                                      std::cerr.rdbuf(complaints.rdbuf());
  bool done = false;
  try {
    std::optional<OutputPlace> other_writer;
    if (task.held) other_writer.emplace(task.first);
    perform(task);
    if (task.held && task.verb == 'r') std::abort();  // two writers
    done = true;
  } catch (const std::invalid_argument&) {
  } catch (const std::runtime_error&) {
  }
  std::cout.rdbuf(usual_out), std::cerr.rdbuf(usual_err);
  if (done && task.json && !nlohmann::json::accept(out.str())) std::abort();
  if (!fs::is_fifo("pipe") || !fs::is_directory("folder") || !fs::is_symlink("link") || !fs::is_symlink("circle")) {
    std::abort();
  }
  for (const auto& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".lock") && name != task.first && name != task.second) std::abort();  // left behind
  }
  return 0;
}
