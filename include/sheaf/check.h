/// \file
/// Finds all that is wrong with data.
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
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/order.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf {

/// How to check.
struct CheckOptions {
  std::int64_t limit = 100;  // how many errors, and how many warnings, are described; or kAll

  /// Called with each place that is described, in the order of the file, on the caller's thread.
  /// The report then keeps none of these places, so that a file that is all wrong takes no memory.
  /// `is_repeated` is true for a stream that most sequences around the place lack, after the first
  /// such place. With `limit` kAll, no place is repeated.
  std::function<void(const Diagnostic& place, bool is_repeated)> described = {};

  OperationOptions run = {};
};

/// The places with one code.
struct PlacesOfCode {
  std::int64_t count = 0;
  Diagnostic first = {};
};

/// Errors, or warnings.
struct CheckedPlaces {
  std::int64_t count = 0;
  std::int64_t described = 0;                        // as many as CheckOptions::limit says
  std::map<std::string, PlacesOfCode> by_code = {};  // "ctf-number" and so on
  std::vector<Diagnostic> first = {};                // those described, in the order of the file
};

struct CheckReport {
  std::int64_t sequences = 0;  // good ones
  std::int64_t samples = 0;    // of the good sequences
  std::int64_t holes = 0;      // sequences that a reader would leave out
  CheckedPlaces errors = {};
  CheckedPlaces warnings = {};
  std::map<std::string, std::int64_t> missing_streams = {};  // how many sequences lack a stream
  std::vector<Stream> streams = {};

  /// Returns whether nothing is wrong. Warnings are no errors.
  [[nodiscard]] bool ok() const noexcept { return errors.count == 0; }
};

/// Reads all of the data and says all that is wrong with the data. No wrong place ends the reading;
/// data that cannot be read on from some place end with a last diagnostic.
///
/// Determinism: the report depends on the data and the limit alone.
/// Throws:      IoError; ConfigError where the data do not fit the memory limit.
[[nodiscard]] CheckReport check(const Deserializer& data, const CheckOptions& options = {});

/// The same for data that are to be opened. Data that cannot be opened are reported, too.
///
/// Executor and memory limit of `context` are those of the options.
/// Throws: also what open() throws, but for DataError.
[[nodiscard]] CheckReport check(const DataSpec& data, const CheckOptions& options = {},
                                OpenContext context = {});

/// Returns what check() says of data that could not be opened.
[[nodiscard]] CheckReport check(const DataError& error, const CheckOptions& options = {});

}  // namespace sheaf
