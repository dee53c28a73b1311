#include "index/key_finder.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/error.h"

#include "index/made_up_tables.h"

namespace sheaf::internal {
namespace {

using ChunkKeys = std::vector<std::vector<SequenceKey>>;  // [chunk][sequence]

/// An index of keys that records which tables were requested.
class KeyIndex final : public Index {
 public:
  explicit KeyIndex(const ChunkKeys& keys) {
    for (const std::vector<SequenceKey>& chunk : keys) {
      std::vector<SequenceInfo> sequences;
      for (const SequenceKey& key : chunk) sequences.push_back({.key = key});
      index_.add({}, table_of(sequences));
    }
  }

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return index_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    if (fails_) throw IoError("made up");
    asked_.push_back(static_cast<std::int64_t>(chunk));
    return index_.sequences(chunk);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return index_.memory_bytes(); }

  [[nodiscard]] std::vector<std::int64_t> take_asked() const { return std::exchange(asked_, {}); }
  void set_fails(bool fails) { fails_ = fails; }

 private:
  MemoryIndex index_;
  bool fails_ = false;
  mutable std::vector<std::int64_t> asked_;
};

std::vector<SequenceKey> numbers(const std::vector<std::uint64_t>& values) {
  std::vector<SequenceKey> keys;
  for (const std::uint64_t value : values) keys.push_back({.low = value});
  return keys;
}

ChunkRange location(std::int64_t chunk, std::int64_t sequence) {
  return {ChunkIndex{chunk}, sequence, 1};
}

using Asked = std::vector<std::int64_t>;

TEST(KeyFinder, ReadsNoMoreThanNecessary) {
  const KeyIndex index({numbers({10, 11, 12}), numbers({20, 25, 30}), numbers({5, 40, 11})});
  KeyFinder finder(index);
  EXPECT_EQ(finder.find({.low = 11}), location(0, 1));
  EXPECT_EQ(index.take_asked(), Asked({0}));
  EXPECT_EQ(finder.find({.low = 30}), location(1, 2));
  EXPECT_EQ(index.take_asked(), Asked({1}));
  EXPECT_EQ(finder.find({.low = 25}), location(1, 1));
  EXPECT_EQ(index.take_asked(), Asked({1})) << "no key of chunk 0 is as large";
  EXPECT_EQ(finder.find({.low = 7}), std::nullopt);
  EXPECT_EQ(index.take_asked(), Asked({2}));
  EXPECT_EQ(finder.find({.low = 5}), location(2, 0));
  EXPECT_EQ(finder.find({.low = 40}), location(2, 1));
  EXPECT_EQ(index.take_asked(), Asked({2, 2}));
  EXPECT_EQ(finder.find({.low = 41}), std::nullopt);
  EXPECT_EQ(finder.find({.low = 0}), std::nullopt);
  EXPECT_EQ(finder.find({.low = 11, .high = 1}), std::nullopt);
  EXPECT_EQ(index.take_asked(), Asked({0, 2})) << "11 with a high half lies between 10 and 12";
}

TEST(KeyFinder, FindsTheFirstOfEqualKeys) {
  const KeyIndex index({numbers({3, 7, 7, 7, 9}), numbers({8, 9, 7}), numbers({8, 8, 1})});
  KeyFinder finder(index);
  EXPECT_EQ(finder.find({.low = 8}), location(1, 0));
  EXPECT_EQ(finder.find({.low = 7}), location(0, 1));
  EXPECT_EQ(finder.find({.low = 9}), location(0, 4));
  EXPECT_EQ(finder.find({.low = 1}), location(2, 2));
}

TEST(KeyFinder, KeepsAtMostFortyBytesAChunk) {
  ChunkKeys keys;
  for (std::uint64_t i = 0; i < 64; ++i) {
    std::vector<SequenceKey>& chunk = keys.emplace_back();
    for (std::uint64_t k = 0; k < 500; ++k) chunk.push_back({.low = 500 * i + k, .high = k});
  }
  const KeyIndex index(keys);
  KeyFinder finder(index);
  EXPECT_EQ(finder.find({.low = 500 * 64}), std::nullopt);
  EXPECT_LE(finder.memory_bytes(), 64 * 40);
}

TEST(KeyFinder, ContinuesAfterAnError) {
  KeyIndex index({numbers({1}), numbers({2})});
  KeyFinder finder(index);
  index.set_fails(true);
  EXPECT_THROW(static_cast<void>(finder.find({.low = 2})), IoError);
  index.set_fails(false);
  EXPECT_EQ(finder.find({.low = 2}), location(1, 0));
  index.set_fails(true);
  EXPECT_THROW(static_cast<void>(finder.find({.low = 1})), IoError);
  index.set_fails(false);
  EXPECT_EQ(finder.find({.low = 1}), location(0, 0));
}

/// Returns keys as in real data: consecutive, rising with gaps, in any order, equal, wrapping
/// around, or hashes.
std::vector<SequenceKey> made_up_keys() {
  const auto kind = *rc::gen::inRange(0, 6);
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 200);
  auto low = *rc::gen::inRange<std::uint64_t>(0, 300);
  if (kind == 4) low = std::numeric_limits<std::uint64_t>::max() - low;
  const auto step = *rc::gen::element<std::uint64_t>(1, 3, std::uint64_t{1} << 62);
  std::vector<SequenceKey> keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    keys.push_back({.low = low});
    switch (kind) {
      case 0:
      case 4:
        low += kind == 0 ? 1 : step;
        break;
      case 1:
        low += *rc::gen::inRange<std::uint64_t>(0, 4);
        break;
      case 2:
        low = *rc::gen::inRange<std::uint64_t>(0, 300);
        break;
      case 5:
        keys.back().high = *rc::gen::inRange<std::uint64_t>(1, 3);
        low = *rc::gen::inRange<std::uint64_t>(0, 20);
        break;
      default:
        break;
    }
  }
  return keys;
}

TEST(KeyFinder, AgreesWithALinearSearch) {
  const bool holds = rc::check([] {
    ChunkKeys keys;
    const auto count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < count; ++i) keys.push_back(made_up_keys());
    const KeyIndex index(keys);
    KeyFinder finder(index);
    std::vector<SequenceKey> wanted = numbers({0, 17, 150, 400, ~std::uint64_t{0}});
    for (const auto& chunk : keys) wanted.insert(wanted.end(), chunk.begin(), chunk.end());
    for (const SequenceKey& key : wanted) {
      std::optional<ChunkRange> expected;
      for (std::size_t c = 0; c < keys.size() && !expected; ++c) {
        for (std::size_t i = 0; i < keys[c].size() && !expected; ++i) {
          if (keys[c][i] == key) {
            expected = location(static_cast<std::int64_t>(c), static_cast<std::int64_t>(i));
          }
        }
      }
      RC_ASSERT(finder.find(key) == expected);
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace sheaf::internal
