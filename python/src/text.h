/// \file
/// Converts texts between Python and the library.
///
/// In the library, names, keys and paths are bytes, which need not be UTF-8. In Python they are
/// `str`. A byte that is not UTF-8 becomes a lone surrogate from U+DC80 to U+DCFF, as in Python's
/// own file names (the error handler "surrogateescape"). Both conversions are lossless. Include
/// this file instead of nanobind/stl/string.h.

#pragma once

#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

namespace sheaf::python {

/// Returns a text as a `str`. Returns null and sets a Python exception if memory runs out.
inline PyObject* text_object(std::string_view bytes) noexcept {
  return PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                              "surrogateescape");
}

/// Returns a text as a `str`.
///
/// Throws: python_error.
inline nanobind::str to_text(std::string_view bytes) {
  PyObject* const text = text_object(bytes);
  if (text == nullptr) throw nanobind::python_error();
  return nanobind::steal<nanobind::str>(text);
}

/// Sets `bytes` to the bytes of a `str`. Returns false and sets a Python exception if the text has
/// surrogates that do not stand for a byte.
inline bool set_bytes_of(nanobind::handle text, std::string& bytes) {
  Py_ssize_t size = 0;
  if (const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size); utf8 != nullptr) {
    bytes.assign(utf8, static_cast<std::size_t>(size));
    return true;
  }
  PyErr_Clear();
  const auto encoded =
      nanobind::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) return false;
  bytes.assign(PyBytes_AS_STRING(encoded.ptr()),
               static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr())));
  return true;
}

/// Returns the bytes of a `str`.
///
/// Throws: python_error (UnicodeEncodeError) if the text has surrogates that do not stand for a
/// byte.
inline std::string bytes_of(nanobind::handle text) {
  std::string bytes;
  if (!set_bytes_of(text, bytes)) throw nanobind::python_error();
  return bytes;
}

}  // namespace sheaf::python

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle text, std::uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (!PyUnicode_Check(text.ptr())) return false;
    if (sheaf::python::set_bytes_of(text, value)) return true;
    PyErr_Clear();
    return false;
  }

  static handle from_cpp(const std::string& bytes, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    return sheaf::python::text_object(bytes);
  }
};

}  // namespace nanobind::detail
