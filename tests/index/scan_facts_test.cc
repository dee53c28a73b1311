#include "index/scan_facts.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kHostile[] = {-1,
                                     std::int64_t{1} << 31,
                                     (std::int64_t{1} << 32) - 1,
                                     std::int64_t{1} << 53,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};

/// A chunk of three sequences at byte 100 of a text of 1000.
constexpr ChunkInfo kChunk{.offset_bytes = 100,
                           .size_bytes = 50,
                           .first_line = 7,
                           .sequence_count = 3,
                           .sample_count = 4,
                           .decoded_size_bytes = 200};

bool lies_within(const ChunkInfo& chunk) { return can_be(chunk, 90, 1000); }

TEST(ScanFacts, AChunkLiesInTheText) {
  EXPECT_TRUE(lies_within(kChunk));
  ChunkInfo chunk = kChunk;
  chunk.size_bytes = 900;
  EXPECT_TRUE(lies_within(chunk));
  chunk.size_bytes = 901;
  EXPECT_FALSE(lies_within(chunk));
  chunk = kChunk;
  chunk.offset_bytes = 89;
  EXPECT_FALSE(lies_within(chunk));
  chunk = kChunk;
  chunk.sequence_count = 51;
  EXPECT_FALSE(lies_within(chunk));
}

TEST(ScanFacts, NoNumberOfAChunkIsBeyondTheText) {
  std::int64_t ChunkInfo::*const numbers[] = {
      &ChunkInfo::offset_bytes,   &ChunkInfo::size_bytes,   &ChunkInfo::first_line,
      &ChunkInfo::sequence_count, &ChunkInfo::sample_count, &ChunkInfo::decoded_size_bytes};
  for (std::int64_t ChunkInfo::*const number : numbers) {
    for (const std::int64_t value : kHostile) {
      const bool may_be =
          number == &ChunkInfo::decoded_size_bytes && value > 0 && value <= (std::int64_t{1} << 32);
      ChunkInfo chunk = kChunk;
      chunk.*number = value;
      EXPECT_EQ(lies_within(chunk), may_be) << value;
    }
  }
}

struct Sequences {
  std::vector<std::int64_t> offsets = {0, 10, 31};
  std::vector<std::int64_t> lines = {0, 1, 3};
  std::vector<std::int64_t> samples = {1, 2, 1};
  ChunkNotes notes = {.streams = {{4, 0}, {3, 9}}, .unit_hashes = {17}, .repeated = {0, 2}};

  [[nodiscard]] bool are_possible() const {
    SequenceTable::Builder table;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      table.push_back(
          {.offset_bytes = offsets[i], .first_line = lines[i], .sample_count = samples[i]});
    }
    return can_be(kChunk, table.finish(), notes, 2);
  }
};

TEST(ScanFacts, SequencesLieInTheirChunk) {
  EXPECT_TRUE(Sequences().are_possible());
  EXPECT_TRUE((Sequences{.offsets = {0, 10, 20}, .lines = {0, 1, 2}}).are_possible());  // lines
  for (const std::vector<std::int64_t>& offsets : std::vector<std::vector<std::int64_t>>{
           {0, 10, 10}, {0, 31, 10}, {0, 10, 50}, {-1, 10, 31}, {0, 0, 0}, {20, 10, 0}}) {
    EXPECT_FALSE((Sequences{.offsets = offsets}).are_possible());
  }
  for (const std::int64_t value : kHostile) {
    EXPECT_FALSE((Sequences{.offsets = {0, 10, value}}).are_possible()) << value;
    EXPECT_FALSE((Sequences{.offsets = {0, value, 31}}).are_possible()) << value;
    EXPECT_FALSE((Sequences{.lines = {0, 1, value}}).are_possible()) << value;
    EXPECT_FALSE((Sequences{.samples = {1, 2, value}}).are_possible()) << value;
    EXPECT_FALSE((Sequences{.samples = {value, value, value}}).are_possible()) << value;
  }
  EXPECT_FALSE((Sequences{.samples = {1, 2, 2}}).are_possible());
}

// A step that comes round 2^64 to a small number again.
TEST(ScanFacts, PlacesOnALineDoNotWrapAround) {
  const auto with_offsets = [](PackedInts::Line line) {
    const std::int64_t count = kChunk.sequence_count;
    ChunkInfo chunk = kChunk;
    chunk.sample_count = count;
    return can_be(chunk,
                  SequenceTable({.keys_low = PackedInts(PackedInts::Line{0, 1}, count),
                                 .keys_high = {},
                                 .offsets_bytes = PackedInts(line, count),
                                 .first_lines = PackedInts(PackedInts::Line{0, 1}, count),
                                 .sample_counts = std::make_shared<const PackedInts>(
                                     PackedInts::Line{1, 0}, count)}),
                  Sequences().notes, 2);
  };
  EXPECT_TRUE(with_offsets({0, 10}));
  EXPECT_FALSE(with_offsets({0, std::numeric_limits<std::int64_t>::max()}));
  EXPECT_FALSE(with_offsets({0, std::numeric_limits<std::int64_t>::min()}));
  EXPECT_FALSE(with_offsets({49, -10}));
  EXPECT_FALSE(with_offsets({0, 0}));
  EXPECT_FALSE(with_offsets({0, 25}));
}

TEST(ScanFacts, NotesAreOfTheChunk) {
  const auto with = [](ChunkNotes notes) {
    return Sequences{.notes = std::move(notes)}.are_possible();
  };
  const std::vector<StreamCounts> streams = Sequences().notes.streams;
  EXPECT_TRUE(with({.streams = streams, .unit_hashes = {}, .repeated = {}}));
  EXPECT_FALSE(with({.streams = {{4, 0}}, .unit_hashes = {}, .repeated = {}}));
  EXPECT_FALSE(with({.streams = streams, .unit_hashes = {1, 2}, .repeated = {}}));
  for (const std::int64_t value : kHostile) {
    EXPECT_FALSE(with({.streams = {{4, 0}, {value, 0}}, .unit_hashes = {}, .repeated = {}}));
    EXPECT_FALSE(with({.streams = {{4, 0}, {0, value}}, .unit_hashes = {}, .repeated = {}}));
    EXPECT_FALSE(with({.streams = streams, .unit_hashes = {}, .repeated = {value}}));
  }
  for (const std::vector<std::int64_t>& repeated :
       std::vector<std::vector<std::int64_t>>{{3}, {1, 1}, {2, 0}}) {
    EXPECT_FALSE(with({.streams = streams, .unit_hashes = {}, .repeated = repeated}));
  }
}

}  // namespace
}  // namespace sheaf::internal
