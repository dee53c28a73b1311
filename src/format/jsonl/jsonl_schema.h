// What a file of JSON Lines is read as: the options, checked, in the form that indexing and reading
// need.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/jsonl/jsonl_line.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::jsonl {

/// What keys are: the numbers of lines, or the values of a field.
enum class KeyMode : std::uint8_t { lines, numbers, texts };

struct Schema : internal::TextSchema {
  std::vector<std::string> names;                            // [stream]: what the file calls it
  std::map<std::string, std::int64_t, std::less<>> numbers;  // of the streams, by those names
  KeyMode key_mode = KeyMode::lines;
  std::string key_field;  // empty: lines have no keys
  bool allows_missing = false;
  bool warns_of_unknown = true;

  /// Returns the number of the stream that the file calls so; -1 where there is none.
  [[nodiscard]] std::int64_t stream_of(std::string_view name) const noexcept {
    if (names.size() > kFewNames) {
      const auto found = numbers.find(name);
      return found == numbers.end() ? -1 : found->second;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

 private:
  static constexpr std::size_t kFewNames = 12;
};

/// Where the lines of a file begin, and what their keys are.
struct Beginning {
  std::int64_t offset = 0;  // behind the byte order mark, if there is one
  KeyMode key_mode = KeyMode::lines;
};

/// Checks what does not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Returns whether the type or the dim of a stream, or all streams, have to be found in the data.
[[nodiscard]] bool needs_streams(const FormatOptions& options);

/// Checks the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const Beginning& beginning);

/// Looks at a file as far as its first line with data; where lines have keys whose kind the options
/// leave open, as far as the first line that has the key.
///
/// Throws: DataError where there is no line, where the first is no object, or where the file is
///         UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

/// The key of a line.
///
/// Lifetime: as Line::fields().
struct LineKey {
  SequenceKey key = {};  // of one that is wrong: 2^64-1, or that of the empty text
  std::string text = {};
  const ErrorKind* wrong = nullptr;
  const Field* field = nullptr;  // null: the line has none
};

/// Returns the key of a line. `line` is null where the row is no object: then nothing is said of
/// what is wrong with the key.
[[nodiscard]] LineKey key_of(const Row& row, const Line* line, const Schema& schema);

}  // namespace sheaf::jsonl
