#include "ops/report/data_numbers.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/report.h"

#include "ops/report/report_data.h"
#include "ops/threads.h"
#include "support/fake_deserializer.h"

namespace sheaf::internal {
namespace {

DataNumbers numbers_of(const Deserializer& data, int threads = 2) {
  const OperationThreads executor({.threads = threads});
  return numbers_of_data(data, std::vector<bool>(data.streams().size()), executor.executor(), {});
}

TEST(DataNumbers, UnitsCombineInDataOrder) {
  testing::FakeData fake;
  fake.lengths = {{1, 2, 3}, {4, 5}, {0, 7, 1}};
  const testing::FakeDeserializer data(fake);
  const DataNumbers numbers = numbers_of(data);
  EXPECT_EQ(numbers.sequences, 8);
  EXPECT_EQ(numbers.lengths.total(), 23);
  EXPECT_EQ(numbers.longest.length, 7);
  EXPECT_EQ(numbers.longest.location, (CompactLocation{2, 1}));
  EXPECT_EQ(numbers.shortest.location, (CompactLocation{0, 0}));
  EXPECT_EQ(numbers.worker_samples[6], 7);
  EXPECT_EQ(numbers.chunk_end, ChunkIndex{3});
  EXPECT_EQ(numbers.slices.size(), 8U);
  EXPECT_EQ(numbers.slices[5].first, 5);
  EXPECT_EQ(numbers.keys.count, 8);
}

// Workers leave out hashes above the limit of the sample at some earlier time.
TEST(DataNumbers, TheHashSampleDependsOnTheDataAlone) {
  testing::FakeData fake;
  for (int chunk = 0; chunk < 100; ++chunk) fake.lengths.push_back({1, 2, 3, 4, 5, 6, 7, 8, 9});
  const testing::FakeDeserializer data(fake);
  SequenceSample expected(64);
  DataNumbers all = numbers_of(data);
  std::vector<HashedSequence> whole = all.hashes.take();
  EXPECT_GT(whole.size(), 64U);
  std::vector<HashedSequence> in_order = whole;
  std::ranges::sort(in_order, {}, &HashedSequence::location);
  for (const HashedSequence& each : in_order) expected.add(each);
  const std::uint64_t threshold = expected.threshold();
  const std::vector<HashedSequence> kept = expected.take();
  for (const int threads : {1, 8}) {
    const OperationThreads executor({.threads = threads});
    DataNumbers numbers = numbers_of_data(data, std::vector<bool>(data.streams().size()),
                                          executor.executor(), {.hashes_max = 64});
    EXPECT_EQ(numbers.hashes.threshold(), threshold);
    EXPECT_EQ(numbers.hashes.take(), kept);
  }
}

TEST(DataNumbers, WarningsAboutAllDataComeFirst) {
  testing::FakeData fake;
  fake.lengths = {{1, 2}};
  fake.warnings = {{.severity = Severity::warning, .code = "whole"}};
  fake.flawed = {{{0, 1}, {17}}};
  fake.warned = {17};
  const DataNumbers numbers = numbers_of(testing::FakeDeserializer(fake));
  EXPECT_EQ(numbers.warning_count, 2);
  ASSERT_EQ(numbers.warnings.size(), 2U);
  EXPECT_EQ(numbers.warnings[0].code, "whole");
}

TEST(DataNumbers, AReadErrorPropagates) {
  testing::FakeData fake;
  fake.lengths = {{1}, {1}};
  fake.on_read = [](const ChunkRange& range) {
    if (range.chunk == ChunkIndex{1}) throw IoError("gone");
  };
  EXPECT_THROW(static_cast<void>(numbers_of(testing::FakeDeserializer(fake))), IoError);
}

/// Chunk 0 of other data. The other chunks cannot be read.
class CutIndex final : public Index {
 public:
  explicit CutIndex(const Index& whole) : whole_(whole) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    if (chunk == ChunkIndex{0}) return whole_.chunk(chunk);
    throw DataError({Diagnostic{.severity = Severity::fatal, .code = "cut"}});
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return whole_.sequences(chunk);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return whole_.memory_bytes(); }

 private:
  const Index& whole_;
};

class CutData final : public Deserializer {
 public:
  explicit CutData(const Deserializer& whole) : whole_(whole), index_(whole.index()) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return whole_.streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return "cut"; }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    return whole_.read(range, diagnostics);
  }

 private:
  const Deserializer& whole_;
  CutIndex index_;
};

TEST(DataNumbers, TruncatedDataAreDescribedUpToTheirEnd) {
  testing::FakeData fake;
  fake.lengths = {{1, 2}, {4, 5}};
  const testing::FakeDeserializer whole(fake);
  const CutData data(whole);
  const DataNumbers numbers = numbers_of(data);
  EXPECT_TRUE(numbers.is_cut);
  EXPECT_EQ(numbers.sequences, 2);
  EXPECT_EQ(numbers.error_count, 1);
  ASSERT_EQ(numbers.errors.size(), 1U);
  EXPECT_EQ(numbers.errors[0].code, "cut");
  const DataReport report = sheaf::report(
      OpenedData{.data = std::shared_ptr<const Deserializer>(std::shared_ptr<void>(), &data)},
      "cut");
  EXPECT_NE(report.json.find("\"is_cut\":true"), std::string::npos);
  EXPECT_EQ(report.verdict.front().text, "The data cannot be read to their end.");
}

class DataNumbersOfFiles : public ::testing::Test, protected testing::ReportData {};

TEST_F(DataNumbersOfFiles, DoNotDependOnThreads) {
  const auto data = open("in.ctf", {.chunk_size_bytes = 500});
  const DataNumbers one = numbers_of(*data, 1);
  const DataNumbers three = numbers_of(*data, 3);
  EXPECT_EQ(one.stream_numbers[0].bins, three.stream_numbers[0].bins);
  EXPECT_EQ(one.stream_numbers[0].dims.high, three.stream_numbers[0].dims.high);
  EXPECT_EQ(one.stream_numbers[0].part.values.squares, three.stream_numbers[0].part.values.squares);
  EXPECT_EQ(one.slices.size(), three.slices.size());
  EXPECT_EQ(one.sequences, kSequenceCount);
}

}  // namespace
}  // namespace sheaf::internal
