// Reads rows of text.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"

#include "format/text/field_kernels.h"

namespace sheaf::internal {

/// The index may use 1/kLimitOfIndex of the memory limit.
inline constexpr int kLimitOfIndex = 8;

/// One row, without its end. The byte at `end` is LF or CR. kRowPadding bytes from `end` on and
/// before `begin` may be read, so a scan for any other byte need not check for the end.
struct Row {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t offset = 0;  // in the source
  std::int64_t line = 0;    // counted from 1

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  [[nodiscard]] std::int64_t offset_of(const char* location) const noexcept {
    return offset + (location - begin);
  }
};

inline constexpr std::int64_t kRowPadding = kKernelPadding;

/// Reads the rows of a part of a source, in pieces. A row ends at LF, at CR LF or at the end of the
/// part. In a text with quoted cells, an LF inside quotes does not end a row, and a row may span
/// several lines.
class RowReader {
 public:
  /// The read size of a search that is likely to end soon.
  static constexpr std::int64_t kProbeSizeBytes = std::int64_t{64} << 10;

  /// The limit of a row's size when memory is not limited.
  static constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

  /// The delimiter of texts without quoted cells.
  static constexpr char kNoQuotes = 0;

  /// Reads [begin, end) of `source`, whose first row has the number `first_line`. A row has at most
  /// `row_size_max` bytes, or the bytes of one read if those are more. Unless `delimiter` is
  /// kNoQuotes, it separates the cells of a row, and a cell that begins with a quote is quoted.
  ///
  /// Pre:      `begin` is the start of a row; 0 < read_size.
  /// Lifetime: `source` must outlive the reader.
  RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end, std::int64_t first_line,
            std::int64_t read_size, std::int64_t row_size_max = kAnySize,
            char delimiter = kNoQuotes);
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader();

  /// Reads the next row. Returns false at the end.
  ///
  /// Throws:   IoError; ConfigError that states the size of a row that is too long.
  /// Lifetime: the text of the row is valid until the next call.
  /// Cost:     each byte is read once. A row longer than the piece makes the buffer grow to at most
  ///           twice the row, of which only the row and a piece are used.
  bool next(Row& row) {
    if (delimiter_ != kNoQuotes) return next_with_quotes(row);
    const auto size = static_cast<std::size_t>(tail_ - head_);
    const auto* const newline =
        size == 0 ? nullptr : static_cast<const char*>(std::memchr(head_, '\n', size));
    if (newline == nullptr) return next_of_more(row);
    give(row, newline, newline + 1);
    return true;
  }

  /// Returns the text in memory after the last row, for callers that have a faster way to scan it.
  /// The text is followed by kRowPadding bytes LF.
  ///
  /// Lifetime: valid until the next row is read.
  [[nodiscard]] std::string_view ahead() const noexcept {
    return {head_, static_cast<std::size_t>(tail_ - head_)};
  }

  /// Skips `row_count` rows that the caller found in ahead(). The last one ends with an LF just
  /// before `end`.
  ///
  /// Pre: `end` lies in ahead(), or at its end.
  void pass_over(const char* end, std::int64_t row_count) noexcept {
    head_ = end;
    next_line_ += row_count;
  }

  /// Returns whether the last row ends with LF. The last row of a part may not.
  [[nodiscard]] bool has_row_end() const noexcept { return has_row_end_; }

  /// Returns the number of rows read so far if the first row has the number 1.
  [[nodiscard]] std::int64_t row_count() const noexcept { return next_line_ - 1; }

  /// Starts a hash at the last row.
  void start_hash();

  /// Returns the XXH3 of all bytes since start_hash(), up to the last row, or to the end of the
  /// part once next() has returned false.
  [[nodiscard]] std::uint64_t hash();

 private:
  struct HashState;
  struct Free {
    void operator()(char* text) const noexcept { std::free(text); }
  };

  bool next_of_more(Row& row);
  bool next_with_quotes(Row& row);
  bool read_more();
  void make_room(std::size_t kept, std::size_t needed);
  void grow_long_row(std::size_t kept, std::size_t size);
  [[nodiscard]] char* bytes() noexcept {
    return long_row_ != nullptr ? long_row_.get() : reinterpret_cast<char*>(buffer_.mutable_data());
  }
  [[noreturn]] void throw_too_long() const;

  void give(Row& row, const char* end, const char* next) noexcept {
    row_begin_ = head_;
    has_row_end_ = next != end;
    row.begin = head_;
    row.end = end;
    row.offset = fill_end_ - (tail_ - head_);
    row.line = next_line_++;
    head_ = next;
    if (end != row.begin && end[-1] == '\r') --row.end;
  }

  void hash_to(const char* location);

  const ByteSource* source_;
  std::int64_t end_;        // end of the part
  std::int64_t read_size_;  // bytes asked for at once
  std::int64_t row_size_max_;
  char delimiter_;          // of cells that may be quoted, or kNoQuotes
  std::int64_t next_line_;  // number of the next row
  std::int64_t fill_end_;   // source offset just after the last byte in the buffer
  Buffer buffer_;
  std::unique_ptr<char, Free> long_row_;  // replaces the buffer once a row has outgrown it
  std::size_t capacity_ = 0;              // bytes of text that the memory holds
  const char* head_ = nullptr;            // first byte not yet given out
  const char* tail_ = nullptr;            // just after the last byte read
  bool has_row_end_ = false;
  std::unique_ptr<HashState> hash_;   // null until start_hash()
  const char* row_begin_ = nullptr;   // the last row; head_ at the end
  const char* hash_begin_ = nullptr;  // first byte not yet hashed; null: not hashing
};

/// Returns the offset of the first row that begins in [from, to), or `to` if there is none.
///
/// Pre:    0 < from <= to <= source.size().
/// Throws: IoError.
/// Cost:   the memory of a small read, however long rows are.
[[nodiscard]] std::int64_t find_row(const ByteSource& source, std::int64_t from, std::int64_t to);

}  // namespace sheaf::internal
