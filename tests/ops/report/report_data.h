// Makes reports on small data in memory.

#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "sheaf/report.h"

#include "ops/conversion_data.h"

namespace sheaf::testing {

/// Files in memory, with reports on them.
class ReportData : public ConversionData {
 public:
  /// Writes `text` to "in.ctf" and reports on the file.
  [[nodiscard]] DataReport report_of(const std::string& text, const ReportOptions& options = {}) {
    write("in.ctf", text);
    return sheaf::report(files_spec("in.ctf"), "in.ctf", options, {.files = &files()});
  }

  [[nodiscard]] nlohmann::ordered_json json_of(const std::string& text,
                                               const ReportOptions& options = {}) {
    return nlohmann::ordered_json::parse(report_of(text, options).json);
  }

  /// Reports on a table whose empty cells are NaN.
  [[nodiscard]] nlohmann::ordered_json json_of_table(const std::string& text) {
    write("in.csv", text);
    FilesSpec spec{.files = {"in.csv"}};
    spec.format.extra["csv.missing"] = "nan";
    const DataSpec data{.content = spec};
    return nlohmann::ordered_json::parse(
        sheaf::report(data, "in.csv", {}, {.files = &files()}).json);
  }

  /// Compares `text` with other data in "other.ctf".
  [[nodiscard]] DataReport compared(const std::string& text, const std::string& other,
                                    ReportOptions options = {}) {
    write("other.ctf", other);
    options.against = files_spec("other.ctf");
    options.against_path = "other.ctf";
    return report_of(text, options);
  }

  [[nodiscard]] static DataSpec files_spec(const std::string& path) {
    return {.content = FilesSpec{.files = {path}}};
  }
};

}  // namespace sheaf::testing
