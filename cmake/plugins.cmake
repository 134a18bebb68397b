# Finds what plug-ins of other programs are built with: sets MMP_HAVE_HDF5 and MMP_HAVE_GDK_PIXBUF, from
# MMP_HDF5 and MMP_GDK_PIXBUF (ON, OFF, AUTO) and from what is there. The variable HDF5_INCLUDE_DIR is then the
# folder of H5PLextern.h, PkgConfig::GDK_PIXBUF an imported target. They are installed where Debian's programs
# look for them.
if(MMP_HDF5 OR MMP_GDK_PIXBUF)
  include(GNUInstallDirs)
endif()

# mmp_decide_plugin(OPTION FOUND DEBIAN_PACKAGE): sets MMP_HAVE_HDF5 for the OPTION MMP_HDF5.
function(mmp_decide_plugin option found debian_package)
  if(${option} AND NOT found AND NOT ${option} STREQUAL "AUTO")
    message(FATAL_ERROR "${option} is ${${option}}, but ${debian_package} was not found. Install it, or "
                        "configure with -D${option}=OFF to do without.")
  endif()
  string(REPLACE MMP_ MMP_HAVE_ have ${option})
  if(${option} AND found)
    set(${have} ON PARENT_SCOPE)
  else()
    set(${have} OFF PARENT_SCOPE)
    if(${option})
      message(STATUS "${debian_package} not found: no plug-in")
    endif()
  endif()
endfunction()

if(MMP_HDF5)
  # Its headers alone: the filter calls the library that has loaded it.
  find_path(HDF5_INCLUDE_DIR H5PLextern.h PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(HDF5_INCLUDE_DIR)
endif()
mmp_decide_plugin(MMP_HDF5 "${HDF5_INCLUDE_DIR}" libhdf5-dev)
if(MMP_HAVE_HDF5)
  set(MMP_HDF5_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/hdf5/serial/plugins CACHE STRING
      "Folder for the HDF5 filter, where HDF5 looks for plug-ins")
endif()

if(MMP_GDK_PIXBUF)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(GDK_PIXBUF QUIET IMPORTED_TARGET gdk-pixbuf-2.0)
  endif()
endif()
mmp_decide_plugin(MMP_GDK_PIXBUF "${GDK_PIXBUF_FOUND}" libgdk-pixbuf-2.0-dev)
if(MMP_HAVE_GDK_PIXBUF)
  pkg_get_variable(GDK_PIXBUF_VERSION_DIR gdk-pixbuf-2.0 gdk_pixbuf_binary_version)
  set(MMP_PIXBUF_LOADER_DIR ${CMAKE_INSTALL_LIBDIR}/gdk-pixbuf-2.0/${GDK_PIXBUF_VERSION_DIR}/loaders
      CACHE STRING "Folder for the loader of gdk-pixbuf")
endif()
