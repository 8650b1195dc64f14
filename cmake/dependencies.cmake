# What the library needs of others. Wheels have the C++ libraries inside: a second copy of libstdc++ that a process may have
# does not meet ours. C libraries stay shared, because Debian's static ones may not be part of a shared object; auditwheel puts
# copies of them into the wheel.
# Only what the rooms in STICTION_WANTED need is looked for.
#   Sets STICTION_HDF5, STICTION_QHULL and STICTION_PUGIXML, the targets to link.
option(STICTION_STATIC_DEPENDENCIES "Link pugixml and the C++ library statically (wheels)" OFF)

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
if(model IN_LIST STICTION_WANTED)
  find_package(Qhull REQUIRED)  # convex hulls of meshes
endif()
if(sim IN_LIST STICTION_WANTED)
  find_package(Threads REQUIRED)
endif()
if(problem_files IN_LIST STICTION_WANTED)
  find_package(HDF5 REQUIRED COMPONENTS C)  # problem files, recordings
endif()
if(io IN_LIST STICTION_WANTED)
  find_package(pugixml REQUIRED)  # URDF, SDF, COLLADA
endif()
if(render IN_LIST STICTION_WANTED OR viewer IN_LIST STICTION_WANTED)
  find_package(ZLIB REQUIRED)  # pictures; data in pages of the viewer
endif()
if(viewer IN_LIST STICTION_WANTED OR learning IN_LIST STICTION_WANTED)
  find_package(nlohmann_json REQUIRED)  # what the live viewer's page asks for; headers of weight files; the command
endif()
if(viewer IN_LIST STICTION_WANTED)
  # The live viewer's server. Not its own package file: that asks for a program which comes in another Debian package.
  find_path(STICTION_CIVETWEB_INCLUDE civetweb.h REQUIRED)
  find_library(STICTION_CIVETWEB_LIBRARY civetweb REQUIRED)
  mark_as_advanced(STICTION_CIVETWEB_INCLUDE STICTION_CIVETWEB_LIBRARY)
  add_library(stiction_civetweb UNKNOWN IMPORTED)
  set_target_properties(stiction_civetweb PROPERTIES IMPORTED_LOCATION ${STICTION_CIVETWEB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${STICTION_CIVETWEB_INCLUDE})
endif()
set(STICTION_QHULL Qhull::qhull_r)
set(STICTION_HDF5 hdf5::hdf5)
set(STICTION_PUGIXML pugixml::pugixml)

if(STICTION_STATIC_DEPENDENCIES)
  find_library(STICTION_STATIC_PUGIXML libpugixml.a REQUIRED)
  mark_as_advanced(STICTION_STATIC_PUGIXML)
  add_library(stiction_static_pugixml INTERFACE)
  target_link_libraries(stiction_static_pugixml INTERFACE ${STICTION_STATIC_PUGIXML})
  set(STICTION_PUGIXML stiction_static_pugixml)
endif()
