// The tokenizer of CTF, for the head and the items of a row. Indexing and reading both use it, so
// they agree on rows, sequences and samples.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "base/text_scan.h"
#include "format/text/row_reader.h"

namespace sheaf::ctf {

using internal::bytes_equal;
using internal::count_until;
using internal::DigitRun;
using internal::is_blank;
using internal::is_control;  // forbidden outside comments and the text of unknown streams
using internal::is_digit;
using internal::kRowPadding;
using internal::load_word;
using internal::Row;
using internal::RowReader;
using internal::skip_blanks;

/// Returns the next "|", or the end.
[[nodiscard]] inline const char* find_bar(const char* p, const char* end) noexcept {
  const void* found = p == end ? nullptr : std::memchr(p, '|', static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// How rows form sequences: by an id that is a number, by an id that is a text, or each row by
/// itself.
enum class KeyMode : std::uint8_t { ids, texts, lines };

/// The beginning of a row, before its first item.
struct Head {
  enum class IdCode : std::uint8_t { ok, bad_end, out_of_range };

  bool is_data = false;  // false: the row is blank, or has comments only and no id
  bool has_id = false;
  bool begins = false;  // the row begins a sequence; set by SequenceGrouper
  IdCode id_code = IdCode::ok;
  std::uint64_t id = 0;  // if the id is a number; 2^64-1 if it is out of range
  const char* id_begin = nullptr;
  const char* id_end = nullptr;
  const char* items = nullptr;  // start of the items

  [[nodiscard]] std::string_view id_text() const noexcept {
    return {id_begin, static_cast<std::size_t>(id_end - id_begin)};
  }
};

/// Parses the head of a row. `text_ids`: an id is any text up to a blank or "|", not digits only.
[[nodiscard]] Head lex_head(const Row& row, bool text_ids) noexcept;

/// Groups rows into sequences.
class SequenceGrouper {
 public:
  /// `text_ids` is as for lex_head().
  SequenceGrouper(KeyMode mode, bool text_ids) noexcept : mode_(mode), text_ids_(text_ids) {}

  /// Parses the head of the next row. If the row begins a sequence, key() returns the key of that
  /// sequence afterwards. The first row with data always begins a sequence.
  void next(const Row& row, Head& head) {
    if (!repeats_id(row)) {
      head = next_id(row);
      return;
    }
    head.is_data = head.has_id = true;
    head.begins = false;
    head.id_code = Head::IdCode::ok;
    head.id = key_.low;
    head.id_begin = row.begin;
    head.id_end = head.items = row.begin + id_text_.size();
  }

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

  /// Returns the id in the form of its first row, or an empty text if each row is a sequence.
  [[nodiscard]] const std::string& key_text() const noexcept { return id_text_; }

 private:
  /// Returns whether the row begins with the same bytes as the sequence's id, and a byte that may
  /// follow an id.
  [[nodiscard]] bool repeats_id(const Row& row) const noexcept {
    const auto size = static_cast<std::ptrdiff_t>(id_text_.size());
    if (size == 0 || row.end - row.begin <= size) return false;
    const char after = row.begin[size];
    if (after != '|' && !is_blank(after)) return false;
    if (size <= 8) return ((load_word(row.begin) ^ id_word_) << (64 - 8 * size)) == 0;
    return std::memcmp(row.begin, id_text_.data(), id_text_.size()) == 0;
  }

  [[nodiscard]] Head next_id(const Row& row);

  KeyMode mode_;
  bool text_ids_;
  bool has_key_ = false;
  SequenceKey key_;
  std::string id_text_;
  std::uint64_t id_word_ = 0;  // the first eight bytes of id_text_
};

/// The names of the streams in a file.
class StreamNames {
 public:
  static constexpr std::int64_t kUnknown = -1;

  explicit StreamNames(std::vector<std::string> names);
  StreamNames(StreamNames&&) = default;
  StreamNames& operator=(StreamNames&&) = default;
  StreamNames(const StreamNames&) = delete;
  StreamNames& operator=(const StreamNames&) = delete;
  ~StreamNames() = default;

  /// Returns whether the name of `stream` stands at `p`. Compares the bytes of that name only; the
  /// caller checks what follows.
  ///
  /// Pre: eight bytes at `p` may be read, and as many as the longest name has.
  [[nodiscard]] bool matches(std::int64_t stream, const char* p) const noexcept {
    const Pattern& pattern = patterns_[static_cast<std::size_t>(stream)];
    if (((load_word(p) ^ pattern.word) & pattern.mask) != 0) return false;
    return pattern.size <= 8 || std::memcmp(p, name(stream).data(), name(stream).size()) == 0;
  }

  [[nodiscard]] const std::string& name(std::int64_t stream) const noexcept {
    return names_[static_cast<std::size_t>(stream)];
  }
  [[nodiscard]] std::int64_t name_size(std::int64_t stream) const noexcept {
    return patterns_[static_cast<std::size_t>(stream)].size;
  }

  /// Returns the number of the stream, or kUnknown.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? kUnknown : found->second;
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(names_.size());
  }

 private:
  struct Pattern {
    std::uint64_t word = 0;  // first eight bytes of the name
    std::uint64_t mask = 0;
    std::int64_t size = 0;
  };

  std::vector<std::string> names_;
  std::vector<Pattern> patterns_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;  // views of names_, which never move
};

/// Passes each item of a row to a visitor, in order:
///
///   const char* sample(const char* bar, std::int64_t stream, const char* body, const char* end)
///                                 a sample of a known stream; returns the next "|" or the end
///   void unknown(const char* bar, const char* name_end)   a sample of an unknown stream
///   void nameless(const char* bar)   a "|" without a name
///   void stray(const char* location)    text where an item must begin
///   void control(const char* location)  a control byte where an item must begin, or in a name
template <typename Visitor>
void visit_items(const Row& row, const Head& head, const StreamNames& names, Visitor& visitor) {
  const char* p = head.items;
  const char* const end = row.end;
  std::int64_t expected = 0;  // rows repeat the order of their streams
  while ((p = skip_blanks(p, end)) != end) {
    if (*p != '|') {
      is_control(*p) ? visitor.control(p) : visitor.stray(p);
      p = find_bar(p, end);
      continue;
    }
    const char* const bar = p++;
    std::int64_t stream = expected;
    const std::int64_t size = names.name_size(expected);
    if (size < end - p && is_blank(p[size]) && names.matches(expected, p)) {
      p += size;
    } else {
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
      stream = names.find({name, static_cast<std::size_t>(p - name)});
      if (stream == StreamNames::kUnknown) {
        visitor.unknown(bar, p);
        p = find_bar(p, end);
        continue;
      }
    }
    p = visitor.sample(bar, stream, p, end);
    expected = stream + 1 == names.size() ? 0 : stream + 1;
  }
}

}  // namespace sheaf::ctf
