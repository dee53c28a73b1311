// Parses the lines of a map of images.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/types.h"

#include "core/error_kind.h"

namespace sheaf::image_map {

/// The rules for reading lines.
struct LineRules {
  std::string prefix{};  // precedes every path; ends with a slash, or is empty
  std::string folder{};  // of the map, for paths that begin with `...`; without a slash at the end
  bool has_text_keys = true;

  /// Whether a numeric key may have other characters after its digits, and blank lines are errors.
  bool is_cntk = false;
  std::optional<std::int64_t> class_count{};
};

/// The contents of one line.
struct MapLine {
  SequenceKey key;
  std::string key_text;
  std::string path;  // with the prefix, and with the folder instead of `...`
  std::int64_t class_id = 0;

  /// The error in the line, or null for a good line. If there is an error, also the wrong bytes and
  /// their text.
  const internal::ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;
  std::string found;

  // The bytes of the path in the line.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;
};

/// Returns whether a line has only blanks.
[[nodiscard]] bool is_blank_line(std::string_view line) noexcept;

/// Parses a line, without its LF. `number` is the number of the line, counted from 0. It is the key
/// of a line with two columns. A faulty line has a key, too: its first column if there are three,
/// or else its number. The fault kNumericKey concerns only the key, which is then 0.
[[nodiscard]] MapLine parse_line(std::string_view line, std::int64_t number,
                                 const LineRules& rules);

/// The parts of a path of an entry of an archive: "a.zip" and "dir/1.jpg" of "a.zip@/dir/1.jpg".
struct EntryPath {
  std::string archive;
  std::string entry;
};

/// Splits a path at its first `@`. The archive precedes the `@`, and the character after it is a
/// separator. Splits other paths after the name of an archive, like split_archive_path(). Returns
/// nothing if the path does not name an archive.
[[nodiscard]] std::optional<EntryPath> split_entry_path(std::string_view path);

}  // namespace sheaf::image_map
