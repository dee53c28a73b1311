// An extent has a head (the number of the next extent of its part, and its own size), and then
// entries:
//
//   varint 2 * d + w, low half of the key, and if w is 1 its high half
//
// d is the distance from the number of the previous entry of the part. So an entry takes 9 or 10
// bytes, or 17 or 18 with both halves. All extents occupy the same size in the file.

#include "index/key_spread.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>

#include "base/int_codec.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kNoExtent = -1;
constexpr std::int64_t kExtentSizeMin = 256;
constexpr std::int64_t kExtentSizeMax = 128 << 10;
constexpr std::size_t kEntrySizeMax = 10 + 8 + 8;

struct Head {
  std::int64_t next_extent = kNoExtent;
  std::uint64_t size = 0;  // of head and entries, in bytes
};

/// A bijection of 64 bits that breaks up any pattern (the last step of MurmurHash3).
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xFF51AFD7ED558CCDU;
  bits = (bits ^ (bits >> 33)) * 0xC4CEB9FE1A85EC53U;
  return bits ^ (bits >> 33);
}

// Each level uses 6 other bits of a bijection of the 128 bits of the key. So keys that are equal in
// all levels are equal.
std::size_t part_of(const SequenceKey& key, int level) {
  constexpr int kBits = std::bit_width(unsigned{KeySpread::kPartCount} - 1);
  constexpr int kLevels = (64 + kBits - 1) / kBits;  // levels that use one half of the bits
  static_assert(2 * kLevels == KeySpread::kLevelCount);
  const std::uint64_t high = mix(key.high + 0x9E3779B97F4A7C15U);
  const std::uint64_t bits = level < kLevels ? mix(key.low ^ high) : high;
  return (bits >> (level % kLevels * kBits)) % KeySpread::kPartCount;
}

}  // namespace

KeySpread::KeySpread(std::int64_t memory_bytes, int level)
    : level_(level),
      extent_size_(static_cast<std::size_t>(
          std::clamp(memory_bytes / kPartCount, kExtentSizeMin, kExtentSizeMax))),
      parts_(kPartCount) {
  assert(0 <= level && level < kLevelCount);
  for (Part& part : parts_) {
    part.first_extent = part.extent = extent_count_++;
    part.pending.reserve(extent_size_);
    part.pending.resize(sizeof(Head));
  }
}

void KeySpread::put(const Entry& entry) {
  Part& part = parts_[part_of(entry.key, level_)];
  if (extent_size_ - part.pending.size() < kEntrySizeMax) write_extent(part, extent_count_++);
  assert(entry.number >= part.number);
  const auto distance = static_cast<std::uint64_t>(entry.number - part.number);
  const bool is_wide = entry.key.high != 0;
  append_varint(2 * distance + (is_wide ? 1 : 0), part.pending);
  append_word(entry.key.low, part.pending);
  if (is_wide) append_word(entry.key.high, part.pending);
  part.number = entry.number;
}

void KeySpread::write_extent(Part& part, std::int64_t next_extent) {
  const Head head{.next_extent = next_extent, .size = part.pending.size()};
  std::memcpy(part.pending.data(), &head, sizeof(head));
  file_.write_at(part.extent * static_cast<std::int64_t>(extent_size_),
                 std::as_bytes(std::span(part.pending)));
  part.extent = next_extent;
  part.pending.resize(sizeof(head));
}

void KeySpread::close() {
  for (Part& part : parts_) {
    write_extent(part, kNoExtent);
    std::string().swap(part.pending);  // an assignment would keep its memory
  }
}

void KeySpread::read(int part, const std::function<bool(const Entry&)>& visit) const {
  std::vector<std::byte> extent(extent_size_);
  Entry entry;
  for (std::int64_t i = parts_[static_cast<std::size_t>(part)].first_extent; i != kNoExtent;) {
    const std::int64_t offset = i * static_cast<std::int64_t>(extent_size_);
    Head head;
    file_.read_at(offset, std::as_writable_bytes(std::span(&head, 1)));
    std::span<std::byte> bytes = std::span(extent).first(head.size - sizeof(head));
    file_.read_at(offset + std::int64_t{sizeof(head)}, bytes);
    for (std::span<const std::byte> rest = bytes; !rest.empty();) {
      const std::uint64_t distance = take_varint(rest).value();
      entry.number += static_cast<std::int64_t>(distance / 2);
      entry.key.low = take_word(rest).value();
      entry.key.high = distance % 2 == 1 ? take_word(rest).value() : 0;
      if (!visit(entry)) return;
    }
    i = head.next_extent;
  }
}

std::int64_t KeySpread::memory_bytes() const noexcept {
  std::size_t sum = parts_.capacity() * sizeof(Part);
  for (const Part& part : parts_) sum += part.pending.capacity();
  return static_cast<std::int64_t>(sum);
}

}  // namespace sheaf::internal
