# What `cmake --install` puts where: the program, the library and its headers, and the files by which
# CMake (find_package(mmp), targets mmp::mmp and mmp::mmp_cuda) and pkg-config (mmp) find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(mmp_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mmp)

# mmp_options is empty once installed, but the libraries name it.
set_target_properties(mmp_common PROPERTIES EXPORT_NAME common)
set_target_properties(mmp_options PROPERTIES EXPORT_NAME options)
install(TARGETS mmp mmp_common mmp_options EXPORT mmpTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mmpTargets NAMESPACE mmp:: DESTINATION ${mmp_package_dir})

# The CUDA backend is a set of its own: it needs the CUDA toolkit, without which the rest is found.
if(MMP_HAVE_CUDA)
  install(TARGETS mmp_cuda EXPORT mmpCudaTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT mmpCudaTargets NAMESPACE mmp:: DESTINATION ${mmp_package_dir})
  install(FILES cuda/mmp_cuda.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mmp)
endif()

install(FILES codec/mmp.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mmp)
install(FILES common/image.h common/status.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mmp/common)
if(MMP_BUILD_TOOLS)
  install(TARGETS mmp_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET mmp_share)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}
            PATTERN made EXCLUDE PATTERN man EXCLUDE)
  endif()
endif()

configure_package_config_file(cmake/mmpConfig.cmake.in ${PROJECT_BINARY_DIR}/mmpConfig.cmake
                              INSTALL_DESTINATION ${mmp_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mmpConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mmpConfig.cmake ${PROJECT_BINARY_DIR}/mmpConfigVersion.cmake
              cmake/Findhwy.cmake
        DESTINATION ${mmp_package_dir})

# Relative to the file itself, so that `cmake --install --prefix` works.
file(RELATIVE_PATH mmp_libdir_to_includedir ${CMAKE_INSTALL_FULL_LIBDIR}
     ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/mmp.pc.in ${PROJECT_BINARY_DIR}/mmp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mmp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE docs/licenses.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
