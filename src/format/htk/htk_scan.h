// A scan of a list, line by line.

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
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "core/numeric_key.h"
#include "format/htk/htk_errors.h"
#include "format/htk/htk_files.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"

namespace sheaf::htk {

/// Returns a diagnostic of a place in a list, without what was found.
[[nodiscard]] Diagnostic place_of(const ByteSource& list, const ErrorKind& kind, std::int64_t line,
                                  std::int64_t offset);

/// What is kept of a line while the list is scanned.
struct ListEntry {
  static constexpr std::uint32_t kUnknownCount = std::numeric_limits<std::uint32_t>::max();

  SequenceKey key;
  std::int64_t offset = 0;
  std::uint32_t size = 0;    // of the line
  std::uint32_t line = 0;    // from 0
  std::uint32_t first = 0;   // frame
  std::uint32_t count = 0;   // frames, or kUnknownCount
  std::uint32_t source = 0;  // of a run of lines with the same file
  bool is_good = false;
};

/// Goes over the lines of a list, and gives an ListEntry for each that is not blank to `take`,
/// which returns whether to go on. `take` also gets the path of the file, as the list has it.
template <typename Take>
class ListScan {
 public:
  /// Lifetime: all must outlive the object.
  ListScan(const ByteSource& list, const ListRules& rules, const ReadOptions& options,
           const Take& take)
      : list_(list), rules_(rules), options_(options), take_(take) {}

  /// Returns whether the list was read to its end.
  bool run() {
    std::string block;
    std::size_t kept = 0;    // bytes of a line that the block before has the beginning of
    std::int64_t begin = 0;  // of the block in the list
    for (std::int64_t at = 0; at < list_.size();) {
      const auto size = static_cast<std::size_t>(std::min(kBlockSize, list_.size() - at));
      block.resize(kept + size + kPadding);
      read_bytes(list_, at, std::as_writable_bytes(std::span(block).subspan(kept, size)),
                 options_.read_size_bytes);
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
  static constexpr std::int64_t kBlockSize = std::int64_t{1} << 20;  // read at a time
  static constexpr std::size_t kPadding = 2 * sizeof(std::uint64_t) + 64;

  // Returns how many bytes the whole lines have.
  std::size_t take_lines(std::string_view block, std::int64_t begin, bool is_last) {
    const bool is_plain = rules_.prefix.empty();
    const char* const end = block.data() + block.size();
    const char* line = block.data();
    while (line < end && goes_on_) {
      const std::int64_t offset = begin + (line - block.data());
      if (is_plain) {
        const PlainListLine plain = parse_plain_line(line);
        if (plain.end != nullptr && plain.end < end) {
          take_plain_line(plain, static_cast<std::size_t>(plain.end - line), offset);
          line = plain.end + 1;
          continue;
        }
      }
      const auto size = static_cast<std::size_t>(end - line);
      const auto* const found = static_cast<const char*>(std::memchr(line, '\n', size));
      if (found == nullptr && !is_last) break;
      const char* const line_end = found == nullptr ? end : found;
      take_line({line, line_end}, offset);
      line = line_end + 1;
    }
    return static_cast<std::size_t>(std::min(line, end) - block.data());
  }

  void take_plain_line(const PlainListLine& line, std::size_t size, std::int64_t offset) {
    ListEntry entry = entry_of(line.key, {line.key.data(), size}, size, offset);
    entry.source = source_of(line.path);
    entry.is_good = true;
    entry.first = static_cast<std::uint32_t>(line.first);
    entry.count = static_cast<std::uint32_t>(line.last - line.first + 1);
    goes_on_ = take_(entry, std::string_view(path_));
  }

  void take_line(std::string_view text, std::int64_t offset) {
    if (is_blank_line(text)) {
      ++line_number_;
      return;
    }
    const ListLine line = parse_list_line(text, rules_, scratch_);
    ListEntry entry = entry_of(line.key, text, text.size(), offset);
    entry.source = source_of(line.path);
    entry.is_good = line.fault == nullptr;
    if (entry.is_good) {
      entry.first = static_cast<std::uint32_t>(line.first);
      const std::int64_t count = line.frame_count();
      entry.count =
          count == ListLine::kToEnd ? ListEntry::kUnknownCount : static_cast<std::uint32_t>(count);
    }
    goes_on_ = take_(entry, std::string_view(path_));
  }

  // `shown` is the line, for messages.
  ListEntry entry_of(std::string_view key, std::string_view shown, std::size_t size,
                     std::int64_t offset) {
    constexpr std::size_t kSizeMax = std::numeric_limits<std::uint32_t>::max();
    return {.key = key_of(key, shown, offset),
            .offset = offset,
            .size = static_cast<std::uint32_t>(std::min(size, kSizeMax)),
            .line = line_number_++};
  }

  SequenceKey key_of(std::string_view key, std::string_view shown, std::int64_t offset) const {
    if (options_.has_text_keys) return key_of_text(key);
    if (const std::optional<SequenceKey> number = internal::numeric_key_of(key)) return *number;
    Diagnostic diagnostic = place_of(list_, kNumericKey, std::int64_t{line_number_} + 1, offset);
    diagnostic.column = 1;
    diagnostic.found = quoted(key);
    diagnostic.hint = internal::kTextKeysHint;
    set_excerpt(diagnostic, shown, 0,
                static_cast<std::int64_t>(std::min(key.size(), shown.size())));
    throw DataError({std::move(diagnostic)});
  }

  std::uint32_t source_of(std::string_view path) {
    if (has_path_ && path.size() == path_.size() &&
        std::memcmp(path.data(), path_.data(), path.size()) == 0) {
      return source_;
    }
    if (has_path_) ++source_;
    path_ = path;
    has_path_ = true;
    return source_;
  }

  const ByteSource& list_;
  const ListRules& rules_;
  const ReadOptions& options_;
  const Take& take_;
  bool goes_on_ = true;
  std::string scratch_;
  std::string path_;
  bool has_path_ = false;
  std::uint32_t source_ = 0;
  std::uint32_t line_number_ = 0;
};

}  // namespace sheaf::htk
