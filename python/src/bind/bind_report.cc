// Bindings of reports on data.

#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "sheaf/report.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

nb::object report_json(const Data& data, const std::string& path, const Data* against,
                       const std::string& against_path, bool shows_values) {
  return to_text([&] {
    const FreeGil free;
    ReportOptions options{.shows_values = shows_values, .run = data.operation()};
    if (against != nullptr) {
      options.against_opened = against->opened();
      options.against_path = against_path;
    }
    return report(data.opened(), path, options).json;
  }());
}

// Returns a report with only the JSON, which is all that the page needs.
DataReport report_of(std::string json) {
  DataReport report;
  report.json = std::move(json);
  return report;
}

nb::object report_html(std::string json) {
  return to_text([&] {
    const FreeGil free;
    return to_html(report_of(std::move(json)));
  }());
}

void write_report_file(std::string json, const std::string& path, bool overwrite) {
  const FreeGil free;
  write_report(report_of(std::move(json)), path, overwrite ? Existing::replace : Existing::refuse);
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("report_json", report_json, nb::arg("data"), nb::arg("path"),
             nb::arg("against").none(), nb::arg("against_path"), nb::arg("shows_values"),
             nb::sig("def report_json(data: Data, path: str, against: Data | None, "
                     "against_path: str, shows_values: bool) -> str"),
             "Return the text that `sheaf report --json` prints about the data.");
  module.def("report_html", report_html, nb::arg("json"),
             nb::sig("def report_html(json: str) -> str"), "Return the HTML page of a report.");
  module.def("write_report", write_report_file, nb::arg("json"), nb::arg("path"),
             nb::arg("overwrite"), "Write a report as `sheaf report -o` does.");
}

}  // namespace sheaf::python
