#include "sheaf/reader.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "reader/run_all.h"

namespace sheaf::testing {
namespace {

static_assert(!std::is_copy_constructible_v<Reader>);
static_assert(std::is_nothrow_move_constructible_v<Reader>);
static_assert(std::is_nothrow_move_assignable_v<Reader>);

TEST(Reader, WorksAfterBeingMoved) {
  const RunParts parts = {.data = fake(small_data())};
  const Outcome expected = run(parts, {.threads = 2});
  std::vector<std::string> minibatches;
  Reader reader = open(parts, {.threads = 2});
  minibatches.push_back(to_text(*reader.next()));
  Reader moved = std::move(reader);
  minibatches.push_back(to_text(*moved.next()));
  Reader assigned = open(parts, {.threads = 1});
  assigned = std::move(moved);  // destroys the old reader while it reads ahead
  EXPECT_EQ(assigned.position(), expected.positions[1]);
  for (const std::string& minibatch : run(assigned).minibatches) minibatches.push_back(minibatch);
  EXPECT_EQ(minibatches, expected.minibatches);
}

TEST(Reader, ThrowsAfterBeingMovedFrom) {
  Reader reader = open({.data = fake(small_data())}, {.threads = 1});
  Reader moved = std::move(reader);
  // NOLINTBEGIN(bugprone-use-after-move): programs make this mistake.
  const auto is_refused = [](const auto& call) {
    try {
      call();
    } catch (const InternalError& error) {
      return std::string_view(error.what()) ==
             "the Reader was moved from: it can only be destroyed or assigned to";
    }
    return false;
  };
  EXPECT_TRUE(is_refused([&] { (void)reader.next(); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.is_ready(); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.position(); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.warnings(); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.stats(); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.sequence(SequenceKey{}); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.sequence("a"); }));
  EXPECT_TRUE(is_refused([&] { (void)reader.sequence_at(0, 0); }));
  EXPECT_TRUE(reader.streams().empty());
  EXPECT_TRUE(reader.diagnostics().empty());
  reader = std::move(moved);
  EXPECT_TRUE(reader.next().has_value()) << "assigned to, it reads again";
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Reader, StartsAtTheBeginning) {
  Reader reader = open({.data = fake(small_data())}, {.threads = 1});
  EXPECT_EQ(reader.position().place, Place{});
  ASSERT_NE(reader.position().run, nullptr);
  const std::optional<Minibatch> minibatch = reader.next();
  EXPECT_EQ(reader.position(), minibatch->position);
}

TEST(Reader, ShowsTheStreamsOfItsDeserializer) {
  const auto data = fake(small_data());
  const Reader reader = open({.data = data}, {.threads = 1});
  ASSERT_EQ(reader.streams().size(), 2U);
  EXPECT_EQ(reader.streams()[0], data->streams()[0]);
  EXPECT_EQ(reader.streams()[1], data->streams()[1]);
}

TEST(Reader, EmptyDataEndsAtOnce) {
  Reader reader = open({.data = fake({})}, {.threads = 1});
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.stats().minibatches, 0);
}

TEST(Reader, ResumingAtTheEndEndsAtOnce) {
  const RunParts parts = {.data = fake(small_data())};
  RunOptions options = {.threads = 1};
  options.start = run(parts, options).positions.back();
  Reader reader = open(parts, options);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.position(), *options.start);
}

TEST(Reader, RefusesAnInvalidPlace) {
  const RunParts parts = {.data = fake(small_data())};
  RunOptions options = {.threads = 1};
  options.start = run(parts, options).positions[2];
  options.start->place.sequence = 1000;
  EXPECT_THROW(open(parts, options), ConfigError);
  options.start->place = {.sweep = -1};
  EXPECT_THROW(open(parts, options), ConfigError);
}

TEST(Reader, RefusesPartsThatAreMissing) {
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  const auto order = [&] { return std::make_unique<LinearSequencer>(counts, OrderOptions{}); };
  EXPECT_THROW(Reader(nullptr, order(), padded_packer()), ConfigError);
  EXPECT_THROW(Reader(data, nullptr, padded_packer()), ConfigError);
  EXPECT_THROW(Reader(data, order(), nullptr), ConfigError);
}

/// Refuses all streams.
class ChoosyPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "choosy"; }
  void check(std::span<const Stream> streams) const override {
    throw ConfigError("choosy: not stream \"" + streams[0].name + "\"");
  }
  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    return padded_packer()->pack(sequences, memory);
  }
};

TEST(Reader, RefusesUnpackableStreamsBeforeReading) {
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  try {
    const Reader reader(data, std::make_unique<LinearSequencer>(counts, OrderOptions{}),
                        std::make_unique<ChoosyPacker>());
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "choosy: not stream \"x\"");
  }
  EXPECT_EQ(data->read_count(), 0);
}

/// Loses one sequence.
class LosingPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "losing"; }
  void check(std::span<const Stream> /*streams*/) const override {}
  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    return padded_packer()->pack(SequenceList(sequences.streams()), memory);
  }
};

TEST(Reader, NamesABrokenPacker) {
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  const OrderOptions order = {.minibatch_size = 4, .unit = MinibatchUnit::sequences};
  Reader reader(data, std::make_unique<LinearSequencer>(counts, order),
                std::make_unique<LosingPacker>());
  try {
    static_cast<void>(reader.next());
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(),
                 "packer \"losing\": 4 sequences of 2 streams were to be packed, 0 of 2 came");
  }
}

TEST(Reader, ReportsTheShareOfPadding) {
  FakeData data;
  data.lengths = {{1, 1, 1, 97}, {3, 5}};  // two minibatches, of 100 samples and of 8
  RunParts parts = {.data = fake(data),
                    .order = {.minibatch_size = 4, .unit = MinibatchUnit::sequences}};
  const auto expect = [&](std::int64_t samples, std::int64_t rows) {
    const ReaderStats stats = run(parts, {}).stats;
    EXPECT_EQ(stats.samples, samples);
    EXPECT_EQ(stats.sample_places, rows);
    EXPECT_DOUBLE_EQ(stats.padding_ratio(),
                     static_cast<double>(rows - samples) / static_cast<double>(rows));
  };
  expect(108, 4 * 97 + 2 * 5);
  parts.packing = Layout::packed;
  expect(108, 2 * 97 + 2 * 5);
  parts.row_samples = 128;
  expect(108, 2 * 128);
  parts.row_samples = {};
  parts.packing = Layout::ragged;
  expect(108, 108);
  parts.packing = Layout::frames;
  parts.order.split_frames = true;
  expect(108, 108);
  parts.packing = Layout::truncated;
  parts.order = {.minibatch_size = 40, .truncation_length = 20};  // two slots
  expect(108, 40 * std::ssize(run(parts, {}).minibatches));
  EXPECT_EQ(ReaderStats{}.padding_ratio(), 0);
}

TEST(Reader, RowSamplesNeedThePackedLayout) {
  const OrderOptions whole;
  EXPECT_EQ(make_packer(Layout::padded, whole)->name(), "padded");
  EXPECT_EQ(make_packer(Layout::padded, whole, 9)->name(), "packed/9");
  EXPECT_EQ(make_packer(Layout::packed, whole, 9)->name(), "packed/9");
  const OrderOptions cut = {.minibatch_size = 9, .truncation_length = 3};
  const auto refusal = [](Layout layout, const OrderOptions& order,
                          std::optional<std::int64_t> row_samples) {
    try {
      static_cast<void>(make_packer(layout, order, row_samples));
      return std::string("none");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  for (const Layout layout : {Layout::ragged, Layout::frames, Layout::truncated}) {
    EXPECT_EQ(refusal(layout, whole, 9),
              "row_samples: slots of a fixed length are those of `packed`: leave packing out; got "
              "`" +
                  std::string(to_string(layout)) + "`");
  }
  EXPECT_EQ(refusal(Layout::padded, cut, 9),
            "row_samples: the slots hold whole sequences, and truncation_length cuts them: leave "
            "one out");
  EXPECT_EQ(refusal(Layout::packed, whole, -1), "row_samples must be 1 to 1000000000: got -1");
}

TEST(Reader, ASequenceLongerThanItsRowIsAnErrorUnlessAHole) {
  FakeData data = small_data();
  data.lengths[2][3] = 6;  // sequence 14, in the fifth minibatch of three
  const RunParts parts = {.data = fake(data), .row_samples = 5};
  for (const int threads : {1, 2, 8}) {
    const Outcome outcome = run(parts, {.threads = threads});
    EXPECT_EQ(outcome.minibatches.size(), 4U);
    EXPECT_NE(outcome.error.find("sequence 3003 has 6 samples in stream \"x\", more than the 5 of "
                                 "row_samples"),
              std::string::npos)
        << outcome.error;
  }
  data.wrong[{2, 3}] = {1};
  const Outcome outcome = run({.data = fake(data), .row_samples = 5}, {.max_errors = 9});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.stats.holes, 2);  // in two sweeps
}

TEST(Reader, ResumingNeedsTheSameRowSamples) {
  const auto data = fake(small_data());
  RunParts parts = {.data = data, .row_samples = 8};
  const RunOptions options = {.start = run(parts, {}).positions[1]};
  EXPECT_EQ(run(parts, options).minibatches.size(), 16U);
  parts.row_samples = 9;
  try {
    static_cast<void>(open(parts, options));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("packing was packed/8, is packed/9"),
              std::string::npos)
        << error.what();
  }
}

TEST(Reader, OpensAFileByPath) {
  const std::string path = ::testing::TempDir() + "sheaf_reader_test.ctf";
  {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                         &std::fclose);
    std::fputs("0 |x 1 2\n1 |x 3 4\n1 |x 5 6\n", file.get());
  }
  ReaderOptions options;
  options.format.streams = {{.name = "x", .sample_shape = Shape{2}}};
  options.run.threads = 1;
  Reader reader(path, options);
  const std::optional<Minibatch> minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(minibatch->sequence_count(), 2);
  const std::span<const float> values = minibatch->batch("x").values.as<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{1, 2, 0, 0, 3, 4, 5, 6}));
  EXPECT_FALSE(reader.next());
  options.row_samples = 4;
  const std::optional<Minibatch> of_rows = Reader(path, options).next();
  const StreamBatch& rows = of_rows->batch("x");
  EXPECT_EQ(rows.layout, Layout::packed);
  EXPECT_EQ(rows.sample_count_max, 4);
  options.row_samples = {};
  EXPECT_THROW(Reader(path + ".missing.ctf", options), IoError);
  options.order.minibatch_size = 0;
  EXPECT_THROW(Reader(path, options), ConfigError);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace sheaf::testing
