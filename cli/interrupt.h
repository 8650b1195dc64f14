// Ctrl-C asks a long run to end after the step it is in: files are closed, the summary is printed.
#pragma once

namespace stiction::cli {

class Interrupt {
 public:
  Interrupt();   // takes SIGINT and SIGTERM over
  ~Interrupt();  // gives them back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The signal that came, 0: none. A second signal ends the program at once, as if nothing had been taken over.
  int signal() const;
};

}  // namespace stiction::cli
