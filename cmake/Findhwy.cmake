# Finds Highway and defines hwy::hwy: by its CMake package or, where it has none, by pkg-config.
# Used by the build and, installed, by mmpConfig.cmake.
find_package(hwy CONFIG QUIET)
if(NOT hwy_FOUND)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(hwy QUIET IMPORTED_TARGET GLOBAL libhwy)
  endif()
  if(hwy_FOUND AND NOT TARGET hwy::hwy)
    add_library(hwy::hwy ALIAS PkgConfig::hwy)
  endif()
endif()
