# Compiles the sources of each folder of a target as one file, which takes a third of the time:
# headers and templates are compiled once a folder. Names in anonymous namespaces must then differ
# within a folder. The presets `release` and `fuzz` do so, `dev` and the others do not.
option(SHEAF_UNITY_BUILD "Compile the sources of a folder together" OFF)

# sheaf_unity(<target> [TOGETHER] [ALONE <source>...]): with TOGETHER, all folders are compiled as
# one file. The sources after ALONE are compiled by themselves. Call it when the target has all its
# sources.
function(sheaf_unity target)
  if(NOT SHEAF_UNITY_BUILD)
    return()
  endif()
  cmake_parse_arguments(unity "TOGETHER" "" "ALONE" ${ARGN})
  get_target_property(sources ${target} SOURCES)
  get_target_property(root ${target} SOURCE_DIR)
  list(TRANSFORM unity_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Types of anonymous namespaces are in an included file here, and used in that file alone.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${root} NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${root} OUTPUT_VARIABLE name)
    cmake_path(GET name PARENT_PATH folder)
    if(source IN_LIST unity_ALONE OR folder MATCHES "^[.][.]")
      continue()
    endif()
    # The stages of the reader are small: together they are one.
    string(REGEX REPLACE "^(src/)?reader/.*" "\\1reader" folder "${folder}")
    if(unity_TOGETHER)
      set(folder all)
    endif()
    string(MAKE_C_IDENTIFIER "${folder}_" group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                PROPERTIES UNITY_GROUP ${group})
    set_property(TARGET ${target} APPEND PROPERTY SHEAF_UNITY_FOLDERS ${folder})
  endforeach()
endfunction()

# sheaf_unity_options(<target> FOLDERS <folder>... OPTIONS <option>...): adds compiler options for
# the one file that the sources of each folder are compiled as. Does nothing if each source is
# compiled by itself. Call it after sheaf_unity(). A folder without such sources is an error.
function(sheaf_unity_options target)
  if(NOT SHEAF_UNITY_BUILD)
    return()
  endif()
  cmake_parse_arguments(unity "" "" "FOLDERS;OPTIONS" ${ARGN})
  get_target_property(known ${target} SHEAF_UNITY_FOLDERS)
  get_target_property(binary_dir ${target} BINARY_DIR)
  # clang takes precompiled headers of the same level of optimising alone.
  set(skip OFF)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(skip ON)
  endif()
  foreach(folder IN LISTS unity_FOLDERS)
    if(NOT folder IN_LIST known)
      message(FATAL_ERROR "sheaf_unity_options: ${target} has no sources in ${folder}")
    endif()
    string(MAKE_C_IDENTIFIER "${folder}_" group)
    set_source_files_properties(
      ${binary_dir}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx
      TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${unity_OPTIONS}"
                                            SKIP_PRECOMPILE_HEADERS ${skip})
  endforeach()
endfunction()

# sheaf_precompile(<target> [ALONE <source>...] HEADERS <header>...): compiles the headers once for
# all folders of a target. The sources after ALONE read the headers themselves, as do the folders
# that sheaf_unity_options() gives options for clang. Does nothing if each source is compiled by
# itself, so that such builds find a missing #include. Call it after sheaf_unity().
function(sheaf_precompile target)
  if(NOT SHEAF_UNITY_BUILD)
    return()
  endif()
  cmake_parse_arguments(precompile "" "" "ALONE;HEADERS" ${ARGN})
  target_precompile_headers(${target} PRIVATE ${precompile_HEADERS})
  if(precompile_ALONE)
    list(TRANSFORM precompile_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_source_files_properties(${precompile_ALONE} TARGET_DIRECTORY ${target}
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# What nearly every folder of the library and of its tests includes.
set(SHEAF_COMMON_HEADERS
    <algorithm>
    <array>
    <bit>
    <charconv>
    <cmath>
    <cstddef>
    <cstdint>
    <cstring>
    <functional>
    <iterator>
    <limits>
    <map>
    <memory>
    <memory_resource>
    <mutex>
    <numeric>
    <optional>
    <span>
    <string>
    <string_view>
    <system_error>
    <unordered_map>
    <utility>
    <variant>
    <vector>)
