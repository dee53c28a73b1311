#include "format/ctf/ctf_rows.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::ctf {

struct RowReader::HashState {
  XXH3_state_t state;
};

RowReader::RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end,
                     std::int64_t first_line, std::int64_t read_size)
    : source_(&source),
      end_(end),
      read_size_(read_size),
      next_line_(first_line),
      fill_end_(begin) {}

RowReader::~RowReader() = default;

bool RowReader::read_more() {
  const std::int64_t want = std::min(read_size_, end_ - fill_end_);
  if (want == 0) return false;
  if (hash_begin_ != nullptr) hash_to(head_);
  const auto kept = static_cast<std::size_t>(tail_ - head_);
  const std::size_t needed = kept + static_cast<std::size_t>(want);
  if (needed > capacity_) {
    // Twice the kept bytes: a long row is moved a constant number of times for each of its bytes.
    const std::size_t capacity = std::max(needed, 2 * kept);
    auto buffer = std::make_unique_for_overwrite<char[]>(capacity + kRowPadding);
    if (kept > 0) std::memcpy(buffer.get(), head_, kept);
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  } else if (kept > 0) {
    std::memmove(buffer_.get(), head_, kept);
  }
  head_ = buffer_.get();
  tail_ = head_ + kept;
  source_->read_at(fill_end_, std::as_writable_bytes(
                                  std::span(buffer_.get() + kept, static_cast<std::size_t>(want))));
  tail_ += want;
  fill_end_ += want;
  std::memset(buffer_.get() + needed, '\n', kRowPadding);
  if (hash_begin_ != nullptr) hash_begin_ = head_;
  return true;
}

// The row is not all there yet.
bool RowReader::next_of_more(Row& row) {
  for (;;) {
    const std::ptrdiff_t seen = tail_ - head_;
    if (!read_more()) break;
    const char* const searched = head_ + seen;
    const auto* const newline = static_cast<const char*>(
        std::memchr(searched, '\n', static_cast<std::size_t>(tail_ - searched)));
    if (newline == nullptr) continue;
    give(row, newline, newline + 1);
    return true;
  }
  row_begin_ = head_;
  if (head_ == tail_) return false;
  give(row, tail_, tail_);
  return true;
}

void RowReader::start_hash() {
  if (!hash_) hash_ = std::make_unique<HashState>();
  XXH3_64bits_reset(&hash_->state);
  hash_begin_ = row_begin_;
}

void RowReader::hash_to(const char* place) {
  XXH3_64bits_update(&hash_->state, hash_begin_, static_cast<std::size_t>(place - hash_begin_));
  hash_begin_ = place;
}

std::uint64_t RowReader::hash() {
  hash_to(row_begin_);
  return XXH3_64bits_digest(&hash_->state);
}

Head lex_head(const Row& row, bool text_ids) noexcept {
  Head head;
  const char* p = skip_blanks(row.begin, row.end);
  const bool has_text = text_ids && p != row.end && *p != '|' && !is_control(*p);
  if (has_text || (!text_ids && p != row.end && is_digit(*p))) {
    head.is_data = true;
    head.has_id = true;
    head.id_begin = p;
    if (has_text) {
      while (p != row.end && !is_blank(*p) && *p != '|' && !is_control(*p)) ++p;
    } else {
      constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
      for (; p != row.end && is_digit(*p); ++p) {
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        // Nineteen digits always fit.
        if (p - head.id_begin >= 19 && head.id > (kMax - digit) / 10) {
          head.id_code = Head::IdCode::out_of_range;
        }
        head.id = head.id * 10 + digit;
      }
      if (head.id_code == Head::IdCode::out_of_range) head.id = kMax;
    }
    head.id_end = p;
    head.items = p;
    if (p != row.end && !is_blank(*p) && *p != '|') {
      head.id_code = Head::IdCode::bad_end;
      head.items = find_bar(p, row.end);  // what stands there is part of the bad id
    }
    return head;
  }
  head.items = p;
  while (p != row.end && *p == '|' && p + 1 != row.end && p[1] == '#') p = find_bar(p + 1, row.end);
  head.is_data = p != row.end;
  return head;
}

Head SequenceGrouper::next_id(const Row& row) {
  Head head = lex_head(row, text_ids_);
  if (!head.is_data) return head;
  if (mode_ == KeyMode::lines) {
    key_.low = static_cast<std::uint64_t>(row.line - 1);
    head.begins = true;
    return head;
  }
  const bool is_text = mode_ == KeyMode::texts;
  if (has_key_ && (!head.has_id || (is_text ? head.id_text() == id_text_ : head.id == key_.low))) {
    return head;
  }
  head.begins = has_key_ = true;
  // One out of range is wrong in every row that has it: none may pass for a repetition.
  const bool is_known = head.has_id && head.id_code != Head::IdCode::out_of_range;
  id_text_.assign(is_known ? head.id_text() : std::string_view());
  key_ = is_text ? key_of_text(id_text_) : SequenceKey{.low = head.id};
  id_word_ = 0;
  std::memcpy(&id_word_, id_text_.data(), std::min<std::size_t>(id_text_.size(), 8));
  return head;
}

StreamNames::StreamNames(std::vector<std::string> names) : names_(std::move(names)) {
  patterns_.resize(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    const std::size_t size = std::min<std::size_t>(name.size(), 8);
    std::memcpy(&patterns_[i].word, name.data(), size);
    patterns_[i].mask = size == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * size);
    patterns_[i].size = std::ssize(name);
    numbers_.emplace(name, static_cast<std::int64_t>(i));
  }
}

}  // namespace sheaf::ctf
