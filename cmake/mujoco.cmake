# Finds MuJoCo in the PyPI wheel `mujoco-core`, which holds headers and library: STICTION_MUJOCO_DIR, or else the folder
# that a Python interpreter names (the one that pip builds for, that of .venv, python3). The library is opened when a model
# is read and not linked, so only its name goes into the build. Without it load_mjcf says that there is none.
#   Sets STICTION_HAS_MUJOCO, STICTION_MUJOCO_INCLUDE, STICTION_MUJOCO_FILE (full path), STICTION_MUJOCO_VERSION, and
#   where a copy is installed, STICTION_MUJOCO_COPY and STICTION_MUJOCO_LICENCES.
option(STICTION_MUJOCO "Read MJCF with MuJoCo, where it is found" ON)
set(STICTION_MUJOCO_DIR "" CACHE PATH "Folder with include/mujoco and libmujoco.so.<version>; empty: ask Python")

function(stiction_ask_for_mujoco interpreter result)
  set(${result} "" PARENT_SCOPE)
  if(NOT interpreter)
    return()
  endif()
  execute_process(COMMAND ${interpreter} -c
    "import importlib.util as u; s = u.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(GLOB library "${answer}/libmujoco.so.*")
  string(REGEX REPLACE ".*libmujoco\\.so\\." "" version "${library}")
  if(version VERSION_LESS 4)  # the user's own, of another interface
    return()
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

# A copy of the library under a name of its own, outside and inside: a process that has a MuJoCo already keeps both.
function(stiction_copy_mujoco)
  set(copy ${CMAKE_BINARY_DIR}/mujoco/${STICTION_MUJOCO_VERSION}/libstiction_mujoco.so)
  if(NOT EXISTS ${copy})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/mujoco/${STICTION_MUJOCO_VERSION})
    file(COPY_FILE ${STICTION_MUJOCO_FILE} ${copy}.new)
    execute_process(COMMAND ${STICTION_PATCHELF} --set-soname libstiction_mujoco.so ${copy}.new COMMAND_ERROR_IS_FATAL ANY)
    file(RENAME ${copy}.new ${copy})
  endif()
  set(STICTION_MUJOCO_COPY ${copy} PARENT_SCOPE)
  cmake_path(GET STICTION_MUJOCO_FILE PARENT_PATH folder)
  file(GLOB licences "${folder}/../mujoco_core-${STICTION_MUJOCO_VERSION}.dist-info/licenses/*")
  set(STICTION_MUJOCO_LICENCES ${licences} PARENT_SCOPE)
endfunction()

set(STICTION_HAS_MUJOCO OFF)
if(STICTION_MUJOCO)
  set(mujoco_dir "${STICTION_MUJOCO_DIR}")
  if(NOT mujoco_dir)
    find_program(STICTION_SYSTEM_PYTHON python3)
    mark_as_advanced(STICTION_SYSTEM_PYTHON)
    foreach(interpreter "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.venv/bin/python" "${STICTION_SYSTEM_PYTHON}")
      if(NOT mujoco_dir)
        stiction_ask_for_mujoco("${interpreter}" mujoco_dir)
      endif()
    endforeach()
  endif()
  file(GLOB STICTION_MUJOCO_FILE "${mujoco_dir}/libmujoco.so.*")
  list(LENGTH STICTION_MUJOCO_FILE mujoco_count)
  if(mujoco_count EQUAL 1 AND EXISTS "${mujoco_dir}/include/mujoco/mujoco.h")
    set(STICTION_HAS_MUJOCO ON)
    set(STICTION_MUJOCO_INCLUDE "${mujoco_dir}/include")
    string(REGEX REPLACE ".*libmujoco\\.so\\." "" STICTION_MUJOCO_VERSION "${STICTION_MUJOCO_FILE}")
    message(STATUS "MuJoCo ${STICTION_MUJOCO_VERSION}: ${mujoco_dir}")
    find_program(STICTION_PATCHELF patchelf)
    if(STICTION_PATCHELF)
      stiction_copy_mujoco()
    elseif(SKBUILD)
      message(FATAL_ERROR "patchelf is needed to put MuJoCo's library into the Python package")
    endif()
  elseif(STICTION_MUJOCO_DIR)
    message(FATAL_ERROR "STICTION_MUJOCO_DIR=${STICTION_MUJOCO_DIR} lacks include/mujoco/mujoco.h or libmujoco.so.<version>")
  elseif(mujoco_count GREATER 1)
    message(WARNING "built without load_mjcf: several versions of MuJoCo in ${mujoco_dir}; install mujoco-core anew")
  else()
    message(STATUS "MuJoCo not found: built without load_mjcf (pip install mujoco-core into .venv, or set STICTION_MUJOCO_DIR)")
  endif()
endif()

# Gives the room that reads models the sources that know MuJoCo.
function(stiction_add_mujoco target)
  if(NOT STICTION_HAS_MUJOCO)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/stiction/io/mjcf/mujoco/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  include(GNUInstallDirs)
  set(include ${STICTION_MUJOCO_INCLUDE})
  set(library ${STICTION_MUJOCO_FILE})
  set(installed ${CMAKE_INSTALL_FULL_LIBDIR}/stiction/libstiction_mujoco.so)
  if(SKBUILD)
    # pip builds in an environment that is gone afterwards: headers are copied to a place that stays the same, and the
    # library is found beside the extension.
    file(COPY ${include}/mujoco DESTINATION ${CMAKE_BINARY_DIR}/mujoco/include)
    set(include ${CMAKE_BINARY_DIR}/mujoco/include)
    set(library "")
    set(installed "")
  endif()
  # Of these files alone: the others are compiled alike wherever MuJoCo is, and ccache recognises them.
  set_property(SOURCE ${sources} ${PROJECT_SOURCE_DIR}/stiction/io/mjcf/mjcf.cpp APPEND PROPERTY COMPILE_OPTIONS
    -isystem ${include})
  target_compile_definitions(${target} PRIVATE STICTION_MUJOCO)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/stiction/io/mjcf/mujoco/mujoco_library.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    STICTION_MUJOCO_LIBRARY="${library}" STICTION_MUJOCO_INSTALLED="${installed}"
    STICTION_MUJOCO_VERSION="${STICTION_MUJOCO_VERSION}")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
