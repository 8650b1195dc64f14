#include "stiction/problem_files/hdf5.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <utility>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/problem_files/hdf5_drivers.h"
#include "stiction/problem_files/hdf5_handle.h"

namespace stiction::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

constexpr std::int64_t max_string = std::int64_t{1} << 20;
constexpr std::int64_t max_values = std::int64_t{1} << 27;  // 1 GiB of doubles in one array
constexpr std::int64_t max_deflate_ratio = 1032;            // zlib cannot expand further

std::recursive_mutex& library_lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

// The library prints its own error stack unless told otherwise; ours are exceptions.
void silence_library() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);  // no code is loaded because a file asks for a foreign filter
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

// Shape of a dataspace, empty when it is none that we take: null, more than two dimensions, or too many values.
std::vector<std::int64_t> shape_of(hid_t space) {
  const H5S_class_t space_class = H5Sget_simple_extent_type(space);
  if (space_class == H5S_SCALAR) return {1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (space_class != H5S_SIMPLE || rank < 1 || rank > 2) return {};
  hsize_t dims[2] = {0, 0};
  H5Sget_simple_extent_dims(space, dims, nullptr);
  std::vector<std::int64_t> shape;
  for (int d = 0; d < rank; ++d) {
    if (dims[d] > static_cast<hsize_t>(max_values)) return {};
    shape.push_back(static_cast<std::int64_t>(dims[d]));
  }
  if (rank == 2 && shape[0] * shape[1] > max_values) return {};
  return shape;
}

bool is_plain_integer(hid_t type) {
  const size_t size = H5Tget_size(type);
  return H5Tget_class(type) == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8) &&
         H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
}

bool is_ieee(hid_t type) {
  return H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0 ||
         H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
}

}  // namespace

std::string storage_problem(hid_t dataset, std::int64_t count, std::int64_t value_size, std::int64_t file_bytes) {
  const Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  if (!plist.valid()) return "has no readable storage description";
  const H5D_layout_t layout = H5Pget_layout(plist);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) return "is stored in another file";
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(plist) != 0) return "is stored in another file";
  const auto stored = std::min(static_cast<hsize_t>(file_bytes), H5Dget_storage_size(dataset));
  const int num_filters = H5Pget_nfilters(plist);
  bool deflated = false;
  for (int k = 0; k < num_filters; ++k) {
    unsigned flags = 0, values[8];
    size_t num_values = 8;
    const H5Z_filter_t filter =
        H5Pget_filter2(plist, static_cast<unsigned>(k), &flags, &num_values, values, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_DEFLATE && !deflated) {
      deflated = true;
    } else if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) {
      return "uses a filter other than gzip, shuffle and fletcher32";
    }
  }
  const std::int64_t wanted = count * value_size;
  const std::int64_t most = static_cast<std::int64_t>(stored) * (deflated ? max_deflate_ratio : 1);
  if (wanted > most) {
    return "declares " + std::to_string(wanted) + " bytes, which its " + std::to_string(stored) +
           " stored bytes cannot hold";
  }
  if (layout == H5D_CONTIGUOUS && wanted > 0) {
    // The library computes with whatever address the file gives, and reads memory that it does not own.
    const haddr_t place = H5Dget_offset(dataset);
    const auto end_of_file = static_cast<haddr_t>(file_bytes);
    if (place == HADDR_UNDEF || place > end_of_file || static_cast<haddr_t>(wanted) > end_of_file - place) {
      return "lies outside the file";
    }
  }
  if (layout == H5D_CHUNKED) {
    hsize_t chunk[2] = {1, 1};
    const int rank = H5Pget_chunk(plist, 2, chunk);
    if (rank < 1 || rank > 2 || chunk[0] == 0 || chunk[1] == 0) return "has an impossible chunk shape";
    const double chunk_bytes = static_cast<double>(chunk[0]) * static_cast<double>(chunk[1]) * value_size;
    const double room = std::max(1048576.0, static_cast<double>(max_deflate_ratio) * file_bytes);
    if (chunk_bytes > std::min(room, 4e9)) return "has chunks larger than the file can hold";
    const double num_chunks = static_cast<double>(count) * value_size / chunk_bytes;
    if (num_chunks > static_cast<double>(file_bytes)) return "has more chunks than the file can hold";
  }
  return {};
}

namespace {

// A string from `type` and a function that reads into a buffer: H5Dread or H5Aread.
template <class Read>
bool read_text(hid_t type, const Read& read, std::string& out) {
  if (H5Tget_class(type) != H5T_STRING) return false;
  if (H5Tis_variable_str(type) > 0) {
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    char* text = nullptr;
    if (read(static_cast<hid_t>(memory), &text) < 0) return false;
    if (text != nullptr) {
      out.assign(text, strnlen(text, static_cast<size_t>(max_string)));
      H5free_memory(text);
    }
    return true;
  }
  const size_t size = H5Tget_size(type);
  if (size == 0 || size > static_cast<size_t>(max_string)) return false;
  out.assign(size, '\0');
  if (read(type, out.data()) < 0) return false;
  out.resize(strnlen(out.data(), size));
  return true;
}

}  // namespace

File::File(std::string path, std::unique_lock<std::recursive_mutex> lock)
    : lock_(std::move(lock)), path_(std::move(path)) {
  silence_library();
}

File::File(File&& other) noexcept
    : lock_(std::move(other.lock_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)),
      place_(std::move(other.place_)),
      id_(std::exchange(other.id_, -1)),
      num_bytes_(other.num_bytes_) {}

File::~File() {
  if (id_ >= 0) H5Fclose(id_);
  if (!temporary_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
}

File File::open(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) stiction::refuse(missing_file(path));
  if (!std::filesystem::is_regular_file(status)) stiction::refuse(path, ": is not a file");
  File file(path, std::unique_lock(library_lock()));
  file.num_bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_fapl_sec2(access) < 0 || !read_files_carefully(access, path.c_str()) ||
      (file.id_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access)) < 0) {
    stiction::refuse(path, ": cannot be opened as an HDF5 file (not HDF5, truncated or not readable)");
  }
  return file;
}

File File::from_image(std::span<const std::byte> image) {
  File file("file image", std::unique_lock(library_lock()));
  file.num_bytes_ = static_cast<std::int64_t>(image.size());
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // The library copies the image and does not write to it.
  if (image.empty() || H5Pset_fapl_core(access, 65536, 0) < 0 ||
      H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()) < 0 ||
      !read_images_carefully(access, "stiction-image") ||
      (file.id_ = H5Fopen("stiction-image", H5F_ACC_RDONLY, access)) < 0) {
    stiction::refuse("file image: cannot be opened as an HDF5 file");
  }
  return file;
}

File File::create(const std::string& path) {
  auto place = std::make_unique<OutputPlace>(path);
  File file = create_in_held_place(place->target(), path);
  file.place_ = std::move(place);
  return file;
}

File File::create_in_held_place(const std::string& path, const std::string& name) {
  File file(name, std::unique_lock(library_lock()));
  const std::string temporary = path + ".part";
  // No number lies across the border of two pages.
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_alignment(access, 1, 8);
  if (!write_patiently(access, temporary.c_str())) file.fail_to_write();
  file.temporary_ = temporary, file.target_ = path;
  if ((file.id_ = H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)) < 0) file.fail_to_write();
  return file;
}

void File::fail_to_write() const {
  const int reason = write_problem();
  throw std::runtime_error(path_ + ": cannot be written" + (reason ? ": " + std::string(std::strerror(reason)) : ""));
}

void File::close() {
  const hid_t id = std::exchange(id_, -1);
  if (id < 0) return;
  const bool closed = H5Fclose(id) >= 0;
  if (temporary_.empty()) return;
  if (!closed || write_problem() != 0) fail_to_write();
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  if (error) throw std::runtime_error(path_ + ": cannot be written: " + error.message());
  temporary_.clear();
  place_.reset();
}

void File::refuse(const std::string& name, const std::string& what) const {
  stiction::refuse(path_, ": ", name, ": ", what);
}

bool File::has(const std::string& name) const {
  for (size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t info;
    if (H5Lexists(id_, part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(id_, part.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
    if (H5Oexists_by_name(id_, part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

bool File::has_attribute(const std::string& object, const std::string& name) const {
  return (object == "/" || has(object)) && H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::int64_t> File::shape(const std::string& name) const {
  if (!has(name)) refuse(name, "is missing");
  const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) refuse(name, "is not a dataset");
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const auto shape = space.valid() ? shape_of(space) : std::vector<std::int64_t>{};
  if (shape.empty()) refuse(name, "has a shape that no array of this format has");
  return shape;
}

void File::read(const std::string& name, std::int64_t count, bool whole_numbers, void* out) const {
  const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (H5Dread(dataset, whole_numbers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
    refuse(name, "the " + std::to_string(count) + " stored values cannot be read");
  }
}

namespace {

// Everything that can be checked before memory is taken for the values.
void check_array(const File& file, hid_t file_id, const std::string& name, std::int64_t count, bool whole_numbers,
                 std::int64_t file_bytes) {
  const auto shape = file.shape(name);
  std::int64_t stored = 1;
  for (std::int64_t length : shape) stored *= length;
  if (stored != count) {
    file.refuse(name, "has shape " + text_of(shape) + " where " + std::to_string(count) + " values are expected");
  }
  const Handle dataset(H5Dopen2(file_id, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (!type.valid() || !(whole_numbers ? is_plain_integer(type) : is_ieee(type))) {
    file.refuse(name, whole_numbers ? "does not hold whole numbers" : "does not hold floating-point numbers");
  }
  const std::string problem = storage_problem(dataset, count, static_cast<std::int64_t>(H5Tget_size(type)), file_bytes);
  if (!problem.empty()) file.refuse(name, problem);
}

}  // namespace

std::vector<int> File::read_ints(const std::string& name, std::int64_t count) const {
  check_array(*this, id_, name, count, true, num_bytes_);
  if (count == 0) return {};
  std::vector<std::int64_t> wide(static_cast<size_t>(count));
  read(name, count, true, wide.data());
  std::vector<int> values(wide.size());
  for (size_t k = 0; k < wide.size(); ++k) {
    if (wide[k] < std::numeric_limits<int>::min() || wide[k] > std::numeric_limits<int>::max()) {
      refuse(name, "value " + std::to_string(k) + " is " + std::to_string(wide[k]) + ", beyond 32 bits");
    }
    values[k] = static_cast<int>(wide[k]);
  }
  return values;
}

VectorX File::read_doubles(const std::string& name, std::int64_t count) const {
  check_array(*this, id_, name, count, false, num_bytes_);
  VectorX values(count);
  if (count > 0) read(name, count, false, values.data());
  return values;
}

std::string File::read_string(const std::string& name) const {
  if (shape(name) != std::vector<std::int64_t>{1}) refuse(name, "is not a single string");
  const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  std::string text;
  const std::string problem =
      type.valid() ? storage_problem(dataset, 1, static_cast<std::int64_t>(H5Tget_size(type)), num_bytes_)
                   : "is not a string";
  if (!problem.empty()) refuse(name, problem);
  const auto read = [&](hid_t memory, void* out) {
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  };
  if (!read_text(type, read, text)) refuse(name, "is not a string of up to 1 MiB");
  return text;
}

double File::read_double_attribute(const std::string& object, const std::string& name) const {
  if (!has_attribute(object, name)) refuse(object, "attribute " + name + " is missing");
  const Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  double value = 0.0;
  if (!type.valid() || !space.valid() || H5Sget_simple_extent_npoints(space) != 1 ||
      !(is_ieee(type) || is_plain_integer(type)) || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) {
    refuse(object, "attribute " + name + " is not a number");
  }
  return value;
}

std::string File::read_string_attribute(const std::string& object, const std::string& name) const {
  if (!has_attribute(object, name)) refuse(object, "attribute " + name + " is missing");
  const Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  std::string text;
  const auto read = [&](hid_t memory, void* out) { return H5Aread(attribute, memory, out); };
  if (!type.valid() || !space.valid() || H5Sget_simple_extent_npoints(space) != 1 || !read_text(type, read, text)) {
    refuse(object, "attribute " + name + " is not a string of up to 1 MiB");
  }
  return text;
}

void File::make_group(const std::string& name) {
  const Handle group(H5Gcreate2(id_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.valid()) throw std::runtime_error(path_ + ": " + name + ": the group cannot be written");
}

void File::write(const std::string& name, std::int64_t memory_type, std::int64_t file_type, const void* values,
                 std::size_t count, std::size_t columns) {
  constexpr hsize_t compress_from = 64, largest_chunk = 65536;
  // A line of numbers, or a table where there are columns.
  const int rank = columns == 0 ? 1 : 2;
  const hsize_t dims[2] = {columns == 0 ? count : count / columns, columns};
  const Handle space(H5Screate_simple(rank, dims, nullptr), H5Sclose);
  const Handle plist(make_dataset_properties(), H5Pclose);
  if (count >= compress_from) {
    const hsize_t across = rank == 1 ? 1 : std::min<hsize_t>(columns, largest_chunk);
    const hsize_t chunk[2] = {std::min(dims[0], largest_chunk / across), across};
    H5Pset_chunk(plist, rank, chunk);
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, 4);
  }
  const Handle dataset(H5Dcreate2(id_, name.c_str(), file_type, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid() || (count > 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)) {
    throw std::runtime_error(path_ + ": " + name + ": cannot be written");
  }
}

void File::write_ints(const std::string& name, std::span<const int> values) {
  write(name, H5T_NATIVE_INT, H5T_STD_I32LE, values.data(), values.size());
}

void File::write_doubles(const std::string& name, VectorView values) {
  write(name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, values.data(), static_cast<size_t>(values.size()));
}

void File::write_doubles(const std::string& name, VectorView values, std::int64_t columns) {
  write(name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, values.data(), static_cast<size_t>(values.size()),
        static_cast<size_t>(columns));
}

void File::write_string(const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle plist(make_dataset_properties(), H5Pclose);
  const Handle dataset(H5Dcreate2(id_, name.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid() || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()) < 0) {
    throw std::runtime_error(path_ + ": " + name + ": cannot be written");
  }
}

namespace {

// A single value of `file_type` as an attribute.
bool write_attribute(hid_t file, const std::string& object, const std::string& name, hid_t file_type, hid_t memory_type,
                     const void* value) {
  const hsize_t dims = 1;
  const Handle space(
      H5Tget_class(file_type) == H5T_STRING ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, nullptr), H5Sclose);
  const Handle attribute(
      H5Acreate_by_name(file, object.c_str(), name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  return attribute.valid() && H5Awrite(attribute, memory_type, value) >= 0;
}

}  // namespace

void File::write_int_attribute(const std::string& object, const std::string& name, int value) {
  if (!write_attribute(id_, object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value)) fail_attribute(object, name);
}

void File::write_double_attribute(const std::string& object, const std::string& name, double value) {
  if (!write_attribute(id_, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value)) fail_attribute(object, name);
}

void File::write_string_attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.size() + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  if (!write_attribute(id_, object, name, type, type, value.c_str())) fail_attribute(object, name);
}

void File::fail_attribute(const std::string& object, const std::string& name) const {
  throw std::runtime_error(path_ + ": " + object + ": attribute " + name + " cannot be written");
}

}  // namespace stiction::hdf5
