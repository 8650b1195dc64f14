# Eigen, GoogleTest and the standard library are read once for all files that are compiled alike, and not once for each: half
# of the time that a file takes under the sanitizers. Sources still include what they need; the builds without
# precompiled headers (./test makes them) would fail if they did not.
#   stiction_precompile(TARGET library|program): program has GoogleTest too, and is for executables.
option(STICTION_PRECOMPILED "Precompile the headers of Eigen, GoogleTest and the standard library" OFF)
set(STICTION_PRECOMPILED_HEADERS <algorithm> <array> <charconv> <cmath> <cstdint> <deque> <filesystem> <fstream>
  <functional> <limits> <map> <memory> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string>
  <string_view> <unordered_map> <utility> <vector> <Eigen/Cholesky> <Eigen/Core> <Eigen/Geometry> <Eigen/LU>
  <Eigen/SparseCore>)

# A target that only holds the headers: whoever takes them from another target waits until that one is linked.
function(stiction_precompile_once kind)
  if(TARGET stiction_precompiled_${kind})
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/generated/precompiled_${kind}.cpp)
  set(headers ${STICTION_PRECOMPILED_HEADERS})
  if(kind STREQUAL "library")
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(stiction_precompiled_library OBJECT ${source})
  else()
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(stiction_precompiled_program ${source})
    find_package(GTest REQUIRED)
    target_link_libraries(stiction_precompiled_program PRIVATE GTest::gtest)
    target_compile_options(stiction_precompiled_program PRIVATE $<$<CONFIG:Release>:-O1>)  # as tests are
    list(APPEND headers <gtest/gtest.h>)
  endif()
  target_link_libraries(stiction_precompiled_${kind} PRIVATE stiction_flags Eigen3::Eigen)
  target_compile_definitions(stiction_precompiled_${kind} PRIVATE ${STICTION_EIGEN_DEFINITIONS})
  target_precompile_headers(stiction_precompiled_${kind} PRIVATE ${headers})
endfunction()

function(stiction_precompile target kind)
  if(STICTION_PRECOMPILED)
    stiction_precompile_once(${kind})
    target_precompile_headers(${target} REUSE_FROM stiction_precompiled_${kind})
  endif()
endfunction()

# What ccache needs to recognise what was compiled with such headers.
if(STICTION_PRECOMPILED AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(stiction_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
elseif(STICTION_PRECOMPILED)
  target_compile_options(stiction_flags INTERFACE -fpch-preprocess)
endif()
