#include "output/checksum.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"

#include "support/buffer_of.h"

namespace sheaf::cli {
namespace {

using sheaf::testing::buffer_of;

// Two sequences: dense "d" of two values, of 2 and 1 samples; sparse "s", of 1 and 2 samples.
struct CheckedData {
  std::vector<Stream> streams = {
      {.name = "d", .sample_shape = Shape{2}},
      {.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse}};
  std::vector<SequenceKey> keys = {{.low = 7}, {.low = 8, .high = 9}};
  Chunk chunk = [this] {
    std::vector<Column> columns(2);
    columns[0].values = buffer_of<float>({1, 2, 3, 4, 5, 6});
    columns[0].sequence_offsets = buffer_of<std::int64_t>({0, 2, 3});
    columns[1].values = buffer_of<float>({0.5, 0.25, 0.125});
    columns[1].indices = buffer_of<std::int32_t>({4, 0, 8});
    columns[1].sample_offsets = buffer_of<std::int64_t>({0, 1, 1, 3});
    columns[1].sequence_offsets = buffer_of<std::int64_t>({0, 1, 3});
    return Chunk(streams, 2, std::move(columns));
  }();

  Minibatch pack(const Packer& packer, std::vector<int> order) const {
    SequenceList list(std::make_shared<const std::vector<Stream>>(streams));
    for (const int i : order) list.add(keys[static_cast<std::size_t>(i)], chunk, i);
    return packer.pack(list);
  }
};

// As the header has it, word for word.
std::uint64_t reference(const CheckedData& data) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Stream& stream = data.streams[static_cast<std::size_t>(i)];
    const std::uint64_t name = XXH3_64bits_withSeed(stream.name.data(), stream.name.size(), 0);
    for (std::int64_t k = 0; k < 2; ++k) {
      const SequenceKey& key = data.keys[static_cast<std::size_t>(k)];
      const std::array<std::uint64_t, 3> words = {name, key.low, key.high};
      const std::uint64_t sequence = XXH3_64bits_withSeed(words.data(), 24, 0);
      const SequenceView view = data.chunk.view(i, k);
      for (std::int64_t t = 0; t < view.sample_count; ++t) {
        const std::uint64_t seed = sequence + static_cast<std::uint64_t>(t) * 0x9E3779B97F4A7C15;
        if (i == 0) {
          sum += XXH3_64bits_withSeed(view.values + t * 8, 8, seed);
          continue;
        }
        const std::int64_t first = view.sample_offsets[t] - view.sample_offsets[0];
        const auto size =
            static_cast<std::size_t>(4 * (view.sample_offsets[t + 1] - view.sample_offsets[t]));
        const std::uint64_t values = XXH3_64bits_withSeed(view.values + first * 4, size, seed);
        sum += XXH3_64bits_withSeed(view.indices + first * 4, size, values);
      }
    }
  }
  return sum;
}

TEST(Checksum, IsWhatItsPageSaysInEveryLayoutAndOrder) {
  const CheckedData data;
  const std::uint64_t expected = reference(data);
  for (const auto& packer : {padded_packer(), ragged_packer()}) {
    for (const std::vector<int>& order : {std::vector<int>{0, 1}, std::vector<int>{1, 0}}) {
      Checksum checksum(data.streams);
      checksum.add(data.pack(*packer, order));
      EXPECT_EQ(expected, checksum.value()) << packer->name();
    }
    Checksum parts(data.streams);
    parts.add(data.pack(*packer, {1}));
    parts.add(data.pack(*packer, {0}));
    EXPECT_EQ(expected, parts.value()) << packer->name();
  }
}

TEST(Checksum, OfNothingIsNothing) {
  const CheckedData data;
  Checksum checksum(data.streams);
  checksum.add(data.pack(*padded_packer(), {}));
  EXPECT_EQ(0U, checksum.value());
}

}  // namespace
}  // namespace sheaf::cli
