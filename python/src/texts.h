/// \file
/// Texts of Python as bytes.

#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace sheaf::python {

/// The bytes of a text; those that are no UTF-8 come as Python has file names.
[[nodiscard]] inline std::string bytes_of(nanobind::handle text) {
  const nanobind::object bytes =
      nanobind::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nanobind::python_error();
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nanobind::python_error();
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace sheaf::python
