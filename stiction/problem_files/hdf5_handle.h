// What the sources over the HDF5 C library share. Internal: users see hdf5.h.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>

namespace stiction::hdf5 {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Without the time of writing, which the library would store: the same contents give the same bytes.
inline hid_t make_dataset_properties() {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

// What is wrong with the storage of a dataset that claims `count` values of `value_size` bytes, or empty. Looks at
// declarations only.
std::string storage_problem(hid_t dataset, std::int64_t count, std::int64_t value_size, std::int64_t file_bytes);

}  // namespace stiction::hdf5
