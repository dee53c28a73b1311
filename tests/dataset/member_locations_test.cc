#include "dataset/member_locations.h"

#include <gtest/gtest.h>

#include "sheaf/extend/concatenate.h"

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using testing::ctf;
using testing::with_streams;

TEST(SequenceNumbers, CountAcrossChunks) {
  SequenceNumbers numbers;
  for (const std::int64_t count : {3, 1, 2}) numbers.add_chunk(count);
  EXPECT_EQ(numbers.size(), 6);
  EXPECT_EQ(numbers.chunk_count(), 3);
  const std::pair<int, int> expected[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {2, 1}};
  for (std::int64_t i = 0; i < 6; ++i) {
    const SequenceNumber location = numbers.locate(i);
    EXPECT_EQ(static_cast<int>(location.chunk), expected[i].first) << i;
    EXPECT_EQ(location.sequence, expected[i].second) << i;
  }
}

TEST(LocationOf, NamesPathLineOffsetAndKey) {
  const NamedData data = ctf("a.ctf", "7 |x 1\n7 |x 2\n9 |x 3\n");
  const Diagnostic location = location_of(data, {ChunkIndex{0}, 1});
  EXPECT_EQ(location.path, "a.ctf");
  EXPECT_EQ(location.line, 3);
  EXPECT_EQ(location.byte_offset, 14);
  EXPECT_EQ(location.sequence_key, "9");
  EXPECT_EQ(location_text(location), "a.ctf:3");
}

TEST(LocationOf, ReadsTheKeyText) {
  FormatOptions options = with_streams({testing::dense("x")});
  options.keys = KeyType::text;
  const NamedData data = ctf("a.ctf", "utt1 |x 1\nutt2 |x 2\n", options);
  EXPECT_EQ(location_of(data, {ChunkIndex{0}, 1}).sequence_key, "utt2");
}

TEST(LocationOf, NamesTheFileInAConcatenation) {
  const NamedData both = {
      .data = concatenate({ctf("a.ctf", "1 |x 1\n"), ctf("b.ctf", "2 |x 1\n3 |x 1\n")}),
      .name = "both"};
  const Diagnostic location = location_of(both, {ChunkIndex{1}, 1});
  EXPECT_EQ(location.path, "b.ctf");
  EXPECT_EQ(location.line, 2);
  EXPECT_EQ(location.byte_offset, 7);
  EXPECT_EQ(location.sequence_key, "3");
}

TEST(LocationOf, HasTheByteOffsetWithoutLines) {
  Diagnostic location;
  location.path = "a.cbf";
  location.byte_offset = 4711;
  EXPECT_EQ(location_text(location), "a.cbf: byte 4711");
}

}  // namespace
}  // namespace sheaf::internal
