// The Delassus matrix G = J M⁻¹ Jᵀ in the three forms that problems come in.
//
// Dense: up to a few hundred rows. Sparse: blocks between constraints, as FCLIB publishes it; G need not be symmetric.
// Factored: G = A Aᵀ with A = J L⁻ᵀ (M = L Lᵀ), never multiplied out; hyperstatic piles have more rows than velocities.
#pragma once

#include <vector>

#include "stiction/math/pack.h"
#include "stiction/math/types.h"

namespace stiction {

enum class DelassusForm { dense, sparse, factored };

// Column-major with the column length padded to eight, so that adding a multiple of a column is a loop of whole packs.
// Padding rows hold zero.
struct DelassusDense {
  int size = 0;
  int stride = 0;  // padded8(size)
  VectorX data;    // stride × size

  void resize(int rows) {
    size = rows;
    stride = padded8(rows);
    data.setZero(static_cast<Eigen::Index>(stride) * rows);
  }
  const double* column(int j) const { return data.data() + static_cast<std::ptrdiff_t>(stride) * j; }
  double* column(int j) { return data.data() + static_cast<std::ptrdiff_t>(stride) * j; }
  double operator()(int i, int j) const { return column(j)[i]; }
  Eigen::Map<const MatrixX, 0, Eigen::OuterStride<>> matrix() const {
    return {data.data(), size, size, Eigen::OuterStride<>(stride)};
  }
};

// Compressed rows of blocks between constraints. The pattern is structurally symmetric and holds every diagonal block
// (blocks of zeros are added where a file has none); columns ascend within a row. Every block is a 3×3 matrix;
// a constraint of one row uses row 0 and column 0, the rest is zero.
struct DelassusSparse {
  std::vector<int> row_begin;   // num_constraints + 1
  std::vector<int> column;      // constraint index of each block
  std::vector<int> diagonal;    // position of block (i, i)
  std::vector<int> transposed;  // position of block (j, i) for block (i, j)
  std::vector<Matrix3> block;

  int num_block_rows() const { return static_cast<int>(diagonal.size()); }
  int num_blocks() const { return static_cast<int>(block.size()); }
};

// Velocities are cut into nodes of at most six columns (a free body is one node, a tree of n velocities several), each
// padded to eight. Constraint i touches the nodes segment_node[s], s in [segment_begin[i], segment_begin[i + 1]); its
// part of Aᵀ there is one pack per row. A constraint of one row uses row[0]; unused rows and padding are zero.
struct DelassusFactored {
  static constexpr int max_node_size = 6;
  // The same alignment whatever a program is compiled for: it hands segments to a library that is compiled for another.
  struct alignas(64) Segment {
    Pack8 row[3];
  };

  std::vector<int> node_size;      // 1…6
  std::vector<int> segment_begin;  // num_constraints + 1
  std::vector<int> segment_node;   // ascending within a constraint
  std::vector<Segment> segment;

  int num_nodes() const { return static_cast<int>(node_size.size()); }
  int num_velocities() const;
};

}  // namespace stiction
