// Values as bytes, little-endian as in memory, and back with every length checked before memory is taken.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "stiction/math/refuse.h"

namespace stiction {

static_assert(std::endian::native == std::endian::little);

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    append(&value, sizeof value);
  }
  void put_numbers(const double* values, std::size_t count) { append(values, count * sizeof(double)); }
  void put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  void append(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  // `what` begins every message.
  ByteReader(std::span<const std::byte> bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <class T>
  void get(T& value) {
    static_assert((std::is_arithmetic_v<T> || std::is_enum_v<T>) && !std::is_same_v<T, bool>);
    copy(&value, sizeof value);
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  void get_numbers(double* values, std::size_t count) { copy(values, count * sizeof(double)); }
  std::string get_text() {
    std::string text(get_count(1), '\0');
    copy(text.data(), text.size());
    return text;
  }
  // The number of entries that follow, each at least `entry_bytes` long.
  std::size_t get_count(std::size_t entry_bytes) {
    const std::size_t count = get<std::uint32_t>();
    if (count > bytes_.size() / entry_bytes) {
      refuse(what_, ": ", count, " entries do not fit into the ", bytes_.size(), " bytes left");
    }
    return count;
  }
  void copy(void* to, std::size_t size) {
    if (bytes_.size() < size) refuse(what_, ": the bytes end ", size - bytes_.size(), " too early");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::size_t num_left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::string what_;
};

}  // namespace stiction
