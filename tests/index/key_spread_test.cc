#include "index/key_spread.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/error.h"

#include "io/limits.h"

namespace sheaf::internal {
namespace {

using Entry = KeySpread::Entry;

bool equal_entries(const Entry& a, const Entry& b) {
  return a.key == b.key && a.number == b.number;
}

std::vector<Entry> random_entries(std::size_t count, std::uint64_t seed, std::uint64_t key_count) {
  std::mt19937_64 random(seed);
  std::vector<Entry> entries;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    number += static_cast<std::int64_t>(random() % 1000);
    const std::uint64_t key = random() % key_count;
    entries.push_back(
        {.key = {.low = key * 0x123456789ABCDEFU, .high = key % 3}, .number = number});
  }
  return entries;
}

std::vector<Entry> read_part(const KeySpread& spread, int part) {
  std::vector<Entry> entries;
  spread.read(part, [&entries](const Entry& entry) {
    entries.push_back(entry);
    return true;
  });
  return entries;
}

TEST(KeySpread, KeepsEqualKeysTogetherInTheirOrder) {
  const bool holds = rc::check([] {
    const auto entries =
        random_entries(*rc::gen::inRange<std::size_t>(0, 10'000), *rc::gen::arbitrary<unsigned>(),
                       *rc::gen::element<std::uint64_t>(1, 100, 1 << 30));
    KeySpread spread(*rc::gen::element<std::int64_t>(0, 100'000),
                     *rc::gen::inRange(0, KeySpread::kLevelCount));
    for (const Entry& entry : entries) spread.put(entry);
    spread.close();

    std::map<SequenceKey, int> part_of;
    std::vector<std::vector<Entry>> parts;
    for (int part = 0; part < KeySpread::kPartCount; ++part) {
      parts.push_back(read_part(spread, part));
      for (const Entry& entry : parts.back()) {
        RC_ASSERT(part_of.try_emplace(entry.key, part).first->second == part);
      }
    }
    std::vector<std::vector<Entry>> expected(KeySpread::kPartCount);
    for (const Entry& entry : entries) {
      expected[static_cast<std::size_t>(part_of.at(entry.key))].push_back(entry);
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      RC_ASSERT(std::ranges::equal(parts[part], expected[part], equal_entries));
    }
  });
  EXPECT_TRUE(holds);
}

TEST(KeySpread, ExtremeKeysAndNumbersRoundTrip) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  const std::vector<Entry> entries = {
      {.key = {.low = 0, .high = 0}, .number = 0},
      {.key = {.low = kOnes, .high = 0}, .number = 0},
      {.key = {.low = 0, .high = kOnes}, .number = 1},
      {.key = {.low = kOnes, .high = kOnes}, .number = INT64_MAX},
      {.key = {.low = 0, .high = 0}, .number = INT64_MAX},
  };
  KeySpread spread(0, 0);
  for (const Entry& entry : entries) spread.put(entry);
  spread.close();
  std::size_t found = 0;
  for (int part = 0; part < KeySpread::kPartCount; ++part) {
    for (const Entry& entry : read_part(spread, part)) {
      for (const Entry& expected : entries) found += equal_entries(entry, expected) ? 1U : 0U;
    }
  }
  EXPECT_EQ(found, entries.size());
}

TEST(KeySpread, StopsOnRequest) {
  KeySpread spread(0, 0);
  for (std::int64_t i = 0; i < 10'000; ++i) spread.put({.key = {.low = 7}, .number = i});
  spread.close();
  std::int64_t count = 0;
  for (int part = 0; part < KeySpread::kPartCount; ++part) {
    spread.read(part, [&count](const Entry&) { return ++count < 5000; });
  }
  EXPECT_EQ(count, 5000);
}

TEST(KeySpread, PartsHaveSimilarSizesOnEachLevel) {
  for (int level = 0; level < KeySpread::kLevelCount; ++level) {
    KeySpread spread(0, level);
    constexpr std::int64_t kCount = 64'000;
    for (std::int64_t i = 0; i < kCount; ++i) {
      const auto key = static_cast<std::uint64_t>(i);  // equal high halves do not distinguish keys
      spread.put({.key = {.low = key, .high = level < 11 ? 0 : key}, .number = i});
    }
    spread.close();
    const int used =
        level % 11 == 10 ? 16 : KeySpread::kPartCount;  // 4 bits are left for this level
    for (int part = 0; part < used; ++part) {
      const auto size = std::ssize(read_part(spread, part));
      EXPECT_LE(std::abs(size - kCount / used), kCount / used / 4) << level << ' ' << part;
    }
  }
}

// Spreading again and again ends, even for keys chosen to be alike.
TEST(KeySpread, TwoKeysAreSeparatedOnSomeLevel) {
  const bool holds = rc::check([] {
    const SequenceKey a{.low = *rc::gen::arbitrary<std::uint64_t>(),
                        .high = *rc::gen::arbitrary<std::uint64_t>()};
    SequenceKey b = a;
    (*rc::gen::arbitrary<bool>() ? b.low : b.high) ^= *rc::gen::distinctFrom(std::uint64_t{0});
    bool are_apart = false;
    for (int level = 0; level < KeySpread::kLevelCount && !are_apart; ++level) {
      KeySpread spread(0, level);
      spread.put({.key = a, .number = 0});
      spread.put({.key = b, .number = 0});
      spread.close();
      for (int part = 0; part < KeySpread::kPartCount; ++part) {
        are_apart = are_apart || read_part(spread, part).size() == 1;
      }
    }
    RC_ASSERT(are_apart);
  });
  EXPECT_TRUE(holds);
}

TEST(KeySpread, StaysWithinItsMemory) {
  for (const std::int64_t memory_bytes : {64 << 10, 1 << 20, 64 << 20}) {
    KeySpread spread(memory_bytes, 0);
    const std::int64_t least = spread.memory_bytes();
    for (const Entry& entry : random_entries(100'000, 1, 1 << 30)) spread.put(entry);
    EXPECT_EQ(spread.memory_bytes(), least);
    EXPECT_LE(spread.memory_bytes(), memory_bytes + 16'000);
    spread.close();
    EXPECT_LE(spread.memory_bytes(), 16'000);
  }
}

TEST(KeySpread, AFullDiskIsAnError) {
  KeySpread spread(0, 0);
  const FileSizeLimit limit(20'000);
  const auto put_all = [&spread] {
    for (const Entry& entry : random_entries(10'000, 1, 1 << 30)) spread.put(entry);
  };
  EXPECT_THROW(put_all(), IoError);
}

}  // namespace
}  // namespace sheaf::internal
