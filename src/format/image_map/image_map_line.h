// The lines of a map of images.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/types.h"

#include "core/error_kind.h"

namespace sheaf::image_map {

/// How lines are read.
struct LineRules {
  std::string prefix{};  // stands before every path; ends with a slash, or is empty
  std::string folder{};  // of the map, for paths that begin with `...`; without a slash at the end
  bool has_text_keys = true;

  /// Whether a numeric key may have other characters behind its digits, and blank lines are wrong.
  bool is_cntk = false;
  std::optional<std::int64_t> class_count{};
};

/// What one line says.
struct MapLine {
  SequenceKey key;
  std::string key_text;
  std::string path;  // with the prefix, and with the folder in place of `...`
  std::int64_t class_id = 0;

  /// What is wrong with the line; null for a good line. Then the bytes of the wrong place, and what
  /// stands there.
  const internal::ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;
  std::string found;

  // Where the path stands in the line.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;
};

/// Returns whether a line holds nothing but blanks.
[[nodiscard]] bool is_blank_line(std::string_view line) noexcept;

/// Parses a line, without its LF. `number` is the number of the line from 0: the key of a line of
/// two columns. A faulty line has a key, too: its first column where there are three, or its
/// number. The fault kNumericKey concerns the key alone, which is then 0.
[[nodiscard]] MapLine parse_line(std::string_view line, std::int64_t number,
                                 const LineRules& rules);

/// The parts of a path of an entry of an archive: "a.zip" and "dir/1.jpg" of "a.zip@/dir/1.jpg".
struct EntryPath {
  std::string archive;
  std::string entry;
};

/// Splits a path at its first `@`. The archive stands before the `@`, and the character behind is a
/// separator. Splits other paths behind the name of an archive, as split_archive_path(). Returns
/// nothing where no archive is named.
[[nodiscard]] std::optional<EntryPath> split_entry_path(std::string_view path);

}  // namespace sheaf::image_map
