// Named arrays in one file, in the format safetensors: eight bytes with the length of a JSON header, the header with
// names, types, shapes and offsets, then the numbers, little endian, row by row. Read by many programs; NumPy needs ten
// lines (docs/learning.md). Files are not trusted: every size is checked against the bytes that there are before memory
// is taken, and arrays must fill the file without gap or overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "stiction/math/types.h"

namespace stiction {

struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row by row
  bool is_single = false;      // stored as F32, else as F64

  static Tensor from_matrix(const Eigen::Ref<const MatrixX>& matrix, bool is_single = false);
  static Tensor from_vector(VectorView vector, bool is_single = false);
};

struct TensorFile {
  static constexpr std::size_t largest_header = std::size_t{1} << 22;  // bytes
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  // Throw std::invalid_argument naming `where`, tensor and what is wanted.
  const Tensor& tensor(const std::string& name, const std::string& where) const;
  MatrixX matrix(const std::string& name, const std::string& where) const;           // of two dimensions
  VectorX vector(const std::string& name, const std::string& where) const;           // of one
  const std::string& value(const std::string& key, const std::string& where) const;  // of the metadata
  bool has(const std::string& name) const { return tensors.contains(name); }
};

// Throw std::invalid_argument that begins with `name` (a path) and says what is wrong where.
TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& name);
TensorFile read_safetensors(const std::string& path);
std::vector<std::byte> to_safetensors(const TensorFile& file);
// By save_file() (math/save_file.h): what was there is lost only when the new one is complete.
void write_safetensors(const std::string& path, const TensorFile& file);

}  // namespace stiction
