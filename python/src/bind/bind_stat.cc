// Bindings of the statistics of data and orders.

#include <cstdint>
#include <string>

#include <nanobind/nanobind.h>

#include "sheaf/order_summary.h"
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

std::string order_json(const Data& data, const std::string& path, const std::string& noise_of,
                       std::int64_t steps, double opening_seconds,
                       const std::string& worker_source) {
  const FreeGil free;
  ReadSpec read = data.plan().spec.read;
  read.row_samples = data.row_samples();
  OrderSummary summary =
      summarize_order(data.shared_deserializer(), read,
                      {.noise_of = noise_of, .steps_max = steps, .run = data.operation()});
  summary.open_seconds += opening_seconds;
  summary.worker_source = worker_source;
  return to_json(summary, path);
}

}  // namespace

void bind_stat(nb::module_& module) {
  module.def("stat_json", stat_json, nb::arg("data"), nb::arg("path"), nb::arg("duplicates"),
             "Return the text that `sheaf stat --json` prints about the data.");
  module.def("order_json", order_json, nb::arg("data"), nb::arg("path"), nb::arg("noise_of"),
             nb::arg("steps"), nb::arg("opening_seconds"), nb::arg("worker_source"),
             "Return the text that `sheaf order --json` prints about the data and their order.");
}

}  // namespace sheaf::python
