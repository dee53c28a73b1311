#include "format/cbf/cbf_checks.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "conformance/read_all.h"
#include "format/cbf/cbf_test_file.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;
using conformance::sparse_block;
using Floats = std::vector<float>;

CbfTestFile file_with_checks() {
  CbfTestFile file;
  file.streams = {{.name = "a"}, {.name = "b", .is_sparse = true, .dim = 9}};
  conformance::CbfTestChunk chunk{.lengths = {1, 1, 1}, .blocks = {{}, {}}};
  for (float i = 0; i < 3; ++i) {
    chunk.blocks[0].push_back(dense_block(1, Floats{i}));
    chunk.blocks[1].push_back(sparse_block(1, Floats{i, i}, {1, 2}, {2}));
  }
  file.chunks = {chunk, {.lengths = {}, .blocks = {{}, {}}}, chunk};
  file.parts = 2;
  return file;
}

struct Opened {
  explicit Opened(const std::string& bytes)
      : source(memory_source(bytes, "x.cbf")),
        file(open_cbf(*source)),
        checks(Checks::open(*source, file)) {}

  std::shared_ptr<const ByteSource> source;
  CbfFile file;
  std::unique_ptr<Checks> checks;
};

TEST(CbfChecks, PartsAreSmallAndDivideUnits) {
  EXPECT_EQ(part_count(1, 1), 1);
  EXPECT_EQ(part_count(32 << 10, 1000), 1);
  EXPECT_EQ(part_count((32 << 10) + 1, 1000), 2);
  EXPECT_EQ(part_count((32 << 10) + 1, 1), 1);
  EXPECT_EQ(part_count(1 << 20, 1000), 32);
  EXPECT_EQ(part_count(1 << 20, 10), 10);
  EXPECT_EQ(part_count((1 << 20) + 1, 1000), 2 * 17);
  EXPECT_EQ(part_count(32 << 20, 1'000'000), 32 * 32);
  EXPECT_EQ(part_count(32 << 20, 100), 32 * 3);
  EXPECT_EQ(part_count(32 << 20, 3), 3);
}

TEST(Checks, DescribeChunksAndTheirParts) {
  const Opened opened(to_bytes(file_with_checks()));
  ASSERT_TRUE(opened.checks);
  EXPECT_EQ(opened.checks->totals(1, 0), (StreamTotals{3, 3}));
  EXPECT_EQ(opened.checks->totals(1, 1), (StreamTotals{3, 6}));
  const ChunkChecks second = opened.checks->chunk(1);
  EXPECT_EQ(second.totals, (std::vector<StreamTotals>{{3, 3}, {3, 6}}));
  EXPECT_EQ(second.layout.part_count, 2);
  // The lengths take 12 bytes, dense blocks take 8, and sparse blocks 28. The first part has one
  // sequence.
  EXPECT_EQ(second.layout.starts, (std::vector<std::int64_t>{12, 20, 36, 64, 120}));
  EXPECT_EQ(second.layout.hashes.size(), 4);
  EXPECT_EQ(second.layout.start(1, 1), 64);
  EXPECT_EQ(second.layout.start(1, 2), 120);
}

TEST(Checks, RoundTrip) {
  const std::string bytes = to_bytes(file_with_checks());
  const Opened opened(bytes);
  std::string section;
  append_checks_head(section);
  for (std::int64_t i = 0; i < 2; ++i) append_chunk_checks(section, opened.checks->chunk(i));
  const auto header = static_cast<std::size_t>(opened.file.header_offset);
  const auto end = static_cast<std::size_t>(opened.file.end_offset);
  append_checks_end(section, bytes.substr(header, end - header));
  EXPECT_EQ(section, bytes.substr(end, bytes.size() - end - 8));
}

TEST(Checks, AreAbsentFromOldFiles) {
  CbfTestFile file = file_with_checks();
  file.parts = 0;
  EXPECT_FALSE(Opened(to_bytes(file)).checks);
  file.tail = "sheafchk";
  EXPECT_FALSE(Opened(to_bytes(file)).checks) << "too short";
  file.tail = "sheafchk\2" + std::string(40, '\0');
  EXPECT_FALSE(Opened(to_bytes(file)).checks) << "of another version";
}

TEST(Checks, FindAnyChangedByteOfHeaderAndChecks) {
  const std::string good = to_bytes(file_with_checks());
  const Opened opened(good);
  const auto begin = static_cast<std::size_t>(opened.file.header_offset);
  const auto magic = static_cast<std::size_t>(opened.file.end_offset);
  for (std::size_t at = begin; at < good.size(); ++at) {
    if (at >= magic && at < magic + 12) continue;  // otherwise the file would have no checks
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_THROW(Opened{bytes}, DataError) << "byte " << at - begin << " from the header on";
  }
}

// Checks with arbitrary content, under a last hash that matches.
class ForgedChecks {
 public:
  template <typename T>
  [[nodiscard]] std::string with(std::size_t at, T number) const {
    std::string bytes = good_;
    std::memcpy(bytes.data() + section_ + at, &number, sizeof number);
    return hashed(std::move(bytes));
  }

  [[nodiscard]] std::string with_more(std::size_t byte_count) const {
    std::string bytes = good_;
    bytes.insert(bytes.size() - 16, byte_count, '\0');
    return hashed(std::move(bytes));
  }

 private:
  [[nodiscard]] std::string hashed(std::string bytes) const {
    const std::size_t at = bytes.size() - 16;
    const std::uint64_t hash = XXH3_64bits(bytes.data() + header_, at - header_);
    std::memcpy(bytes.data() + at, &hash, sizeof hash);
    return bytes;
  }

  std::string good_ = to_bytes(file_with_checks());
  std::size_t header_ = static_cast<std::size_t>(Opened(good_).file.header_offset);
  std::size_t section_ = static_cast<std::size_t>(Opened(good_).file.end_offset);
};

void expect_refused(const std::string& bytes, const std::string& found) {
  try {
    const Opened other(bytes);
    ADD_FAILURE() << found;
  } catch (const DataError& error) {
    const Diagnostic& diagnostic = error.diagnostics().front();
    EXPECT_EQ(diagnostic.code, "cbf-checks");
    EXPECT_EQ(diagnostic.found, found);
  }
}

TEST(Checks, ImpossibleCountsAreRefused) {
  constexpr std::size_t kTotals = 16 + 12;  // after the head, the parts and the hash of the lengths
  const ForgedChecks forged;
  EXPECT_NO_THROW(Opened{forged.with(kTotals, std::int64_t{30})}) << "numbers of four bytes in 120";
  for (const std::int64_t n : {std::int64_t{31}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const std::string number = std::to_string(n);
    expect_refused(forged.with(kTotals, n), number + " samples and 3 values in 120 bytes");
    expect_refused(forged.with(kTotals + 24, n),
                   "3 samples and " + number + " values in 120 bytes");
  }
}

TEST(Checks, RecordsThatDoNotFitTheChunksAreRefused) {
  constexpr std::size_t kParts = 16;
  constexpr std::size_t kRecordSize = 12 + 2 * 16 + 2 * 2 * 16;
  const ForgedChecks forged;
  expect_refused(forged.with(kParts, std::uint32_t{0}), "0 parts of 3 sequences");
  expect_refused(forged.with(kParts, std::uint32_t{4}), "4 parts of 3 sequences");
  expect_refused(forged.with(kParts + kRecordSize, std::uint32_t{3}), "too few of them");
  expect_refused(forged.with_more(8), "more of them than chunks");
}

TEST(Checks, ADamagedByteSpoilsOnlyItsPart) {
  const std::string good = to_bytes(file_with_checks());
  const Format& format = find_format("x.cbf", {});
  for (std::size_t at = 12; at < 12 + 120; ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const conformance::ReferenceResult result = conformance::read_all(format, bytes, {});
    if (at < 12 + 12) {
      ASSERT_TRUE(result.fatal) << "lengths have a hash, too";
      EXPECT_EQ(result.fatal->code, "cbf-hash");
      continue;
    }
    const bool is_first_part = at < 12 + 20 || (at >= 12 + 36 && at < 12 + 64);
    ASSERT_EQ(result.sequences.size(), 6);
    for (std::size_t i = 0; i < 6; ++i) {
      const bool is_spoilt = is_first_part ? i == 0 : i == 1 || i == 2;
      EXPECT_EQ(result.sequences[i].is_hole, is_spoilt) << "byte " << at << ", sequence " << i;
    }
    EXPECT_EQ(result.diagnostics.front().code, "cbf-hash");
  }
}

}  // namespace
}  // namespace sheaf::cbf
