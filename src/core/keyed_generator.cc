#include "sheaf/extend/keyed_generator.h"

#include <cassert>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf {
namespace {

using Counter = std::array<std::uint64_t, 4>;

struct Product {
  std::uint64_t high;
  std::uint64_t low;
};

Product product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide)};
}

// Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
Counter philox4x64_10(Counter counter, KeyedGenerator::Key key) noexcept {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const Product a = product(0xD2E7470EE14C6C93U, counter[0]);
    const Product b = product(0xCA5A826395121157U, counter[2]);
    counter = {b.high ^ counter[1] ^ key[0], b.low, a.high ^ counter[3] ^ key[1], a.low};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return counter;
}

void increase(Counter& counter, std::uint64_t by) noexcept {
  for (std::uint64_t& word : counter) {
    word += by;
    if (word >= by) return;
    by = 1;  // the carry
  }
}

void put(std::array<unsigned char, 32>& bytes, std::size_t word, std::uint64_t value) noexcept {
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[8 * word + i] = static_cast<unsigned char>(value >> (8 * i));
  }
}

}  // namespace

KeyedGenerator::Key KeyedGenerator::key_of(const Name& name) noexcept {
  std::array<unsigned char, 32> numbers{};
  put(numbers, 0, name.seed);
  put(numbers, 1, static_cast<std::uint64_t>(name.sweep));
  put(numbers, 2, name.key.low);
  put(numbers, 3, name.key.high);
  const XXH64_hash_t transform = XXH3_64bits(name.transform.data(), name.transform.size());
  const XXH128_hash_t hash = XXH3_128bits_withSeed(numbers.data(), numbers.size(), transform);
  return {hash.low64, hash.high64};
}

// As in numpy, the first block belongs to the counter 1.
std::uint64_t KeyedGenerator::next() noexcept {
  if (used_ == std::ssize(block_)) {
    increase(counter_, 1);
    block_ = philox4x64_10(counter_, key_);
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

void KeyedGenerator::skip(std::uint64_t count) noexcept {
  const auto left = static_cast<std::uint64_t>(std::ssize(block_) - used_);
  if (count <= left) {
    used_ += static_cast<int>(count);
    return;
  }
  count -= left;
  used_ = static_cast<int>(std::ssize(block_));
  increase(counter_, count / block_.size());
  for (std::uint64_t i = 0; i < count % block_.size(); ++i) static_cast<void>(next());
}

double KeyedGenerator::uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

// Returns the high half of number * bound. Numbers that would make some results more likely are
// drawn again.
std::int64_t KeyedGenerator::below(std::int64_t bound) noexcept {
  assert(bound > 0);
  const auto range = static_cast<std::uint64_t>(bound);
  Product result = product(next(), range);
  if (result.low < range) {
    const std::uint64_t surplus = (0 - range) % range;
    while (result.low < surplus) result = product(next(), range);
  }
  return static_cast<std::int64_t>(result.high);
}

}  // namespace sheaf
