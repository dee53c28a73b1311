// Bindings of check().

#include <cstdint>
#include <map>
#include <memory>
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

nb::dict errors_dict(const CheckedErrors& errors) {
  std::map<std::string, std::int64_t> by_code;
  for (const auto& [code, same] : errors.by_code) by_code.emplace(code, same.count);
  nb::dict dict;
  dict["count"] = errors.count;
  dict["by_code"] = by_code;
  dict["first"] = to_python(errors.first);
  return dict;
}

// Returns the limit of the library. Python passes 0 for "all".
std::int64_t limit_of(std::int64_t limit) { return limit == 0 ? kAll : limit; }

nb::dict report_dict(const CheckReport& report) {
  nb::dict dict;
  dict["sequences"] = report.sequences;
  dict["samples"] = report.samples;
  dict["holes"] = report.holes;
  dict["errors"] = errors_dict(report.errors);
  dict["warnings"] = errors_dict(report.warnings);
  nb::list differences;
  for (const LengthDifference& each : report.length_differences) {
    differences.append(nb::make_tuple(each.stream, each.sequences, each.largest, each.by_size));
  }
  dict["length_differences"] = differences;
  dict["part"] = to_text(report.part ? to_json(report, "") : std::string());
  return dict;
}

nb::dict check(const Data& data, std::int64_t limit) {
  return report_dict([&] {
    const FreeGil free;
    return sheaf::check(data.opened(), {.limit = limit_of(limit), .run = data.operation()});
  }());
}

nb::dict check_plan(Plan plan, std::int64_t limit, int num_threads, std::int64_t memory_limit) {
  for (FilesSpec* const files : files_of(plan.spec.data)) files->format.takes_first_form = true;
  return report_dict([&] {
    const FreeGil free;
    const std::unique_ptr<Executor> threads = start_threads(unless_zero(num_threads));
    return sheaf::check(
        plan.spec.data,
        {.limit = limit_of(limit),
         .run = {.memory_limit_bytes = unless_zero(memory_limit), .executor = threads.get()}},
        plan.context);
  }());
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("check", check, nb::arg("data"), nb::arg("limit"),
             nb::sig("def check(data: Data, limit: int) -> dict[str, typing.Any]"),
             "Read all data, and describe their errors and warnings.");
  module.def("check_plan", check_plan, nb::arg("plan"), nb::arg("limit"), nb::arg("num_threads"),
             nb::arg("memory_limit"),
             nb::sig("def check_plan(plan: Plan, limit: int, num_threads: int, memory_limit: int) "
                     "-> dict[str, typing.Any]"),
             "Open the data of a plan, and check them. A DataError of opening becomes an error in "
             "the result.");
}

}  // namespace sheaf::python
