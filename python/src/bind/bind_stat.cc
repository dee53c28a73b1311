// Data in numbers.

#include <string>

#include <nanobind/nanobind.h>

#include "sheaf/stat.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

std::string stat_json(const Data& data, const std::string& path, bool duplicates) {
  const FreeGil free;
  return to_json(
      stat(data.deserializer(), {.finds_duplicates = duplicates, .run = data.operation()}), path);
}

}  // namespace

void bind_stat(nb::module_& module) {
  module.def("stat_json", stat_json, nb::arg("data"), nb::arg("path"), nb::arg("duplicates"),
             "What `sheaf stat --json` prints of the data.");
}

}  // namespace sheaf::python
