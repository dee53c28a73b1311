// Rows of text.

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

/// An index may take one part in so many of the memory limit.
inline constexpr int kLimitOfIndex = 8;

/// One row, without its end. The byte at `end` is LF or CR, and kRowPadding bytes may be read from
/// there on, and as many before `begin`: so a scan for anything else needs no check of the end.
struct Row {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t offset = 0;  // in the source
  std::int64_t line = 0;    // from 1

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  [[nodiscard]] std::int64_t offset_of(const char* place) const noexcept {
    return offset + (place - begin);
  }
};

inline constexpr std::int64_t kRowPadding = kKernelPadding;

/// Reads rows of a part of a source, in pieces. A row ends at LF, CR LF or the end of the part.
/// Where rows have quoted cells, LF inside of quotes ends no row, and a row may have several lines.
class RowReader {
 public:
  /// A read size for who looks for a place, and mostly finds it soon.
  static constexpr std::int64_t kProbeSizeBytes = std::int64_t{64} << 10;

  /// As large as a row may be where memory is no matter.
  static constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

  /// Stands for rows without quoted cells.
  static constexpr char kNoQuotes = 0;

  /// Read [begin, end) of `source`, whose first row has the number `first_line`. Rows have at most
  /// `row_size_max` bytes, or what one read gives where that is more. Where `delimiter` is not
  /// kNoQuotes, it parts the cells of a row, and a cell that begins with a quote is quoted.
  ///
  /// Pre:      `begin` is the start of a row; 0 < read_size.
  /// Lifetime: `source` must outlive the reader.
  RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end, std::int64_t first_line,
            std::int64_t read_size, std::int64_t row_size_max = kAnySize,
            char delimiter = kNoQuotes);
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader();

  /// The next row; false at the end.
  ///
  /// Throws:   IoError; ConfigError for a row that is too long, saying how long it is.
  /// Lifetime: of the row's text: until the next call.
  /// Cost:     each byte is read once; a row longer than the piece makes the buffer grow, to at
  /// most
  ///           twice the row, of which no more is used than the row and a piece.
  bool next(Row& row) {
    if (delimiter_ != kNoQuotes) return next_with_quotes(row);
    const auto size = static_cast<std::size_t>(tail_ - head_);
    const auto* const newline =
        size == 0 ? nullptr : static_cast<const char*>(std::memchr(head_, '\n', size));
    if (newline == nullptr) return next_of_more(row);
    give(row, newline, newline + 1);
    return true;
  }

  /// The text in memory behind the row given last, for who knows a faster way through. As many
  /// bytes LF are behind it as a row has.
  ///
  /// Lifetime: until the next row is asked for.
  [[nodiscard]] std::string_view ahead() const noexcept {
    return {head_, static_cast<std::size_t>(tail_ - head_)};
  }

  /// Go on behind `row_count` rows that were found in ahead(), and end with LF at `end`.
  ///
  /// Pre: `end` is in ahead(), or at its end.
  void pass_over(const char* end, std::int64_t row_count) noexcept {
    head_ = end;
    next_line_ += row_count;
  }

  /// Whether the row given last ends with LF; false where the part ends without one.
  [[nodiscard]] bool has_row_end() const noexcept { return has_row_end_; }

  /// How many rows were given, where the first has the number 1.
  [[nodiscard]] std::int64_t row_count() const noexcept { return next_line_ - 1; }

  /// Begin to hash with the row given last.
  void start_hash();

  /// XXH3 of all bytes since then, up to the row given last, or to the end of the part where
  /// next() returned false.
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

  void hash_to(const char* place);

  const ByteSource* source_;
  std::int64_t end_;        // of the part
  std::int64_t read_size_;  // bytes asked for at once
  std::int64_t row_size_max_;
  char delimiter_;          // of cells that may be quoted, or kNoQuotes
  std::int64_t next_line_;  // number of the next row
  std::int64_t fill_end_;   // source offset behind the last byte in the buffer
  Buffer buffer_;
  std::unique_ptr<char, Free> long_row_;  // in place of the buffer once a row outgrew that
  std::size_t capacity_ = 0;              // of text
  const char* head_ = nullptr;            // first byte not yet given out
  const char* tail_ = nullptr;            // behind the last byte read
  bool has_row_end_ = false;
  std::unique_ptr<HashState> hash_;   // null: nobody asked
  const char* row_begin_ = nullptr;   // of the row given last; head_ at the end
  const char* hash_begin_ = nullptr;  // first byte not yet hashed; null: not hashing
};

/// Where the first row begins that begins in [from, to); `to` where none does.
///
/// Pre:    0 < from <= to <= source.size().
/// Throws: IoError.
/// Cost:   memory of a small read, however long rows are.
[[nodiscard]] std::int64_t find_row(const ByteSource& source, std::int64_t from, std::int64_t to);

}  // namespace sheaf::internal
