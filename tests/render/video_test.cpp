// Films, read back by readers of the test's own, by the letter of the standards.
#include "stiction/render/video.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace stiction {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

std::string place(const std::string& name) {
  return testing::TempDir() + "stiction_video_" + name;
}

Bytes bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A few colours, or many; a square that moves.
Image frame(int number, bool many_colors) {
  Image image(70, 41, {230, 230, 230});
  for (int y = 0; many_colors && y < 41; ++y) {
    for (int x = 0; x < 70; ++x) {
      image.set(x, y,
                {static_cast<std::uint8_t>(3 * x), static_cast<std::uint8_t>(6 * y), static_cast<std::uint8_t>(x + y)});
    }
  }
  image.fill_rectangle(5 + 4 * number, 10, 8, 8, {200, 20, 30});
  return image;
}

void write(const std::string& path, bool many_colors, int count = 3) {
  VideoWriter video(path, {.frames_per_second = 24.0});
  for (int k = 0; k < count; ++k) video.add(frame(k, many_colors));
  video.close();
  EXPECT_EQ(video.num_frames(), count);
}

// ---- GIF

std::vector<int> unpack(const Bytes& file, std::size_t& at) {
  const int first_bits = file[at++];
  Bytes data;
  while (const int size = file[at++]) {
    data.insert(data.end(), file.begin() + static_cast<long>(at), file.begin() + static_cast<long>(at) + size);
    at += static_cast<std::size_t>(size);
  }
  const int clear = 1 << first_bits, end = clear + 1;
  std::vector<std::vector<int>> table;
  const auto begin_again = [&] {
    table.assign(end + 1, {});
    for (int k = 0; k < clear; ++k) table[k] = {k};
  };
  begin_again();
  int bits = first_bits + 1, previous = -1;
  std::vector<int> out;
  for (std::size_t bit = 0; bit + bits <= 8 * data.size();) {
    int code = 0;
    for (int k = 0; k < bits; ++k, ++bit) code |= (data[bit / 8] >> (bit % 8) & 1) << k;
    if (code == end) return out;
    if (code == clear) {
      begin_again();
      bits = first_bits + 1, previous = -1;
      continue;
    }
    std::vector<int> string = code < static_cast<int>(table.size()) ? table[code] : table[previous];
    if (code >= static_cast<int>(table.size())) string.push_back(string[0]);
    if (previous >= 0 && table.size() < 4096) {
      std::vector<int> longer = table[previous];
      longer.push_back(string[0]);
      table.push_back(longer);
    }
    out.insert(out.end(), string.begin(), string.end());
    previous = code;
    if (table.size() == (1U << bits) && bits < 12) ++bits;
  }
  ADD_FAILURE() << "no end";
  return out;
}

std::vector<Image> read_gif(const Bytes& file, int& hundredths) {
  EXPECT_EQ(std::string(file.begin(), file.begin() + 6), "GIF89a");
  const int width = file[6] | file[7] << 8, height = file[8] | file[9] << 8;
  std::size_t at = 13;
  std::vector<Image> images;
  hundredths = 0;
  while (file[at] != 0x3b) {
    if (file[at] == 0x21) {
      if (file[at + 1] == 0xf9) hundredths += file[at + 4] | file[at + 5] << 8;
      at += 2;
      while (file[at] != 0) at += file[at] + 1U;
      ++at;
      continue;
    }
    EXPECT_EQ(file[at], 0x2c);
    const std::size_t colors = at + 10;
    at = colors + 768;
    const std::vector<int> numbers = unpack(file, at);
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(width * height));
    Image image(width, height);
    for (std::size_t k = 0; k < numbers.size() && k < static_cast<std::size_t>(width * height); ++k) {
      const std::uint8_t* c = &file[colors + 3 * static_cast<std::size_t>(numbers[k])];
      image.set(static_cast<int>(k) % width, static_cast<int>(k) / width, {c[0], c[1], c[2]});
    }
    images.push_back(image);
  }
  return images;
}

TEST(Video, GifHoldsThePictures) {
  const std::string path = place("film.gif");
  for (const bool many : {false, true}) {
    write(path, many);
    int hundredths = 0;
    const std::vector<Image> images = read_gif(bytes_of(path), hundredths);
    ASSERT_EQ(images.size(), 3U);
    EXPECT_EQ(hundredths, 13);  // three of 1/24 s, rounded over the whole film
    for (int k = 0; k < 3; ++k) {
      const Image wanted = frame(k, many);
      int largest = 0;
      for (std::size_t i = 0; i < wanted.bytes().size(); ++i) {
        largest = std::max(largest, std::abs(wanted.bytes()[i] - images[k].bytes()[i]));
      }
      EXPECT_LE(largest, many ? 24 : 0) << k;  // 2870 colours become 256
    }
  }
  EXPECT_FALSE(fs::exists(path + ".part"));
  fs::remove(path);
}

// Codes of twelve bits, and a table that is begun again.
TEST(Video, GifOfNoise) {
  const std::string path = place("noise.gif");
  Image image(200, 150);
  unsigned noise = 3;
  for (std::uint8_t& byte : image.bytes()) noise = noise * 1664525U + 1013904223U, byte = (noise >> 31) * 255;
  VideoWriter video(path);
  video.add(image);
  video.close();
  int hundredths = 0;
  const std::vector<Image> images = read_gif(bytes_of(path), hundredths);
  ASSERT_EQ(images.size(), 1U);
  EXPECT_TRUE(std::equal(image.bytes().begin(), image.bytes().end(), images[0].bytes().begin()));
  fs::remove(path);
}

// ---- animated PNG

std::uint32_t number_at(const Bytes& bytes, std::size_t i) {
  return static_cast<std::uint32_t>(bytes[i]) << 24 | bytes[i + 1] << 16 | bytes[i + 2] << 8 | bytes[i + 3];
}

void unfilter(const Bytes& packed, int x, int y, int width, int height, Image& image) {
  const std::size_t row = 3 * static_cast<std::size_t>(width);
  Bytes rows((row + 1) * height), out(row * height);
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &size, packed.data(), packed.size()), Z_OK);
  for (int j = 0; j < height; ++j) {
    for (std::size_t i = 0; i < row; ++i) {
      const int a = i < 3 ? 0 : out[j * row + i - 3], b = j == 0 ? 0 : out[(j - 1) * row + i];
      const int c = i < 3 || j == 0 ? 0 : out[(j - 1) * row + i - 3], p = a + b - c;
      const int pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int expected[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
      out[j * row + i] = static_cast<std::uint8_t>(rows[j * (row + 1) + 1 + i] + expected[rows[j * (row + 1)]]);
    }
    for (int i = 0; i < width; ++i) {
      image.set(x + i, y + j, {out[j * row + 3 * i], out[j * row + 3 * i + 1], out[j * row + 3 * i + 2]});
    }
  }
}

TEST(Video, AnimatedPngHoldsThePictures) {
  const std::string path = place("film.png");
  write(path, true, 4);
  const Bytes file = bytes_of(path);
  Image image(70, 41);
  std::uint32_t frames = 0, sequence = 0, shown = 0;
  int x = 0, y = 0, width = 0, height = 0;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t size = number_at(file, at);
    const std::string kind(file.begin() + static_cast<long>(at) + 4, file.begin() + static_cast<long>(at) + 8);
    EXPECT_EQ(number_at(file, at + 8 + size), crc32(0, &file[at + 4], size + 4)) << kind;
    const Bytes data(file.begin() + static_cast<long>(at) + 8, file.begin() + static_cast<long>(at + 8 + size));
    if (kind == "acTL") frames = number_at(data, 0);
    if (kind == "fcTL" || kind == "fdAT") {
      EXPECT_EQ(number_at(data, 0), sequence++);
    }
    if (kind == "fcTL") {
      width = number_at(data, 4), height = number_at(data, 8), x = number_at(data, 12), y = number_at(data, 16);
      EXPECT_NEAR((data[20] << 8 | data[21]) / static_cast<double>(data[22] << 8 | data[23]), 1.0 / 24.0, 1e-4);
    }
    if (kind == "IDAT" || kind == "fdAT") {
      unfilter(kind == "IDAT" ? data : Bytes(data.begin() + 4, data.end()), x, y, width, height, image);
      const Image wanted = frame(static_cast<int>(shown++), true);
      EXPECT_TRUE(std::equal(image.bytes().begin(), image.bytes().end(), wanted.bytes().begin())) << shown;
      EXPECT_LE(width * height, shown > 1 ? 12 * 8 : 70 * 41);  // what changed alone
    }
    at += 12 + size;
  }
  EXPECT_EQ(frames, 4U);
  EXPECT_EQ(shown, 4U);
  fs::remove(path);
}

TEST(Video, AFolderHasOnePictureEach) {
  const std::string path = place("folder");
  write(path, false);
  for (const char* name : {"frame_00000.png", "frame_00001.png", "frame_00002.png"}) {
    EXPECT_TRUE(fs::exists(fs::path(path) / name));
  }
  EXPECT_EQ(bytes_of(path + "/frame_00001.png"), frame(1, false).to_png());
  fs::remove_all(path);
}

TEST(Video, WhatIsWrongIsTold) {
  EXPECT_THROW(VideoWriter(""), std::invalid_argument);
  EXPECT_THROW(VideoWriter("film.avi"), std::invalid_argument);
  EXPECT_THROW(VideoWriter("/no/such/folder/film.gif"), std::runtime_error);
  EXPECT_THROW(VideoWriter(place("a.gif"), {.frames_per_second = 0.0}), std::invalid_argument);
  EXPECT_THROW(VideoWriter(place("a.gif"), {.frames_per_second = NAN}), std::invalid_argument);
  VideoWriter video(place("b.gif"));
  EXPECT_THROW(video.close(), std::invalid_argument);  // no picture
  EXPECT_THROW(video.add(Image()), std::invalid_argument);
  video.add(frame(0, false));
  EXPECT_THROW(video.add(Image(10, 10)), std::invalid_argument);
}

TEST(Video, WhatIsNotClosedLeavesNothing) {
  const std::string path = place("left.gif");
  fs::remove(path);
  {
    VideoWriter video(path);
    video.add(frame(0, false));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(Video, AFullDiskIsTold) {
  const std::string path = place("full.gif");
  fs::remove(path + ".part");
  fs::create_symlink("/dev/full", path + ".part");
  VideoWriter video(path);
  EXPECT_THROW(video.add(frame(0, true)), std::runtime_error);
}

TEST(Video, WithoutFfmpegTheOthersAreNamed) {
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/no/such/folder", 1);
  try {
    VideoWriter video("film.mp4");
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(".gif"), std::string::npos) << error.what();
  }
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace stiction
