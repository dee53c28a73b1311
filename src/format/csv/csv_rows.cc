#include "format/csv/csv_rows.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace sheaf::csv {
namespace {

using KeyCode = SequenceGrouper::KeyCode;

KeyCode lex_key(std::string_view text, std::uint64_t& key) noexcept {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (text.empty()) return KeyCode::none;
  if (!std::ranges::all_of(text, internal::is_digit)) return KeyCode::not_a_number;
  std::uint64_t number = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (kMax - digit) / 10) return KeyCode::out_of_range;
    number = number * 10 + digit;
  }
  key = number;
  return KeyCode::ok;
}

}  // namespace

bool SequenceGrouper::next_key(const Row& row) {
  find_cell(row);
  if (cell_.first == nullptr || cell_.problem != nullptr) {
    code_ = KeyCode::none;
  } else if (schema_.read.has_text_keys) {
    if (next_text()) return true;
  } else if (next_number()) {
    return true;
  }
  if (has_key_) return false;
  // The first row has no valid key.
  has_key_ = true;
  text_.clear();
  key_ = schema_.read.has_text_keys ? key_of_text(text_) : SequenceKey{};
  return true;
}

bool SequenceGrouper::next_text() {
  new_text_.clear();
  append_text(cell_, new_text_);
  code_ = new_text_.empty() ? KeyCode::none : KeyCode::ok;
  if (new_text_.empty() || (has_key_ && new_text_ == text_)) return false;
  std::swap(text_, new_text_);
  key_ = key_of_text(text_);
  has_key_ = true;
  return true;
}

bool SequenceGrouper::next_number() {
  std::uint64_t key = 0;
  code_ = lex_key(cell_.raw(), key);
  if (code_ != KeyCode::ok || (has_key_ && key == key_.low)) return false;
  key_.low = key;
  has_key_ = true;
  return true;
}

void SequenceGrouper::find_cell(const Row& row) noexcept {
  const char* p = row.begin;
  cell_ = {};
  for (std::int64_t i = 0;; ++i) {
    const Cell cell = lex_cell(p, row.end, schema_.read.delimiter);
    if (i == schema_.key_column) {
      cell_ = cell;
      return;
    }
    if (cell.next == row.end) return;
    p = cell.next + 1;
  }
}

}  // namespace sheaf::csv
