// Reads numbers and lists from the front of bytes. The pages about `.sheaf` files and index files
// are written in these terms.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::conformance::container {

/// Thrown if bytes do not follow the page. The caller knows the error.
struct Malformed {};

/// Thrown if bytes stand for more numbers than the slow parser accepts.
struct TooLarge {};

/// The most numbers in one list or array that the slow parser accepts. A few bytes can stand for
/// any number of equal values.
inline constexpr std::int64_t kCountMax = std::int64_t{1} << 22;

/// The alignment of arrays, blocks, tables and the directory.
inline constexpr std::int64_t kAlignment = 64;

/// Returns the next multiple of kAlignment.
///
/// Throws: Malformed if there is none below 2^63.
[[nodiscard]] std::int64_t aligned(std::int64_t at);

/// Return a sum or a product of nonnegative numbers, limited to the largest number.
[[nodiscard]] std::int64_t sum_of(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_of(std::int64_t a, std::int64_t b);

/// Returns the XXH3 hash of bytes.
[[nodiscard]] std::uint64_t hash_of(std::string_view bytes);

/// Returns `width` bits from bit number `first` on, the low bits of each byte first.
///
/// Throws: Malformed if there are fewer bits.
[[nodiscard]] std::uint64_t take_bits(std::string_view bytes, std::int64_t first, int width);

/// Takes numbers off the front of bytes. All functions throw Malformed if the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t at() const { return at_; }
  [[nodiscard]] std::int64_t left() const { return std::ssize(bytes_) - at_; }

  std::string_view take(std::int64_t size);
  std::uint8_t take_byte();
  std::uint64_t take_word();

  /// Takes a word that must be below 2^63.
  std::int64_t take_count();

  /// Takes a list of `count` numbers in the form of docs/formats/index-file.md.
  ///
  /// Throws: also TooLarge.
  std::vector<std::uint64_t> take_list(std::int64_t count);

  /// Takes a list of nonnegative numbers.
  std::vector<std::int64_t> take_counts(std::int64_t count);

 private:
  std::uint64_t take_varint();
  std::uint64_t take_number();
  std::vector<std::uint64_t> take_runs(std::int64_t count);

  std::string_view bytes_;
  std::int64_t at_ = 0;
};

}  // namespace sheaf::conformance::container
