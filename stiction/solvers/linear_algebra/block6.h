// 6×6 matrices for kernels of four lanes, without padding: columns lie in pairs, each pair row by row. A pack holds two
// rows of a pair, and what multiplies it from the right are two neighbouring entries, twice: no lane is ever moved.
//
// A product takes 54 multiplications of packs and the matrix 288 bytes; with columns padded to eight rows these would
// be 72 and 384, and the factors of a pile of a thousand bodies are read from memory in every iteration.
#pragma once

#include "stiction/math/pack.h"

namespace stiction {

struct Block6 {
  static constexpr int size = 6, pairs = 3;
  Pack4 pack[pairs][pairs];  // [p][k]: rows 2k, 2k + 1 of columns 2p, 2p + 1

  const double* entries(int row, int pair) const {  // two of them: columns 2·pair and 2·pair + 1
    return reinterpret_cast<const double*>(pack[pair]) + 2 * row;
  }
  double operator()(int row, int column) const { return entries(row, column / 2)[column % 2]; }
  double& operator()(int row, int column) { return reinterpret_cast<double*>(pack[column / 2])[2 * row + column % 2]; }
  // A column of a pair, filled up with two zeros.
  template <int which>
  Pack8 column(int pair) const {
    const Pack4* rows = pack[pair];
    return joined(__builtin_shufflevector(rows[0], rows[1], which, which + 2, which + 4, which + 6),
                  __builtin_shufflevector(rows[2], Pack4{}, which, which + 2, 4, 4));
  }
  void set_pair(int pair, const Pack8& first, const Pack8& second) {
    const Pack4 a = low_half(first), b = low_half(second), c = high_half(first), d = high_half(second);
    pack[pair][0] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    pack[pair][1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    pack[pair][2] = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  }
  void set_zero() {
    for (auto& pair : pack) pair[0] = pair[1] = pair[2] = Pack4{};
  }
  void operator+=(const Block6& other) {
    for (int p = 0; p < pairs; ++p) {
      for (int k = 0; k < pairs; ++k) pack[p][k] += other.pack[p][k];
    }
  }
};

// Six entries, each twice: a column of a matrix that multiplies from the left.
struct Column6 {
  Pack4 pack[Block6::pairs];

  Column6() = default;
  explicit Column6(const Pack8& c) {
    const Pack4 low = low_half(c), high = high_half(c);
    pack[0] = __builtin_shufflevector(low, low, 0, 0, 1, 1);
    pack[1] = __builtin_shufflevector(low, low, 2, 2, 3, 3);
    pack[2] = __builtin_shufflevector(high, high, 0, 0, 1, 1);
  }
};

// sum ← sum + column row, where `row` yields two entries of the row, twice, by pair.
template <class Row>
inline __attribute__((always_inline)) void add_outer(Column6 column, const Row& row, Block6& sum) {
  for (Pack4& pack : column.pack) hold(pack);
  for (int p = 0; p < Block6::pairs; ++p) {
    const Pack4 entries = row(p);
    for (int k = 0; k < Block6::pairs; ++k) sum.pack[p][k] += column.pack[k] * entries;
  }
}

// A matrix that multiplies from the left.
struct Left6 {
  Column6 column[Block6::size];

  explicit Left6(const Block6& m) {
    for (int p = 0; p < Block6::pairs; ++p) {
      for (int k = 0; k < Block6::pairs; ++k) {
        column[2 * p].pack[k] = __builtin_shufflevector(m.pack[p][k], m.pack[p][k], 0, 0, 2, 2);
        column[2 * p + 1].pack[k] = __builtin_shufflevector(m.pack[p][k], m.pack[p][k], 1, 1, 3, 3);
      }
    }
  }
};

inline __attribute__((always_inline)) Block6 operator*(const Left6& left, const Block6& right) {
  Block6 sum;
  sum.set_zero();
  for (int r = 0; r < Block6::size; ++r) {
    add_outer(left.column[r], [&](int p) { return load2_twice(right.entries(r, p)); }, sum);
  }
  return sum;
}

// target ← target − left right
inline __attribute__((always_inline)) void subtract_product(const Left6& left, const Block6& right, Block6& target) {
  Block6 sum = target;
  for (int r = 0; r < Block6::size; ++r) {
    add_outer(left.column[r], [&](int p) { return -load2_twice(right.entries(r, p)); }, sum);
  }
  target = sum;
}

// A sum of products m v; lanes are added when it is read.
struct Sum6 {
  Pack4 pack[Block6::pairs] = {Pack4{}, Pack4{}, Pack4{}};

  __attribute__((always_inline)) void add_product(const Block6& m, const Pack8& v) {
    const double* entries = reinterpret_cast<const double*>(&v);
    for (int p = 0; p < Block6::pairs; ++p) {
      const Pack4 two = load2_twice(entries + 2 * p);
      for (int k = 0; k < Block6::pairs; ++k) pack[k] += m.pack[p][k] * two;
    }
  }
  // The last two lanes are zero.
  __attribute__((always_inline)) Pack8 value() const {
    const Pack4 first = __builtin_shufflevector(pack[0], pack[1], 0, 2, 4, 6),
                second = __builtin_shufflevector(pack[0], pack[1], 1, 3, 5, 7);
    const Pack4 third = __builtin_shufflevector(pack[2], Pack4{}, 0, 2, 4, 4),
                fourth = __builtin_shufflevector(pack[2], Pack4{}, 1, 3, 4, 4);
    return joined(first + second, third + fourth);
  }
};

}  // namespace stiction
