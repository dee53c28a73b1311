// Lines of a list of objects (`scp`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error_kind.h"
#include "format/kaldi/kaldi_command.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_values.h"
#include "format/listed/list_scan.h"

namespace sheaf::kaldi {

/// The contents of one line.
///
/// Lifetime: that of the line.
struct ListedObject {
  std::string_view key;
  std::string_view path;
  bool is_compressed = false;       // the line has a command that decompresses the file
  Decoder decoder = Decoder::none;  // the program of a command that decodes a recording
  int channel = 0;  // the channel that the program picks, counted from 1; 0 means all
  std::int64_t offset_bytes = 0;
  std::optional<internal::KaldiListedRange> rows;
  std::optional<internal::KaldiListedRange> cols;

  /// The error in the line, and its bytes in the line.
  const internal::ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;

  // The bytes of the path and of the range in the line, for messages.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;
  std::size_t range_begin = 0;
  std::size_t range_size = 0;
};

/// Parses a line, without its LF, like Kaldi.
///
/// Errors: a missing key or path, a range that is not "[first:last]" or "[first:last,first:last]",
///         standard input, a command that sheaf cannot carry out itself.
/// Source: docs/formats/kaldi.md.
[[nodiscard]] ListedObject parse_line(std::string_view line) noexcept;

/// A line of the usual form: a key, one blank, a path without blanks, a colon and digits.
struct PlainLine {
  const char* end = nullptr;  // at the LF; null for a line of another form, or with a fault
  std::string_view key;
  std::string_view path;
  std::int64_t offset_bytes = 0;
};

/// Parses a line of the usual form. The result agrees with parse_line().
///
/// Pre:  an LF ends the line, and 64 bytes after the LF may be read.
/// Cost: one pass, 64 bytes at a time.
[[nodiscard]] PlainLine parse_plain_line(const char* line) noexcept;

/// Returns the name by which KaldiSources opens the file of a line.
[[nodiscard]] std::string source_name_of(const ListedObject& object);

/// Parses lines for internal::ListScan. The location of a sequence is the offset of the object.
class KaldiLines {
 public:
  using ScannedLine = internal::ScannedLine;

  [[nodiscard]] static bool has_plain() { return true; }
  [[nodiscard]] static ScannedLine parse_plain(const char* line) {
    const PlainLine plain = parse_plain_line(line);
    return {.end = plain.end,
            .key = plain.key,
            .path = plain.path,
            .location = plain.offset_bytes,
            .is_good = true};
  }
  [[nodiscard]] static bool is_blank(std::string_view line) noexcept;
  [[nodiscard]] ScannedLine parse(std::string_view line);

 private:
  std::string name_;
};

}  // namespace sheaf::kaldi
