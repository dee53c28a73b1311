// Numbers and lists, taken off the front of bytes: the words that the pages on `.sheaf` files and
// on index files are made of.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::conformance::container {

/// Thrown where bytes are not as the page says. The caller knows what is wrong then.
struct Malformed {};

/// Thrown where bytes stand for more numbers than the slow parser takes.
struct TooLarge {};

/// The most numbers of one list or array that the slow parser takes. A few bytes can stand for any
/// number of equal values.
inline constexpr std::int64_t kCountMax = std::int64_t{1} << 22;

/// What arrays, blocks, tables and the directory are aligned to.
inline constexpr std::int64_t kAlignment = 64;

/// Returns the next multiple of kAlignment.
///
/// Throws: Malformed where there is none below 2^63.
[[nodiscard]] std::int64_t aligned(std::int64_t at);

/// Return a sum or a product of numbers of 0 and more, or the largest number where that is larger.
[[nodiscard]] std::int64_t sum_of(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_of(std::int64_t a, std::int64_t b);

/// Returns the XXH3 of bytes.
[[nodiscard]] std::uint64_t hash_of(std::string_view bytes);

/// Returns `width` bits from bit number `first` on, the low bits of each byte first.
///
/// Throws: Malformed where there are fewer bits.
[[nodiscard]] std::uint64_t take_bits(std::string_view bytes, std::int64_t first, int width);

/// Takes numbers off the front of bytes. All functions throw Malformed where the bytes end too
/// soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t at() const { return at_; }
  [[nodiscard]] std::int64_t left() const { return std::ssize(bytes_) - at_; }

  std::string_view take(std::int64_t size);
  std::uint8_t take_byte();
  std::uint64_t take_word();

  /// Takes a word that has to be below 2^63.
  std::int64_t take_count();

  /// Takes a list of so many numbers, as docs/formats/index-file.md has them.
  ///
  /// Throws: also TooLarge.
  std::vector<std::uint64_t> take_list(std::int64_t count);

  /// Takes a list of numbers of 0 and more.
  std::vector<std::int64_t> take_counts(std::int64_t count);

 private:
  std::uint64_t take_varint();
  std::uint64_t take_number();
  std::vector<std::uint64_t> take_runs(std::int64_t count);

  std::string_view bytes_;
  std::int64_t at_ = 0;
};

}  // namespace sheaf::conformance::container
