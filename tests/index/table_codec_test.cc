#include "index/table_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "index/made_up_tables.h"

namespace sheaf::internal {
namespace {

std::string encode(const SequenceTable& table) {
  std::string bytes;
  append_table(table, bytes);
  return bytes;
}

/// Returns the table, or nothing if the text is not a table or has extra bytes.
std::optional<SequenceTable> decode(std::string_view text, std::int64_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  std::optional<SequenceTable> table = take_table(bytes, size);
  if (!bytes.empty()) return std::nullopt;
  return table;
}

std::vector<SequenceInfo> decoded(const SequenceTable& table) {
  const std::optional<SequenceTable> copy = decode(encode(table), table.size());
  return copy ? sequences_of(*copy) : std::vector<SequenceInfo>{{.sample_count = -99}};
}

TEST(TakeTable, DecodesAnyTable) {
  const bool holds = rc::check([] {
    auto sequences = *rc::gen::container<std::vector<SequenceInfo>>(rc::gen::build<SequenceInfo>(
        rc::gen::set(&SequenceInfo::key,
                     rc::gen::build<SequenceKey>(rc::gen::set(&SequenceKey::low),
                                                 rc::gen::set(&SequenceKey::high))),
        rc::gen::set(&SequenceInfo::offset_bytes), rc::gen::set(&SequenceInfo::first_line),
        rc::gen::set(&SequenceInfo::sample_count)));
    RC_ASSERT(decoded(table_of(sequences)) == sequences);
    for (SequenceInfo& sequence : sequences) sequence.cost = *rc::gen::arbitrary<std::int64_t>();
    RC_ASSERT(decoded(table_of(sequences)) == sequences);
    for (SequenceInfo& sequence : sequences) {
      sequence.location =
          SourceLocation{*rc::gen::arbitrary<std::int64_t>(), sequence.offset_bytes};
    }
    RC_ASSERT(decoded(table_of(sequences)) == sequences);
    for (SequenceInfo& sequence : sequences) sequence.cost.reset();
    RC_ASSERT(decoded(table_of(sequences)) == sequences);
  });
  EXPECT_TRUE(holds);
}

// Tables without costs have the old encoding.
TEST(AppendTable, AddsNothingWithoutCosts) {
  std::vector<SequenceInfo> sequences = sequences_of(make_chunk({.rows_max = 4}, 70, 3).table);
  const std::string without = encode(table_of(sequences));
  for (SequenceInfo& sequence : sequences) sequence.cost = sequence.sample_count * 1000;
  const std::string with = encode(table_of(sequences));
  EXPECT_GT(with.size(), without.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < without.size(); ++i) different += with[i] != without[i] ? 1U : 0U;
  EXPECT_EQ(different, 1U);  // the byte that says whether there are costs
  for (std::size_t size = 0; size < with.size(); ++size) {
    EXPECT_FALSE(decode(with.substr(0, size), 70)) << size;
  }
}

TEST(TakeTable, DecodesTheTablesOfFiles) {
  const bool holds = rc::check([] {
    const MadeUpText text{.rows_max = *rc::gen::inRange(1, 5),
                          .has_text_keys = *rc::gen::arbitrary<bool>()};
    const MadeUpChunk chunk =
        make_chunk(text, *rc::gen::inRange(0, 500), *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(decoded(chunk.table) == sequences_of(chunk.table));
  });
  EXPECT_TRUE(holds);
}

// Constant or consecutive columns are stored once: an evenly spaced table of any length has 16
// bytes.
TEST(AppendTable, EncodesALinearColumnOnce) {
  const MadeUpText text{.row_size_min = 20, .row_size_max = 20};
  const MadeUpChunk chunk = make_chunk(text, 100'000, 1);
  const std::string bytes = encode(chunk.table);
  EXPECT_EQ(bytes.size(), 16U);
  const std::optional<SequenceTable> copy = decode(bytes, 100'000);
  ASSERT_TRUE(copy);
  EXPECT_LE(copy->size_bytes(), 100);
  EXPECT_EQ(copy->columns().keys_high.size(), 0);
}

// Lines that follow from the sample counts take no bytes, for any counts.
TEST(AppendTable, LeavesOutLinesImpliedBySampleCounts) {
  const MadeUpText text{.row_size_min = 20, .row_size_max = 20, .rows_min = 5, .rows_max = 60};
  const MadeUpChunk chunk = make_chunk(text, 64'000, 1);
  SequenceTable::Columns without = chunk.table.columns();
  without.first_lines = PackedInts({}, 64'000);
  EXPECT_EQ(encode(chunk.table).size(), encode(SequenceTable(without)).size());
}

// Lines unrelated to the samples take no extra bytes.
TEST(AppendTable, EncodesOtherLines) {
  SequenceTable::Columns columns = make_chunk({.rows_max = 60}, 6400, 1).table.columns();
  const MadeUpChunk other = make_chunk({.rows_max = 2}, 6400, 2);
  SequenceTable::Columns without = columns;
  without.first_lines = PackedInts({}, 6400);
  columns.first_lines = other.table.columns().first_lines;
  const SequenceTable table(columns);
  // 1 bit for each of two distances, and 2 bytes for each 64 lines.
  EXPECT_LE(encode(table).size(), encode(SequenceTable(without)).size() + 6400 / 8 + 6400 / 32);
  EXPECT_EQ(decoded(table), sequences_of(table));
}

struct Share {
  const char* what;
  MadeUpText text;
  double percent_max;  // relative to the size of the data
};

TEST(AppendTable, TakesASmallShareOfTheData) {
  const Share cases[] = {
      {"rows of about 20 bytes, a sequence each", {}, 2.1},
      {"rows of 10 to 30 bytes, a sequence each", {.row_size_min = 10, .row_size_max = 30}, 3.3},
      {"1 to 3 rows of about 20 bytes", {.rows_max = 3}, 3},
      {"5 to 60 rows of about 20 bytes", {.rows_min = 5, .rows_max = 60}, 0.5},
      {"ordinary rows", {.row_size_min = 80, .row_size_max = 400}, 0.5},
      {"rows of 1 to 4 KB", {.row_size_min = 1000, .row_size_max = 4000}, 0.1},
  };
  for (const Share& share : cases) {
    const MadeUpChunk chunk = make_chunk(share.text, 50'000, 7);
    const auto size = static_cast<double>(encode(chunk.table).size());
    EXPECT_LE(100 * size / static_cast<double>(chunk.size_bytes), share.percent_max) << share.what;
  }
}

// The hash of a text cannot be compressed below its 16 bytes.
TEST(AppendTable, AddsLittleToTextKeys) {
  const MadeUpChunk with = make_chunk({.has_text_keys = true}, 64'000, 7);
  const MadeUpChunk without = make_chunk({}, 64'000, 7);
  EXPECT_LE(encode(with.table).size(), encode(without.table).size() + 64'000 * 16 + 64'000 / 16);
}

TEST(TakeTable, TruncatedTablesAreRefused) {
  const MadeUpChunk chunk = make_chunk({.rows_max = 4, .has_text_keys = true}, 70, 3);
  const std::string bytes = encode(chunk.table);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(bytes.substr(0, size), 70)) << size;
  }
}

TEST(TakeTable, AnyBytesDecodeOrAreRefused) {
  const bool holds = rc::check([] {
    const MadeUpChunk chunk = make_chunk({.rows_max = 4}, *rc::gen::inRange(1, 100), 3);
    std::string bytes = encode(chunk.table);
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    }
    const std::optional<SequenceTable> table = decode(bytes, chunk.table.size());
    if (table) RC_ASSERT(sequences_of(*table).size() == sequences_of(chunk.table).size());
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace sheaf::internal
