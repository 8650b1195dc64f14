// What the targets that read HDF5 share. Included by one source of each target.
#pragma once

#include <stdexcept>

#include "tests/support/hdf5_sanitizers.h"

// Refused with a message, as it should be, or read.
template <class Read>
void try_reading(const Read& read) {
  try {
    read();
  } catch (const std::invalid_argument&) {
  }
}
