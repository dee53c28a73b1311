// Single sequences: Reader::sequence() and Reader::sequence_at().

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "sequencer/made_up_options.h"
#include "support/fake_deserializer.h"

namespace sheaf::testing {
namespace {

/// Returns the content of a minibatch, without its position.
std::string content_of(std::optional<Minibatch> minibatch) {
  if (!minibatch) return "nothing";
  minibatch->position = {};
  minibatch->ends_sweep = minibatch->ends_epoch = false;
  return to_text(*minibatch);
}

/// Returns the sequences of some sweeps one by one, as one worker delivers them. Returns single
/// frames if the order splits frames.
std::vector<std::string> one_by_one(RunParts parts, std::int64_t sweeps) {
  parts.order.unit = MinibatchUnit::sequences;
  parts.order.minibatch_size = 1;
  parts.order.worker_count = 1;
  parts.order.worker_index = 0;
  parts.order.epochs = 1;
  parts.order.epoch_size = {};
  parts.order.sweeps = sweeps;
  Reader reader = open(parts, {.threads = 1});
  std::vector<std::string> contents;
  while (std::optional<Minibatch> minibatch = reader.next()) {
    contents.push_back(content_of(std::move(minibatch)));
  }
  return contents;
}

RunParts made_up_parts() {
  FakeData data = small_data();
  data.sample_size_bytes = *rc::gen::element<std::int64_t>(1'000, 200'000, 1'000'000);
  data.measure = {.name = "points"};
  data.costs = data.lengths;
  RunParts parts = {.data = fake(std::move(data)), .order = made_up_options()};
  parts.order.batching = Batching::plain;  // only plain batches number their sequences
  parts.order.truncation_length = {};
  parts.fickle_seed = *any_of<std::uint64_t>(0, 3);
  parts.packing = parts.order.split_frames
                      ? Layout::frames
                      : *rc::gen::element(Layout::padded, Layout::ragged, Layout::packed);
  return parts;
}

RC_GTEST_PROP(RandomAccessLaws, ASequenceByNumberEqualsThatOfTheSweep, ()) {
  constexpr std::int64_t kSweeps = 2;
  RunParts parts = made_up_parts();
  parts.fickle_seed = 0;  // the fickle order would hide sequence_at()
  const std::vector<std::string> expected = one_by_one(parts, kSweeps);
  const std::int64_t count = std::ssize(expected) / kSweeps;
  Reader reader = open(parts, {.threads = 2});
  for (std::int64_t i = 0; i < std::ssize(expected); ++i) {
    RC_ASSERT(content_of(reader.sequence_at(i / count, i % count)) ==
              expected[static_cast<std::size_t>(i)]);
  }
  RC_ASSERT(!reader.sequence_at(0, count).has_value());
  RC_ASSERT(!reader.sequence_at(0, -1).has_value());
  RC_ASSERT(!reader.sequence_at(-1, 0).has_value());
}

RC_GTEST_PROP(RandomAccessLaws, ASequenceByKeyEqualsThatOfTheSweep, ()) {
  RunParts parts = made_up_parts();
  parts.order.split_frames = false;
  parts.order.long_sequences = LongSequences::error;
  if (parts.packing == Layout::frames) parts.packing = Layout::ragged;
  const std::vector<std::string> expected = one_by_one(parts, 1);
  Reader reader = open(parts, {.threads = 2});
  for (const std::string& content : expected) {
    const std::uint64_t key = std::stoull(content.substr(content.find(' ') + 1));
    RC_ASSERT(content_of(reader.sequence({.low = key})) == content);
  }
  RC_ASSERT(!reader.sequence({.low = 5}).has_value());
}

RC_GTEST_PROP(RandomAccessLaws, RandomAccessDoesNotChangeTheRun, ()) {
  const RunParts parts = made_up_parts();
  const bool can_tell = parts.fickle_seed == 0;
  const Outcome expected = run(parts, {.threads = 2});
  Reader reader = open(parts, {.threads = 2});
  std::vector<std::string> minibatches;
  Position position = reader.position();
  for (std::int64_t i = 0; true; ++i) {
    std::optional<Minibatch> found;
    if (!parts.order.split_frames) {
      found = reader.sequence({.low = FakeDeserializer::key(2, i % 7)});
    } else if (can_tell) {
      found = reader.sequence_at(i % 3, i % 20);
    }
    if (found) {
      RC_ASSERT(found->position == position);
      RC_ASSERT(!found->ends_sweep && !found->ends_epoch);
    }
    RC_ASSERT(reader.position() == position);
    const std::optional<Minibatch> minibatch = reader.next();
    if (!minibatch) break;
    minibatches.push_back(to_text(*minibatch));
    position = minibatch->position;
  }
  RC_ASSERT(minibatches == expected.minibatches);
  RC_ASSERT(reader.stats().sequences == expected.stats.sequences);
  RC_ASSERT(reader.stats().minibatches == expected.stats.minibatches);
}

std::vector<std::int64_t> keys_of(const std::optional<Minibatch>& minibatch) {
  std::vector<std::int64_t> keys;
  if (!minibatch) return keys;
  for (const SequenceKey& key : minibatch->keys()) {
    keys.push_back(static_cast<std::int64_t>(key.low));
  }
  return keys;
}

TEST(RandomAccess, WorksAfterTheEndAndAfterAnError) {
  FakeData data = small_data();
  data.wrong = {{{0, 2}, {20}}};
  Reader reader = open({.data = fake(data)}, {.threads = 2});
  EXPECT_THROW(static_cast<void>(reader.next()), DataError);
  EXPECT_EQ(keys_of(reader.sequence({.low = 3006})), std::vector<std::int64_t>{3006});
  EXPECT_THROW(static_cast<void>(reader.next()), DataError);

  Reader whole = open({.data = fake(small_data())}, {.threads = 2});
  const Outcome outcome = run(whole);
  EXPECT_EQ(keys_of(whole.sequence({.low = 4008})), std::vector<std::int64_t>{4008});
  EXPECT_EQ(keys_of(whole.sequence_at(1, 0)), std::vector<std::int64_t>{1000});
  EXPECT_EQ(whole.position(), outcome.positions.back());
  EXPECT_FALSE(whole.next());
}

TEST(RandomAccess, ReadsOnlyTheRequestedSequence) {
  FakeData data = small_data();
  data.sample_size_bytes = 1000;  // a chunk is a unit
  std::vector<ChunkRange> read;
  data.on_read = [&](const ChunkRange& range) { read.push_back(range); };
  const auto deserializer = fake(std::move(data));
  Reader reader(deserializer, std::make_unique<WrittenSequencer>(std::vector<WrittenStep>()),
                padded_packer(), {.threads = 1});
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.sequence({.low = 3006}));
  EXPECT_TRUE(reader.sequence({.low = 2000}));
  EXPECT_FALSE(reader.sequence({.low = 2001}));
  EXPECT_EQ(read, (std::vector<ChunkRange>{{ChunkIndex{2}, 6, 1}, {ChunkIndex{1}, 0, 1}}));
}

TEST(RandomAccess, FindsTheFirstOfEqualKeys) {
  FakeData data = small_data();
  data.keys = {{{2, 3}, {.low = 7}}, {{0, 9}, {.low = 7}}, {{0, 4}, {.low = 7}}};
  const RunParts parts = {.data = fake(data)};
  Reader reader = open(parts, {.threads = 1});
  EXPECT_EQ(content_of(reader.sequence({.low = 7})), content_of(reader.sequence_at(0, 4)));
  EXPECT_NE(content_of(reader.sequence({.low = 7})), content_of(reader.sequence_at(0, 9)));
}

/// Returns small data whose keys are the texts "a", "ab", ...
FakeData named_data() {
  FakeData data;
  data.lengths = {{1, 2, 1, 3}};
  const auto text = [](std::int64_t sequence) {
    return std::string("abcd").substr(0, static_cast<std::size_t>(sequence) + 1);
  };
  for (std::int64_t i = 0; i < 4; ++i) data.keys[{0, i}] = key_of_text(text(i));
  const auto first = std::make_shared<std::int64_t>(0);
  data.on_read = [=](const ChunkRange& range) { *first = range.first; };
  data.on_chunk = [=](Chunk chunk) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) texts.push_back(text(*first + i));
    chunk.set_key_texts(std::move(texts));
    return chunk;
  };
  return data;
}

TEST(RandomAccess, ATextIsFoundByItsHash) {
  const auto deserializer = fake(named_data());
  Reader reader(deserializer, std::make_unique<WrittenSequencer>(std::vector<WrittenStep>()),
                ragged_packer(), {.threads = 1});
  for (const char* text : {"a", "abcd", "ab"}) {
    const std::optional<Minibatch> found = reader.sequence(text);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->key_texts()[0], text);
    EXPECT_EQ(found->keys()[0], key_of_text(text));
  }
  EXPECT_FALSE(reader.sequence("b"));
  EXPECT_FALSE(reader.sequence(""));
  EXPECT_FALSE(reader.sequence({.low = 1000}));
}

TEST(RandomAccess, AnEmptyTextIsAKey) {
  FakeData data;
  data.lengths = {{1, 2}};
  for (std::int64_t i = 0; i < 2; ++i) data.keys[{0, i}] = key_of_text(i == 0 ? "" : "a");
  const auto first = std::make_shared<std::int64_t>(0);
  data.on_read = [=](const ChunkRange& range) { *first = range.first; };
  data.on_chunk = [=](Chunk chunk) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      texts.emplace_back(*first + i == 0 ? "" : "a");
    }
    chunk.set_key_texts(std::move(texts));
    return chunk;
  };
  const auto deserializer = fake(std::move(data));
  Reader reader(deserializer, std::make_unique<WrittenSequencer>(std::vector<WrittenStep>()),
                ragged_packer(), {.threads = 1});
  for (const char* text : {"", "a"}) {
    const std::optional<Minibatch> found = reader.sequence(text);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->keys()[0], key_of_text(text));
    ASSERT_EQ(found->key_texts().size(), 1U);
    EXPECT_EQ(found->key_texts()[0], text);
  }
  EXPECT_FALSE(reader.sequence("b"));
}

TEST(RandomAccess, AnotherTextOfTheSameHashIsNotFound) {
  FakeData data = named_data();
  data.keys[{0, 1}] = key_of_text("another");
  const auto deserializer = fake(std::move(data));
  Reader reader(deserializer, std::make_unique<WrittenSequencer>(std::vector<WrittenStep>()),
                ragged_packer(), {.threads = 1});
  EXPECT_FALSE(reader.sequence("another"));
  EXPECT_TRUE(reader.sequence(key_of_text("another")));
}

TEST(RandomAccess, NumbersAreNotFoundByTexts) {
  Reader reader = open({.data = fake(small_data())}, {.threads = 1});
  EXPECT_FALSE(reader.sequence("1000"));
  EXPECT_FALSE(reader.sequence(""));
  EXPECT_TRUE(reader.sequence({.low = 1000}));
}

std::vector<std::int64_t> offsets_of(const DataError& error) {
  std::vector<std::int64_t> offsets;
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    offsets.push_back(diagnostic.byte_offset);
  }
  return offsets;
}

TEST(RandomAccess, AHoleIsAnErrorThatTheRunDoesNotCount) {
  FakeData data = small_data();
  data.wrong = {{{2, 5}, {255, 256, 257}}};
  data.warned = {256};
  const RunParts parts = {.data = fake(data)};
  Reader reader = open(parts, {.threads = 2, .max_errors = 2});
  for (int i = 0; i < 3; ++i) {
    try {
      static_cast<void>(reader.sequence({.low = 3005}));
      FAIL() << "it is a hole";
    } catch (const DataError& error) {
      EXPECT_EQ(offsets_of(error), (std::vector<std::int64_t>{255, 257}));
    }
  }
  EXPECT_THROW(static_cast<void>(reader.sequence_at(0, 16)), DataError);
  EXPECT_EQ(reader.stats().error_count, 0);
  EXPECT_TRUE(reader.diagnostics().empty());
  const Outcome outcome = run(reader);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.stats.error_count, 2);
}

TEST(RandomAccess, UndescribedErrorsAreLookedUp) {
  FakeData data = small_data();
  for (std::int64_t i = 0; i < 150; ++i) data.wrong[{2, 5}].push_back(1000 + i);
  Reader reader = open({.data = fake(data)}, {.threads = 1});
  try {
    static_cast<void>(reader.sequence({.low = 3005}));
    FAIL() << "it is a hole";
  } catch (const DataError& error) {
    EXPECT_EQ(std::ssize(error.diagnostics()), 100);
    EXPECT_EQ(error.diagnostics()[0].found, "byte 1000");
  }
}

TEST(RandomAccess, SequencesWithErrorsAreDeliveredUnlessFatal) {
  FakeData data = small_data();
  data.flawed = {{{0, 0}, {5, 6}}, {{0, 3}, {31, 32, 33}}, {{3, 8}, {380}}};
  data.fatal = {32};
  data.warned = {380};
  const std::string good =
      content_of(open({.data = fake(small_data())}, {}).sequence({.low = 1000}));
  Reader reader = open({.data = fake(data)}, {.threads = 1});
  EXPECT_EQ(content_of(reader.sequence({.low = 1000})), good);
  EXPECT_TRUE(reader.sequence({.low = 4008}));
  try {
    static_cast<void>(reader.sequence({.low = 1003}));
    FAIL() << "an error is fatal";
  } catch (const DataError& error) {
    EXPECT_EQ(offsets_of(error), (std::vector<std::int64_t>{31, 32}));
  }
  EXPECT_EQ(reader.warnings().size(), 0U);
}

TEST(RandomAccess, AFailedReadFailsOnlyItsCall) {
  FakeData data = small_data();
  const auto fails = std::make_shared<bool>(false);
  data.on_read = [=](const ChunkRange&) {
    if (*fails) throw IoError("made-up: no byte");
  };
  const auto deserializer = fake(std::move(data));
  Reader reader(deserializer, std::make_unique<WrittenSequencer>(std::vector<WrittenStep>()),
                padded_packer(), {.threads = 1});
  *fails = true;
  EXPECT_THROW(static_cast<void>(reader.sequence({.low = 1000})), IoError);
  *fails = false;
  EXPECT_TRUE(reader.sequence({.low = 1000}));
}

std::string error_of(Reader& reader, std::optional<std::int64_t> number) {
  try {
    static_cast<void>(number ? reader.sequence_at(0, *number) : reader.sequence({.low = 1001}));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(RandomAccess, AnUnpackableSequenceIsAnError) {
  RunParts parts = {.data = fake(small_data()), .order = {.minibatch_size = 8}};
  parts.order.truncation_length = 2;
  Reader truncated = open(parts, {.threads = 1});
  EXPECT_EQ(error_of(truncated, {}),
            "packing: `truncated` takes sequences that an order with a truncation_length has cut");
  EXPECT_EQ(
      error_of(truncated, 1),
      "sequence_at: sequences are delivered in pieces, several at a time, where they are cut; "
      "leave truncation_length out");
  EXPECT_TRUE(truncated.next());

  parts.order.truncation_length = {};
  parts.order.split_frames = true;
  parts.packing = Layout::frames;
  Reader frames = open(parts, {.threads = 1});
  const std::string several =
      "packing: sequence 1001 has 4 samples in stream \"x\": `frames` takes";
  EXPECT_EQ(error_of(frames, {}).substr(0, several.size()), several);
  EXPECT_EQ(error_of(frames, 3), "none");
}

TEST(RandomAccess, AnOrderThatNamesAMissingSequenceIsRefused) {
  /// Returns the results that a test sets.
  class Telling final : public Sequencer {
   public:
    explicit Telling(Step step) : step_(std::move(step)) {}
    [[nodiscard]] std::string_view algorithm() const noexcept override { return "telling"; }
    [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
    [[nodiscard]] std::optional<Step> step(const Place&, OrderCursor&,
                                           const StepRoom&) const override {
      return {};
    }
    [[nodiscard]] std::optional<Step> sequence_at(std::int64_t, std::int64_t,
                                                  OrderCursor&) const override {
      return step_;
    }

   private:
    Step step_;
  };
  const Step steps[] = {
      {},
      {.sequences = {{ChunkIndex{0}, 1}, {ChunkIndex{0}, 2}}},
      {.sequences = {{ChunkIndex{0}, 1}}, .slices = {{0, 1}, {0, 1}}},
      {.sequences = {{ChunkIndex{4}, 0}}},
      {.sequences = {{ChunkIndex{1}, 1}}},
  };
  for (const Step& step : steps) {
    Reader reader(fake(small_data()), std::make_unique<Telling>(step), padded_packer());
    EXPECT_THROW(static_cast<void>(reader.sequence_at(0, 0)), InternalError);
  }
}

}  // namespace
}  // namespace sheaf::testing
