// Tables in HDF5 files: rows of one type, in pieces, for what is too long to be held at once or grows while it is
// written (recordings). Numbers are little-endian; a record is a compound type, which h5py reads as a structured array.
//
// A table made by make_table() lies in one piece at a place that never changes, so that its rows can be written with
// plain system calls after the file was closed; make_packed_table() compresses.
#pragma once

#include <functional>

#include "stiction/problem_files/hdf5.h"

namespace stiction::hdf5 {

enum class NumberType { float64, int64, uint64, int32, uint8 };
std::size_t size_of(NumberType type);

struct TableMember {
  const char* name;
  NumberType type;
  std::size_t offset;  // in the record, bytes
  int rows = 1;        // 3 × 1: a vector; 3 × 3: a matrix, row by row
  int columns = 1;
};

struct TableType {
  NumberType number = NumberType::float64;
  int width = -1;                             // numbers per row; −1: one, and the dataset has one dimension
  std::span<const TableMember> members = {};  // not empty: rows are records, `number` and `width` mean nothing
  std::size_t record_bytes = 0;

  std::size_t row_bytes() const;
};

// Zeros, not compressed, in one piece.
void make_table(File& file, const std::string& name, const TableType& type, std::int64_t num_rows);
// Where the first row lies in the file, bytes; −1 where the table is empty or not in one piece.
std::int64_t table_place(const File& file, const std::string& name);

// `fill` is asked for the rows from first on, `count` of them. `compression`: 0 none … 9 (gzip).
using FillRows = std::function<void(std::int64_t first, std::int64_t count, std::byte* out)>;
void make_packed_table(File& file, const std::string& name, const TableType& type, std::int64_t num_rows,
                       int compression, const FillRows& fill);

// Number of rows, after checking that it is a table of exactly this type and that the file can hold it.
std::int64_t num_table_rows(const File& file, const std::string& name, const TableType& type);
// Refuses rows that do not exist, before anything is read.
void read_table(const File& file, const std::string& name, const TableType& type, std::int64_t first,
                std::int64_t count, void* out);

}  // namespace stiction::hdf5
