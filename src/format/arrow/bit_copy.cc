#include "format/arrow/bit_copy.h"

#include <cstring>

namespace sheaf::arrow {
namespace {

unsigned bit_at(const std::byte* bytes, std::int64_t bit) noexcept {
  return (std::to_integer<unsigned>(bytes[bit / 8]) >> static_cast<unsigned>(bit % 8)) & 1U;
}

void put_bit(std::byte* bytes, std::int64_t bit, unsigned value) noexcept {
  const unsigned mask = 1U << static_cast<unsigned>(bit % 8);
  const unsigned byte = std::to_integer<unsigned>(bytes[bit / 8]);
  bytes[bit / 8] = static_cast<std::byte>(value != 0 ? byte | mask : byte & ~mask);
}

}  // namespace

void copy_bits(const std::byte* from, std::int64_t from_first, std::int64_t count, std::byte* to,
               std::int64_t to_first) noexcept {
  std::int64_t done = 0;
  for (; done < count && (to_first + done) % 8 != 0; ++done) {
    put_bit(to, to_first + done, bit_at(from, from_first + done));
  }
  const std::int64_t whole = (count - done) / 8;
  if (whole > 0) {
    const std::byte* const bytes = from + (from_first + done) / 8;
    std::byte* const into = to + (to_first + done) / 8;
    const auto shift = static_cast<unsigned>((from_first + done) % 8);
    if (shift == 0) {
      std::memcpy(into, bytes, static_cast<std::size_t>(whole));
    } else {
      for (std::int64_t i = 0; i < whole; ++i) {
        into[i] = (bytes[i] >> shift) | (bytes[i + 1] << (8U - shift));
      }
    }
    done += whole * 8;
  }
  for (; done < count; ++done) put_bit(to, to_first + done, bit_at(from, from_first + done));
}

void set_bits(std::byte* to, std::int64_t first, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) put_bit(to, first + i, 1);
}

}  // namespace sheaf::arrow
