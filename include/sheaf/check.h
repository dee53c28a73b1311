/// \file
/// Finds everything that is wrong with data.
///
///     const sheaf::CheckReport report =
///         sheaf::check({.content = sheaf::FilesSpec{.files = {"train.ctf"}}});
///     for (const sheaf::Diagnostic& each : report.errors.first) {
///       std::cout << sheaf::to_string(each) << '\n';
///     }
///     std::cout << report.sequences << " good sequences, " << report.holes << " left out\n";

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/order.h"
#include "sheaf/part.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf {

/// How to check.
struct CheckOptions {
  /// The most errors that the report describes, and the most warnings. kAll means every one. The
  /// report counts all errors and warnings, described or not.
  std::int64_t limit = 100;

  /// Called with each described error or warning, in the order of the file, on the calling thread.
  /// The report then keeps no descriptions, so a file full of errors takes no memory.
  ///
  /// `is_repeated` helps to print less where most sequences lack a stream. The flag is false for
  /// the first error about the stream, and true for later ones. When `limit` is kAll, the flag is
  /// always false.
  std::function<void(const Diagnostic& diagnostic, bool is_repeated)> described = {};

  OperationOptions run = {};
};

/// All errors or warnings with the same Diagnostic::code.
struct ErrorsOfCode {
  std::int64_t count = 0;
  Diagnostic first = {};
};

/// All errors, or all warnings.
struct CheckedErrors {
  std::int64_t count = 0;
  std::int64_t described = 0;                        // at most CheckOptions::limit
  std::map<std::string, ErrorsOfCode> by_code = {};  // the key is a code, such as "ctf-number"
  std::vector<Diagnostic> first = {};  // the described ones, in the order of the file; empty with
                                       // CheckOptions::described
};

/// The sequences that have fewer samples in a stream than in their longest stream.
struct LengthDifference {
  std::string stream = {};
  std::int64_t sequences = 0;
  std::int64_t largest = 0;  // the largest number of missing samples

  /// How many sequences lack 1 sample, 2 samples, 3 to 4, 5 to 8, and so on. The key is the upper
  /// end of each range: 1, 2, 4, 8, ...
  std::map<std::int64_t, std::int64_t> by_size = {};

  friend bool operator==(const LengthDifference&, const LengthDifference&) = default;
};

/// The findings of check() about the values and the lengths of a stream.
struct CheckedStream {
  std::int64_t non_finite = 0;            // how many values are NaN or infinite
  std::int64_t non_finite_sequences = 0;  // how many sequences have such a value
  Diagnostic first_non_finite = {};       // `found` has the value; empty if all are finite
  std::int64_t samples_max = 0;           // 2 stands for every larger number
  std::int64_t shorter = 0;      // sequences with fewer samples here than in the longest stream
  std::int64_t missing_max = 0;  // the largest such difference
  std::map<std::int64_t, std::int64_t> shorter_by = {};  // as LengthDifference::by_size
};

/// The part of the data that a report describes, and further numbers that merge_reports() needs.
struct CheckedPart {
  DataPart part = {};
  std::string source = {};  // the fingerprint of the whole data
  std::int64_t limit = 0;   // CheckOptions::limit
  bool is_open = true;      // false: the data could not be opened; the report of each part says so
  std::vector<CheckedStream> streams = {};
};

/// The result of check().
struct CheckReport {
  std::int64_t sequences = 0;  // sequences without an error
  std::int64_t samples = 0;    // of these sequences
  std::int64_t holes = 0;      // sequences that a reader would leave out
  CheckedErrors errors = {};
  CheckedErrors warnings = {};
  std::map<std::string, std::int64_t> missing_streams = {};  // how many sequences lack a stream
  std::vector<Stream> streams = {};

  /// Streams that are shorter than others in some sequences, such as labels that end before the
  /// features. A stream that never has more than one sample is not listed, because it describes
  /// whole sequences. Holes, and sequences that lack the stream, do not count.
  std::vector<LengthDifference> length_differences = {};

  std::optional<CheckedPart> part = {};  // set if the data are a part

  /// Returns whether there is no error. Warnings do not count.
  [[nodiscard]] bool ok() const noexcept { return errors.count == 0; }
};

/// Reads all data once and reports everything that is wrong. Reading continues after an error. If
/// an error makes the rest of the data unreadable, its diagnostic is the last one.
///
/// NaN and infinity are allowed values. For each stream with such values, the report has one
/// warning with the code "check-non-finite". The warning gives the number of these values and names
/// the first.
///
/// Determinism: the report depends only on the data and on `limit`.
/// Throws:      IoError; ConfigError if the memory limit is too small.
[[nodiscard]] CheckReport check(const Deserializer& data, const CheckOptions& options = {});

/// The same for data with a name. Warnings about values give this name, or, in a join, the name of
/// the member.
[[nodiscard]] CheckReport check(const OpenedData& data, const CheckOptions& options = {});

/// Opens data and calls check(). The options replace the executor and the memory limit of
/// `context`. A DataError of open() becomes a report.
///
/// Throws: also ConfigError and IoError of open().
[[nodiscard]] CheckReport check(const DataSpec& data, const CheckOptions& options = {},
                                OpenContext context = {});

/// Returns the report of data that could not be opened, from the error of open().
[[nodiscard]] CheckReport check(const DataError& error, const CheckOptions& options = {});

/// Returns a report as the JSON object that `sheaf check --json` prints, with a newline at the end.
/// `path` becomes the field "path". The report of a part has a field "part".
[[nodiscard]] std::string to_json(const CheckReport& report, std::string_view path);

}  // namespace sheaf
