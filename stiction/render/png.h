// Parts of PNG files, for pictures and for films. Internal to the room.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stiction::raster {

using Bytes = std::vector<std::uint8_t>;

void append_number(std::uint32_t value, Bytes& out);                                  // four bytes, the highest first
void append_chunk(const char* kind, std::span<const std::uint8_t> data, Bytes& out);  // with size and checksum
Bytes png_beginning(int width, int height);  // signature and header of eight-bit RGB
// Rows of three bytes a pixel, filtered and deflated: what IDAT and fdAT hold.
Bytes packed_rows(std::span<const std::uint8_t> pixels, int width, int height);

}  // namespace stiction::raster
