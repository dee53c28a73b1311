# Tests of the repository itself: headers that compile alone, style, and figures.

# A source file for each public header, with nothing in it but the header, twice.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/sheaf/*.h)
set(sources "")
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n#include \"@header@\"\n" @ONLY)
  list(APPEND sources ${source})
endforeach()
add_library(sheaf_headers_alone OBJECT ${sources})
target_link_libraries(sheaf_headers_alone PRIVATE sheaf::sheaf)

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_test(NAME tidy COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/tidy.py)
add_test(NAME tidy_test COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/tidy_test.py)
add_test(NAME figures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/figures.py --check)
