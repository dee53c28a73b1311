// Scans a list, line by line.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "core/numeric_key.h"
#include "format/listed/list_entry.h"
#include "format/listed/source_bytes.h"

namespace sheaf::internal {

/// Returns a diagnostic at a line of a list, without the text that was found.
[[nodiscard]] Diagnostic location_in_list(const ByteSource& list, const ErrorKind& kind,
                                          std::int64_t line, std::int64_t offset);

/// The contents of one line. The texts are valid as long as the line and the parser.
struct ScannedLine {
  const char* end = nullptr;  // the LF of a plain line; null if the line is not plain
  std::string_view key;
  std::string_view path{};
  std::int64_t location = 0;
  std::uint32_t count = ListEntry::kUnknownCount;
  bool is_good = false;
};

/// The rules for scanning a list.
struct ListScanRules {
  bool has_text_keys = true;
  const ErrorKind* numeric_key = nullptr;  // the error of a key that is not a number
  std::int64_t read_size_bytes = 0;
};

/// Scans the lines of a list. Passes a ListEntry for each line that is not blank to `take`, with
/// the path of the file in the list. `take` returns whether to continue.
///
/// `Lines` parses lines, and has the members below. parse_plain() parses lines of the usual form
/// fast, if has_plain(). An LF ends such a line, and 64 bytes after the line may be read. parse()
/// takes any line without its LF.
///
/// ```
/// bool has_plain() const;
/// ScannedLine parse_plain(const char* line);
/// bool is_blank(std::string_view line) const;
/// ScannedLine parse(std::string_view line);
/// ```
template <typename Lines, typename Take>
class ListScan {
 public:
  /// Lifetime: all arguments must outlive the scan.
  ListScan(const ByteSource& list, const ListScanRules& rules, Lines& lines, const Take& take)
      : list_(list), rules_(rules), lines_(lines), take_(take) {}

  /// Returns whether the list was read to its end.
  ///
  /// Throws: DataError if a key must be a number and is not; IoError.
  bool run() {
    std::string block;
    std::size_t kept = 0;    // bytes of an incomplete line from the previous block
    std::int64_t begin = 0;  // start of the block in the list
    for (std::int64_t at = 0; at < list_.size();) {
      const auto size = static_cast<std::size_t>(std::min(kBlockSize, list_.size() - at));
      block.resize(kept + size + kPadding);
      read_bytes(list_, at, std::as_writable_bytes(std::span(block).subspan(kept, size)),
                 rules_.read_size_bytes);
      std::memset(block.data() + kept + size, '\n', kPadding);
      at += static_cast<std::int64_t>(size);
      const std::string_view text = std::string_view(block).substr(0, kept + size);
      const std::size_t used = take_lines(text, begin, at == list_.size());
      if (!goes_on_) return false;
      kept = text.size() - used;
      std::memmove(block.data(), block.data() + used, kept);
      begin += static_cast<std::int64_t>(used);
    }
    return true;
  }

 private:
  static constexpr std::int64_t kBlockSize = std::int64_t{1} << 20;  // bytes to read at a time
  static constexpr std::size_t kPadding = 2 * sizeof(std::uint64_t) + 64;

  // Returns the number of bytes in complete lines.
  std::size_t take_lines(std::string_view block, std::int64_t begin, bool is_last) {
    const bool has_plain = lines_.has_plain();
    const char* const end = block.data() + block.size();
    const char* line = block.data();
    while (line < end && goes_on_) {
      const std::int64_t offset = begin + (line - block.data());
      if (has_plain) {
        const ScannedLine plain = lines_.parse_plain(line);
        if (plain.end != nullptr && plain.end < end) {
          take_line(plain, {line, plain.end}, offset);
          line = plain.end + 1;
          continue;
        }
      }
      const auto size = static_cast<std::size_t>(end - line);
      const auto* const found = static_cast<const char*>(std::memchr(line, '\n', size));
      if (found == nullptr && !is_last) break;
      const std::string_view text(line, found == nullptr ? end : found);
      if (lines_.is_blank(text)) {
        ++line_number_;
      } else {
        take_line(lines_.parse(text), text, offset);
      }
      line = text.data() + text.size() + 1;
    }
    return static_cast<std::size_t>(std::min(line, end) - block.data());
  }

  void take_line(const ScannedLine& line, std::string_view text, std::int64_t offset) {
    constexpr std::size_t kSizeMax = std::numeric_limits<std::uint32_t>::max();
    const ListEntry entry{.key = key_of(line.key, text, offset),
                          .offset = offset,
                          .location = line.location,
                          .size = static_cast<std::uint32_t>(std::min(text.size(), kSizeMax)),
                          .line = line_number_++,
                          .count = line.count,
                          .source = source_of(line.path),
                          .is_good = line.is_good};
    goes_on_ = take_(entry, std::string_view(path_));
  }

  SequenceKey key_of(std::string_view key, std::string_view line, std::int64_t offset) const {
    if (rules_.has_text_keys) return key_of_text(key);
    if (const std::optional<SequenceKey> number = numeric_key_of(key)) return *number;
    Diagnostic diagnostic =
        location_in_list(list_, *rules_.numeric_key, std::int64_t{line_number_} + 1, offset);
    diagnostic.column = 1;
    diagnostic.found = quoted(key);
    diagnostic.hint = kTextKeysHint;
    set_excerpt(diagnostic, line, 0, static_cast<std::int64_t>(std::min(key.size(), line.size())));
    throw DataError({std::move(diagnostic)});
  }

  std::uint32_t source_of(std::string_view path) {
    if (has_path_ && path == path_) return source_;
    if (has_path_) ++source_;
    path_ = path;
    has_path_ = true;
    return source_;
  }

  const ByteSource& list_;
  const ListScanRules rules_;
  Lines& lines_;
  const Take& take_;
  bool goes_on_ = true;
  std::string path_;
  bool has_path_ = false;
  std::uint32_t source_ = 0;
  std::uint32_t line_number_ = 0;
};

}  // namespace sheaf::internal
