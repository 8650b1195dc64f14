// HDF5 files, read with suspicion: a thin RAII wrapper over the C library.
//
// Every read states the shape it expects and checks type, shape and plausibility of the stored bytes before anything is
// allocated, so that a hostile file (huge declared sizes, wrong types, external storage) costs an exception and no
// memory. Reading errors are std::invalid_argument naming file and dataset, writing errors std::runtime_error.
//
// The C library is not thread-safe: an open File holds a process-wide lock, so keep it open briefly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "stiction/math/output_place.h"
#include "stiction/math/types.h"

namespace stiction::hdf5 {

class File {
 public:
  static File open(const std::string& path);
  static File from_image(std::span<const std::byte> image);  // the bytes of a file, for tests and fuzzing
  // Appears under `path` only when close() succeeds; two writers of one file: the second is refused (OutputPlace).
  static File create(const std::string& path);
  // For whoever holds the OutputPlace that `path` belongs to; messages call it `name`.
  static File create_in_held_place(const std::string& path, const std::string& name);
  ~File();
  File(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }
  std::int64_t id() const { return id_; }  // hid_t, for hdf5_table.cpp
  std::int64_t num_bytes() const { return num_bytes_; }

  // Names are absolute, "/fclib_local/W/p". Only hard links count: others may lead out of the file.
  bool has(const std::string& name) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& name) const;  // one or two lengths; a scalar has {1}

  // Any whole-number type whose values fit; `count` is the number expected in all dimensions together.
  std::vector<int> read_ints(const std::string& name, std::int64_t count) const;
  int read_int(const std::string& name) const { return read_ints(name, 1)[0]; }
  VectorX read_doubles(const std::string& name, std::int64_t count) const;  // IEEE single or double
  std::string read_string(const std::string& name) const;                   // fixed or variable length, up to 1 MiB
  double read_double_attribute(const std::string& object, const std::string& name) const;
  std::string read_string_attribute(const std::string& object, const std::string& name) const;

  void make_group(const std::string& name);
  void write_ints(const std::string& name, std::span<const int> values);
  void write_int(const std::string& name, int value) { write_ints(name, {&value, 1}); }
  void write_doubles(const std::string& name, VectorView values);
  // As a table of `columns`, row by row.
  void write_doubles(const std::string& name, VectorView values, std::int64_t columns);
  void write_string(const std::string& name, const std::string& value);
  void write_int_attribute(const std::string& object, const std::string& name, int value);
  void write_double_attribute(const std::string& object, const std::string& name, double value);
  void write_string_attribute(const std::string& object, const std::string& name, const std::string& value);
  void close();  // of a file being written: everything is on disk and the file has its name afterwards

  // "file: dataset: what is wrong", for readers built on this class.
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  File(std::string path, std::unique_lock<std::recursive_mutex> lock);
  [[noreturn]] void fail_to_write() const;
  [[noreturn]] void fail_attribute(const std::string& object, const std::string& name) const;
  void read(const std::string& name, std::int64_t count, bool whole_numbers, void* out) const;
  void write(const std::string& name, std::int64_t memory_type, std::int64_t file_type, const void* values,
             std::size_t count, std::size_t columns = 0);

  std::unique_lock<std::recursive_mutex> lock_;
  std::string path_;
  std::string temporary_;  // name while writing
  std::string target_;     // name afterwards
  std::unique_ptr<OutputPlace> place_;
  std::int64_t id_ = -1;        // hid_t
  std::int64_t num_bytes_ = 0;  // of the file
};

}  // namespace stiction::hdf5
