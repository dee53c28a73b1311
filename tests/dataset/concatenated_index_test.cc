#include "dataset/concatenated_index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "support/interrupting.h"
#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::with_streams;

std::string rows(std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += std::to_string(first + i * step) + " |x 1\n";
  return text;
}

NamedData file(const std::string& name, const std::string& text) {
  return ctf(name, text, with_streams({dense("x")}, 40));
}

TEST(ConcatenatedIndex, HasTheChunksOfItsMembers) {
  const std::vector<NamedData> members = {file("a", rows(100, 9)), file("b", rows(200, 3)),
                                          file("c", rows(300, 12))};
  const ConcatenatedIndex index(members, {});
  std::int64_t number = 0;
  std::int64_t end = 0;
  for (std::int64_t m = 0; m < 3; ++m) {
    const Index& own = members[static_cast<std::size_t>(m)].data->index();
    const std::int64_t start = end;
    for (ChunkIndex c{}; const auto expected = own.chunk(c); c = next(c), ++number) {
      const auto entry = index.find(ChunkIndex{number});
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->member, m);
      EXPECT_EQ(entry->chunk, c);
      auto info = index.chunk(ChunkIndex{number});
      ASSERT_TRUE(info);
      EXPECT_EQ(info->offset_bytes, start + expected->offset_bytes);
      end = info->offset_bytes + info->size_bytes;
      info->offset_bytes = expected->offset_bytes;
      EXPECT_EQ(info, expected);
      EXPECT_EQ(index.sequences(ChunkIndex{number}), own.sequences(c)) << "the same table";
    }
  }
  EXPECT_EQ(number, 7);
  EXPECT_FALSE(index.chunk(ChunkIndex{number}));
  EXPECT_FALSE(index.chunk(ChunkIndex{number + 1}));
}

/// An index that counts how often memory_bytes() is called.
class AskedIndex final : public Index {
 public:
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    ++chunks;
    return chunk == ChunkIndex{} ? std::optional(ChunkInfo{.size_bytes = 1}) : std::nullopt;
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(
      ChunkIndex /*chunk*/) const override {
    return std::make_shared<const SequenceTable>(SequenceTable::Columns{});
  }
  [[nodiscard]] std::int64_t memory_bytes() const override {
    ++asked;
    return chunks > 0 ? 1'000'000 : 0;
  }

  mutable int chunks = 0;
  mutable int asked = 0;
};

class AskedData final : public Deserializer {
 public:
  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return {}; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return "asked"; }
  [[nodiscard]] Chunk read(const ChunkRange& /*range*/,
                           Diagnostics& /*diagnostics*/) const override {
    throw InternalError("nothing is read");
  }
  [[nodiscard]] int asked() const { return index_.asked; }

 private:
  AskedIndex index_;
};

TEST(ConcatenatedIndex, MemoryOfManyMembersIsMeasuredInTurns) {
  constexpr std::int64_t kMembers = 1000;
  std::vector<NamedData> members;
  std::vector<std::shared_ptr<const AskedData>> all;
  for (std::int64_t m = 0; m < kMembers; ++m) {
    all.push_back(std::make_shared<const AskedData>());
    members.push_back({all.back(), "m"});
  }
  const ConcatenatedIndex index(members, {.keys = ConcatenatedKeys::number});
  const std::int64_t before = index.memory_bytes();
  for (std::int64_t m = 0; m < kMembers; ++m) {
    ASSERT_TRUE(index.chunk(ChunkIndex{m}));
    EXPECT_GE(index.memory_bytes() - before, m * 1'000'000) << "known tables count at once";
  }
  int asked = 0;
  for (const auto& data : all) asked += data->asked();
  EXPECT_LT(asked, 100 * kMembers);  // asking every member each time would take 1,000 times as many
                                     // calls
}

TEST(ConcatenatedIndex, NumbersSequencesAcrossMembers) {
  const std::vector<NamedData> members = {file("a", rows(5, 9)), file("b", rows(5, 4))};
  ConcatenateOptions options;
  options.keys = ConcatenatedKeys::number;
  options.memory_limit_bytes = 1;
  const ConcatenatedIndex index(members, options);
  std::uint64_t expected = 0;
  for (ChunkIndex c{}; index.chunk(c); c = next(c)) {
    const auto table = index.sequences(c);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      EXPECT_EQ(table->key(i), SequenceKey{.low = expected++});
    }
  }
  EXPECT_EQ(expected, 13U);
  EXPECT_EQ(index.sequences(ChunkIndex{2})->key(1).low, 10U) << "in any order";
}

TEST(ConcatenatedIndex, AKeyOfTwoFilesIsRefusedAtItsChunk) {
  const std::vector<NamedData> members = {file("a", rows(100, 9)), file("b", rows(200, 5)),
                                          file("c", rows(104, 5, 50))};
  for (const std::int64_t memory : {0, 100, 1 << 20}) {
    ConcatenateOptions options;
    if (memory > 0) options.memory_limit_bytes = memory;
    const ConcatenatedIndex index(members, options);
    EXPECT_TRUE(index.chunk(ChunkIndex{4}));
    for (int round = 0; round < 2; ++round) {
      const std::string error = error_of<DataError>([&] { (void)index.chunk(ChunkIndex{5}); });
      EXPECT_TRUE(
          error.starts_with("c:1: error: expected a sequence key that no other file has, "
                            "found 104, which is that of a:5, too "
                            "[concatenation-repeated-key]"))
          << error;
    }
    EXPECT_TRUE(index.chunk(ChunkIndex{4})) << "known chunks stay";
  }
}

TEST(ConcatenatedIndex, UnorderedKeysAreCheckedInLittleMemory) {
  // More keys than fit into 64 KiB, the smallest memory of the check.
  std::string first;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    first += std::to_string(i * 7919 % 20'000) + " |x 1\n";
  }
  const FormatOptions options = with_streams({dense("x")}, 10'000);
  const NamedData a = ctf("a", first, options);
  const std::vector<NamedData> good = {a, ctf("b", rows(20'000, 3000), options)};
  const ConcatenatedIndex index(good, {.memory_limit_bytes = 1});
  std::int64_t count = 0;
  for (ChunkIndex c{}; const auto info = index.chunk(c); c = next(c)) count += info->sequence_count;
  EXPECT_EQ(count, 23'000);

  const std::vector<NamedData> bad = {a, ctf("b", rows(20'000, 3000) + "7 |x 1\n", options)};
  const ConcatenatedIndex refused(bad, {.memory_limit_bytes = 1});
  const std::string error = error_of<DataError>([&] {
    for (ChunkIndex c{}; refused.chunk(c); c = next(c)) {
    }
  });
  EXPECT_TRUE(error.starts_with("b:3001: error")) << error;
}

/// Interrupts a walk over an index at each chance, one after the other. Returns the number of
/// sequences that a walk after each interruption finds. The last number belongs to the walk without
/// interruption.
std::vector<std::int64_t> counts_after_interruptions(
    const std::vector<std::string>& texts, std::optional<std::int64_t> memory_limit_bytes) {
  std::vector<std::int64_t> counts;
  const auto count = [](const Index& index) {
    std::int64_t sum = 0;
    for (ChunkIndex c{}; const auto info = index.chunk(c); c = next(c)) sum += info->sequence_count;
    return sum;
  };
  for (std::int64_t n = 1;; ++n) {
    std::vector<NamedData> members;
    for (const std::string& text : texts) {
      FormatOptions options = with_streams({dense("x")}, 4000);
      options.index.memory_limit_bytes = memory_limit_bytes;
      members.push_back(ctf(std::to_string(members.size()), text, options));
    }
    const ConcatenatedIndex index(members, {.memory_limit_bytes = memory_limit_bytes});
    testing::Interrupting interruption(n);
    try {
      const InterruptionScope scope(interruption);
      static_cast<void>(count(index));
    } catch (const testing::Interrupted&) {
    }
    counts.push_back(count(index));
    if (!interruption.has_thrown()) return counts;
  }
}

TEST(ConcatenatedIndex, AnInterruptionLeavesTheIndexUnchanged) {
  std::string shuffled;
  for (std::int64_t i = 0; i < 9000; ++i) shuffled += std::to_string(i * 7919 % 9000) + " |x 1\n";
  const std::vector<std::string> falling = {rows(9000, 500), shuffled, rows(20'000, 500)};
  // With a limit of 1, keys go to disk, and the end of the data tells which keys are repeated.
  for (const std::optional<std::int64_t> memory_limit : {std::optional<std::int64_t>(), {1}}) {
    const std::vector<std::int64_t> counts = counts_after_interruptions(falling, memory_limit);
    EXPECT_GT(std::ssize(counts), 20);
    EXPECT_EQ(counts, std::vector<std::int64_t>(counts.size(), 10'000));
  }
}

TEST(ConcatenatedIndex, AnInterruptionDoesNotHideAKeyOfTwoFiles) {
  const std::vector<NamedData> members = {file("a", rows(100, 9)), file("b", rows(200, 5)),
                                          file("c", rows(104, 5, 50))};
  for (std::int64_t n = 1;; ++n) {
    const ConcatenatedIndex index(members, {.memory_limit_bytes = 1});
    testing::Interrupting interruption(n);
    try {
      const InterruptionScope scope(interruption);
      static_cast<void>(index.chunk(ChunkIndex{5}));
    } catch (const testing::Interrupted&) {
    } catch (const DataError&) {
    }
    EXPECT_TRUE(index.chunk(ChunkIndex{4})) << n;
    const std::string error = error_of<DataError>([&] { (void)index.chunk(ChunkIndex{5}); });
    EXPECT_TRUE(error.starts_with("c:1: error: expected a sequence key")) << n << ": " << error;
    if (!interruption.has_thrown()) break;
  }
}

TEST(ConcatenatedIndex, KeysRepeatedWithinAFileAreAllowed) {
  const std::vector<NamedData> members = {file("a", "1 |x 1\n2 |x 1\n1 |x 1\n"),
                                          file("b", "5 |x 1\n4 |x 1\n5 |x 1\n")};
  const ConcatenatedIndex index(members, {});
  EXPECT_TRUE(index.chunk(ChunkIndex{1}));
  EXPECT_FALSE(index.chunk(ChunkIndex{2}));
}

}  // namespace
}  // namespace sheaf::internal
