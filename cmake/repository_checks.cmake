# Tests of the repository itself: style, and figures.

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_test(NAME tidy COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/tidy.py)
add_test(NAME tidy_test COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/tidy_test.py)
add_test(NAME figures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/figures.py --check)
