# Debian packages, by `cpack` in the build folder: the program, the library and its development files, and
# what there is of plug-ins (the components of cmake/install.cmake, tools/plugins and tools/python).
# tools/check-packages makes and tries them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the mmp authors")
set(MMP_PACKAGE_CONTACT "the mmp authors <mmp@localhost>" CACHE STRING
    "Who is responsible for packages made here, as in the field Maintainer of Debian's")
set(CPACK_PACKAGE_CONTACT "${MMP_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package's description begins with its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS)
  list(PREPEND CPACK_COMPONENTS_ALL library)
endif()
if(MMP_BUILD_TOOLS)
  list(PREPEND CPACK_COMPONENTS_ALL program)
endif()

if(MMP_HAVE_HDF5)
  list(APPEND CPACK_COMPONENTS_ALL hdf5)
endif()
if(MMP_HAVE_GDK_PIXBUF)
  list(APPEND CPACK_COMPONENTS_ALL gdk_pixbuf)
endif()
if(MMP_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
find_program(MMP_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(MMP_DPKG_SHLIBDEPS)
if(MMP_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  # Plug-ins are linked with the library beside them.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
endif()

# A library's package is called after its soname.
set(mmp_library_package libmmp${mmp_soversion})
set(mmp_about "mmp codes grayscale images of 1 to 16 bits a sample by patterns that it learns from the image\n\
itself, lossy or lossless.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME mmp)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "grayscale image codec\n${mmp_about}")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${mmp_library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "grayscale image codec, library\n${mmp_about}\nFor programs that use it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmmp-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "grayscale image codec, development files\n${mmp_about}\nHeaders in C and C++, for CMake and pkg-config.")
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${mmp_library_package} (= ${PROJECT_VERSION})")
else()
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libhwy-dev)
endif()

# Plug-ins; what they are linked with is found by dpkg-shlibdeps.
if(BUILD_SHARED_LIBS)
  set(mmp_needs_library "${mmp_library_package} (= ${PROJECT_VERSION})")
endif()

set(CPACK_DEBIAN_HDF5_PACKAGE_NAME hdf5-plugin-mmp)
set(CPACK_DEBIAN_HDF5_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_HDF5_PACKAGE_DEPENDS "${mmp_needs_library}")
set(CPACK_COMPONENT_HDF5_DESCRIPTION "grayscale image codec, HDF5 filter\n${mmp_about}\nFor chunks of datasets.")

# The loader is chosen by the MIME type, which the program has.
set(CPACK_DEBIAN_GDK_PIXBUF_PACKAGE_NAME mmp-pixbuf-loader)
set(CPACK_DEBIAN_GDK_PIXBUF_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_GDK_PIXBUF_PACKAGE_DEPENDS mmp)
if(mmp_needs_library)
  string(APPEND CPACK_DEBIAN_GDK_PIXBUF_PACKAGE_DEPENDS ", ${mmp_needs_library}")
endif()
set(CPACK_COMPONENT_GDK_PIXBUF_DESCRIPTION
    "grayscale image codec, loader for gdk-pixbuf\n${mmp_about}\nFor viewers and thumbnails of GTK and GNOME.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-mmp)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(MMP_PYTHON)  # the extension module is for this version
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  string(CONCAT CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
         "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), "
         "python3 (<< ${Python_VERSION_MAJOR}.${next_python}), python3-numpy")
endif()
# Compiles the modules when it is installed, and removes what they were compiled to with it.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/tools/python/debian/postinst
    ${PROJECT_SOURCE_DIR}/tools/python/debian/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pil, python3-zarr, python3-imageio")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "grayscale image codec, Python package\n${mmp_about}\nFor numpy, Pillow, Zarr and imageio.")

# Every package has its licence where Debian's have it.
if(MMP_INSTALL)
  foreach(package IN ITEMS program:mmp library:${mmp_library_package} development:libmmp-dev
                           hdf5:hdf5-plugin-mmp gdk_pixbuf:mmp-pixbuf-loader python:python3-mmp)
    string(REPLACE ":" ";" package ${package})
    list(GET package 0 component)
    list(GET package 1 name)
    if(component IN_LIST CPACK_COMPONENTS_ALL)
      install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright
              COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endif()
include(CPack)
