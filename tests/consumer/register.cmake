# Adds the test that installs sheaf and builds the project in this folder against it.

add_test(NAME consumer
         COMMAND ${CMAKE_COMMAND} -D BUILD_DIR=${PROJECT_BINARY_DIR}
                 -D BUILD_TYPE=${CMAKE_BUILD_TYPE} -D CXX=${CMAKE_CXX_COMPILER}
                 "-D CXX_FLAGS=${CMAKE_CXX_FLAGS}" -D GENERATOR=${CMAKE_GENERATOR}
                 -D VERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
