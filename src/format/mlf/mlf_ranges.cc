// An LF follows the text, and every column ends at an LF. So no step needs to check for the end of
// the text. A line that extends past the end is not taken.

#include "format/mlf/mlf_ranges.h"

#include <bit>
#include <cstddef>

#include "base/byte_bits.h"
#include "base/text_scan.h"

namespace sheaf::mlf {
namespace {

using internal::bytes_equal;
using internal::DigitRun;
using internal::kEachByte;
using internal::load_word;

constexpr std::ptrdiff_t kBlockSize = 64;

/// Marks the bytes of a word that are blanks or lower, with their highest bits. Marks after the
/// first one may be wrong.
std::uint64_t marks_of_blanks(std::uint64_t word) noexcept {
  return (word - kEachByte * (' ' + 1)) & ~word & (kEachByte * 0x80);
}

/// A whole number, and its text.
struct PlainTime {
  std::int64_t value = 0;
  const char* begin = nullptr;
  std::ptrdiff_t size = 0;  // size of the text; 0 if the text has no time, or a longer one
};

// Parses at most 15 digits.
PlainTime lex_plain_time(const char* p) noexcept {
  constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000};
  const DigitRun first(p);
  if (first.size() == 0) return {};
  if (first.size() < 8) return {static_cast<std::int64_t>(first.value()), p, first.size()};
  const DigitRun second(p + 8);
  if (second.size() == 8) return {};
  std::uint64_t value = first.value();
  if (second.size() > 0) value = value * kPowers[second.size()] + second.value();
  return {static_cast<std::int64_t>(value), p, 8 + second.size()};
}

/// Returns whether the text at `p` begins with the digits of `time`.
bool begins_with(const char* p, const PlainTime& time) noexcept {
  const auto differ = [&](std::ptrdiff_t from, std::ptrdiff_t size) {
    const std::uint64_t difference = load_word(p + from) ^ load_word(time.begin + from);
    return difference << (64 - 8 * size) != 0;
  };
  if (time.size <= 8) return !differ(0, time.size);
  return !differ(0, 8) && !differ(8, time.size - 8);
}

const char* find_row_end(const char* p) noexcept {
  for (;; p += 16) {
    const std::uint64_t front = bytes_equal(load_word(p), '\n');
    const std::uint64_t back = bytes_equal(load_word(p + 8), '\n');
    if ((front | back) == 0) continue;
    return front != 0 ? p + std::countr_zero(front) / 8 : p + 8 + std::countr_zero(back) / 8;
  }
}

}  // namespace

TakenLines pass_over_ranges(std::string_view text) noexcept {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* row = begin;  // start of the last row seen
  const char* row_before = nullptr;
  std::int64_t row_count = 0;
  std::uint64_t carry = 1;  // whether a row begins with the block
  for (const char* p = begin; p < end; p += kBlockSize) {
    const internal::ByteBits bytes(p);
    std::uint64_t ends = bytes.equal('\n');
    std::uint64_t stops = bytes.at_most_blank() | bytes.equal('.');
    if (end - p < kBlockSize) {
      const std::uint64_t inside = (std::uint64_t{1} << (end - p)) - 1;
      ends &= inside;
      stops &= inside;
    }
    stops &= ends << 1 | carry;
    carry = ends >> 63;
    if (stops != 0) ends &= (stops & (0 - stops)) - 1;  // only the ends before the first stop
    if (ends != 0) {
      row_count += internal::count_bits(ends);
      const int last = 63 - std::countl_zero(ends);
      const std::uint64_t others = ends & ~(std::uint64_t{1} << last);
      row_before = others == 0 ? row : p + 64 - std::countl_zero(others);
      row = p + last + 1;
    }
    if (stops != 0) break;
  }
  return {.end = row, .last_row = row_before, .row_count = row_count};
}

PlainRanges::Column PlainRanges::lex_state(const char* p) const noexcept {
  const char* const begin = p;
  std::uint64_t words[States::kWords] = {};
  for (std::uint64_t& word : words) {
    word = load_word(p);
    const std::uint64_t blanks = marks_of_blanks(word);
    if (blanks == 0) {
      p += 8;
      continue;
    }
    const int size = std::countr_zero(blanks) / 8;
    word &= (std::uint64_t{1} << (8 * size)) - 1;
    p += size;
    if (p == begin) return {};
    return {.end = p, .id = states_->find_short(words[0], words[1])};
  }
  while (static_cast<unsigned char>(*p) > ' ') ++p;
  return {.end = p, .id = states_->find({begin, static_cast<std::size_t>(p - begin)})};
}

// Skips the third column, which may be anything. The fourth is the last.
PlainRanges::Column PlainRanges::lex_id_column(const char* p) noexcept {
  const char* const begin = p;
  while (static_cast<unsigned char>(*p) > ' ') ++p;
  if (p == begin || *p != ' ') return {};
  const DigitRun digits(p + 1);
  if (digits.size() == 0 || digits.size() == 8) return {};
  p += 1 + digits.size();
  if (*p == '\r') ++p;
  if (*p != '\n') return {};
  return {.end = p, .id = static_cast<std::int64_t>(digits.value())};
}

TakenLines PlainRanges::take(std::string_view text, std::int64_t& next_frame,
                             std::vector<Run>& runs) const {
  const char* const text_end = text.data() + text.size();
  const std::int64_t period = options_.frame_period;
  const auto frame_of = [period](std::int64_t time) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(2 * time + period) /
                                     static_cast<std::uint64_t>(2 * period));
  };
  TakenLines taken{.end = text.data()};
  std::int64_t frame = next_frame;
  PlainTime before;      // end time of the previous line
  bool was_htk = false;  // whether that time counts in 100 ns
  while (taken.end < text_end) {
    const char* p = taken.end;
    PlainTime start = before;
    const bool goes_on = before.size > 0 && begins_with(p, before);
    if (!goes_on) {
      start = lex_plain_time(p);
      if (start.size == 0) break;
    }
    p += start.size;
    if (*p != ' ') break;
    const PlainTime end = lex_plain_time(p + 1);
    p = end.begin + end.size;
    if (end.size == 0 || *p != ' ' || end.value < start.value) break;
    const bool is_htk = options_.is_htk(static_cast<double>(end.value - start.value));
    const bool is_next = goes_on && is_htk == was_htk;
    if (!is_next && (is_htk ? frame_of(start.value) : start.value) != frame) break;
    const std::int64_t last = is_htk ? frame_of(end.value) : end.value;
    if (last > options_.frames_max) break;
    const Column label = states_ != nullptr ? lex_state(p + 1) : lex_id_column(p + 1);
    if (label.end == nullptr || label.id < 0 || label.id >= dim_) break;
    p = label.end;
    if (*p == ' ' || *p == '\t') {
      p = find_row_end(p);
    } else if (*p == '\r') {
      ++p;
    }
    if (*p != '\n' || p >= text_end) break;
    runs.push_back(
        {static_cast<std::uint32_t>(last - frame), static_cast<std::uint32_t>(label.id)});
    frame = last;
    before = end;
    was_htk = is_htk;
    taken.last_row = taken.end;
    taken.end = p + 1;
    ++taken.row_count;
  }
  next_frame = frame;
  return taken;
}

}  // namespace sheaf::mlf
