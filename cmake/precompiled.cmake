# Eigen, GoogleTest and the standard library are read once for all files that are compiled alike, and not once for each file:
# that is half of what most files take. Sources include what they need all the same: presets of ./test --all, and projects
# that have this one inside, compile without.
# GCC restores the optimisation options of the precompiled headers, without a word: a source with options of its own must not
# have them (SKIP_PRECOMPILE_HEADERS), and targets share them only where they are optimised alike.
#   stiction_precompile(TARGET KIND): library, command (a program without GoogleTest) or test
option(STICTION_PRECOMPILED "Precompile headers of Eigen, GoogleTest and the standard library" ${PROJECT_IS_TOP_LEVEL})
set(STICTION_PRECOMPILED_HEADERS <algorithm> <array> <charconv> <cmath> <cstdint> <deque> <filesystem> <fstream>
  <functional> <limits> <map> <memory> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string>
  <string_view> <unordered_map> <utility> <vector> <Eigen/Cholesky> <Eigen/Core> <Eigen/Geometry> <Eigen/LU>
  <Eigen/SparseCore>)

# A target that holds nothing else: whoever takes the headers of a target waits until that one is linked.
function(stiction_precompile_once kind)
  set(name stiction_precompiled_${kind})
  if(TARGET ${name})
    return()
  endif()
  set(source ${STICTION_GENERATED}/precompiled_${kind}.cpp)
  set(headers ${STICTION_PRECOMPILED_HEADERS})
  if(kind STREQUAL "library")
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${name} OBJECT ${source})
  else()
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(${name} ${source})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # as those that take them
  endif()
  if(kind STREQUAL "test")
    target_link_libraries(${name} PRIVATE GTest::gtest)
    list(APPEND headers <gtest/gtest.h>)
  else()
    target_compile_options(${name} PRIVATE ${STICTION_FUZZ_FLAG})
  endif()
  target_link_libraries(${name} PRIVATE stiction_flags Eigen3::Eigen)
  target_compile_definitions(${name} PRIVATE ${STICTION_EIGEN_DEFINITIONS})
  target_precompile_headers(${name} PRIVATE ${headers})
endfunction()

function(stiction_precompile target kind)
  if(NOT kind STREQUAL "test")
    target_compile_options(${target} PRIVATE ${STICTION_FUZZ_FLAG})  # precompiled headers have the flags of their users
  endif()
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
