// The files that `stiction solve` takes: FCLIB problems, linear complementarity problems, sequences.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/lcp.h"
#include "stiction/problem_files/sequence.h"

namespace stiction::cli {

// Files as they are, folders as the *.hdf5 and *.h5 in them, sorted. Throws std::invalid_argument for a path that does
// not exist and for a folder without such files.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths);

enum class FormChoice { as_stored, dense, sparse };

using ProblemFile = std::variant<FclibProblem, Sequence, LcpFile>;

// Looks into the file to see what it is. Throws std::invalid_argument naming file and dataset.
ProblemFile read_problem_file(const std::string& path, FormChoice form);

}  // namespace stiction::cli
