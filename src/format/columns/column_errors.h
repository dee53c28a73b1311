// The errors in tables of Arrow arrays.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/arrow_data.h"

#include "core/error_kind.h"

namespace sheaf::columns {

using internal::ErrorKind;

inline constexpr ErrorKind kNull{"arrow-null", "a value"};
inline constexpr ErrorKind kOffsets{"arrow-offsets", "rising offsets within the values"};
inline constexpr ErrorKind kPair{"arrow-pair", "as many values as indices"};

// The decoder adds the expectation.
inline constexpr std::string_view kShape = "arrow-shape";
inline constexpr std::string_view kIndex = "arrow-index";
inline constexpr std::string_view kRange = "arrow-range";
inline constexpr std::string_view kInexact = "arrow-inexact";
inline constexpr std::string_view kClass = "arrow-class";

inline constexpr ErrorKind kClasses{"arrow-classes", "at most 2147483647 classes"};
inline constexpr ErrorKind kKey{"arrow-key", "a key: a text, or a whole number from 0"};
inline constexpr ErrorKind kColumn{"arrow-column", "a column that can be a stream"};
inline constexpr ErrorKind kStreams{"arrow-streams", "at least one column that can be a stream"};

// Warnings.
inline constexpr std::string_view kIndexFileCode = "arrow-index-file";

/// Returns a diagnostic about a table, without a location in its file.
[[nodiscard]] inline Diagnostic table_location(const ArrowBatches& batches, const ErrorKind& kind,
                                               std::string found) {
  return {.path = std::string(batches.name()),
          .byte_offset = Diagnostic::kNoOffset,
          .code = std::string(kind.code),
          .expected = std::string(kind.expected),
          .found = std::move(found)};
}

}  // namespace sheaf::columns
