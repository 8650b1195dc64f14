#include "cli/verb_experiment.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cli/exit_code.h"

namespace stiction::cli {
namespace {

// Null-terminated, for exec.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// Whether this Python exists and has the package; it says nothing of its own.
bool has_package(const std::string& python) {
  std::vector<std::string> words{
      python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('stiction.experiments') is None)"};
  std::vector<char*> arguments = pointers_to(words);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The Python that the package's own command was started by, else what is in the path.
std::vector<std::string> pythons() {
  std::vector<std::string> list;
  if (const char* own = std::getenv("STICTION_PYTHON"); own != nullptr && *own != '\0') list.emplace_back(own);
  list.emplace_back("python3");
  return list;
}

}  // namespace

int run_experiments(const ExperimentOptions& options) {
  for (const std::string& python : pythons()) {
    if (!has_package(python)) continue;
    std::vector<std::string> words{python, "-m", "stiction.experiments", "--output", options.output};
    if (options.quick) words.emplace_back("--quick");
    words.emplace_back("--");
    words.insert(words.end(), options.names.begin(), options.names.end());
    std::vector<char*> arguments = pointers_to(words);
    ::execvp(arguments[0], arguments.data());
    std::cerr << "stiction: " << python << ": " << std::strerror(errno) << '\n';
    return exit_misuse;
  }
  std::cerr
      << "stiction: experiments are part of the Python package, and no Python here has it (python3 of the path was "
         "asked);\ninstall it: pip install 'stiction[experiments]'\n";
  return exit_misuse;
}

}  // namespace stiction::cli
