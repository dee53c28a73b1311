// All of the data once, and what is wrong with them.

#include <cstdint>
#include <map>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>

#include "sheaf/check.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::dict places_dict(const CheckedPlaces& places) {
  std::map<std::string, std::int64_t> by_code;
  for (const auto& [code, same] : places.by_code) by_code.emplace(code, same.count);
  nb::dict dict;
  dict["count"] = places.count;
  dict["by_code"] = by_code;
  dict["first"] = to_python(places.first);
  return dict;
}

nb::dict check(const Data& data, std::int64_t limit) {
  const CheckReport report = [&] {
    const FreeGil free;
    return sheaf::check(data.deserializer(),
                        {.limit = limit == 0 ? kAll : limit, .run = data.operation()});
  }();
  nb::dict dict;
  dict["sequences"] = report.sequences;
  dict["samples"] = report.samples;
  dict["holes"] = report.holes;
  dict["errors"] = places_dict(report.errors);
  dict["warnings"] = places_dict(report.warnings);
  return dict;
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("check", check, nb::arg("data"), nb::arg("limit"),
             nb::sig("def check(data: Data, limit: int) -> dict[str, typing.Any]"),
             "Read all of the data, and say what is wrong with them.");
}

}  // namespace sheaf::python
