// Friction-contact problems in the FCLIB format (HDF5; V. Acary et al., INRIA RT-0444).
//
// Local problems: W (3n × 3n), q, mu and, where there are equality constraints, V, R, s:
//
//     u = W r + V l + q,   0 = Vᵀ r + R l + s,   one law per contact for (u, r).
//
// Global problems: M (inertia), H, f, w, mu and, where there are equality constraints, G, b:
//
//     M v = H r + G l + f,   u = Hᵀ v + w,   0 = Gᵀ v + b.
//
// Here r, l are the impulse, W, V, R (or JM⁻¹Jᵀ with J = [H G]ᵀ) the Delassus matrix, q, s the free velocity; every
// equality is one bilateral row after the contacts. The file orders a contact normal first, (n, t1, t2); the reader
// permutes to (t1, t2, n), the writer back, exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/contact/problem.h"

namespace stiction {
namespace hdf5 {
class File;
}

// A stored answer, in our row order.
struct FclibSolution {
  VectorX impulse;   // r and l
  VectorX velocity;  // u, and zero in the rows of equalities; may be empty
};

struct FclibProblem {
  ContactProblem problem;
  std::string title = {}, description = {}, math_info = {};
  int degrees_of_freedom = -1;  // of the system behind the problem; −1: the file does not say
  std::vector<FclibSolution> guesses = {};
  std::optional<FclibSolution> solution = {};
};

// What becomes of a global problem. Factored: ContactProblem::from_inertia, needs a symmetric positive definite M.
// Condensed: W = Jᵀ M⁻¹ J as a sparse matrix, any regular M.
enum class FclibGlobal { factored, condensed };

// Throws std::invalid_argument naming file and dataset when the file is not a sound three-dimensional problem.
// A matrix M of which only one triangle is stored is mirrored.
FclibProblem read_fclib(const std::string& path, FclibGlobal global = FclibGlobal::factored);
FclibProblem read_fclib(const hdf5::File& file, FclibGlobal global = FclibGlobal::factored);

// Writes the local form; matrices in compressed rows without zeros. The format holds frictional contacts followed by
// bilateral rows (each its own equality when read again) and no compliance; other problems are refused with
// std::invalid_argument. A failed write throws std::runtime_error and leaves an existing file as it was.
void write_fclib(const std::string& path, const FclibProblem& contents);

}  // namespace stiction
