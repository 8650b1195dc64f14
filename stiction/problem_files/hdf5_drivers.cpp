#include "stiction/problem_files/hdf5_drivers.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace stiction::hdf5 {
namespace {

// HDF5 1.10 gathers small pieces of metadata in a buffer, and copies from beyond it, or from no buffer at all, where a
// damaged file names an address at the end of the range. Without that buffer every read reaches the driver, which
// refuses such addresses. These are the library's own drivers but for that.
enum DriverKind { file_driver, image_driver };
template <DriverKind kind>
struct CarefulDriver {
  static inline hid_t id = -1;
  static inline herr_t (*query)(const H5FD_t*, unsigned long*) = nullptr;

  static herr_t careful_query(const H5FD_t* file, unsigned long* flags) {
    const herr_t status = query(file, flags);
    if (flags) *flags &= ~static_cast<unsigned long>(H5FD_FEAT_ACCUMULATE_METADATA);
    return status;
  }
  static bool take_over(hid_t access, const char* name) {
    if (id < 0) {
      H5FD_t* probe = H5FDopen(name, H5F_ACC_RDONLY, access, HADDR_UNDEF);
      if (!probe) return false;
      H5FD_class_t driver = *probe->cls;
      query = driver.query;
      driver.query = careful_query;
      id = H5FDregister(&driver);
      H5FDclose(probe);
      if (id < 0) return false;
    }
    return H5Pset_driver(access, id, H5Pget_driver_info(access)) >= 0;
  }
};

struct PatientDriver {
  static inline hid_t id = -1;
  static inline H5FD_class_t library{};
  static inline int first_problem = 0;

  static herr_t remember(herr_t status) {
    if (status < 0 && first_problem == 0) first_problem = errno != 0 ? errno : EIO;
    return 0;
  }
  static herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t place, size_t size, const void* bytes) {
    if (first_problem != 0) return 0;
    errno = 0;
    return remember(library.write(file, type, transfer, place, size, bytes));
  }
  static herr_t truncate(H5FD_t* file, hid_t transfer, hbool_t closing) {
    if (first_problem != 0) return 0;
    errno = 0;
    return remember(library.truncate(file, transfer, closing));
  }
};

}  // namespace

bool read_files_carefully(hid_t access, const char* name) {
  return CarefulDriver<file_driver>::take_over(access, name);
}

bool read_images_carefully(hid_t access, const char* name) {
  return CarefulDriver<image_driver>::take_over(access, name);
}

bool write_patiently(hid_t access, const char* name) {
  PatientDriver::first_problem = 0;
  // Never through what someone else may have put there.
  ::unlink(name);
  const int made = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) {
    PatientDriver::first_problem = errno;
    return false;
  }
  ::close(made);
  if (PatientDriver::id < 0) {
    H5FD_t* probe = H5FDopen(name, H5F_ACC_RDWR, access, HADDR_UNDEF);
    if (!probe) return false;
    H5FD_class_t driver = PatientDriver::library = *probe->cls;
    driver.write = PatientDriver::write;
    if (driver.truncate) driver.truncate = PatientDriver::truncate;
    PatientDriver::id = H5FDregister(&driver);
    H5FDclose(probe);
    if (PatientDriver::id < 0) return false;
  }
  return H5Pset_driver(access, PatientDriver::id, H5Pget_driver_info(access)) >= 0;
}

int write_problem() {
  return PatientDriver::first_problem;
}

}  // namespace stiction::hdf5
