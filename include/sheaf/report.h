/// \file
/// Makes a report about data for people to read before a training.
///
///     sheaf::ReportOptions options;
///     options.against = {.content = sheaf::FilesSpec{.files = {"test.ctf"}}};
///     options.against_path = "test.ctf";
///     const sheaf::DataReport report =
///         sheaf::report({.content = sheaf::FilesSpec{.files = {"train.ctf"}}}, "train.ctf",
///                       options);
///     std::cout << report.against->leaks.same << " sequences are in both files\n";
///     sheaf::write_report(report, "report.html");

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/file_sink.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/spec.h"

namespace sheaf {

struct ReportOptions {
  /// Whether the report shows values, keys and sequences. If not, the report has only counts and
  /// statistics, and can be shared even if the data must not be.
  bool shows_values = true;

  /// Other data to compare with, such as test data. Empty means no comparison.
  std::optional<DataSpec> against = {};

  /// Other data to compare with that are already open. Leave out `against` then.
  std::optional<OpenedData> against_opened = {};

  /// The name of the other data in the report.
  std::string against_path = {};

  /// Progress counts the bytes of both data sets.
  OperationOptions run = {};
};

/// How bad a finding is, from worst to best.
enum class FindingLevel : std::uint8_t { error, warning, notice, good };

/// Returns "error", "warning", "notice" or "good".
[[nodiscard]] std::string_view to_string(FindingLevel level) noexcept;

/// One sentence of the verdict.
struct Finding {
  FindingLevel level = FindingLevel::good;
  std::string section = {};  // the section of the report that has the numbers, such as "lengths"
  std::string text = {};     // "12 sequences repeat an earlier one."
  std::string advice = {};   // what to do; empty if there is nothing to do
};

/// How much two parts of data differ in one respect.
struct Drift {
  std::string what = {};  // "length", "values of features", "classes of labels"

  /// The total variation distance, from 0 to 1: the share of one histogram that must move to make
  /// the histograms equal. 0 means equal shares, and 1 means that the parts have nothing in common.
  /// The distance expected by chance is subtracted.
  double size = 0;
};

/// How many sequences also occur in the other data.
struct Leaks {
  std::int64_t looked_at = 0;   // how many sequences of the data were compared
  std::int64_t same = 0;        // of these, how many are in the other data
  std::int64_t same_input = 0;  // of these, how many have an equal input in the other data
};

/// The results of the comparison with other data.
struct DataComparison {
  Leaks leaks = {};
  std::vector<Drift> drift = {};
};

/// A report on data.
struct DataReport {
  std::string json = {};                    // the whole report as JSON, with a newline at the end
  std::vector<Finding> verdict = {};        // the worst first
  std::int64_t error_count = 0;             // errors in the data
  std::int64_t warning_count = 0;           // warnings about the data
  std::optional<DataComparison> against{};  // set if there are other data to compare with
};

/// Reads all data once and describes them. `path` is the name of the data in the report.
///
/// An error becomes a finding, and its sequence is left out. If an error makes the rest of the data
/// unreadable, the report describes the data before the error.
///
/// Determinism: equal data and options give equal bytes. Threads and the memory limit change
///              nothing.
/// Throws:      IoError; ConfigError if the memory limit is too small, if
///              OpenedData::window_chunks is below 1, or if the options have both `against` and
///              `against_opened`; what open() throws for the data to compare with.
/// Cost:        takes up to about 150 MB on top of the memory limit, and up to 1.5 MB for each
///              thread and stream.
[[nodiscard]] DataReport report(const OpenedData& data, std::string_view path,
                                const ReportOptions& options = {}, const OpenContext& context = {});

/// Opens data and calls report(). The options replace the executor and the memory limit of
/// `context`.
///
/// Throws: also what open() throws.
[[nodiscard]] DataReport report(const DataSpec& data, std::string_view path,
                                const ReportOptions& options = {}, const OpenContext& context = {});

/// Returns a report as one self-contained page of HTML.
[[nodiscard]] std::string to_html(const DataReport& report);

/// Writes a report: as JSON if `path` ends with ".json", or else as HTML. The file appears whole or
/// not at all.
///
/// Throws: as check_report_path() and create_file().
void write_report(const DataReport& report, const std::string& path,
                  Existing existing = Existing::refuse);

/// Checks that write_report() can write to `path`, before the work begins. An earlier report is
/// replaced. `existing` says what to do with any other file.
///
/// Throws: as check_output_path() with the files that are read; ConfigError if `path` is a file
///         that is not a report and `existing` refuses to replace the file.
void check_report_path(const std::string& path, std::span<const std::string> sources,
                       Existing existing = Existing::refuse);

}  // namespace sheaf
