// Ctrl-C asks a long run to end, also inside of a step or a solve: files are closed, the summary is printed.
#pragma once

#include "stiction/solvers/interrupt.h"

namespace stiction::cli {

class Interrupt {
 public:
  Interrupt();   // takes SIGINT and SIGTERM over
  ~Interrupt();  // gives them back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The signal that came, 0: none. A second signal ends the program at once, as if nothing had been taken over.
  int signal() const;
  stiction::Interrupt& for_solvers();  // what they look at; one for the program
};

}  // namespace stiction::cli
