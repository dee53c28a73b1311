#include "format/ctf/ctf_rows.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace sheaf::ctf {

RowReader::RowReader(const ByteSource& source, std::int64_t begin, std::int64_t end,
                     std::int64_t first_line, std::int64_t read_size)
    : source_(&source),
      end_(end),
      read_size_(read_size),
      next_line_(first_line),
      fill_end_(begin) {}

bool RowReader::read_more() {
  const std::int64_t want = std::min(read_size_, end_ - fill_end_);
  if (want == 0) return false;
  const auto kept = static_cast<std::size_t>(tail_ - head_);
  const std::size_t needed = kept + static_cast<std::size_t>(want);
  if (needed > capacity_) {
    // Twice the kept bytes: a long row is moved a constant number of times for each of its bytes.
    const std::size_t capacity = std::max(needed, 2 * kept);
    auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
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
  return true;
}

bool RowReader::next(Row& row) {
  const char* searched = head_;
  const char* newline = nullptr;
  for (;;) {
    if (searched != tail_) {
      newline = static_cast<const char*>(
          std::memchr(searched, '\n', static_cast<std::size_t>(tail_ - searched)));
      if (newline != nullptr) break;
    }
    const std::ptrdiff_t seen = tail_ - head_;
    if (!read_more()) break;
    searched = head_ + seen;
  }
  if (newline == nullptr && head_ == tail_) return false;

  row.begin = head_;
  row.end = newline == nullptr ? tail_ : newline;
  row.offset = fill_end_ - (tail_ - head_);
  row.line = next_line_++;
  head_ = newline == nullptr ? tail_ : newline + 1;
  if (row.end != row.begin && row.end[-1] == '\r') --row.end;
  return true;
}

Head lex_head(const Row& row) noexcept {
  Head head;
  const char* p = skip_blanks(row.begin, row.end);
  if (p != row.end && is_digit(*p)) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    head.is_data = true;
    head.has_id = true;
    head.id_begin = p;
    for (; p != row.end && is_digit(*p); ++p) {
      const auto digit = static_cast<std::uint64_t>(*p - '0');
      // Nineteen digits always fit.
      if (p - head.id_begin >= 19 && head.id > (kMax - digit) / 10) {
        head.id_code = Head::IdCode::out_of_range;
      }
      head.id = head.id * 10 + digit;
    }
    if (head.id_code == Head::IdCode::out_of_range) head.id = kMax;
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

StreamNames::StreamNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    numbers_.emplace(names_[i], static_cast<std::int64_t>(i));
  }
}

}  // namespace sheaf::ctf
