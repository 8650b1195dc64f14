// Animated GIF: every picture with the 256 colours that suit it, by cutting the cube of its colours where they spread
// most, and packed by the method of Lempel, Ziv and Welch.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "stiction/math/refuse.h"
#include "stiction/render/film.h"
#include "stiction/render/png.h"

namespace stiction::raster {
namespace {

constexpr int num_cells = 1 << 15;  // of the cube: five bits a colour
constexpr int most_colors = 256;

int cell_of(const std::uint8_t* p) {
  return (p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3;
}

// Colours of a picture and which of them every cell of the cube has.
struct ColorTable {
  std::array<Color, most_colors> colors{};
  std::array<std::uint8_t, num_cells> of_cell{};
};

// Cells that occur, with their mean colour and how often.
struct Cell {
  int number;
  std::array<double, 3> mean;
  double count;
};

struct Group {
  std::size_t begin, end;  // of the cells
  double spread;           // how much is gained by cutting it, at most
  int axis;
};

Group group_of(const std::vector<Cell>& cells, std::size_t begin, std::size_t end) {
  Group group{begin, end, 0.0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    double weight = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      weight += cells[k].count;
      sum += cells[k].count * cells[k].mean[axis];
      squares += cells[k].count * cells[k].mean[axis] * cells[k].mean[axis];
    }
    const double spread = squares - sum * sum / weight;
    if (spread > group.spread) group.spread = spread, group.axis = axis;
  }
  return group;
}

std::vector<Cell> cells_of(const Image& image) {
  std::vector<std::array<double, 4>> sums(num_cells);
  const std::uint8_t* p = image.bytes().data();
  for (std::size_t k = 0; k < image.bytes().size(); k += 3) {
    std::array<double, 4>& sum = sums[cell_of(p + k)];
    for (int c = 0; c < 3; ++c) sum[c] += p[k + c];
    sum[3] += 1.0;
  }
  std::vector<Cell> cells;
  for (int k = 0; k < num_cells; ++k) {
    const auto& s = sums[k];
    if (s[3] > 0.0) cells.push_back({k, {s[0] / s[3], s[1] / s[3], s[2] / s[3]}, s[3]});
  }
  return cells;
}

void find_colors(const Image& image, ColorTable& table) {
  std::vector<Cell> cells = cells_of(image);
  std::vector<Group> groups = {group_of(cells, 0, cells.size())};
  while (groups.size() < most_colors) {
    const auto widest = std::max_element(groups.begin(), groups.end(),
                                         [](const Group& a, const Group& b) { return a.spread < b.spread; });
    if (!(widest->spread > 0.0) || widest->end - widest->begin < 2) break;
    const Group group = *widest;
    std::sort(cells.begin() + static_cast<std::ptrdiff_t>(group.begin),
              cells.begin() + static_cast<std::ptrdiff_t>(group.end), [&](const Cell& a, const Cell& b) {
                return std::pair(a.mean[group.axis], a.number) < std::pair(b.mean[group.axis], b.number);
              });
    double weight = 0.0, sum = 0.0;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      weight += cells[k].count, sum += cells[k].count * cells[k].mean[group.axis];
    }
    std::size_t middle = group.begin + 1;
    while (middle + 1 < group.end && cells[middle].mean[group.axis] < sum / weight) ++middle;
    *widest = group_of(cells, group.begin, middle);
    groups.push_back(group_of(cells, middle, group.end));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::array<double, 4> sum{};
    for (std::size_t k = groups[g].begin; k < groups[g].end; ++k) {
      for (int c = 0; c < 3; ++c) sum[c] += cells[k].count * cells[k].mean[c];
      sum[3] += cells[k].count;
      table.of_cell[cells[k].number] = static_cast<std::uint8_t>(g);
    }
    const auto byte = [&](int c) { return static_cast<std::uint8_t>(std::lround(sum[c] / sum[3])); };
    table.colors[g] = {byte(0), byte(1), byte(2)};
  }
}

// Codes of nine to twelve bits, the lowest bit first, in blocks of at most 255 bytes.
class CodeWriter {
 public:
  explicit CodeWriter(Bytes& out) : out_(out) {}
  void put(unsigned code, int bits) {
    waiting_ |= code << num_waiting_;
    num_waiting_ += bits;
    while (num_waiting_ >= 8) put_byte();
  }
  void finish() {
    if (num_waiting_ > 0) put_byte();
    flush_block();
    out_.push_back(0);
  }

 private:
  void put_byte() {
    block_.push_back(static_cast<std::uint8_t>(waiting_));
    waiting_ >>= 8;
    num_waiting_ = std::max(0, num_waiting_ - 8);
    if (block_.size() == 255) flush_block();
  }
  void flush_block() {
    if (block_.empty()) return;
    out_.push_back(static_cast<std::uint8_t>(block_.size()));
    out_.insert(out_.end(), block_.begin(), block_.end());
    block_.clear();
  }
  Bytes& out_;
  Bytes block_;
  unsigned waiting_ = 0;
  int num_waiting_ = 0;
};

void append_packed(std::span<const std::uint8_t> numbers, Bytes& out) {
  constexpr unsigned clear = 256, end = 257;
  constexpr int most_codes = 4096;
  out.push_back(8);  // bits of a number
  CodeWriter writer(out);
  std::vector<std::array<std::uint16_t, 256>> next(most_codes);  // code of a string and one number more; 0: unknown
  const auto begin_again = [&] { std::fill(next.begin(), next.end(), std::array<std::uint16_t, 256>{}); };
  begin_again();
  int bits = 9;
  unsigned free_code = end + 1;
  writer.put(clear, bits);
  unsigned known = numbers[0];
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    const std::uint8_t number = numbers[k];
    if (const unsigned longer = next[known][number]) {
      known = longer;
      continue;
    }
    writer.put(known, bits);
    if (free_code < most_codes) {
      next[known][number] = static_cast<std::uint16_t>(free_code);
      if (free_code == (1U << bits) && bits < 12) ++bits;
      ++free_code;
    } else {
      writer.put(clear, bits);
      begin_again();
      bits = 9, free_code = end + 1;
    }
    known = number;
  }
  writer.put(known, bits);
  writer.put(end, bits);
  writer.finish();
}

class Gif : public FilmFormat {
 public:
  Gif(const std::string& path, double frames_per_second) : file_(path), delay_(100.0 / frames_per_second) {}

  void add(const Image& image) override {
    Bytes out;
    if (count_ == 0) append_beginning(image, out);
    // Whole hundredths of a second; what is rounded off is made up for by later pictures.
    ++count_;
    const auto until = static_cast<std::int64_t>(std::llround(delay_ * static_cast<double>(count_)));
    const auto delay = static_cast<unsigned>(std::clamp<std::int64_t>(until - shown_, 1, 65535));
    shown_ += delay;
    const Bytes control = {0x21, 0xf9, 4, 4, static_cast<std::uint8_t>(delay), static_cast<std::uint8_t>(delay >> 8),
                           0,    0};
    out.insert(out.end(), control.begin(), control.end());
    out.push_back(0x2c);
    for (const int value : {0, 0, image.width(), image.height()}) append_short(value, out);
    out.push_back(0x87);  // with 256 colours of its own
    find_colors(image, table_);
    for (const Color& c : table_.colors) out.insert(out.end(), {c.red, c.green, c.blue});
    Bytes numbers(image.bytes().size() / 3);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = table_.of_cell[cell_of(&image.bytes()[3 * k])];
    append_packed(numbers, out);
    file_.write(out.data(), out.size());
  }

  void close() override {
    const std::uint8_t end = 0x3b;
    file_.write(&end, 1);
    file_.close();
  }

 private:
  static void append_short(int value, Bytes& out) {
    out.push_back(static_cast<std::uint8_t>(value)), out.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  static void append_beginning(const Image& image, Bytes& out) {
    for (const char c : std::string_view("GIF89a")) out.push_back(static_cast<std::uint8_t>(c));
    append_short(image.width(), out);
    append_short(image.height(), out);
    out.insert(out.end(), {0x70, 0, 0});
    out.insert(out.end(), {0x21, 0xff, 11});  // played without end
    for (const char c : std::string_view("NETSCAPE2.0")) out.push_back(static_cast<std::uint8_t>(c));
    out.insert(out.end(), {3, 1, 0, 0, 0});
  }

  GrowingFile file_;
  double delay_;  // hundredths of a second
  std::int64_t count_ = 0, shown_ = 0;
  ColorTable table_;
};

}  // namespace

std::unique_ptr<FilmFormat> make_gif(const std::string& path, double frames_per_second) {
  return std::make_unique<Gif>(path, frames_per_second);
}

}  // namespace stiction::raster
