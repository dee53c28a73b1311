#include "ops/converter.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::ConversionData;

TEST(Converter, ShardsHaveEqualSamplesAndAllSequencesInOrder) {
  ConversionData data;
  const ConvertReport report = data.convert("out.ctf", {.shards = 4});
  ASSERT_EQ(report.files.size(), 4U);
  std::string all;
  for (const WrittenFile& file : report.files) {
    EXPECT_EQ(file.samples, 250);
    EXPECT_EQ(file.sequences, 100);
    all += data.read(file.path);
  }
  EXPECT_EQ(all, data.read("in.ctf"));
  EXPECT_EQ(report.files[2].path, "out-00002-of-00004.ctf");
}

TEST(Converter, PartsDivideTheSequencesByTheirKeys) {
  ConversionData data;
  const ConvertReport report = data.convert("out.ctf", {.split = parse_split("a=0.75,b=0.25")});
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_EQ(report.files[0].path, "out.a.ctf");
  EXPECT_EQ(report.files[0].sequences + report.files[1].sequences, data.kSequenceCount);
  const std::shared_ptr<const SequenceTable> keys =
      data.open("out.b.ctf")->index().sequences(ChunkIndex{});
  for (std::int64_t i = 0; i < keys->size(); ++i) {
    EXPECT_EQ(part_of(keys->key(i), parse_split("a=0.75,b=0.25")), 1U);
  }
}

TEST(Converter, AnEmptyShardOrPartIsRefusedAndLeavesNoFile) {
  ConversionData data;
  data.write("in.ctf", "0 |x 1\n0 |x 1\n0 |x 1\n1 |x 1\n");
  EXPECT_EQ(testing::error_of([&] { data.convert("out.ctf", {.shards = 4}); }),
            "shards 4: no sequence begins among the samples of shard 1, 1 to 1 of 4; write fewer");
  EXPECT_EQ(testing::error_of([&] {
              data.convert("out.ctf", {.split = parse_split("a=0.999999999,b=0.000000001")});
            }),
            "split: no sequence falls to \"b\"");
  EXPECT_FALSE(data.exists("out.a.ctf"));
  EXPECT_FALSE(data.exists("out-00000-of-00004.ctf"));
}

TEST(Converter, MemoryIsDividedAmongReaderTurnsAndFiles) {
  ConvertOptions options;
  options.writer.format.chunk_size_bytes = 1 << 20;
  EXPECT_EQ(divide_memory("a.cbf", options, 2).reader_bytes, std::nullopt);
  options.run.memory_limit_bytes = 64 << 20;
  const ConversionMemory text = divide_memory("a.ctf", options, 2);
  const ConversionMemory chunks = divide_memory("a.cbf", options, 2);
  EXPECT_EQ(text.reader_bytes.value() + text.turns_bytes, 64 << 20);
  EXPECT_EQ(chunks.reader_bytes.value() + chunks.turns_bytes, 62 << 20);
  EXPECT_EQ(reading_memory_bytes("a.cbf", options),
            divide_memory("a.cbf", options, available_processors()).reader_bytes);
  options.run.memory_limit_bytes = 2 << 20;
  EXPECT_EQ(testing::error_of([&] { static_cast<void>(divide_memory("a.cbf", options, 2)); }),
            "memory_limit_bytes: 2097152 bytes leave nothing to read with: what is written keeps "
            "2097152 bytes, twice chunk_size_bytes for each file under way");
}

}  // namespace
}  // namespace sheaf::internal
