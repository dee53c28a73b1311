# What `cmake --install` puts in place of the library: archive, headers, CMake package, pages,
# examples. (cli/ and python/ install their own.) An embedding project carries none of it, a wheel
# only python/'s.

option(SHEAF_INSTALL "Write install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT SHEAF_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(SHEAF_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sheaf)

install(TARGETS sheaf EXPORT sheafTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sheaf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(EXPORT sheafTargets NAMESPACE sheaf:: DESTINATION ${SHEAF_CMAKE_DIR})

configure_package_config_file(cmake/sheafConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/sheafConfig.cmake
                              INSTALL_DESTINATION ${SHEAF_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sheafConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sheafConfig.cmake ${PROJECT_BINARY_DIR}/sheafConfigVersion.cmake
              cmake/Findzstd.cmake cmake/Findlz4.cmake cmake/Findsimdjson.cmake
              cmake/Findwebp.cmake
        DESTINATION ${SHEAF_CMAKE_DIR})

install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(DIRECTORY examples tests/consumer testdata DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
