// Drivers of the HDF5 library: its own, with what damaged files and full disks need. Internal: users see hdf5.h.
#pragma once

#include <hdf5.h>

namespace stiction::hdf5 {

// Lets `access`, which has the library's driver for files (or for images in memory) and can open `name`, read through
// a driver that refuses addresses outside of the file. False where that fails.
bool read_files_carefully(hid_t access, const char* name);
bool read_images_carefully(hid_t access, const char* name);

// Lets `access` write the new file `name`, which is made here, through a driver that never tells the library that the
// disk is full: a file that cannot be flushed stays open in the library for ever, and its clean-up at the end of the
// process crashes. write_problem() knows instead. One file is written at a time. False where the file cannot be made.
bool write_patiently(hid_t access, const char* name);
int write_problem();  // errno of the first write that failed since; 0: none

}  // namespace stiction::hdf5
