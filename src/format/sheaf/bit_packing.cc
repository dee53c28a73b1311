// The heads of all vectors come first, so the heads alone tell a reader whether the bytes are
// complete. Most numbers then take one load of eight bytes, a shift and a mask.

#include "format/sheaf/bit_packing.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include "base/unaligned.h"
#include "format/sheaf/packing_kernel.h"

namespace sheaf::container {
namespace {

using internal::load;

constexpr std::int64_t kVectorHeadSize = 9;  // a base and a width
constexpr unsigned kWidthMax = 64;
constexpr std::int64_t kWordSize = sizeof(std::uint64_t);

// A word that starts at any bit of a vector ends within this size.
constexpr std::size_t kPaddedSize = std::size_t{kVectorSize} * kWordSize + kReadBehind;
constexpr unsigned kKernelWidthMax = 57;

std::int64_t vector_count(std::int64_t count) noexcept {
  return count / kVectorSize + (count % kVectorSize > 0 ? 1 : 0);
}

std::int64_t bits_size(std::int64_t count, unsigned width) noexcept {
  return (count * std::int64_t{width} + 7) / 8;
}

std::byte* put_bits(const NumberVector& numbers, std::int64_t count, const NumberRange& range,
                    std::byte* into) noexcept {
  std::byte* const end = into + bits_size(count, range.width);
  std::uint64_t word = 0;
  unsigned filled = 0;  // bits in use in `word`
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t residual = numbers[static_cast<std::size_t>(i)] - range.base;
    word |= residual << filled;
    filled += range.width;
    if (filled < kWidthMax) continue;
    std::memcpy(into, &word, sizeof word);
    into += kWordSize;
    filled -= kWidthMax;
    word = filled == 0 ? 0 : residual >> (range.width - filled);
  }
  assert(end - into <= kWordSize);
  std::memcpy(into, &word, static_cast<std::size_t>(end - into));
  return end;
}

// Pre: kReadBehind bytes after the bits may be read.
void take_bits(const std::byte* bits, std::int64_t count, const NumberRange& range,
               std::uint64_t* into) noexcept {
  const std::uint64_t base = range.base;
  switch (range.width) {
    case 0:
      std::fill_n(into, count, base);
      return;
    case 64:
      for (std::int64_t i = 0; i < count; ++i) into[i] = base + load<std::uint64_t>(bits, i);
      return;
    default:
      break;
  }
  if (range.width <= kKernelWidthMax) {
    packing_kernel().unpack({bits, count, range.width, base}, into);
    return;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (kWidthMax - range.width);
  const auto width = std::int64_t{range.width};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t bit = i * width;
    std::uint64_t number = load<std::uint64_t>(bits + bit / 8) >> (bit % 8);
    if (bit % 8 != 0) {
      number |= load<std::uint64_t>(bits + bit / 8 + kWordSize)
                << (std::int64_t{kWidthMax} - bit % 8);
    }
    into[i] = base + (number & mask);
  }
}

// Calls `visit` with each vector of the feed.
template <typename Visit>
void for_each_vector(std::int64_t count, const NumberFeed& feed, const Visit& visit) {
  NumberVector numbers;
  for (std::int64_t first = 0; first < count; first += kVectorSize) {
    const std::int64_t n = std::min(kVectorSize, count - first);
    feed(first, n, numbers.data());
    visit(numbers, n);
  }
}

}  // namespace

NumberRange range_of(const NumberVector& numbers, std::int64_t count) noexcept {
  auto least = static_cast<std::int64_t>(numbers[0]);
  std::int64_t most = least;
  for (std::int64_t i = 1; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(i)]);
    least = std::min(least, number);
    most = std::max(most, number);
  }
  const std::uint64_t distance =
      static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  return {static_cast<std::uint64_t>(least), static_cast<unsigned>(std::bit_width(distance))};
}

std::int64_t packed_size(std::int64_t count, const NumberFeed& feed) {
  std::int64_t size = vector_count(count) * kVectorHeadSize;
  for_each_vector(count, feed, [&](const NumberVector& numbers, std::int64_t n) {
    size += bits_size(n, range_of(numbers, n).width);
  });
  return size;
}

std::int64_t packed_size_max(std::int64_t count) noexcept {
  return vector_count(count) * kVectorHeadSize + count * kWordSize;
}

std::byte* pack(std::int64_t count, const NumberFeed& feed, std::byte* into) {
  VectorPacker packer(count, into, std::numeric_limits<std::int64_t>::max());
  for_each_vector(count, feed, [&](const NumberVector& numbers, std::int64_t n) {
    const bool has_room = packer.put(numbers, n, range_of(numbers, n));
    assert(has_room);
    static_cast<void>(has_room);
  });
  return packer.end();
}

VectorPacker::VectorPacker(std::int64_t count, std::byte* into, std::int64_t room_bytes) noexcept
    : head_(into), bits_(into), room_(room_bytes - vector_count(count) * kVectorHeadSize) {
  if (room_ >= 0) bits_ += vector_count(count) * kVectorHeadSize;
}

bool VectorPacker::put(const NumberVector& numbers, std::int64_t count,
                       const NumberRange& range) noexcept {
  room_ -= bits_size(count, range.width);
  if (room_ < 0) return false;
  std::memcpy(head_, &range.base, sizeof range.base);
  head_[kWordSize] = static_cast<std::byte>(range.width);
  head_ += kVectorHeadSize;
  bits_ = put_bits(numbers, count, range, bits_);
  return true;
}

std::optional<Unpacker> Unpacker::open(std::span<const std::byte> bytes, std::int64_t count) {
  Unpacker result(bytes, count);
  const std::int64_t vectors = vector_count(count);
  if (vectors > std::ssize(bytes) / kVectorHeadSize) return std::nullopt;
  result.size_ = result.bits_at_ = vectors * kVectorHeadSize;
  for (std::int64_t i = 0; i < vectors; ++i) {
    const auto width =
        std::to_integer<unsigned>(bytes[static_cast<std::size_t>(i * kVectorHeadSize + kWordSize)]);
    const std::int64_t n = std::min(kVectorSize, count - i * kVectorSize);
    if (width > kWidthMax) return std::nullopt;
    result.size_ += bits_size(n, width);
  }
  if (result.size_ > std::ssize(bytes)) return std::nullopt;
  return result;
}

std::int64_t Unpacker::next(NumberVector& numbers) noexcept {
  const std::int64_t n = std::min(kVectorSize, left_);
  if (n == 0) return 0;
  const std::byte* head = bytes_.data() + head_at_;
  const NumberRange range{load<std::uint64_t>(head), std::to_integer<unsigned>(head[kWordSize])};
  base_ = range.base;
  width_ = range.width;
  const std::int64_t size = bits_size(n, range.width);
  const std::byte* bits = bytes_.data() + bits_at_;
  if (std::ssize(bytes_) - bits_at_ >= size + kReadBehind) {
    take_bits(bits, n, range, numbers.data());
  } else {
    std::array<std::byte, kPaddedSize> padded{};
    assert(size <= std::ssize(padded) - kReadBehind);
    std::memcpy(padded.data(), bits, static_cast<std::size_t>(size));
    take_bits(padded.data(), n, range, numbers.data());
  }
  head_at_ += kVectorHeadSize;
  bits_at_ += size;
  left_ -= n;
  return n;
}

}  // namespace sheaf::container
