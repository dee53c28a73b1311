# Finds libsimdjson: the target simdjson::simdjson. Installed beside sheafConfig.cmake, too.
find_path(SIMDJSON_INCLUDE_DIR simdjson.h)
find_library(SIMDJSON_LIBRARY NAMES simdjson libsimdjson)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(simdjson REQUIRED_VARS SIMDJSON_LIBRARY SIMDJSON_INCLUDE_DIR)
if(simdjson_FOUND AND NOT TARGET simdjson::simdjson)
  add_library(simdjson::simdjson UNKNOWN IMPORTED)
  set_target_properties(
    simdjson::simdjson PROPERTIES IMPORTED_LOCATION ${SIMDJSON_LIBRARY}
                                  INTERFACE_INCLUDE_DIRECTORIES ${SIMDJSON_INCLUDE_DIR})
endif()
mark_as_advanced(SIMDJSON_INCLUDE_DIR SIMDJSON_LIBRARY)
