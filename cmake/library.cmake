# The library that others link: mmp::mmp, of which all is hidden but what has MMP_EXPORT (mmp/export.h);
# static or, with BUILD_SHARED_LIBS, shared. It is made of the same objects as mmp_internal, which
# shows everything and is for the program and the tests.
add_library(mmp $<TARGET_OBJECTS:mmp_internal> $<TARGET_OBJECTS:mmp_base>)
add_library(mmp::mmp ALIAS mmp)
target_include_directories(
  mmp INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/codec/include;${PROJECT_SOURCE_DIR}/common/include>")
target_link_libraries(mmp PRIVATE hwy::hwy Threads::Threads)
set_target_properties(mmp PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(mmp INTERFACE cxx_std_20)

# A minor version may add to the structures of the C++ interface: it has a soname of its own.
set(mmp_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(mmp PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${mmp_soversion})

if(BUILD_SHARED_LIBS)
  target_link_libraries(mmp PRIVATE mmp_options)
  # Not shown either: what other libraries' templates and archives leave in ours.
  include(CheckLinkerFlag)
  set(mmp_version_script ${PROJECT_SOURCE_DIR}/cmake/libmmp.map)
  check_linker_flag(CXX "LINKER:--version-script=${mmp_version_script}" mmp_have_version_scripts)
  if(mmp_have_version_scripts)
    target_link_options(mmp PRIVATE "LINKER:--version-script=${mmp_version_script}")
    set_target_properties(mmp PROPERTIES LINK_DEPENDS ${mmp_version_script})
  endif()
else()
  target_compile_definitions(mmp INTERFACE MMP_STATIC_DEFINE)
endif()

# The CUDA backend uses what the library hides: it is part of a shared library, and an archive of its
# own beside a static one. Users link mmp::mmp_cuda for both.
if(MMP_HAVE_CUDA)
  if(BUILD_SHARED_LIBS)
    target_sources(mmp PRIVATE $<TARGET_OBJECTS:mmp_cuda_internal>)
    target_link_libraries(mmp PRIVATE CUDA::cudart_static)
    add_library(mmp_cuda INTERFACE)
    target_link_libraries(mmp_cuda INTERFACE mmp)
  else()
    add_library(mmp_cuda STATIC $<TARGET_OBJECTS:mmp_cuda_internal>)
    set_target_properties(mmp_cuda PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(mmp_cuda PUBLIC mmp PRIVATE CUDA::cudart_static)
  endif()
  add_library(mmp::mmp_cuda ALIAS mmp_cuda)
  target_include_directories(mmp_cuda INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cuda/include>)
endif()
