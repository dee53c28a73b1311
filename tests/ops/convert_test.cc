#include "sheaf/convert.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/interruption.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"
#include "support/interrupting.h"

namespace sheaf {
namespace {

class Convert : public ::testing::Test, protected testing::ConversionData {};

TEST_F(Convert, TheBytesAreTheSameForAnyThreadsAndMemory) {
  convert("one.cbf", {.run = {.threads = 1}});
  const std::string bytes = read("one.cbf");
  const ConvertReport report =
      convert("two.cbf", {.run = {.threads = 3, .memory_limit_bytes = std::int64_t{1} << 30}});
  EXPECT_EQ(read("two.cbf"), bytes);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].bytes, std::ssize(bytes));
  EXPECT_EQ(report.files[0].sequences, kSequenceCount);
  EXPECT_EQ(report.files[0].samples, 1000);
}

TEST_F(Convert, ConvertingToTheSameFormatChangesNothing) {
  convert("out.ctf");
  EXPECT_EQ(read("out.ctf"), read("in.ctf"));
}

TEST_F(Convert, AnOrderWithoutAWindowGetsTheDefault) {
  convert("out.ctf", {.order = {.algorithm = OrderAlgorithm::keyed, .seed = 5}});
  EXPECT_NE(read("out.ctf"), read("in.ctf"));
  EXPECT_EQ(read("out.ctf").size(), read("in.ctf").size());
}

TEST_F(Convert, AReaderIsConvertedInItsOrder) {
  Reader reader("in.ctf", {.order = {.minibatch_size = 7}}, {.files = &files()});
  const ConvertReport report =
      sheaf::convert(reader, "out.ctf", {.writer = {.files = &files()}, .run = {.threads = 2}});
  EXPECT_EQ(read("out.ctf"), read("in.ctf"));
  EXPECT_EQ(report.files[0].sequences, kSequenceCount);
  EXPECT_THROW(sheaf::convert(reader, "out.ctf", {.shards = 2}), ConfigError);
}

/// Returns the cost of each sequence, by key.
std::map<std::uint64_t, std::int64_t> costs_of(const Deserializer& data) {
  std::map<std::uint64_t, std::int64_t> costs;
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    const auto table = data.index().sequences(chunk);
    const std::optional<SampleCounts> of_chunk = data.index().costs(chunk);
    for (std::int64_t i = 0; of_chunk && i < table->size(); ++i) {
      costs[table->key(i).low] = (*of_chunk)[i];
    }
  }
  return costs;
}

TEST_F(Convert, AContainerKeepsTheCostsOfItsSource) {
  const std::map<std::uint64_t, std::int64_t> expected = costs_of(*open("in.ctf"));
  ASSERT_EQ(std::ssize(expected), kSequenceCount);
  ASSERT_EQ(expected.at(7), 4 * std::ssize(std::string("7 |x 7 0.5\n")));
  const WriterOptions writer{.format = {.chunk_size_bytes = 700}};
  convert("file.sheaf", {.writer = writer, .run = {.threads = 3}});
  convert("keyed.sheaf", {.order = {.algorithm = OrderAlgorithm::keyed, .seed = 5}});
  for (const char* const name : {"file.sheaf", "keyed.sheaf"}) {
    const auto data = open(name);
    EXPECT_EQ(data->index().cost_measure().name, "bytes") << name;
    EXPECT_EQ(costs_of(*data), expected) << name;
  }
  ConvertOptions again{.writer = writer};
  again.writer.files = &files();
  sheaf::convert(open("file.sheaf"), "again.sheaf", again);
  EXPECT_EQ(read("again.sheaf"), read("file.sheaf"));
}

TEST_F(Convert, DividedContainersKeepTheirCosts) {
  const std::map<std::uint64_t, std::int64_t> expected = costs_of(*open("in.ctf"));
  std::map<std::uint64_t, std::int64_t> found;
  const auto add = [&](const std::string& path) { found.merge(costs_of(*open(path))); };
  convert("split.sheaf", {.split = parse_split("a=0.25,b=0.75")});
  for (const char* const part : {"split.a.sheaf", "split.b.sheaf"}) add(part);
  EXPECT_EQ(found, expected);
  found.clear();
  for (const WrittenFile& file : convert("shard.sheaf", {.shards = 3}).files) add(file.path);
  EXPECT_EQ(found, expected);
  convert("some.sheaf", {.selected = {.keys = {{"7", "399", "0"}}}});
  EXPECT_EQ(costs_of(*open("some.sheaf")),
            (std::map<std::uint64_t, std::int64_t>{
                {0, expected.at(0)}, {7, expected.at(7)}, {399, expected.at(399)}}));
}

TEST_F(Convert, CostsBelongToTheSequencesThatAreWritten) {
  write("bad.ctf", "1 |x 1\n2 |x 2.25 3\n3 |x 333\n4 |x 4.5\n");
  FormatOptions format{.streams = {{.name = "x", .sample_shape = Shape{1}}}};
  ConvertOptions options{.max_errors = 1};
  options.writer.files = &files();
  EXPECT_EQ(sheaf::convert(open("bad.ctf", format), "good.sheaf", options).holes, 1);
  EXPECT_EQ(costs_of(*open("good.sheaf")),
            (std::map<std::uint64_t, std::int64_t>{{1, 7}, {3, 9}, {4, 9}}));
}

TEST_F(Convert, AReaderThatNotesCostsPassesThemOn) {
  for (const bool notes_costs : {false, true}) {
    Reader reader("in.ctf", {.order = {.minibatch_size = 7}, .run = {.notes_costs = notes_costs}},
                  {.files = &files()});
    EXPECT_EQ(reader.notes_costs(), notes_costs);
    sheaf::convert(reader, "out.sheaf", {.writer = {.files = &files()}});
    EXPECT_EQ(open("out.sheaf")->index().cost_measure().name, notes_costs ? "bytes" : "");
    if (!notes_costs) continue;
    EXPECT_EQ(costs_of(*open("out.sheaf")), costs_of(*open("in.ctf")));
  }
}

TEST_F(Convert, DataWithoutCostsGiveAContainerWithout) {
  convert("in.cbf");
  sheaf::convert(open("in.cbf"), "out.sheaf", {.writer = {.files = &files()}});
  EXPECT_EQ(open("out.sheaf")->index().cost_measure().name, "");
  EXPECT_TRUE(costs_of(*open("out.sheaf")).empty());
}

TEST_F(Convert, SequencesAreSelectedByKeyLengthAndShare) {
  Selection selected{.keys = {{"7", "399", "0", "7"}}};
  EXPECT_EQ(convert("keys.ctf", {.selected = selected}).files[0].sequences, 3);
  EXPECT_TRUE(read("keys.ctf").starts_with("0 |x 0 0.5\n7 |x 7 0.5\n"));

  selected = {.min_length = 2, .max_length = 3};
  EXPECT_EQ(convert("length.ctf", {.selected = selected}).files[0].samples, 500);

  selected = {.share = parse_share("0.25")};
  const std::int64_t count = convert("share.ctf", {.selected = selected}).files[0].sequences;
  convert("split.ctf", {.split = parse_split("a=0.25,b=0.75")});
  EXPECT_EQ(read("share.ctf"), read("split.a.ctf"));
  EXPECT_GT(count, 60);
}

TEST_F(Convert, ASelectionIsDividedIntoShardsOfEqualSamples) {
  const ConvertReport report =
      convert("out.ctf", {.selected = {.min_length = 4, .max_length = 4}, .shards = 5});
  for (const WrittenFile& file : report.files) EXPECT_EQ(file.samples, 80);
}

TEST_F(Convert, UnknownSelectedKeysAreAWarning) {
  const ConvertReport report = convert("out.ctf", {.selected = {.keys = {{"1", "1000", "999"}}}});
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].code, "convert-missing-keys");
  EXPECT_EQ(report.warnings[0].found, "none for 2 keys, of which 1000 is the first");
}

TEST_F(Convert, AnEmptySelectionIsRefusedAndLeavesNoFile) {
  EXPECT_EQ(testing::error_of([&] { convert("out.ctf", {.selected = {.min_length = 5}}); }),
            "selected: no sequence of the data is selected");
  EXPECT_FALSE(exists("out.ctf"));
}

TEST_F(Convert, LostKeysAreAWarningUnlessDisabled) {
  const Selection odd{.keys = {{"5"}}};
  const ConvertReport report = convert("out.cbf", {.selected = odd});
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].code, "convert-keys");
  EXPECT_EQ(report.warnings[0].found, "5 of sequence 0");
  EXPECT_TRUE(convert("b.cbf", {.selected = odd, .warns_of_lost_keys = false}).warnings.empty());
}

TEST_F(Convert, ErrorsAreToleratedAndCounted) {
  write("in.ctf", "0 |x 1\n1 |x z\n2 |x 3\n");
  EXPECT_THROW(convert("out.ctf"), DataError);
  EXPECT_FALSE(exists("out.ctf"));
  const ConvertReport report = convert("out.ctf", {.max_errors = 1});
  EXPECT_EQ(report.holes, 1);
  EXPECT_EQ(report.error_count, 1);
  ASSERT_EQ(report.diagnostics.size(), 1U);
  EXPECT_EQ(report.diagnostics[0].line, 2);
  EXPECT_EQ(read("out.ctf"), "0 |x 1\n2 |x 3\n");
}

TEST_F(Convert, AnInterruptionLeavesNoFile) {
  testing::Interrupting interruption(4);
  const InterruptionScope scope(interruption);
  EXPECT_THROW(convert("out.ctf"), testing::Interrupted);
  EXPECT_FALSE(exists("out.ctf"));
}

TEST_F(Convert, ProgressReachesTheEndOfTheFile) {
  std::int64_t last = 0;
  convert("out.ctf", {.run = {.progress = [&](std::int64_t bytes) { last = bytes; }}});
  EXPECT_EQ(last, std::ssize(read("in.ctf")));
}

TEST_F(Convert, ProgressOfContainersCountsTheBytesOfTheFiles) {
  ConvertOptions small_chunks;
  small_chunks.writer.format.chunk_size_bytes = 500;
  convert("in.sheaf", small_chunks);
  const std::int64_t container = std::ssize(read("in.sheaf"));
  const std::int64_t text = std::ssize(read("in.ctf"));
  const auto told_of = [&](const std::shared_ptr<const Deserializer>& data) {
    std::vector<std::int64_t> told;
    ConvertOptions options{.run = {.progress = [&](std::int64_t bytes) { told.push_back(bytes); }}};
    options.writer.files = &files();
    options.writer.existing = Existing::replace;
    sheaf::convert(data, "out.cbf", options);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    return told;
  };
  const std::vector<std::int64_t> told = told_of(open("in.sheaf"));
  EXPECT_LT(told.front(), container / 2);
  EXPECT_EQ(told.back(), container);
  const std::shared_ptr<const Deserializer> both =
      concatenate({{open("in.sheaf"), "in.sheaf"}, {open("in.ctf"), "in.ctf"}},
                  {.keys = ConcatenatedKeys::number});
  EXPECT_EQ(told_of(both).back(), container + text);
}

TEST_F(Convert, ProgressOfAReaderCountsEverySweep) {
  const std::int64_t size = std::ssize(read("in.ctf"));
  const auto progress_of = [&](const OrderOptions& order) {
    std::vector<std::int64_t> told;
    const std::shared_ptr<const Deserializer> data = open("in.ctf", {.chunk_size_bytes = 500});
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, order), make_packer(Layout::ragged, order));
    ConvertOptions options{.run = {.progress = [&](std::int64_t bytes) { told.push_back(bytes); }}};
    options.writer.files = &files();
    sheaf::convert(reader, "out.cbf", options);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    return told;
  };
  const std::vector<std::int64_t> one = progress_of({.minibatch_size = 30});
  EXPECT_GT(one.size(), 30U);
  EXPECT_LT(one.front(), size / 20);
  EXPECT_EQ(one.back(), size);
  EXPECT_EQ(progress_of({.minibatch_size = 30, .sweeps = 3}).back(), 3 * size);
}

TEST_F(Convert, InvalidOptionsAreRefused) {
  EXPECT_THROW(convert("out.ctf", {.shards = -1}), ConfigError);
  EXPECT_THROW(convert("out.ctf", {.shards = 0}), ConfigError);
  EXPECT_THROW(convert("out.ctf", {.shards = 2, .split = parse_split("a=1")}), ConfigError);
  EXPECT_THROW(convert("out.ctf", {.shards = 2000}), ConfigError);
  EXPECT_THROW(convert("out.ctf", {.selected = {.keys = {{"a text"}}}}), ConfigError);
  EXPECT_THROW(convert("out.ctf", {.selected = {.min_length = 3, .max_length = 2}}), ConfigError);
}

}  // namespace
}  // namespace sheaf
