// What a scan notes besides sequences: each becomes a warning.

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

/// The warnings of a scan, each thing told of where it is first.
class ScanWarnings {
 public:
  /// Lifetime: `source` must outlive it.
  explicit ScanWarnings(const ByteSource& source) noexcept : source_(&source) {}

  /// A stream that nobody asked for: `bar`, and its name up to `name_end`.
  void unknown_stream(const ErrorKind& kind, const Row& row, const char* bar, const char* name_end);

  /// An id that no row should have. Only the first is told of.
  void ignored_id(const ErrorKind& kind, const Row& row, const char* begin, const char* end);

  /// A sequence without samples of the stream that defines the size.
  void dropped_sequence(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                        const Stream& defining);

  /// A sequence that is left out for what is wrong at a place of it, or for what it says again. The
  /// first of each kind is told of, and how many there are.
  void left_out(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                std::string_view key_text);

  /// Add what the scan of a later part noted, which counted lines from 1: there are `lines_before`.
  void append(ScanWarnings later, std::int64_t lines_before);

  /// So far, in the order of the file.
  [[nodiscard]] std::vector<Diagnostic> list() const;

 private:
  static constexpr std::size_t kNamesMax = 100;  // that are told of

  struct UnknownStream {
    std::string name;
    Diagnostic warning;
  };

  void add_unknown(UnknownStream stream);

  const ByteSource* source_;
  std::unordered_set<std::string> names_;
  std::string last_name_;  // mostly the next one, too
  std::vector<UnknownStream> unknown_;
  std::optional<Diagnostic> ignored_;  // id
  std::optional<Diagnostic> dropped_;  // sequence
  std::int64_t dropped_count_ = 0;

  struct LeftOut {
    Diagnostic first;
    std::int64_t count = 0;
  };
  std::vector<LeftOut> left_out_;
};

}  // namespace sheaf::internal
