// Scans text byte by byte, and eight bytes at a time.
//
// Functions read whole words, past the end of the text. Readers of text leave room behind it.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace sheaf::internal {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Returns whether a byte is below 0x20 and not a tab, or is 0x7F.
[[nodiscard]] constexpr bool is_control(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t') || code == 0x7F;
}

[[nodiscard]] constexpr const char* skip_blanks(const char* p, const char* end) noexcept {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

inline constexpr std::uint64_t kEachByte = 0x0101010101010101U;

[[nodiscard]] inline std::uint64_t load_word(const char* p) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

/// The digits at the front of eight bytes.
class DigitRun {
 public:
  /// Pre: eight bytes at `p` may be read.
  explicit DigitRun(const char* p) noexcept : digits_(load_word(p) ^ (kEachByte * '0')) {
    // A byte above 9 gets its high bit. Carries reach only bytes behind the first such byte.
    const std::uint64_t others = ((digits_ + kEachByte * 0x76) | digits_) & (kEachByte * 0x80);
    size_ = others == 0 ? 8 : std::countr_zero(others) / 8;
  }

  /// Returns the number of digits: 0 .. 8.
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Returns the value of the digits.
  ///
  /// Pre: size() > 0.
  [[nodiscard]] std::uint64_t value() const noexcept {
    // Leading zeros make eight digits. Then neighbours are joined in pairs, three times.
    std::uint64_t word = digits_ << (64 - 8 * size_);
    word = ((word * (1 + (10 << 8))) >> 8) & 0x00FF00FF00FF00FFU;
    word = ((word * (1 + (100 << 16))) >> 16) & 0x0000FFFF0000FFFFU;
    return (word * (1 + (std::uint64_t{10'000} << 32))) >> 32;
  }

 private:
  std::uint64_t digits_;
  int size_;
};

/// Returns a word with the highest bit set in each byte where `word` has `c`.
[[nodiscard]] inline std::uint64_t bytes_equal(std::uint64_t word, char c) noexcept {
  constexpr std::uint64_t kLow = kEachByte * 0x7F;
  const std::uint64_t differences = word ^ (kEachByte * static_cast<unsigned char>(c));
  return ~(((differences & kLow) + kLow) | differences | kLow);
}

/// Returns how many bytes of `marks` have their highest bit set. All other bits are 0.
[[nodiscard]] inline std::int64_t count_marks(std::uint64_t marks) noexcept {
  return static_cast<std::int64_t>(((marks >> 7) * kEachByte) >> 56);
}

/// Moves to the first `stop` in [first, last), or to `last`, and counts each `counted` before it.
///
/// Pre: eight bytes at `last` may be read.
[[nodiscard]] inline const char* count_until(const char* first, const char* last, char stop,
                                             char counted, std::int64_t& count) noexcept {
  for (const char* p = first;; p += 8) {
    const std::uint64_t word = load_word(p);
    const std::uint64_t stops = bytes_equal(word, stop);
    std::uint64_t found = bytes_equal(word, counted);
    const auto ahead = stops == 0 ? std::ptrdiff_t{8} : std::countr_zero(stops) / 8;
    if (ahead < 8 || last - p <= 8) {
      const std::ptrdiff_t size = last - p < ahead ? last - p : ahead;
      if (size < 8) found &= (std::uint64_t{1} << (8 * size)) - 1;
      count += count_marks(found);
      return p + size;
    }
    count += count_marks(found);
  }
}

}  // namespace sheaf::internal
