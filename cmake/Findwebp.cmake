# Finds libwebp: the target webp::webp. Installed beside sheafConfig.cmake, too.
find_path(WEBP_INCLUDE_DIR webp/decode.h)
find_library(WEBP_LIBRARY NAMES webp libwebp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(webp REQUIRED_VARS WEBP_LIBRARY WEBP_INCLUDE_DIR)
if(webp_FOUND AND NOT TARGET webp::webp)
  add_library(webp::webp UNKNOWN IMPORTED)
  set_target_properties(webp::webp PROPERTIES IMPORTED_LOCATION ${WEBP_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${WEBP_INCLUDE_DIR})
endif()
mark_as_advanced(WEBP_INCLUDE_DIR WEBP_LIBRARY)
