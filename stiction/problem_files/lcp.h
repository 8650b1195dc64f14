// Linear complementarity problems as stored beside the FCLIB collection: /lcp/M (n × n), /lcp/q, /lcp/source.
#pragma once

#include <string>

#include "stiction/contact/linear_complementarity_problem.h"

namespace stiction {
namespace hdf5 {
class File;
}

struct LcpFile {
  LinearComplementarityProblem problem;
  std::string source = {};
};

// Throws std::invalid_argument naming file and dataset when the file is not a sound problem.
LcpFile read_lcp(const std::string& path);
LcpFile read_lcp(const hdf5::File& file);

}  // namespace stiction
