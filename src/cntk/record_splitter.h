// Text cut into records, the first of the two steps by which a level of brackets is read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/text_scan.h"
#include "cntk/config_tree.h"

namespace sheaf::internal {

/// Records of settings are parted by ';', elements by ':'; both also by ',' and line ends.
enum class RecordKind : std::uint8_t { settings, elements };

struct Record {
  TextSlice text;
  bool is_bracketed = false;  // an element or a record that is a bracket expression, with brackets
  bool is_quoted = false;     // what stood between quotes, without them
  bool has_glued_text = false;  // other text follows without a blank or separator
};

/// Whether it opens what needs a closing one: [ { ( and ".
[[nodiscard]] constexpr bool is_opening(char byte) noexcept {
  return byte == '[' || byte == '{' || byte == '(' || byte == '"';
}

/// Brackets nested deeper than this are an error.
inline constexpr std::int64_t kConfigDepthMax = 200;

/// Where the bracket closes that opens at `open`.
///
/// Throws: ConfigTextError where another closes before it, or none does.
[[nodiscard]] std::size_t closing_bracket(const ConfigState& state, const TextSlice& text,
                                          std::size_t open);

/// The records of a text, from which brackets around all of it are taken. Warnings go to `notes`.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Records".
[[nodiscard]] std::vector<Record> split_records(const ConfigState& state, const TextSlice& text,
                                                RecordKind kind, ConfigNotes& notes);

}  // namespace sheaf::internal
