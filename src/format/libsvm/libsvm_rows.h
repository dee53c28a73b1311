// The tokenizer of LibSVM format, which finds the head of a row and its sequence. Indexing and
// reading both use it, so they agree on rows and sequences.

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

/// Returns whether a token ends at `p`.
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

/// The beginning of a row, before its pairs.
struct Head {
  enum class Qid : std::uint8_t { none, good, bad, out_of_range };

  bool is_data = false;  // false: the row is blank, or has a comment only
  bool begins = false;   // the row begins a sequence; set by SequenceGrouper
  Qid qid_code = Qid::none;
  std::uint64_t qid = 0;        // if the qid is good
  const char* first = nullptr;  // the row's first byte that is not blank
  Token label;                  // empty if there is none
  Token qid_token;              // empty if there is none
  const char* pairs = nullptr;  // start of the pairs, or of blanks before them
};

/// Parses the head of a row. The first token is the label, unless it has a colon. Then the row has
/// no label.
[[nodiscard]] Head lex_head(const Row& row) noexcept;

/// How rows form sequences: by a qid, or each row by itself.
enum class KeyMode : std::uint8_t { rows, qids };

/// Groups rows into sequences.
class SequenceGrouper {
 public:
  /// If each row is a sequence, `first_row` is the key of the first row.
  SequenceGrouper(KeyMode mode, std::uint64_t first_row) noexcept
      : mode_(mode), next_row_(first_row) {}

  /// Parses the head of the next row. If the row begins a sequence, key() returns the key of that
  /// sequence afterwards. The first row with data always begins a sequence. A row whose qid is
  /// missing or wrong continues the sequence. If it is the first row, it begins a sequence with the
  /// key 0.
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
