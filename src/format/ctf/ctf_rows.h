// The tokenizer of CTF: rows of a file, the head of a row, the items of a row. Indexing and reading
// both go through here, so they cannot disagree on what is a row, a sequence or a sample.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sheaf/byte_source.h"

namespace sheaf::ctf {

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A byte that no row may have outside comments and the text of unknown streams.
[[nodiscard]] constexpr bool is_control(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t') || code == 0x7F;
}

[[nodiscard]] constexpr const char* skip_blanks(const char* p, const char* end) noexcept {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

/// The next "|", or the end.
[[nodiscard]] inline const char* find_bar(const char* p, const char* end) noexcept {
  const void* found = p == end ? nullptr : std::memchr(p, '|', static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// One row, without its end.
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

/// Reads rows of a part of a source, in pieces. A row ends at LF, CR LF or the end of the part.
class RowReader {
 public:
  /// Read [begin, end) of `source`, whose first row has the number `first_line`.
  ///
  /// Pre:      `begin` is the start of a row; 0 < read_size.
  /// Lifetime: `source` must outlive the reader.
  RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end, std::int64_t first_line,
            std::int64_t read_size);

  /// The next row; false at the end.
  ///
  /// Throws:   IoError.
  /// Lifetime: of the row's text: until the next call.
  /// Cost:     each byte is read once; a row longer than the piece makes the buffer grow.
  bool next(Row& row);

 private:
  bool read_more();

  const ByteSource* source_;
  std::int64_t end_;        // of the part
  std::int64_t read_size_;  // bytes asked for at once
  std::int64_t next_line_;  // number of the next row
  std::int64_t fill_end_;   // source offset behind the last byte in the buffer
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  const char* head_ = nullptr;  // first byte not yet given out
  const char* tail_ = nullptr;  // behind the last byte read
};

/// What stands before the first item of a row.
struct Head {
  enum class IdCode : std::uint8_t { ok, bad_end, out_of_range };

  bool is_data = false;  // false: blank, or comments only, and no id
  bool has_id = false;
  IdCode id_code = IdCode::ok;
  std::uint64_t id = 0;  // 2^64-1 where out of range
  const char* id_begin = nullptr;
  const char* id_end = nullptr;
  const char* items = nullptr;  // where the items begin
};

[[nodiscard]] Head lex_head(const Row& row) noexcept;

/// What makes rows sequences: an id, or each row by itself.
enum class KeyMode : std::uint8_t { ids, lines };

/// Groups rows into sequences.
class SequenceGrouper {
 public:
  explicit SequenceGrouper(KeyMode mode) noexcept : mode_(mode) {}

  /// Whether a row with data begins a sequence; the first always does. key() is then its key.
  [[nodiscard]] bool begins(const Row& row, const Head& head) noexcept {
    if (mode_ == KeyMode::lines) {
      key_ = static_cast<std::uint64_t>(row.line - 1);
      return true;
    }
    if (has_key_ && (!head.has_id || head.id == key_)) return false;
    has_key_ = true;
    key_ = head.id;
    return true;
  }

  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

 private:
  KeyMode mode_;
  bool has_key_ = false;
  std::uint64_t key_ = 0;
};

/// The names that a file calls the streams by.
class StreamNames {
 public:
  static constexpr std::int64_t kUnknown = -1;

  explicit StreamNames(std::vector<std::string> names);

  /// Number of the stream, or kUnknown. `expected` is tried first: rows repeat their order.
  [[nodiscard]] std::int64_t find(std::string_view name, std::int64_t expected) const noexcept {
    if (names_[static_cast<std::size_t>(expected)] == name) return expected;
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? kUnknown : found->second;
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(names_.size());
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

/// Give each item of a row to a visitor, in order:
///
///   const char* sample(const char* bar, std::int64_t stream, const char* body, const char* end)
///                                 a sample of a known stream; returns the next "|" or the end
///   void nameless(const char* bar)   a "|" without a name
///   void stray(const char* place)    text where an item must begin
///   void control(const char* place)  a control byte where an item must begin, or in a name
template <typename Visitor>
void visit_items(const Row& row, const Head& head, const StreamNames& names, Visitor& visitor) {
  const char* p = head.items;
  const char* const end = row.end;
  std::int64_t expected = 0;
  while ((p = skip_blanks(p, end)) != end) {
    if (*p != '|') {
      is_control(*p) ? visitor.control(p) : visitor.stray(p);
      p = find_bar(p, end);
      continue;
    }
    const char* const bar = p++;
    if (p == end || is_blank(*p) || *p == '|') {
      visitor.nameless(bar);
      p = find_bar(p, end);
      continue;
    }
    if (*p == '#') {
      p = find_bar(p, end);
      continue;
    }
    const char* const name = p;
    while (p != end && !is_blank(*p) && *p != '|' && !is_control(*p)) ++p;
    if (p != end && is_control(*p)) {
      visitor.control(p);
      p = find_bar(p, end);
      continue;
    }
    const std::int64_t stream = names.find({name, static_cast<std::size_t>(p - name)}, expected);
    if (stream == StreamNames::kUnknown) {
      p = find_bar(p, end);
      continue;
    }
    p = visitor.sample(bar, stream, p, end);
    expected = stream + 1 == names.size() ? 0 : stream + 1;
  }
}

}  // namespace sheaf::ctf
