# The table of formats, written from a list of names. A format NAME is a folder of that name with a
# CMakeLists.txt that adds its sources to SHEAF_FORMAT_TARGET; one of them defines
# `Format NAME_format()` in namespace sheaf.

# sheaf_format_table(<target> <function> <name>...): add the folders, and a source file that defines
# `std::span<const Format> <function>() noexcept`.
function(sheaf_format_table target function)
  set(SHEAF_FORMAT_TARGET ${target})
  set(declarations "")
  set(rows "")
  foreach(name IN LISTS ARGN)
    add_subdirectory(${name})
    string(APPEND declarations "Format ${name}_format();\n")
    string(APPEND rows "      ${name}_format(),\n")
  endforeach()
  set(table_function ${function})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/format_table.cc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
endfunction()
