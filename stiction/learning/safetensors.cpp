#include "stiction/learning/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"

namespace stiction {
namespace {

using Json = nlohmann::json;
static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

// What a message quotes of a name that somebody else chose.
std::string quoted(const std::string& text) {
  std::string shown;
  for (const char c : text.substr(0, 60)) shown += static_cast<unsigned char>(c) < 32 ? '?' : c;
  return '"' + shown + (text.size() > 60 ? "...\"" : "\"");
}

struct Entry {
  std::string name;
  std::size_t begin = 0, end = 0;
  Tensor tensor;
};

std::size_t to_size(const Json& value, const std::string& what) {
  if (!value.is_number_unsigned()) refuse(what, " is no whole number");
  return value.get<std::size_t>();
}

// The number of entries, at most `most`.
std::size_t read_shape(const Json& shape, const std::string& what, std::size_t most, Tensor& tensor) {
  if (!shape.is_array() || shape.size() > 8) refuse(what, ": shape is no list of at most eight numbers");
  std::size_t count = 1;
  for (const Json& length : shape) {
    const std::size_t n = to_size(length, what + ": shape");
    if (n > most || (n != 0 && count > most / n)) refuse(what, ": shape wants more than the file holds");
    tensor.shape.push_back(static_cast<std::int64_t>(n));
    count *= n;
  }
  return count;
}

Entry read_entry(const std::string& file, const std::string& name, const Json& value, std::size_t data_size) {
  const std::string what = file + ": tensor " + quoted(name);
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets")) {
    refuse(what, ": dtype, shape and data_offsets are wanted");
  }
  Entry entry{name, 0, 0, {}};
  const Json& type = value["dtype"];
  const bool is_single = type == "F32";
  if (!is_single && type != "F64") refuse(what, ": dtype is neither F32 nor F64");
  entry.tensor.is_single = is_single;
  const Json& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) refuse(what, ": data_offsets are not two numbers");
  entry.begin = to_size(offsets[0], what + ": data_offsets");
  entry.end = to_size(offsets[1], what + ": data_offsets");
  if (entry.begin > entry.end || entry.end > data_size) {
    refuse(what, ": data_offsets are ", entry.begin, " and ", entry.end, "; the file has ", data_size,
           " bytes of data");
  }
  const std::size_t width = is_single ? 4 : 8;
  const std::size_t count = read_shape(value["shape"], what, data_size / width, entry.tensor);
  if (count * width != entry.end - entry.begin) {
    refuse(what, ": its shape wants ", count * width, " bytes, its data_offsets give ", entry.end - entry.begin);
  }
  return entry;
}

void read_values(std::span<const std::byte> data, Entry& entry) {
  const std::size_t width = entry.tensor.is_single ? 4 : 8;
  const std::size_t count = (entry.end - entry.begin) / width;
  entry.tensor.values.resize(count);
  const std::byte* from = data.data() + entry.begin;
  for (std::size_t i = 0; i < count; ++i, from += width) {
    if (entry.tensor.is_single) {
      float value = 0.0F;
      std::memcpy(&value, from, 4);
      entry.tensor.values[i] = static_cast<double>(value);
    } else {
      std::memcpy(&entry.tensor.values[i], from, 8);
    }
  }
}

}  // namespace

Tensor Tensor::from_matrix(const Eigen::Ref<const MatrixX>& matrix, bool is_single) {
  Tensor tensor{{matrix.rows(), matrix.cols()}, {}, is_single};
  tensor.values.reserve(static_cast<std::size_t>(matrix.size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) tensor.values.push_back(matrix(i, j));
  }
  return tensor;
}

Tensor Tensor::from_vector(VectorView vector, bool is_single) {
  return {{vector.size()}, std::vector<double>(vector.data(), vector.data() + vector.size()), is_single};
}

const Tensor& TensorFile::tensor(const std::string& name, const std::string& where) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) refuse(where, ": there is no tensor ", quoted(name));
  return found->second;
}

MatrixX TensorFile::matrix(const std::string& name, const std::string& where) const {
  const Tensor& from = tensor(name, where);
  if (from.shape.size() != 2) {
    refuse(where, ": tensor ", quoted(name), " has ", from.shape.size(), " dimensions; two are wanted");
  }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Rows>(from.values.data(), from.shape[0], from.shape[1]);
}

VectorX TensorFile::vector(const std::string& name, const std::string& where) const {
  const Tensor& from = tensor(name, where);
  if (from.shape.size() != 1) {
    refuse(where, ": tensor ", quoted(name), " has ", from.shape.size(), " dimensions; one is wanted");
  }
  return ConstVectorMap(from.values.data(), from.shape[0]);
}

const std::string& TensorFile::value(const std::string& key, const std::string& where) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse(where, ": the header's __metadata__ has no ", quoted(key));
  return found->second;
}

TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < 8) refuse(name, ": ", bytes.size(), " bytes; a safetensors file has at least 8");
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), 8);
  if (header_size > TensorFile::largest_header || header_size > bytes.size() - 8) {
    refuse(name, ": the header has ", header_size, " bytes by the first eight; the file has ", bytes.size(),
           ", and no header more than ", TensorFile::largest_header);
  }
  const char* text = reinterpret_cast<const char*>(bytes.data()) + 8;
  const Json header = Json::parse(text, text + header_size, nullptr, false);
  if (!header.is_object()) refuse(name, ": the header is no JSON object");
  const std::span<const std::byte> data = bytes.subspan(8 + static_cast<std::size_t>(header_size));
  TensorFile file;
  std::vector<Entry> entries;
  for (const auto& [key, value] : header.items()) {
    if (key == "__metadata__") {
      if (!value.is_object()) refuse(name, ": __metadata__ is no object");
      for (const auto& [word, said] : value.items()) {
        if (!said.is_string()) refuse(name, ": __metadata__ ", quoted(word), " is no text");
        file.metadata[word] = said.get<std::string>();
      }
      continue;
    }
    entries.push_back(read_entry(name, key, value, data.size()));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::size_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end) {
      refuse(name, ": tensor ", quoted(entry.name), " begins at ", entry.begin, "; the one before ends at ", end);
    }
    end = entry.end;
  }
  if (end != data.size()) refuse(name, ": tensors end at ", end, "; the file has ", data.size(), " bytes of data");
  for (Entry& entry : entries) {
    read_values(data, entry);
    file.tensors.emplace(std::move(entry.name), std::move(entry.tensor));
  }
  return file;
}

TensorFile read_safetensors(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse(missing_file(path));
  if (!std::filesystem::is_regular_file(path, error)) refuse(path, ": is not a file");
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) refuse(path, ": cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    refuse(path, ": cannot be read");
  }
  return parse_safetensors(bytes, path);
}

std::vector<std::byte> to_safetensors(const TensorFile& file) {
  Json header = Json::object();
  std::size_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const std::size_t size = tensor.values.size() * (tensor.is_single ? 4 : 8);
    header[name] = {{"dtype", tensor.is_single ? "F32" : "F64"},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::string text = header.dump(-1, ' ', true, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // numbers begin where they may be read in place
  if (text.size() > TensorFile::largest_header) refuse("safetensors: the header would have ", text.size(), " bytes");
  std::vector<std::byte> bytes(8 + text.size() + offset);
  const std::uint64_t header_size = text.size();
  std::memcpy(bytes.data(), &header_size, 8);
  std::memcpy(bytes.data() + 8, text.data(), text.size());
  std::byte* to = bytes.data() + 8 + text.size();
  for (const auto& [name, tensor] : file.tensors) {
    for (const double value : tensor.values) {
      if (tensor.is_single) {
        const auto single = static_cast<float>(value);
        std::memcpy(to, &single, 4);
        to += 4;
      } else {
        std::memcpy(to, &value, 8);
        to += 8;
      }
    }
  }
  return bytes;
}

void write_safetensors(const std::string& path, const TensorFile& file) {
  const std::vector<std::byte> bytes = to_safetensors(file);
  save_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
}

}  // namespace stiction
