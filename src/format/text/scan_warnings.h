// Collects the warnings of a scan.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/text/row_reader.h"

namespace sheaf::internal {

/// The warnings of a scan. Each problem is reported once, at its first location.
class ScanWarnings {
 public:
  /// Lifetime: `source` must outlive the warnings.
  explicit ScanWarnings(const ByteSource& source) noexcept : source_(&source) {}

  /// Notes a stream that the options do not declare. Its name follows `bar` and ends at `name_end`.
  void unknown_stream(const ErrorKind& kind, const Row& row, const char* bar, const char* name_end);

  /// Notes an id in a row that should not have one. Only the first is reported.
  void ignored_id(const ErrorKind& kind, const Row& row, const char* begin, const char* end);

  /// Notes a sequence without samples of the stream that defines the minibatch size.
  void dropped_sequence(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                        const Stream& defining);

  /// Notes a sequence that is left out because it is wrong or repeats another. The first of each
  /// kind is reported, with the number of such sequences.
  void left_out(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                std::string_view key_text);

  /// Appends the warnings of a later part, which counted lines from 1. `lines_before` lines precede
  /// that part.
  void append(ScanWarnings later, std::int64_t lines_before);

  /// Returns the warnings so far, in the order of the file.
  [[nodiscard]] std::vector<Diagnostic> list() const;

 private:
  static constexpr std::size_t kNamesMax = 100;  // names to report

  struct UnknownStream {
    std::string name;
    Diagnostic warning;
  };

  void add_unknown(UnknownStream stream);

  const ByteSource* source_;
  std::unordered_set<std::string> names_;
  std::string last_name_;  // the next name is usually the same
  std::vector<UnknownStream> unknown_;
  std::optional<Diagnostic> ignored_;  // the first ignored id
  std::optional<Diagnostic> dropped_;  // the first dropped sequence
  std::int64_t dropped_count_ = 0;

  struct LeftOut {
    Diagnostic first;
    std::int64_t count = 0;
  };
  std::vector<LeftOut> left_out_;
};

}  // namespace sheaf::internal
