#include "io/row_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::internal {

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
    Buffer buffer;
    buffer.resize(static_cast<std::int64_t>(capacity) + 2 * kRowPadding);
    auto* const bytes = reinterpret_cast<char*>(buffer.mutable_data());
    std::memset(bytes, '\n', kRowPadding);
    if (kept > 0) std::memcpy(bytes + kRowPadding, head_, kept);
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  } else if (kept > 0) {
    std::memmove(buffer_.mutable_data() + kRowPadding, head_, kept);
  }
  char* const text = reinterpret_cast<char*>(buffer_.mutable_data()) + kRowPadding;
  head_ = text;
  tail_ = head_ + kept;
  source_->read_at(fill_end_,
                   std::as_writable_bytes(std::span(text + kept, static_cast<std::size_t>(want))));
  tail_ += want;
  fill_end_ += want;
  std::memset(text + needed, '\n', kRowPadding);
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

}  // namespace sheaf::internal
