// The tokenizer of LibSVM format: what a row begins with, and which sequence it belongs to.
// Indexing and reading both go through here, so they cannot disagree on what is a row or a
// sequence.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/types.h"

#include "base/text_scan.h"
#include "format/text/row_reader.h"

namespace sheaf::libsvm {

using internal::is_blank;
using internal::is_digit;
using internal::Row;
using internal::RowReader;
using internal::skip_blanks;

/// Whether a token ends at `p`.
[[nodiscard]] inline bool ends_token(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '#';
}

[[nodiscard]] inline const char* token_end(const char* p, const char* end) noexcept {
  while (!ends_token(p, end)) ++p;
  return p;
}

/// A piece of a row.
struct Token {
  const char* begin = nullptr;
  const char* end = nullptr;

  [[nodiscard]] bool empty() const noexcept { return begin == end; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};

/// What stands before the pairs of a row.
struct Head {
  enum class Qid : std::uint8_t { none, good, bad, out_of_range };

  bool is_data = false;  // false: blank, or a comment only
  bool begins = false;   // a sequence: set by SequenceGrouper
  Qid qid_code = Qid::none;
  std::uint64_t qid = 0;        // where good
  const char* first = nullptr;  // the row's first byte that is not blank
  Token label;                  // empty: there is none
  Token qid_token;              // empty: there is none
  const char* pairs = nullptr;  // where the pairs begin, or blanks before them
};

/// A row's first token is its label, unless it has a colon: then the row has none.
[[nodiscard]] Head lex_head(const Row& row) noexcept;

/// What makes rows sequences: a qid, or each row by itself.
enum class KeyMode : std::uint8_t { rows, qids };

/// Groups rows into sequences.
class SequenceGrouper {
 public:
  /// Where rows are sequences, `first_row` is the key of the first one.
  SequenceGrouper(KeyMode mode, std::uint64_t first_row) noexcept
      : mode_(mode), next_row_(first_row) {}

  /// Lex the head of the next row. Where it begins a sequence (the first row with data always
  /// does), key() is that one's from then on. A row whose qid is missing or wrong goes on with the
  /// sequence; at the front it begins one of key 0.
  [[nodiscard]] Head next(const Row& row) noexcept {
    Head head = lex_head(row);
    if (!head.is_data) return head;
    if (mode_ == KeyMode::rows) {
      key_.low = next_row_++;
      head.begins = true;
    } else if (!has_key_ || (head.qid_code == Head::Qid::good && head.qid != key_.low)) {
      key_.low = head.qid;
      head.begins = has_key_ = true;
    }
    return head;
  }

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

 private:
  KeyMode mode_;
  std::uint64_t next_row_;
  bool has_key_ = false;
  SequenceKey key_;
};

}  // namespace sheaf::libsvm
