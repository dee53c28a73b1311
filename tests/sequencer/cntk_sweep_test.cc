#include "sequencer/cntk_sweep.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/golden.h"

namespace sheaf::internal {
namespace {

using testing::golden_lines;
using testing::golden_number;
using testing::golden_table;
using testing::Sizes;

std::vector<ChunkCounts> counts_of(const Sizes& table) {
  std::vector<ChunkCounts> counts;
  for (const std::vector<std::int64_t>& chunk : table) {
    counts.push_back({std::ssize(chunk), std::accumulate(chunk.begin(), chunk.end(), 0L)});
  }
  return counts;
}

Window window_of(const std::string& unit, const std::string& size) {
  return {unit == "chunks" ? Window::Unit::chunks : Window::Unit::samples,
          std::max<std::int64_t>(1, golden_number(size))};
}

/// Returns the sequences of a sweep, numbered over all chunks.
std::vector<std::int64_t> numbers_of(CntkSweep& sweep, const Sizes& table) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t entry = 0; entry < sweep.sequence_count(); ++entry) {
    const CntkSweep::Sequence sequence = sweep.at(entry);
    numbers.push_back(
        testing::sequence_number(table, {sweep.chunk(sequence.home), sequence.number}));
  }
  return numbers;
}

std::vector<std::int64_t> numbers_after_colon(const std::vector<std::string>& words) {
  std::vector<std::int64_t> numbers;
  for (auto word = std::find(words.begin(), words.end(), ":") + 1; word != words.end(); ++word) {
    numbers.push_back(golden_number(*word));
  }
  return numbers;
}

TEST(CntkGolden, RandomNumbersMatchCntk) {
  int compared = 0;
  for (const std::vector<std::string>& words : golden_lines("01_mt19937_64.txt")) {
    std::mt19937_64 random(std::stoull(words[0]));
    for (std::size_t i = 2; i < words.size(); ++i, ++compared) {
      EXPECT_EQ(random(), std::stoull(words[i])) << "seed " << words[0];
    }
  }
  EXPECT_EQ(compared, 50);
}

TEST(CntkGolden, ShuffledChunksMatchCntk) {
  int compared = 0;
  for (const std::vector<std::string>& words : golden_lines("02_shuffle.txt")) {
    if (words[0] != "full") continue;  // the other lines are orders of sources that users write
    EXPECT_EQ(cntk_shuffled(golden_number(words[1]), std::stoull(words[3])),
              numbers_after_colon(words))
        << "n " << words[1] << " seed " << words[3];
    ++compared;
  }
  EXPECT_EQ(compared, 30);
}

TEST(CntkGolden, ChunksAndWindowsMatchCntk) {
  int compared = 0;
  const auto lines = golden_lines("03_chunks.txt");
  for (std::size_t i = 0; i < lines.size();) {
    const std::vector<std::string>& head = lines[i++];
    const Sizes table = golden_table(head[0]);
    const std::vector<ChunkCounts> counts = counts_of(table);
    const CntkSweep sweep(counts, window_of(head[1], head[2]), std::stoull(head[4]));
    for (std::int64_t rank = 0; rank < sweep.chunk_count(); ++rank, ++i, ++compared) {
      std::vector<std::int64_t> expected;
      for (const std::string& word : lines[i]) expected.push_back(golden_number(word));
      const std::vector<std::int64_t> got{rank, static_cast<std::int64_t>(sweep.chunk(rank)),
                                          sweep.first_entry(rank), sweep.window_begin(rank),
                                          sweep.window_end(rank)};
      expected.erase(expected.begin() + 2);  // the samples before it
      EXPECT_EQ(got, expected) << head[0] << " " << head[1] << " " << head[2] << " " << head[4];
    }
  }
  EXPECT_EQ(compared, 816);
}

TEST(CntkGolden, ShuffledSequencesMatchCntk) {
  int compared = 0;
  for (const std::vector<std::string>& words : golden_lines("04_sequence_order.txt")) {
    const Sizes table = golden_table(words[0]);
    const std::vector<ChunkCounts> counts = counts_of(table);
    CntkSweep sweep(counts, window_of(words[1], words[2]),
                    std::stoull(words[4]) + std::stoull(words[6]));
    EXPECT_EQ(numbers_of(sweep, table), numbers_after_colon(words))
        << words[0] << " " << words[1] << " " << words[2] << " seed " << words[4];
    ++compared;
  }
  EXPECT_EQ(compared, 180);
}

TEST(CntkGolden, TestVectorsOfCntkMatch) {
  int compared = 0;
  for (const std::vector<std::string>& words : golden_lines("15_unit_test_vectors.txt")) {
    const Sizes table = golden_table(words[0]);
    const std::vector<ChunkCounts> counts = counts_of(table);
    CntkSweep sweep(counts, window_of("samples", words[2]), std::stoull(words[4]));
    EXPECT_EQ(numbers_of(sweep, table), numbers_after_colon(words)) << words[0];
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

// Applies the rules of CNTK to the whole sweep at once, step by step.
std::vector<CntkSweep::Sequence> slow_sweep(const std::vector<ChunkCounts>& chunks, Window window,
                                            std::uint64_t seed) {
  const CntkSweep sweep(chunks, window, seed);  // gives the chunks and the windows
  std::vector<CntkSweep::Sequence> entries;
  std::vector<std::int64_t> rank_of;
  for (std::int64_t rank = 0; rank < sweep.chunk_count(); ++rank) {
    for (std::int64_t i = sweep.first_entry(rank); i < sweep.first_entry(rank + 1); ++i) {
      entries.push_back({rank, i - sweep.first_entry(rank)});
      rank_of.push_back(rank);
    }
  }
  const auto sees = [&](std::int64_t rank, std::int64_t home) {
    return sweep.window_begin(rank) <= home && home < sweep.window_end(rank);
  };
  std::mt19937_64 random(seed);
  for (std::size_t p = 0; p < entries.size();) {
    const std::int64_t low = sweep.first_entry(sweep.window_begin(rank_of[p]));
    const std::int64_t high = sweep.first_entry(sweep.window_end(rank_of[p]));
    const auto t = static_cast<std::size_t>(
        low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low)));
    if (!sees(rank_of[p], entries[t].home) || !sees(rank_of[t], entries[p].home)) continue;
    std::swap(entries[p], entries[t]);
    ++p;
  }
  return entries;
}

RC_GTEST_PROP(CntkSweep, IncrementalShufflingEqualsTheWholeSweep, ()) {
  const auto sequences = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 60)));
  std::vector<ChunkCounts> chunks;
  for (const std::int64_t count : sequences) {
    chunks.push_back({count, count * *rc::gen::inRange<std::int64_t>(1, 4)});
  }
  const Window window{*rc::gen::element(Window::Unit::chunks, Window::Unit::samples),
                      *rc::gen::inRange<std::int64_t>(1, 200)};
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const std::vector<CntkSweep::Sequence> expected = slow_sweep(chunks, window, seed);
  CntkSweep sweep(chunks, window, seed);
  RC_ASSERT(sweep.sequence_count() == std::ssize(expected));
  for (std::int64_t entry = 0; entry < sweep.sequence_count(); ++entry) {
    const CntkSweep::Sequence got = sweep.at(entry);
    RC_ASSERT(got.home == expected[static_cast<std::size_t>(entry)].home);
    RC_ASSERT(got.number == expected[static_cast<std::size_t>(entry)].number);
  }
}

}  // namespace
}  // namespace sheaf::internal
