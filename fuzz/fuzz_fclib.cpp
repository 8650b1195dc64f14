// Any bytes are a file: the readers either return a problem or throw std::invalid_argument.
#include <cstddef>
#include <cstdint>

#include "fuzz_hdf5.h"
#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/hdf5.h"
#include "stiction/problem_files/lcp.h"
#include "stiction/problem_files/sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiction;
  try_reading([&] {
    const auto file = hdf5::File::from_image({reinterpret_cast<const std::byte*>(data), size});
    try_reading([&] {
      const auto contents = read_fclib(file, FclibGlobal::condensed);
      judge(contents.problem, VectorX::Zero(contents.problem.num_rows()));
    });
    try_reading([&] { read_fclib(file, FclibGlobal::factored); });
    try_reading([&] { read_sequence(file); });
    try_reading([&] { read_lcp(file); });
  });
  return 0;
}
