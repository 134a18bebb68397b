# Finds the libraries mmp is built with. Imported targets: PNG::PNG, TIFF::TIFF, Threads::Threads, hwy::hwy,
# CLI11::CLI11 (tools), MPI::MPI_CXX (tools with MPI), pybind11::module and Python::Interpreter
# (Python package), GTest::gtest_main (tests), benchmark::benchmark (bench); and the variable
# STB_INCLUDE_DIR, the folder of stb/stb_image.h. Sets MMP_NEED_IMAGE_FILES: whether anything is built that
# reads image files, which the library does not.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

function(mmp_fail_missing name debian_package)
  message(FATAL_ERROR "mmp needs ${name}, which was not found. On Debian and Ubuntu: "
                      "apt-get install ${debian_package}, or run tools/install-dependencies.")
endfunction()

# A macro, because find_package leaves its results in the caller's variables.
macro(mmp_find name debian_package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    mmp_fail_missing(${name} ${debian_package})
  endif()
endmacro()

# mmp_find_for_library(NAME TARGET DEBIAN_PACKAGE): who links the static library links TARGET, too, from
# whatever folder, as of a project that this one is part of.
macro(mmp_find_for_library name target debian_package)
  if(NOT TARGET ${target})
    mmp_find(${name} ${debian_package})
    get_target_property(mmp_aliased ${target} ALIASED_TARGET)
    if(NOT mmp_aliased)
      set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
mmp_find_for_library(Threads Threads::Threads libc6-dev)
mmp_find_for_library(hwy hwy::hwy libhwy-dev)

if(MMP_BUILD_TOOLS)
  mmp_find(CLI11 libcli11-dev)
endif()
if(MMP_PYTHON)
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  mmp_find(pybind11 pybind11-dev)
endif()
if(MMP_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # its C++ interface is no more
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    mmp_fail_missing(MPI libopenmpi-dev)
  endif()
endif()
if(MMP_BUILD_TESTS)
  mmp_find(GTest libgtest-dev)
endif()
if(MMP_BUILD_BENCH)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark (libbenchmark-dev) not found: no benchmarks")
  endif()
endif()

set(MMP_NEED_IMAGE_FILES OFF)
if(MMP_BUILD_TOOLS OR MMP_BUILD_TESTS OR (MMP_BUILD_BENCH AND benchmark_FOUND))
  set(MMP_NEED_IMAGE_FILES ON)
  mmp_find(PNG libpng-dev)
  mmp_find(TIFF libtiff-dev)
  if(TIFF_VERSION_STRING VERSION_LESS 4.5)
    message(FATAL_ERROR "mmp needs libtiff 4.5 or newer, this is ${TIFF_VERSION_STRING}")
  endif()
  find_path(STB_INCLUDE_DIR stb/stb_image.h)
  mark_as_advanced(STB_INCLUDE_DIR)
  if(NOT STB_INCLUDE_DIR)
    mmp_fail_missing("stb (stb/stb_image.h)" libstb-dev)
  endif()
endif()
