# What the library needs of others. The system's shared libraries, or for wheels their static ones, which need nothing on
# the machine of the user. (The shared HDF5 of Debian brings 35 libraries along, for files on the web.)
#   Sets STICTION_HDF5, STICTION_QHULL and STICTION_PUGIXML, the targets to link.
option(STICTION_STATIC_DEPENDENCIES "Link HDF5, Qhull, pugixml and the C++ library statically (wheels)" OFF)

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(Qhull REQUIRED)                # convex hulls of meshes
find_package(HDF5 REQUIRED COMPONENTS C)    # problem files, recordings
find_package(pugixml REQUIRED)              # URDF, SDF, COLLADA
set(STICTION_QHULL Qhull::qhull_r)
set(STICTION_HDF5 hdf5::hdf5)
set(STICTION_PUGIXML pugixml::pugixml)

# Static libraries by their file names; the first has the headers.
function(stiction_static_dependency target include)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${include})
  foreach(name ${ARGN})
    find_library(STICTION_STATIC_${name} lib${name}.a PATH_SUFFIXES hdf5/serial REQUIRED)
    mark_as_advanced(STICTION_STATIC_${name})
    target_link_libraries(${target} INTERFACE ${STICTION_STATIC_${name}})
  endforeach()
endfunction()

if(STICTION_STATIC_DEPENDENCIES)
  stiction_static_dependency(stiction_static_hdf5 "${HDF5_C_INCLUDE_DIRS}" hdf5 sz aec z)
  target_link_libraries(stiction_static_hdf5 INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
  stiction_static_dependency(stiction_static_qhull "" qhullstatic_r)
  stiction_static_dependency(stiction_static_pugixml "" pugixml)
  set(STICTION_HDF5 stiction_static_hdf5)
  set(STICTION_QHULL stiction_static_qhull)
  set(STICTION_PUGIXML stiction_static_pugixml)
endif()
