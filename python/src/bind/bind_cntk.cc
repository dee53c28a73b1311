// Converts dictionaries of CNTK's Python interface to the reader section that they describe.

#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/config.h"

#include "bind/bindings.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

constexpr int kDepthMax = 32;  // of nested dictionaries and lists; a dictionary may contain itself

ConfigData any_data(nb::handle value, const std::string& path, int depth);

nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

ConfigData whole_data(nb::handle value) {
  const nb::object number = owned(PyNumber_Index(value.ptr()));
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) return {bytes_of(owned(PyObject_Str(number.ptr())))};
  return {std::int64_t{whole}};
}

// Returns the value as a Python float, or null if it is not a number.
nb::object real_number(nb::handle value) {
  if (Py_TYPE(value.ptr())->tp_as_number == nullptr) return {};
  nb::object real = nb::steal(PyNumber_Float(value.ptr()));
  if (!real.is_valid()) PyErr_Clear();
  return real;
}

ConfigData::Members member_data(nb::handle dictionary, const std::string& path, int depth) {
  ConfigData::Members members;
  for (const auto& [key, value] : nb::borrow<nb::dict>(dictionary)) {
    if (!nb::isinstance<nb::str>(key)) throw ConfigError(path + ": each key must be a text");
    const std::string name = bytes_of(key);
    if (!value.is_none()) members.emplace_back(name, any_data(value, path + '/' + name, depth));
  }
  return members;
}

ConfigData::List list_data(nb::handle elements, const std::string& path, int depth) {
  ConfigData::List list;
  for (const nb::handle each : nb::borrow(elements)) {
    list.push_back(any_data(each, path + '@' + std::to_string(list.size()), depth));
  }
  return list;
}

ConfigData any_data(nb::handle value, const std::string& path, int depth) {
  if (depth == 0) {
    throw ConfigError(path + ": expected at most " + std::to_string(kDepthMax) +
                      " dictionaries and lists inside each other");
  }
  if (PyBool_Check(value.ptr())) return {value.is(Py_True)};
  if (PyFloat_Check(value.ptr())) return {PyFloat_AsDouble(value.ptr())};
  if (PyIndex_Check(value.ptr())) return whole_data(value);
  if (nb::isinstance<nb::str>(value)) return {bytes_of(value)};
  if (nb::isinstance<nb::dict>(value)) return {member_data(value, path, depth - 1)};
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    return {list_data(value, path, depth - 1)};
  }
  if (PyBytes_Check(value.ptr()) || nb::hasattr(value, "__fspath__")) {
    return {bytes_of(nb::module_::import_("os").attr("fsdecode")(value))};
  }
  const nb::object real = real_number(value);
  if (real.is_valid()) return {PyFloat_AsDouble(real.ptr())};
  throw ConfigError(path + ": expected a truth, a number, a text, a list or a dictionary: got " +
                    Py_TYPE(value.ptr())->tp_name);
}

nb::tuple cntk_spec(nb::handle dictionary, std::string folder) {
  const Config config =
      Config::from_data(member_data(dictionary, "", kDepthMax), std::move(folder));
  const std::string json = to_json(configured_reader(config.root()).spec);
  return nb::make_tuple(json, to_python(config.warnings()));
}

}  // namespace

void bind_cntk(nb::module_& module) {
  module.def(
      "cntk_spec",
      [](nb::dict dictionary, std::string folder) {
        return cntk_spec(dictionary, std::move(folder));
      },
      nb::arg("dictionary"), nb::arg("folder"),
      nb::sig("def cntk_spec(dictionary: dict[str, typing.Any], folder: str) -> "
              "tuple[str, list[sheaf.errors.Diagnostic]]"),
      "Return the spec of the reader that a dictionary of CNTK describes, in JSON, and warnings "
      "about settings that have no effect. Relative paths begin at the folder.");
}

}  // namespace sheaf::python
