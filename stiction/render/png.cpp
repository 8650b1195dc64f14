// Pictures as PNG: one chunk of deflated rows, each with the filter that makes its bytes smallest.
#include "stiction/render/png.h"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <ostream>

#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"
#include "stiction/render/image.h"

namespace stiction {

using raster::append_chunk;
using raster::append_number;
using raster::Bytes;

namespace {

constexpr int bytes_per_pixel = 3, num_filters = 5;

std::uint8_t paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - above), c = std::abs(guess - corner);
  return static_cast<std::uint8_t>(a <= b && a <= c ? left : b <= c ? above : corner);
}

// The row less what the filter expects of it; PNG numbers them none, sub, up, average, Paeth.
void apply_filter(int filter, const std::uint8_t* row, const std::uint8_t* above, std::size_t size, std::uint8_t* out) {
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_first = i < bytes_per_pixel;
    const int left = is_first ? 0 : row[i - bytes_per_pixel], corner = is_first ? 0 : above[i - bytes_per_pixel];
    const int expected[num_filters] = {0, left, above[i], (left + above[i]) / 2, paeth(left, above[i], corner)};
    out[i] = static_cast<std::uint8_t>(row[i] - expected[filter]);
  }
}

std::uint64_t size_of(const std::uint8_t* row, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += std::abs(static_cast<std::int8_t>(row[i]));
  return sum;
}

Bytes filter_rows(std::span<const std::uint8_t> pixels, std::size_t size, int height) {
  Bytes out, tried(size);
  out.reserve((size + 1) * height);
  const Bytes zeros(size);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = pixels.data() + y * size;
    const std::uint8_t* above = y == 0 ? zeros.data() : row - size;
    const std::size_t place = out.size();
    out.resize(place + size + 1);
    std::uint64_t smallest = UINT64_MAX;
    for (int filter = 0; filter < num_filters; ++filter) {
      apply_filter(filter, row, above, size, tried.data());
      const std::uint64_t sum = size_of(tried.data(), size);
      if (sum >= smallest) continue;
      smallest = sum;
      out[place] = static_cast<std::uint8_t>(filter);
      std::memcpy(out.data() + place + 1, tried.data(), size);
    }
  }
  return out;
}

}  // namespace

namespace raster {

void append_number(std::uint32_t value, Bytes& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(const char* kind, std::span<const std::uint8_t> data, Bytes& out) {
  append_number(static_cast<std::uint32_t>(data.size()), out);
  const std::size_t begin = out.size();
  out.insert(out.end(), kind, kind + 4);
  out.insert(out.end(), data.begin(), data.end());
  append_number(static_cast<std::uint32_t>(crc32_z(0, out.data() + begin, out.size() - begin)), out);
}

Bytes packed_rows(std::span<const std::uint8_t> pixels, int width, int height) {
  const Bytes rows = filter_rows(pixels, bytes_per_pixel * static_cast<std::size_t>(width), height);
  uLongf packed_size = compressBound(rows.size());
  Bytes packed(packed_size);
  constexpr int level = 6;
  if (compress2(packed.data(), &packed_size, rows.data(), rows.size(), level) != Z_OK) throw std::bad_alloc();
  packed.resize(packed_size);
  return packed;
}

Bytes png_beginning(int width, int height) {
  Bytes header;
  append_number(static_cast<std::uint32_t>(width), header);
  append_number(static_cast<std::uint32_t>(height), header);
  constexpr std::array<std::uint8_t, 5> eight_bit_rgb = {8, 2, 0, 0, 0};
  header.insert(header.end(), eight_bit_rgb.begin(), eight_bit_rgb.end());
  Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk("IHDR", header, out);
  return out;
}

}  // namespace raster

std::vector<std::uint8_t> Image::to_png() const {
  if (bytes_.empty()) refuse("an image without pixels cannot be saved");
  Bytes out = raster::png_beginning(width_, height_);
  append_chunk("IDAT", raster::packed_rows(bytes_, width_, height_), out);
  append_chunk("IEND", {}, out);
  return out;
}

void Image::save(const std::string& path) const {
  const Bytes bytes = to_png();
  save_file(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
}

}  // namespace stiction
