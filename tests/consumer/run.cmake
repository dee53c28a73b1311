# Installs the sheaf built in BUILD_DIR into a folder of its own, moves that folder (nothing in it
# may remember where it was), then configures, builds and runs the project beside this file with it.

set(work ${BUILD_DIR}/consumer)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/installed)
file(RENAME ${work}/installed ${prefix})
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
foreach(each IN ITEMS docs/index.md docs/formats/ctf.md examples/train_digits.cc
                      consumer/lines_deserializer.cc digits/train.ctf)
  if(NOT installed MATCHES "/${each}")
    message(FATAL_ERROR "${each} is not installed")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
    -D CMAKE_CXX_COMPILER=${CXX} "-D CMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${work}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure --no-tests=error)

# The command line, where it was built, runs from where it was put.
if(EXISTS ${prefix}/bin/sheaf)
  execute_process(COMMAND ${prefix}/bin/sheaf --version OUTPUT_VARIABLE version
                          COMMAND_ERROR_IS_FATAL ANY)
  if(NOT version MATCHES "(^|[^0-9.])${VERSION}[^0-9.]")
    message(FATAL_ERROR "sheaf --version prints '${version}', not ${VERSION}")
  endif()
endif()
