# Sets MMP_HAVE_CUDA, from MMP_CUDA (ON, OFF, AUTO) and from what is there.
set(MMP_HAVE_CUDA OFF)
set(MMP_LEAST_NVCC 12.8)  # for compute capability 12.0
if(MMP_CUDA AND EXISTS ${PROJECT_SOURCE_DIR}/cuda/CMakeLists.txt)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
  endif()
  if(CMAKE_CUDA_COMPILER AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS MMP_LEAST_NVCC)
    message(STATUS "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is older than ${MMP_LEAST_NVCC}")
  elseif(CMAKE_CUDA_COMPILER)
    # CMake 3.25 does not know that nvcc 12 and later take this.
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(MMP_HAVE_CUDA ON)
  endif()
endif()
if(MMP_CUDA AND NOT MMP_CUDA STREQUAL "AUTO" AND NOT MMP_HAVE_CUDA)
  message(FATAL_ERROR "MMP_CUDA is ${MMP_CUDA}, but there is no nvcc of version ${MMP_LEAST_NVCC} or newer "
                      "(set CMAKE_CUDA_COMPILER or PATH) or no cuda folder. Configure with "
                      "-DMMP_CUDA=OFF to do without.")
endif()
message(STATUS "CUDA backend: ${MMP_HAVE_CUDA}")
