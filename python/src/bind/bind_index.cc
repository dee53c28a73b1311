// Bindings of index files.

#include <cstdint>
#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "sheaf/index_data.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::dict index_data(const Plan& plan, const std::string& mode, int num_threads,
                    std::int64_t memory_limit) {
  const IndexReport report = [&] {
    const FreeGil free;
    const std::unique_ptr<Executor> threads = start_threads(unless_zero(num_threads));
    return sheaf::index_data(
        plan.spec.data,
        {.mode = index_mode_named(mode),
         .run = {.memory_limit_bytes = unless_zero(memory_limit), .executor = threads.get()}},
        plan.context);
  }();
  nb::dict files;
  for (const IndexFile& file : report.files) files[nb::cast(file.path)] = file.bytes;
  nb::dict dict;
  dict["chunks"] = report.chunks;
  dict["sequences"] = report.sequences;
  dict["samples"] = report.samples;
  dict["data_bytes"] = report.data_bytes;
  dict["files"] = files;
  dict["why_unused"] = report.why_unused;
  dict["warnings"] = to_python(report.warnings);
  dict["seconds"] = report.seconds;
  return dict;
}

}  // namespace

void bind_index(nb::module_& module) {
  module.def("index_data", index_data, nb::arg("plan"), nb::arg("mode"), nb::arg("num_threads"),
             nb::arg("memory_limit"),
             nb::sig("def index_data(plan: Plan, mode: str, num_threads: int, memory_limit: int) "
                     "-> dict[str, typing.Any]"),
             "Write or check index files.");
}

}  // namespace sheaf::python
