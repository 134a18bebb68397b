# Debian packages, by `cpack` in the build folder: the program, the library and its development files
# (the components of cmake/install.cmake). tools/check-packages makes and tries them.
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

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
find_program(MMP_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(MMP_DPKG_SHLIBDEPS)
if(MMP_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
endif()

# A library's package is called after its soname.
set(mmp_library_package libmmp${mmp_soversion})
set(mmp_about "mmp codes 8-bit grayscale images by patterns that it learns from the image itself, lossy or\n\
lossless.")

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

# Every package has its licence where Debian's have it.
if(MMP_INSTALL)
  foreach(package IN ITEMS program:mmp library:${mmp_library_package} development:libmmp-dev)
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
