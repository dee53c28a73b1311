// Damaged files, with the errors and their offsets. Each is a good file with one thing wrong.

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "conformance/read_all.h"
#include "format/cbf/cbf_test_file.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;
using conformance::sparse_block;
using Floats = std::vector<float>;

constexpr std::int64_t kChunk0 = 12;  // the offset of chunk 0 in good_file()
constexpr std::int64_t kDense0 = kChunk0 + 8;
constexpr std::int64_t kSparse0 = kDense0 + 24;
constexpr std::int64_t kSparse1 = kSparse0 + 32;
constexpr std::int64_t kChunk1 = kSparse1 + 20;
constexpr std::int64_t kHeader = kChunk1 + 4 + 12 + 20;
constexpr std::int64_t kStreamA = kHeader + 16;
constexpr std::int64_t kStreamB = kStreamA + 11;
constexpr std::int64_t kTable = kStreamB + 14;
constexpr std::int64_t kEnd = kTable + 32 + 8;

// Returns two chunks: one of two sequences with 2 and 1 samples, and one of a sequence with 1
// sample.
CbfTestFile good_file() {
  CbfTestFile file;
  file.streams = {{.name = "a", .dim = 2}, {.name = "bits", .is_sparse = true, .dim = 9}};
  file.chunks = {
      {.lengths = {2, 1},
       .blocks = {{dense_block(1, Floats{1, 2}), dense_block(1, Floats{3, 4})},
                  {sparse_block(2, Floats{5, 6}, {0, 8}, {1, 1}), sparse_block(1, {7}, {3}, {1})}}},
      {.lengths = {1},
       .blocks = {{dense_block(1, Floats{1, 2})}, {sparse_block(1, {7}, {3}, {1})}}}};
  return file;
}

/// Returns the first error of a file. Everything before the error is read.
std::string error_of(const std::string& bytes, const FormatOptions& options = {}) {
  try {
    FormatOptions of_format = options;
    of_format.format = "cbf";
    const std::shared_ptr<const Deserializer> data =
        find_format("", of_format).open({memory_source(bytes, "damaged.cbf"), of_format});
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, {}), ragged_packer());
    while (reader.next()) {
    }
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

struct FileDamage {
  const char* name;
  std::function<void(std::string& bytes)> make;
  std::string expected;  // the text after the path
};

void PrintTo(const FileDamage& damage, std::ostream* out) { *out << damage.name; }

template <typename T>
auto set(std::int64_t at, T value) {
  return [=](std::string& bytes) { std::memcpy(bytes.data() + at, &value, sizeof value); };
}

auto cut(std::int64_t size) {
  return [=](std::string& bytes) { bytes.resize(static_cast<std::size_t>(size)); };
}

using U8 = std::uint8_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;
using I64 = std::int64_t;
constexpr U32 kMax = std::numeric_limits<U32>::max();

// In file order.
const FileDamage kDamages[] = {
    {"Empty", cut(0),
     ": byte 0: error: expected a whole CBF file, found 0 bytes [cbf-truncated]\n"
     "  the file was cut, or is no CBF file"},
    {"CutInTheMagicNumber", cut(7),
     ": byte 7: error: expected a whole CBF file, found 7 bytes [cbf-truncated]\n"
     "  the file was cut, or is no CBF file"},
    {"CutInTheVersion", cut(11),
     ": byte 11: error: expected a whole CBF file, found 11 bytes [cbf-truncated]\n"
     "  the file was cut, or is no CBF file"},
    {"CutBehindThePrefix", cut(12),
     ": byte 12: error: expected a whole CBF file, found 12 bytes [cbf-truncated]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutBehindTheLengths", cut(kDense0 + 16),
     ": byte 28: error: expected the offset of the header, found 5368709120, which is not "
     "between 12 and 12 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutBehindAChunk", cut(kChunk1),
     ": byte 88: error: expected the offset of the header, found 4294967299, which is not "
     "between 12 and 72 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutBeforeTheHeader", cut(kHeader),
     ": byte 124: error: expected the offset of the header, found 4294967299, which is not "
     "between 12 and 108 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutInTheHeader", cut(kStreamA + 3),
     ": byte 143: error: expected the offset of the header, found 281474976711168, which is "
     "not between 12 and 127 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutInTheTable", cut(kTable + 16),
     ": byte 181: error: expected the offset of the header, found 12884901890, which is not "
     "between 12 and 165 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutBeforeTheTrailer", cut(kEnd - 8),
     ": byte 197: error: expected the offset of the header, found 4294967297, which is not "
     "between 12 and 181 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"CutInTheTrailer", cut(kEnd - 1),
     ": byte 204: error: expected the offset of the header, found 33792, which is not between "
     "12 and 188 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"MagicNumber", set<U8>(0, 'x'),
     ": byte 0: error: expected the CBF magic number, found 0x636e746b5f626978 [cbf-magic]\n"
     "  the file is no CBF file"},
    {"HeaderFirstWithoutMagicNumber", set<I64>(0, 1),
     ": byte 0: error: expected a CBF file, which ends in its header, found version 1 where "
     "the magic number is: an older layout, whose header comes first [cbf-header-first]\n"
     "  write the file anew from its source"},
    {"Version0", set<U32>(8, 0),
     ": byte 8: error: expected version 1, found version 0 [cbf-version]"},
    {"Version2", set<U32>(8, 2),
     ": byte 8: error: expected version 1, found version 2 [cbf-version]"},
    {"LengthUnlikeTheSum", set<U32>(kChunk0, 3),
     ": byte 185: error: expected the sum of the lengths of the chunk's sequences, found 3 "
     "where the lengths in chunk 0 add up to 4 [cbf-sample-count]\n"
     "  cbf.lengths=trust goes by the lengths"},
    {"LengthHuge", set<U32>(kChunk0 + 4, kMax),
     ": byte 185: error: expected the sum of the lengths of the chunk's sequences, found 3 "
     "where the lengths in chunk 0 add up to 4294967297 [cbf-sample-count]\n"
     "  cbf.lengths=trust goes by the lengths"},
    {"DenseSamplesTooMany", set<U32>(kDense0, 20),
     ": byte 20: error: stream \"a\": expected a block that ends within its chunk, found 20 "
     "samples, 76 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"DenseSamplesMax", set<U32>(kDense0, kMax),
     ": byte 20: error: stream \"a\": expected a block that ends within its chunk, found "
     "4294967295 samples, 76 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"DenseSamplesTooFew", set<U32>(kDense0, 0),
     ": byte 24: error: stream \"a\": expected a block that ends within its chunk, found "
     "1065353216 samples, 72 bytes left (chunk 0, sequence 1 of it) [cbf-block-cut]"},
    {"DenseSamplesOfTheLast", set<U32>(kDense0 + 12, 7),
     ": byte 92: error: stream \"bits\": expected a block that ends within its chunk, found 4 "
     "bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"SparseSamplesTooMany", set<U32>(kSparse0, 100),
     ": byte 44: error: stream \"bits\": expected a block that ends within its chunk, found "
     "100 samples, 2 entries, 52 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"SparseSamplesMax", set<U32>(kSparse0, kMax),
     ": byte 44: error: stream \"bits\": expected a block that ends within its chunk, found "
     "4294967295 samples, 2 entries, 52 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"SparseSamplesTooFew", set<U32>(kSparse0, 1),
     ": byte 92: error: expected the end of the chunk behind its last block, found 4 more "
     "bytes (chunk 0) [cbf-slack]"},
    {"SparseSamplesNone", set<U32>(kSparse1, 0),
     ": byte 92: error: expected the end of the chunk behind its last block, found 4 more "
     "bytes (chunk 0) [cbf-slack]"},
    {"EntriesNegative", set<I32>(kSparse0 + 4, -1),
     ": byte 48: error: stream \"bits\": expected 0 or more stored entries, found -1 (chunk "
     "0, sequence 0 of it) [cbf-entry-count]"},
    {"EntriesTooMany", set<I32>(kSparse0 + 4, 1000),
     ": byte 44: error: stream \"bits\": expected a block that ends within its chunk, found 2 "
     "samples, 1000 entries, 52 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"EntriesMax", set<I32>(kSparse0 + 4, std::numeric_limits<I32>::max()),
     ": byte 44: error: stream \"bits\": expected a block that ends within its chunk, found 2 "
     "samples, 2147483647 entries, 52 bytes left (chunk 0, sequence 0 of it) [cbf-block-cut]"},
    {"EntriesTooFew", set<I32>(kSparse0 + 4, 1),
     ": byte 88: error: expected the end of the chunk behind its last block, found 8 more "
     "bytes (chunk 0) [cbf-slack]"},
    {"IndexNegative", set<I32>(kSparse0 + 16, -1),
     ": byte 60: error: stream \"bits\": expected an index below 9, found -1 (chunk 0, "
     "sequence 0 of it) [cbf-index-range]"},
    {"IndexAtTheDim", set<I32>(kSparse0 + 20, 9),
     ": byte 64: error: stream \"bits\": expected an index below 9, found 9 (chunk 0, "
     "sequence 0 of it) [cbf-index-range]"},
    {"IndexMin", set<I32>(kSparse1 + 12, std::numeric_limits<I32>::min()),
     ": byte 88: error: stream \"bits\": expected an index below 9, found -2147483648 (chunk "
     "0, sequence 1 of it) [cbf-index-range]"},
    {"CountNegative", set<I32>(kSparse0 + 28, -1),
     ": byte 72: error: stream \"bits\": expected counts of entries of 0 or more, found -1 "
     "(chunk 0, sequence 0 of it) [cbf-sample-entries]"},
    {"CountTooLarge", set<I32>(kSparse0 + 24, 2),
     ": byte 68: error: stream \"bits\": expected counts of entries that add up to 2, found 3 "
     "(chunk 0, sequence 0 of it) [cbf-sample-entries]"},
    {"CountTooSmall", set<I32>(kSparse1 + 16, 0),
     ": byte 92: error: stream \"bits\": expected counts of entries that add up to 1, found 0 "
     "(chunk 0, sequence 1 of it) [cbf-sample-entries]"},
    {"HeaderMagicNumber", set<U8>(kHeader, 'x'),
     ": byte 132: error: expected the CBF magic number, found 0x636e746b5f626978 where the "
     "trailer has the header [cbf-magic]\n"
     "  the end of the file is missing, or something else follows it"},
    {"ChunksNone", set<U32>(kHeader + 8, 0),
     ": byte 140: error: expected at least one sequence, found 0 chunks [cbf-empty]"},
    {"ChunksTooMany", set<U32>(kHeader + 8, 3),
     ": byte 140: error: expected no more chunks than the table has room for, found 3 in 32 "
     "bytes [cbf-chunk-count]"},
    {"ChunksMax", set<U32>(kHeader + 8, kMax),
     ": byte 140: error: expected no more chunks than the table has room for, found "
     "4294967295 in 32 bytes [cbf-chunk-count]"},
    {"StreamsNone", set<U32>(kHeader + 12, 0),
     ": byte 144: error: expected 1 or more streams that the header has room for, found 0 in "
     "57 bytes [cbf-stream-count]"},
    {"StreamsTooMany", set<U32>(kHeader + 12, 3),
     ": byte 173: error: expected storage 0 (dense) or 1 (sparse), found 12 [cbf-storage]"},
    {"StreamsMax", set<U32>(kHeader + 12, kMax),
     ": byte 144: error: expected 1 or more streams that the header has room for, found "
     "4294967295 in 57 bytes [cbf-stream-count]"},
    {"StorageUnknown", set<U8>(kStreamA, 2),
     ": byte 148: error: expected storage 0 (dense) or 1 (sparse), found 2 [cbf-storage]"},
    {"StorageUnknownOfTheSecond", set<U8>(kStreamB, 255),
     ": byte 159: error: expected storage 0 (dense) or 1 (sparse), found 255 [cbf-storage]"},
    {"NameEmpty", set<U32>(kStreamA + 1, 0),
     ": byte 149: error: expected a name size from 1 to 1048576 within the header, found 0 "
     "[cbf-name-size]"},
    {"NameBeyondTheHeader", set<U32>(kStreamA + 1, 80),
     ": byte 149: error: expected a name size from 1 to 1048576 within the header, found 80 "
     "[cbf-name-size]"},
    {"NameSizeMax", set<U32>(kStreamA + 1, kMax),
     ": byte 149: error: expected a name size from 1 to 1048576 within the header, found "
     "4294967295 [cbf-name-size]"},
    {"NameTooLong",
     [](std::string& bytes) {
       CbfTestFile file = good_file();
       file.streams[0].name = std::string(1'048'577, 'n');
       bytes = to_bytes(file);
     },
     ": byte 149: error: expected a name size from 1 to 1048576 within the header, found "
     "1048577 [cbf-name-size]"},
    {"NameWithNul", set<U8>(kStreamB + 6, 0),
     ": byte 164: error: expected a stream name in UTF-8, found \"b\\x00ts\" [cbf-name]"},
    {"NameNotUtf8", set<U8>(kStreamB + 6, 0xC0),
     ": byte 164: error: expected a stream name in UTF-8, found \"b\\xc0ts\" [cbf-name]"},
    {"NameRepeated",
     [](std::string& bytes) {
       CbfTestFile file = good_file();
       file.streams[1].name = "a";
       bytes = to_bytes(file);
     },
     ": byte 164: error: expected a name of its own for each stream, found \"a\" "
     "[cbf-repeated-name]"},
    {"ElementTypeUnknown", set<U8>(kStreamA + 6, 2),
     ": byte 154: error: expected element type 0 (f32) or 1 (f64), found 2 [cbf-element-type]"},
    {"DimNone", set<U32>(kStreamA + 7, 0),
     ": byte 155: error: stream \"a\": expected a dim of 1 or more, for sparse below "
     "2147483648, found 0 [cbf-dim]"},
    {"DimNoneOfSparse", set<U32>(kStreamB + 10, 0),
     ": byte 169: error: stream \"bits\": expected a dim of 1 or more, for sparse below "
     "2147483648, found 0 [cbf-dim]"},
    {"DimOfSparseTooLarge", set<U32>(kStreamB + 10, 0x80000000U),
     ": byte 169: error: stream \"bits\": expected a dim of 1 or more, for sparse below "
     "2147483648, found 2147483648 [cbf-dim]"},
    {"DimTooLargeForTheBlocks", set<U32>(kStreamA + 7, 3),
     ": byte 36: error: stream \"a\": expected a block that ends within its chunk, found "
     "1077936128 samples, 60 bytes left (chunk 0, sequence 1 of it) [cbf-block-cut]"},
    {"OffsetNegative", set<I64>(kTable, -12),
     ": byte 173: error: expected chunks one after the other between prefix and header, found "
     "chunk 0 at byte -12 [cbf-chunk-offset]"},
    {"OffsetInThePrefix", set<I64>(kTable, 8),
     ": byte 173: error: expected chunks one after the other between prefix and header, found "
     "chunk 0 at byte 8 [cbf-chunk-offset]"},
    {"OffsetBehindTheHeader", set<I64>(kTable + 16, kHeader + 1),
     ": byte 189: error: expected chunks one after the other between prefix and header, found "
     "chunk 1 at byte 133 [cbf-chunk-offset]"},
    {"OffsetMax", set<I64>(kTable + 16, std::numeric_limits<I64>::max()),
     ": byte 189: error: expected chunks one after the other between prefix and header, found "
     "chunk 1 at byte 9223372036854775807 [cbf-chunk-offset]"},
    {"OffsetsNotAscending", set<I64>(kTable, kChunk1 + 4),
     ": byte 173: error: expected chunks one after the other between prefix and header, found "
     "chunk 0 at byte 100, the next one or the header at 96 [cbf-chunk-offset]"},
    {"OffsetsOverlap", set<I64>(kTable + 16, kChunk1 - 4),
     ": byte 76: error: stream \"bits\": expected a block that ends within its chunk, found 1 "
     "samples, 1 entries, 16 bytes left (chunk 0, sequence 1 of it) [cbf-block-cut]"},
    {"SequencesTooMany", set<U32>(kTable + 8, 6),
     ": byte 181: error: expected no more sequences than the chunk has room for, found 6 in "
     "the 84 bytes of chunk 0 [cbf-sequence-count]"},
    {"SequencesMax", set<U32>(kTable + 24, kMax),
     ": byte 197: error: expected no more sequences than the chunk has room for, found "
     "4294967295 in the 36 bytes of chunk 1 [cbf-sequence-count]"},
    {"SequencesOneMore", set<U32>(kTable + 8, 3),
     ": byte 185: error: expected the sum of the lengths of the chunk's sequences, found 3 "
     "where the lengths in chunk 0 add up to 4 [cbf-sample-count]\n"
     "  cbf.lengths=trust goes by the lengths"},
    {"SequencesNone",
     [](std::string& bytes) {
       set<U32>(kTable + 8, 0)(bytes);
       set<U32>(kTable + 24, 0)(bytes);
     },
     ": byte 185: error: expected the sum of the lengths of the chunk's sequences, found 3 "
     "where chunk 0 has no lengths [cbf-sample-count]\n"
     "  its number of sequences is 0, so it has no samples, no bytes"},
    {"SequencesNoneOfTheLast", set<U32>(kTable + 24, 0),
     ": byte 201: error: expected the sum of the lengths of the chunk's sequences, found 1 "
     "where chunk 1 has no lengths [cbf-sample-count]\n"
     "  its number of sequences is 0, so it has no samples, no bytes"},
    {"SequencesAndSamplesNone", set<I64>(kTable + 8, 0),
     ": byte 12: error: expected the end of the chunk behind its last block, found 84 more "
     "bytes (chunk 0) [cbf-slack]\n"
     "  its number of sequences is 0, so it has no samples, no bytes"},
    {"NoSequencesAtAll",
     [](std::string& bytes) {
       CbfTestFile file = good_file();
       file.chunks = {{.lengths = {}, .blocks = {{}, {}}}, {.lengths = {}, .blocks = {{}, {}}}};
       bytes = to_bytes(file);
     },
     ": byte 20: error: expected at least one sequence, found 2 chunks [cbf-empty]"},
    {"SamplesUnlikeTheLengths", set<U32>(kTable + 28, 2),
     ": byte 201: error: expected the sum of the lengths of the chunk's sequences, found 2 "
     "where the lengths in chunk 1 add up to 1 [cbf-sample-count]\n"
     "  cbf.lengths=trust goes by the lengths"},
    {"TrailerNegative", set<I64>(kEnd - 8, -1),
     ": byte 205: error: expected the offset of the header, found -1, which is not between 12 "
     "and 189 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"TrailerInThePrefix", set<I64>(kEnd - 8, 4),
     ": byte 205: error: expected the offset of the header, found 4, which is not between 12 "
     "and 189 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"TrailerBehindTheEnd", set<I64>(kEnd - 8, kEnd),
     ": byte 205: error: expected the offset of the header, found 213, which is not between "
     "12 and 189 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"TrailerBesideTheHeader", set<I64>(kEnd - 8, kHeader + 4),
     ": byte 136: error: expected the CBF magic number, found 0x00000002636e746b where the "
     "trailer has the header [cbf-magic]\n"
     "  the end of the file is missing, or something else follows it"},
    {"TrailerAtThePrefix", set<I64>(kEnd - 8, 0),
     ": byte 205: error: expected the offset of the header, found 0, which is not between 12 "
     "and 189 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"SomethingFollows", [](std::string& bytes) { bytes += "12345678"; },
     ": byte 213: error: expected the offset of the header, found 4050765991979987505, which "
     "is not between 12 and 197 [cbf-trailer]\n"
     "  the end of the file is missing, or something else follows it"},
    {"HeaderInFrontOfTheChunks",
     [](std::string& bytes) {
       bytes = bytes.substr(0, 12) + bytes.substr(kHeader, kTable + 32 - kHeader) +
               bytes.substr(12, kHeader - 12);
     },
     ": byte 12: error: expected a CBF file, which ends in its header, found a header in "
     "front of the chunks: an older layout, whose header comes first [cbf-header-first]\n"
     "  write the file anew from its source"},
    {"SlackBehindAChunk",
     [](std::string& bytes) {
       CbfTestFile file = good_file();
       file.chunks[0].slack = "1234";
       bytes = to_bytes(file);
     },
     ": byte 96: error: expected the end of the chunk behind its last block, found 4 more "
     "bytes (chunk 0) [cbf-slack]"},
};

TEST(CbfDamage, ALongNameIsGoodUpToItsLimit) {
  CbfTestFile file = good_file();
  file.streams[0].name = std::string(1'048'576, 'n');
  EXPECT_EQ(error_of(to_bytes(file)), "no error");
}

// With trusted lengths, the samples in the table of an empty chunk do not matter, but its bytes
// still count as data.
TEST(CbfDamage, TrustedLengthsSkipOnlyTheSamplesOfAnEmptyChunk) {
  FormatOptions trusting;
  trusting.extra["cbf.lengths"] = "trust";
  CbfTestFile file = good_file();
  file.chunks.insert(file.chunks.begin() + 1, {.lengths = {}, .blocks = {{}, {}}});
  std::string bytes = to_bytes(file);
  set<U32>(kTable + 28, 7)(bytes);
  EXPECT_NE(error_of(bytes), "no error");
  EXPECT_EQ(error_of(bytes, trusting), "no error");
  set<U32>(kTable + 8, 0)(bytes);
  EXPECT_EQ(error_of(bytes, trusting).substr(0, 83),
            "damaged.cbf: byte 12: error: expected the end of the chunk behind its last block, f");
}

TEST(CbfDamage, TheGoodFileIsGood) {
  const std::string bytes = to_bytes(good_file());
  ASSERT_EQ(std::ssize(bytes), kEnd);
  EXPECT_EQ(error_of(bytes), "no error");
}

class CbfDamageTest : public ::testing::TestWithParam<FileDamage> {};

TEST_P(CbfDamageTest, IsReportedWithFileOffsetAndField) {
  std::string bytes = to_bytes(good_file());
  GetParam().make(bytes);
  EXPECT_EQ(error_of(bytes), "damaged.cbf" + GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Each, CbfDamageTest, ::testing::ValuesIn(kDamages),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace sheaf::cbf
