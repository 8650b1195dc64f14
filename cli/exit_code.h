// What the exit code of the command means.
#pragma once

namespace stiction::cli {

enum ExitCode : int {
  exit_success = 0,  // everything that was asked for converged, was certified, was written in full
  exit_failed = 1,   // a solver did not converge, a step was not certified, a format cannot say all
  exit_misuse = 2,   // bad usage, or a file that cannot be read or written (standard output is one)
};

}  // namespace stiction::cli
