# What `cmake --install` puts where: the program, the library and its headers, and the files by which
# CMake (find_package(mmp), targets mmp::mmp and mmp::mmp_cuda) and pkg-config (mmp) find them. In three
# components: program, library (what programs that link it need to run), development.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(mmp_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mmp)

install(TARGETS mmp EXPORT mmpTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mmpTargets NAMESPACE mmp:: DESTINATION ${mmp_package_dir} COMPONENT development)

# The CUDA backend is a set of its own: as an archive it needs the CUDA toolkit, without which the rest is
# found.
if(MMP_HAVE_CUDA)
  install(TARGETS mmp_cuda EXPORT mmpCudaTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT mmpCudaTargets NAMESPACE mmp:: DESTINATION ${mmp_package_dir}
          COMPONENT development)
  install(DIRECTORY cuda/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endif()

install(DIRECTORY common/include/ codec/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
if(MMP_BUILD_TOOLS)
  install(TARGETS mmp_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  if(TARGET mmp_share)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}
            COMPONENT program)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}
            COMPONENT program PATTERN made EXCLUDE PATTERN man EXCLUDE)
  endif()
endif()

configure_package_config_file(cmake/mmpConfig.cmake.in ${PROJECT_BINARY_DIR}/mmpConfig.cmake
                              INSTALL_DESTINATION ${mmp_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mmpConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mmpConfig.cmake ${PROJECT_BINARY_DIR}/mmpConfigVersion.cmake
        DESTINATION ${mmp_package_dir} COMPONENT development)
if(NOT BUILD_SHARED_LIBS)
  install(FILES cmake/Findhwy.cmake DESTINATION ${mmp_package_dir} COMPONENT development)
endif()

# pkg-config. What a shared library needs, it says itself. Beside a static one there is no other: what it
# needs is named with or without --static, also for programs in C.
if(BUILD_SHARED_LIBS)
  set(mmp_pc_description "${PROJECT_DESCRIPTION}")
  set(mmp_pc_requires "")
  set(mmp_pc_libs "")
  set(mmp_pc_cflags "")
else()
  set(mmp_pc_description "${PROJECT_DESCRIPTION} (static library)")
  set(mmp_pc_requires "libhwy")
  set(mmp_pc_libs " -pthread")
  foreach(library IN ITEMS stdc++ c++)
    if(library IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
      string(APPEND mmp_pc_libs " -l${library} -lm")
    endif()
  endforeach()
  set(mmp_pc_cflags " -DMMP_STATIC_DEFINE")
endif()
# Relative to the file itself, so that `cmake --install --prefix` works.
file(RELATIVE_PATH mmp_libdir_to_includedir ${CMAKE_INSTALL_FULL_LIBDIR}
     ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH mmp_libdir_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/mmp.pc.in ${PROJECT_BINARY_DIR}/mmp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mmp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

install(FILES LICENSE docs/licenses.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
