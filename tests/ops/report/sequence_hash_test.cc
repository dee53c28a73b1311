#include "ops/report/sequence_hash.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

struct Samples {
  std::vector<float> values = {};
  std::vector<std::int32_t> indices = {};
  std::vector<std::int64_t> offsets = {};
  std::int64_t count = 1;

  [[nodiscard]] SequenceView view() const {
    return {
        .values = reinterpret_cast<const std::byte*>(values.data()),
        .indices = indices.empty() ? nullptr : reinterpret_cast<const std::byte*>(indices.data()),
        .sample_offsets = offsets.empty() ? nullptr : offsets.data(),
        .sample_count = count,
        .value_count = std::ssize(values)};
  }
};

TEST(SequenceHash, EveryDifferenceChangesTheHash) {
  const Stream stream{.name = "x", .sample_shape = {9}, .storage = Storage::sparse};
  const std::vector<Samples> all = {
      {{1, 2}, {3, 4}, {0, 1, 2}, 2}, {{1, 3}, {3, 4}, {0, 1, 2}, 2},
      {{1, 2}, {3, 5}, {0, 1, 2}, 2}, {{1, 2}, {3, 4}, {0, 2, 2}, 2},
      {{1, 2}, {3, 4}, {0, 2}, 1},
  };
  std::set<std::uint64_t> hashes;
  for (const Samples& each : all) hashes.insert(hash_of_view(stream, each.view(), 7));
  hashes.insert(hash_of_view(stream, all[0].view(), 8));
  EXPECT_EQ(hashes.size(), all.size() + 1);
}

TEST(SequenceHash, OffsetsAreNotHashed) {
  const Stream stream{.name = "x", .sample_shape = {9}, .storage = Storage::sparse};
  const Samples a{{1, 2}, {3, 4}, {0, 1, 2}, 2};
  const Samples b{{1, 2}, {3, 4}, {100, 101, 102}, 2};
  EXPECT_EQ(hash_of_view(stream, a.view(), 0), hash_of_view(stream, b.view(), 0));
}

TEST(SequenceHash, HandlesManySamplesOfDifferentSizes) {
  const Stream stream{.name = "x", .sample_shape = {9}, .storage = Storage::sparse};
  Samples a{{}, {0}, {0}, 200};
  Samples b = a;
  for (std::int64_t i = 0; i < 200; ++i) {
    a.offsets.push_back(a.offsets.back() + (i == 198 ? 1 : 0));
    b.offsets.push_back(b.offsets.back() + (i == 199 ? 1 : 0));
  }
  EXPECT_NE(hash_of_view(stream, a.view(), 0), hash_of_view(stream, b.view(), 0));
}

TEST(SequenceHash, AnAbsentStreamHasTheHashZero) {
  const Stream stream{.name = "x"};
  EXPECT_EQ(hash_of_view(stream, {.is_present = false}, 3), 0U);
  EXPECT_NE(hash_of_view(stream, {}, 3), 0U);
  EXPECT_NE(hash_of_name("a"), hash_of_name("b"));
}

}  // namespace
}  // namespace sheaf::internal
