#include "stiction/math/save_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "stiction/math/output_place.h"

namespace stiction {

void save_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const OutputPlace place(path);
  const std::string part = place.target() + ".part";
  try {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
    write(out);
    if (!out.flush()) throw std::runtime_error(path + ": not everything could be written: " + std::strerror(errno));
    out.close();
    std::filesystem::rename(part, place.target());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace stiction
