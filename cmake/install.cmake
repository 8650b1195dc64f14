# `cmake --install`: the rooms as static libraries, or shared with BUILD_SHARED_LIBS, the public headers, and the package that
# find_package(stiction COMPONENTS …) finds. One export file per room, so that a program needs only what it uses.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/public_headers.cmake)

foreach(header ${STICTION_PUBLIC_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  string(REGEX REPLACE "^stiction/([^/]+)/.*" "\\1" room ${header})
  if(NOT TARGET stiction_${room})
    continue()
  endif()
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
endforeach()
install(FILES ${STICTION_GENERATED}/stiction/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stiction
  COMPONENT development)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
set(STICTION_ROOMS "")
set(STICTION_ROOM_USES "")
foreach(room ${STICTION_ALL_ROOMS})
  if(NOT room IN_LIST STICTION_WANTED)
    continue()
  endif()
  list(APPEND STICTION_ROOMS ${room})
  string(APPEND STICTION_ROOM_USES "set(_stiction_uses_${room} ${STICTION_USES_${room}})\n")
  install(TARGETS stiction_${room} EXPORT stiction-${room}-targets COMPONENT development)
  install(EXPORT stiction-${room}-targets NAMESPACE stiction:: DESTINATION ${package_folder} COMPONENT development)
endforeach()

configure_package_config_file(cmake/stiction-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/stiction-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/stiction-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/stiction-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/stiction-config-version.cmake DESTINATION ${package_folder} COMPONENT development)
if(TARGET stiction)
  install(TARGETS stiction RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction COMPONENT command
    PATTERN robot-problems EXCLUDE)
endif()
if(STICTION_MUJOCO_COPY)
  install(PROGRAMS ${STICTION_MUJOCO_COPY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/stiction COMPONENT development)
  install(FILES ${STICTION_MUJOCO_LICENCES} DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction/licences/mujoco
    COMPONENT development)
endif()
