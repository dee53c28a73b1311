#include "reference/sheaf_bytes.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::conformance::container {

std::int64_t aligned(std::int64_t at) {
  if (at > std::numeric_limits<std::int64_t>::max() - kAlignment) throw Malformed();
  while (at % kAlignment != 0) ++at;
  return at;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t take_bits(std::string_view bytes, std::int64_t first, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    const auto bit = static_cast<std::size_t>(first + i);
    if (bit / 8 >= bytes.size()) throw Malformed();
    const unsigned byte = static_cast<unsigned char>(bytes[bit / 8]);
    if ((byte >> (bit % 8) & 1U) != 0) value |= std::uint64_t{1} << i;
  }
  return value;
}

std::string_view ByteReader::take(std::int64_t size) {
  if (size < 0 || size > left()) throw Malformed();
  const auto taken = bytes_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(size));
  at_ += size;
  return taken;
}

std::uint8_t ByteReader::take_byte() { return static_cast<std::uint8_t>(take(1)[0]); }

std::uint64_t ByteReader::take_word() { return take_bits(take(8), 0, 64); }

std::int64_t ByteReader::take_count() {
  const std::uint64_t word = take_word();
  if (word >> 63 != 0) throw Malformed();
  return static_cast<std::int64_t>(word);
}

std::uint64_t ByteReader::take_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = take_byte();
    if (shift == 63 && byte > 1) throw Malformed();  // more than 64 bits
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw Malformed();
}

std::uint64_t ByteReader::take_number() {
  const std::uint64_t coded = take_varint();
  return coded % 2 == 0 ? coded / 2 : 0 - (coded / 2 + 1);
}

std::vector<std::uint64_t> ByteReader::take_runs(std::int64_t count) {
  std::vector<std::uint64_t> values;
  while (std::ssize(values) < count) {
    const std::int64_t size = std::min<std::int64_t>(64, count - std::ssize(values));
    const std::uint8_t head = take_byte();
    if (head == 64) {
      for (std::int64_t i = 0; i < size; ++i) values.push_back(take_word());
      continue;
    }
    const int width = head & 0x7F;
    if (width > 63) throw Malformed();
    const std::uint64_t before = values.empty() ? 0 : values.back();
    const std::uint64_t base = before + take_number();
    const std::uint64_t step = head >= 0x80 ? take_number() : 0;
    const std::string_view packed = take((size * width + 7) / 8);
    for (std::int64_t i = 0; i < size; ++i) {
      values.push_back(base + static_cast<std::uint64_t>(i) * step +
                       take_bits(packed, i * width, width));
    }
  }
  return values;
}

std::vector<std::uint64_t> ByteReader::take_list(std::int64_t count) {
  if (count == 0) return {};
  if (count > kCountMax) throw TooLarge();
  const std::uint8_t form = take_byte();
  if (form == 1) return take_runs(count);
  if (form != 0 && form != 2) throw Malformed();
  std::vector<std::uint64_t> values = {take_number()};
  if (form == 0) {
    const std::uint64_t step = take_number();
    while (std::ssize(values) < count) values.push_back(values.back() + step);
  } else {
    for (const std::uint64_t distance : take_runs(count - 1)) {
      values.push_back(values.back() + distance);
    }
  }
  return values;
}

std::vector<std::int64_t> ByteReader::take_counts(std::int64_t count) {
  std::vector<std::int64_t> counts;
  for (const std::uint64_t value : take_list(count)) {
    if (value >> 63 != 0) throw Malformed();
    counts.push_back(static_cast<std::int64_t>(value));
  }
  return counts;
}

}  // namespace sheaf::conformance::container
