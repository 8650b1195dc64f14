#include "stiction/problem_files/hdf5_table.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "stiction/problem_files/hdf5_handle.h"

namespace stiction::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

constexpr std::int64_t max_rows = std::int64_t{1} << 40;
constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;

hid_t library_type(NumberType type) {
  switch (type) {
    case NumberType::float64:
      return H5T_IEEE_F64LE;
    case NumberType::int64:
      return H5T_STD_I64LE;
    case NumberType::uint64:
      return H5T_STD_U64LE;
    case NumberType::int32:
      return H5T_STD_I32LE;
    case NumberType::uint8:
      return H5T_STD_U8LE;
  }
  return -1;
}

// The type of one row, or of one number of it; to be closed.
hid_t make_type(const TableType& type) {
  if (type.members.empty()) return H5Tcopy(library_type(type.number));
  const hid_t record = H5Tcreate(H5T_COMPOUND, type.record_bytes);
  for (const TableMember& member : type.members) {
    const hsize_t dims[2] = {static_cast<hsize_t>(member.rows), static_cast<hsize_t>(member.columns)};
    if (member.rows * member.columns == 1) {
      H5Tinsert(record, member.name, member.offset, library_type(member.type));
    } else {
      const Handle array(H5Tarray_create2(library_type(member.type), member.columns == 1 ? 1 : 2, dims), H5Tclose);
      H5Tinsert(record, member.name, member.offset, array);
    }
  }
  return record;
}

struct Extent {
  hsize_t dims[2];
  int rank;
  Extent(const TableType& type, std::int64_t rows)
      : dims{static_cast<hsize_t>(rows), static_cast<hsize_t>(std::max(type.width, 0))},
        rank(type.members.empty() && type.width >= 0 ? 2 : 1) {}
  bool empty() const { return dims[0] == 0 || (rank == 2 && dims[1] == 0); }
};

[[noreturn]] void fail(const File& file, const std::string& name) {
  throw std::runtime_error(file.path() + ": " + name + ": cannot be written");
}

}  // namespace

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::int32:
      return 4;
    case NumberType::uint8:
      return 1;
    default:
      return 8;
  }
}

std::size_t TableType::row_bytes() const {
  if (!members.empty()) return record_bytes;
  return size_of(number) * (width < 0 ? 1 : static_cast<std::size_t>(width));
}

void make_table(File& file, const std::string& name, const TableType& type, std::int64_t num_rows) {
  const Extent extent(type, num_rows);
  const Handle row_type(make_type(type), H5Tclose);
  const Handle space(H5Screate_simple(extent.rank, extent.dims, nullptr), H5Sclose);
  const Handle plist(make_dataset_properties(), H5Pclose);
  H5Pset_layout(plist, H5D_CONTIGUOUS);
  // The file grows to its full length and stays without contents: the system reads zeros and stores nothing.
  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
  const Handle dataset(H5Dcreate2(file.id(), name.c_str(), row_type, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail(file, name);
}

std::int64_t table_place(const File& file, const std::string& name) {
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) return -1;
  const haddr_t place = H5Dget_offset(dataset);
  return place == HADDR_UNDEF ? -1 : static_cast<std::int64_t>(place);
}

void make_packed_table(File& file, const std::string& name, const TableType& type, std::int64_t num_rows,
                       int compression, const FillRows& fill) {
  const Extent extent(type, num_rows);
  const auto row_bytes = static_cast<std::int64_t>(std::max<std::size_t>(1, type.row_bytes()));
  const std::int64_t piece = std::clamp(piece_bytes / row_bytes, std::int64_t{1}, std::max(num_rows, std::int64_t{1}));
  const Handle row_type(make_type(type), H5Tclose);
  const Handle space(H5Screate_simple(extent.rank, extent.dims, nullptr), H5Sclose);
  const Handle plist(make_dataset_properties(), H5Pclose);
  if (compression > 0 && !extent.empty()) {
    const hsize_t chunk[2] = {static_cast<hsize_t>(piece), extent.dims[1]};
    H5Pset_chunk(plist, extent.rank, chunk);
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, static_cast<unsigned>(compression));
  }
  const Handle dataset(H5Dcreate2(file.id(), name.c_str(), row_type, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail(file, name);
  if (extent.empty()) return;
  std::vector<std::byte> rows(static_cast<std::size_t>(piece * row_bytes));
  for (std::int64_t first = 0; first < num_rows; first += piece) {
    const std::int64_t count = std::min(piece, num_rows - first);
    fill(first, count, rows.data());
    const hsize_t start[2] = {static_cast<hsize_t>(first), 0}, size[2] = {static_cast<hsize_t>(count), extent.dims[1]};
    const Handle memory(H5Screate_simple(extent.rank, size, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr) < 0 ||
        H5Dwrite(dataset, row_type, memory, space, H5P_DEFAULT, rows.data()) < 0) {
      fail(file, name);
    }
  }
}

std::int64_t num_table_rows(const File& file, const std::string& name, const TableType& type) {
  if (!file.has(name)) file.refuse(name, "is missing");
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) file.refuse(name, "is not a dataset");
  const Handle stored(H5Dget_type(dataset), H5Tclose), wanted(make_type(type), H5Tclose);
  if (!stored.valid() || H5Tequal(stored, wanted) <= 0) file.refuse(name, "its values have another type");
  const Handle space(H5Dget_space(dataset), H5Sclose);
  Extent extent(type, 0);
  hsize_t dims[2] = {0, 0};
  if (!space.valid() || H5Sget_simple_extent_type(space) != H5S_SIMPLE ||
      H5Sget_simple_extent_ndims(space) != extent.rank || H5Sget_simple_extent_dims(space, dims, nullptr) < 0) {
    file.refuse(name, "does not have " + std::to_string(extent.rank) + " dimensions");
  }
  if (extent.rank == 2 && dims[1] != extent.dims[1]) {
    file.refuse(
        name, "has " + std::to_string(dims[1]) + " columns where " + std::to_string(extent.dims[1]) + " are expected");
  }
  if (dims[0] > static_cast<hsize_t>(max_rows)) file.refuse(name, "declares " + std::to_string(dims[0]) + " rows");
  const auto rows = static_cast<std::int64_t>(dims[0]);
  const auto value_size = static_cast<std::int64_t>(H5Tget_size(stored));
  const std::int64_t count = rows * (extent.rank == 2 ? static_cast<std::int64_t>(dims[1]) : 1);
  const std::string problem = count == 0 ? "" : storage_problem(dataset, count, value_size, file.num_bytes());
  if (!problem.empty()) file.refuse(name, problem);
  return rows;
}

void read_table(const File& file, const std::string& name, const TableType& type, std::int64_t first,
                std::int64_t count, void* out) {
  const std::int64_t rows = num_table_rows(file, name, type);
  if (first < 0 || count < 0 || first > rows || count > rows - first) {
    file.refuse(name, "has " + std::to_string(rows) + " rows; " + std::to_string(count) + " from row " +
                          std::to_string(first) + " on are asked for");
  }
  const Extent extent(type, count);
  if (extent.empty()) return;
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle row_type(make_type(type), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle memory(H5Screate_simple(extent.rank, extent.dims, nullptr), H5Sclose);
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0};
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, extent.dims, nullptr) < 0 ||
      H5Dread(dataset, row_type, memory, space, H5P_DEFAULT, out) < 0) {
    file.refuse(name, "the stored rows cannot be read");
  }
}

}  // namespace stiction::hdf5
