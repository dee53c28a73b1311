// The laws of the cache for every format: the cache never changes what a reader delivers, whether
// it is empty, full, half full or damaged.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "conformance/law_case.h"
#include "conformance/read_all.h"
#include "conformance/seeds.h"
#include "support/cached.h"
#include "support/scoped_unit_size.h"

namespace sheaf::conformance {
namespace {

using CacheLaws = Laws;
using testing::cached;
using testing::unit_paths;

constexpr std::int64_t kCacheLawUnit = 100;  // several units in a file of some hundred bytes

std::shared_ptr<const Deserializer> open_uncached(const LawCase& law_case,
                                                  const std::string& bytes) {
  FormatOptions options = law_case.set.options;
  options.chunk_size_bytes = 3 * kCacheLawUnit;
  return law_case.implementation().open({memory_source(bytes, std::string(kMemoryName)), options});
}

/// Returns everything that a run in `order` delivers, up to its end or its first error.
std::string run_in_order(const std::shared_ptr<const Deserializer>& data,
                         const OrderOptions& order) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  std::string text;
  try {
    Reader reader(data, make_sequencer(counts, order), ragged_packer(),
                  {.threads = 1, .max_errors = 1'000'000});
    while (const std::optional<Minibatch> minibatch = reader.next()) {
      ReferenceResult delivered;
      delivered.sequences = to_reference(*minibatch);
      text += to_string(delivered) + to_json(minibatch->position);
    }
  } catch (const Error& error) {
    text += error.what();
  }
  return text;
}

TEST_P(CacheLaws, CachedRangesEqualTheData) {
  const testing::ScopedUnitSize unit(kCacheLawUnit);
  for (std::uint64_t seed = 0; seed < seeds(40); ++seed) {
    SCOPED_TRACE(seed);
    const auto data = open_uncached(GetParam(), file_that_opens(seed));
    const std::unique_ptr<FileSystem> files = memory_files();
    std::mt19937_64 random(seed);
    std::vector<ChunkRange> ranges;
    for (ChunkIndex c{}; const auto chunk = data->index().chunk(c); c = next(c)) {
      ranges.push_back({c, 0, chunk->sequence_count});
      for (int i = 0; i < 3; ++i) {
        const auto count = static_cast<std::uint64_t>(chunk->sequence_count);
        const auto first = static_cast<std::int64_t>(random() % count);
        const auto rest = count - static_cast<std::uint64_t>(first);
        ranges.push_back({c, first, 1 + static_cast<std::int64_t>(random() % rest)});
      }
    }
    for (int pass = 0; pass < 3; ++pass) {
      std::ranges::shuffle(ranges, random);
      const auto with_cache = cached(data, *files);
      for (const ChunkRange& range : ranges) {
        ASSERT_EQ(read_range(*with_cache, range), read_range(*data, range))
            << range.first << '+' << range.count << " in pass " << pass;
      }
      EXPECT_EQ(with_cache->warnings().size(), data->warnings().size());
      if (pass > 0) continue;
      // Removes half of the cache. The second run finds the other half.
      bool is_odd = false;
      for (const std::string& path : unit_paths(*files)) {
        if (is_odd) files->remove(path);
        is_odd = !is_odd;
      }
    }
  }
}

TEST_P(CacheLaws, CachedRunsEqualTheData) {
  const testing::ScopedUnitSize unit(kCacheLawUnit);
  const std::vector<OrderOptions> orders = {
      {.minibatch_size = 7, .sweeps = 2},
      {.minibatch_size = 7, .sweeps = 2, .algorithm = OrderAlgorithm::keyed},
      {.minibatch_size = 7, .sweeps = 2, .algorithm = OrderAlgorithm::keyed, .window_chunks = 1},
      {.minibatch_size = 7, .sweeps = 2, .algorithm = OrderAlgorithm::cntk, .window_chunks = 2}};
  for (std::uint64_t seed = 0; seed < seeds(10); ++seed) {
    SCOPED_TRACE(seed);
    const auto data = open_uncached(GetParam(), file_that_opens(seed));
    const std::unique_ptr<FileSystem> files = memory_files();
    for (const OrderOptions& order : orders) {
      const std::string expected = run_in_order(data, order);
      EXPECT_EQ(run_in_order(cached(data, *files), order), expected);  // fills the cache
      EXPECT_EQ(run_in_order(cached(data, *files), order), expected);
    }
  }
}

TEST_P(CacheLaws, DamagedFilesChangeNoResult) {
  const testing::ScopedUnitSize unit(kCacheLawUnit);
  for (std::uint64_t seed = 0; seed < seeds(10); ++seed) {
    SCOPED_TRACE(seed);
    const auto data = open_uncached(GetParam(), file_that_opens(seed));
    const ReferenceResult expected = read_all(*data);
    const std::unique_ptr<FileSystem> files = memory_files();
    EXPECT_EQ(read_all(*cached(data, *files)), expected);
    std::mt19937_64 random(seed);
    const std::vector<std::string> paths = unit_paths(*files);
    for (const std::string& path : paths) {
      std::string bytes = testing::bytes_of(*files, path);
      const std::size_t location = random() % bytes.size();
      if (random() % 2 == 0) {
        bytes[location] = static_cast<char>(bytes[location] ^ (1 << (random() % 8)));
      } else {
        bytes.resize(location);
      }
      testing::write_bytes(*files, path, bytes);
    }
    const auto with_cache = cached(data, *files);
    EXPECT_EQ(read_all(*with_cache), expected);
    EXPECT_EQ(with_cache->cache_counts().hits, 0);
    EXPECT_EQ(unit_paths(*files), paths);
    const auto mended = cached(data, *files);
    EXPECT_EQ(read_all(*mended), expected);
    EXPECT_EQ(mended->cache_counts().hits, std::ssize(paths));
    EXPECT_EQ(mended->warnings().size(), data->warnings().size());
  }
}

SHEAF_LAWS(CacheLaws);

}  // namespace
}  // namespace sheaf::conformance
