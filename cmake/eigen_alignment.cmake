# Eigen aligns its fixed-size types, and takes memory, as the instruction set of each compiler call suggests. A program
# that is compiled for another processor than the library would see other layouts and free what it must not. So the
# values that hold for the library are made part of its interface. For the library itself they are what Eigen chooses.
#   Sets STICTION_EIGEN_DEFINITIONS from STICTION_ARCH_FLAG.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "${STICTION_ARCH_FLAG}")
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("#ifndef __AVX512F__\n#error\n#endif\nint main() {}" STICTION_HAS_AVX512_${STICTION_ARCH})
check_cxx_source_compiles("#ifndef __AVX__\n#error\n#endif\nint main() {}" STICTION_HAS_AVX_${STICTION_ARCH})
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_QUIET)
if(STICTION_HAS_AVX512_${STICTION_ARCH})
  set(eigen_bytes 64)
elseif(STICTION_HAS_AVX_${STICTION_ARCH})
  set(eigen_bytes 32)
else()
  set(eigen_bytes 16)
endif()
set(eigen_plain_malloc 0)
if(eigen_bytes EQUAL 16)
  set(eigen_plain_malloc 1)  # malloc aligns to 16 bytes by itself, on 64-bit systems
endif()
set(STICTION_EIGEN_DEFINITIONS EIGEN_MAX_ALIGN_BYTES=${eigen_bytes} EIGEN_MAX_STATIC_ALIGN_BYTES=${eigen_bytes}
  EIGEN_MALLOC_ALREADY_ALIGNED=${eigen_plain_malloc})
