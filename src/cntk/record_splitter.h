// Splits text into records: the first of the two steps of reading a level of brackets.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/text_scan.h"
#include "cntk/config_tree.h"

namespace sheaf::internal {

/// The kind of records. Settings are separated by ';', and elements by ':'. Both are also separated
/// by ',' and line ends.
enum class RecordKind : std::uint8_t { settings, elements };

struct Record {
  TextSlice text;
  bool is_bracketed = false;    // a record that is a bracket expression; text includes the brackets
  bool is_quoted = false;       // a record in quotes; text excludes the quotes
  bool has_glued_text = false;  // other text follows directly, without a blank or separator
};

/// Returns whether a byte opens a pair: [ { ( and ".
[[nodiscard]] constexpr bool is_opening(char byte) noexcept {
  return byte == '[' || byte == '{' || byte == '(' || byte == '"';
}

/// Brackets nested deeper than this are an error.
inline constexpr std::int64_t kConfigDepthMax = 200;

/// Returns the offset of the bracket that closes the one at `open`.
///
/// Throws: ConfigTextError if there is none, or if another bracket closes before it.
[[nodiscard]] std::size_t closing_bracket(const ConfigState& state, const TextSlice& text,
                                          std::size_t open);

/// Returns the records of a text. Removes brackets around the whole text. Adds warnings to `notes`.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Records".
[[nodiscard]] std::vector<Record> split_records(const ConfigState& state, const TextSlice& text,
                                                RecordKind kind, ConfigNotes& notes);

}  // namespace sheaf::internal
