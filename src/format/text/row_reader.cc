#include "format/text/row_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unit_size.h"
#include "format/text/quoted_row.h"

namespace sheaf::internal {

struct RowReader::HashState {
  XXH3_state_t state;
};

namespace {

/// Rows beyond this size have memory of their own.
std::size_t buffer_size_max() noexcept { return 4 * static_cast<std::size_t>(unit_size_bytes()); }

/// Returns the offset of the next LF in [from, to), or `to` if there is none.
std::int64_t find_newline(const ByteSource& source, std::int64_t from, std::int64_t to) {
  std::array<char, std::size_t{16} << 10> piece{};
  while (from < to) {
    const auto size = static_cast<std::size_t>(
        std::min<std::int64_t>(static_cast<std::int64_t>(piece.size()), to - from));
    source.read_at(from, std::as_writable_bytes(std::span(piece).first(size)));
    if (const void* const found = std::memchr(piece.data(), '\n', size); found != nullptr) {
      return from + (static_cast<const char*>(found) - piece.data());
    }
    from += static_cast<std::int64_t>(size);
  }
  return to;
}

}  // namespace

RowReader::RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end,
                     std::int64_t first_line, std::int64_t read_size, std::int64_t row_size_max,
                     char delimiter)
    : source_(&source),
      end_(end),
      read_size_(read_size),
      row_size_max_(row_size_max),
      delimiter_(delimiter),
      next_line_(first_line),
      fill_end_(begin) {}

RowReader::~RowReader() = default;

bool RowReader::read_more() {
  const std::int64_t want = std::min(read_size_, end_ - fill_end_);
  if (want == 0) return false;
  if (hash_begin_ != nullptr) hash_to(head_);
  const auto kept = static_cast<std::size_t>(tail_ - head_);
  if (tail_ - head_ > row_size_max_) throw_too_long();
  const std::size_t needed = kept + static_cast<std::size_t>(want);
  make_room(kept, needed);
  char* const text = bytes() + kRowPadding;
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

/// Moves the kept bytes to the front of memory with room for `needed` bytes.
void RowReader::make_room(std::size_t kept, std::size_t needed) {
  if (needed <= capacity_) {
    if (kept > 0) std::memmove(bytes() + kRowPadding, head_, kept);
    return;
  }
  // Doubling keeps the cost linear: each byte of a long row is moved a constant number of times.
  const std::size_t capacity = std::max(needed, 2 * kept);
  const std::size_t size = capacity + 2 * kRowPadding;
  if (needed > buffer_size_max()) {
    grow_long_row(kept, size);
  } else {
    Buffer buffer;
    buffer.resize(static_cast<std::int64_t>(size));
    if (kept > 0) std::memcpy(buffer.mutable_data() + kRowPadding, head_, kept);
    buffer_ = std::move(buffer);
  }
  capacity_ = capacity;
  std::memset(bytes(), '\n', kRowPadding);
}

/// Does the same for a row that may fill the memory. realloc() moves pages, so the row is never in
/// memory twice, and pages that hold no bytes yet take no memory.
void RowReader::grow_long_row(std::size_t kept, std::size_t size) {
  if (long_row_ != nullptr) std::memmove(bytes() + kRowPadding, head_, kept);
  auto* const grown = static_cast<char*>(std::realloc(long_row_.get(), size));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(long_row_.release());
  if (!buffer_.empty()) std::memcpy(grown + kRowPadding, head_, kept);
  long_row_.reset(grown);
  buffer_ = Buffer();
}

void RowReader::throw_too_long() const {
  const std::int64_t begin = fill_end_ - (tail_ - head_);
  const std::int64_t size = find_newline(*source_, begin, end_) - begin;
  throw ConfigError(
      formatted("memory limit: the index may take {} bytes, too few for the row at byte {} of {}, "
                "which has {}: "
                "raise memory_limit (--memory-limit) to {} or more, and further for several files",
                row_size_max_, begin, source_->name(), size, kLimitOfIndex * size));
}

// Reads more until the row is complete.
bool RowReader::next_of_more(Row& row) {
  for (;;) {
    const std::ptrdiff_t seen = tail_ - head_;
    if (!read_more()) break;
    const char* const searched = head_ + seen;
    const auto* const newline = static_cast<const char*>(
        std::memchr(searched, '\n', static_cast<std::size_t>(tail_ - searched)));
    if (newline == nullptr) continue;
    if (newline - head_ > row_size_max_) throw_too_long();
    give(row, newline, newline + 1);
    return true;
  }
  row_begin_ = head_;
  if (head_ == tail_) return false;
  if (tail_ - head_ > row_size_max_) throw_too_long();
  give(row, tail_, tail_);
  return true;
}

bool RowReader::next_with_quotes(Row& row) {
  QuotedRow search(delimiter_);
  for (;;) {
    const char* const newline = search.find_end(head_, tail_, fill_end_ == end_);
    if (newline != nullptr) {
      if (newline - head_ > row_size_max_) throw_too_long();
      give(row, newline, newline + 1);
      break;
    }
    if (read_more()) continue;
    row_begin_ = head_;
    if (head_ == tail_) return false;
    if (tail_ - head_ > row_size_max_) throw_too_long();
    give(row, tail_, tail_);
    break;
  }
  if (search.has_quotes()) next_line_ += std::count(row.begin, row.end, '\n');
  return true;
}

void RowReader::start_hash() {
  if (!hash_) hash_ = std::make_unique<HashState>();
  XXH3_64bits_reset(&hash_->state);
  hash_begin_ = row_begin_;
}

void RowReader::hash_to(const char* location) {
  XXH3_64bits_update(&hash_->state, hash_begin_, static_cast<std::size_t>(location - hash_begin_));
  hash_begin_ = location;
}

std::uint64_t RowReader::hash() {
  hash_to(row_begin_);
  return XXH3_64bits_digest(&hash_->state);
}

std::int64_t find_row(const ByteSource& source, std::int64_t from, std::int64_t to) {
  const std::int64_t newline = find_newline(source, from - 1, to - 1);
  return newline == to - 1 ? to : newline + 1;
}

}  // namespace sheaf::internal
