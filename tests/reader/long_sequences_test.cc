// Sequences longer than row_samples. A reader delivers the same pieces as from a file in which
// somebody cut the sequences.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "support/error_of.h"

namespace sheaf::testing {
namespace {

constexpr std::uint64_t kPiecesMax = 1000;  // piece number n of sequence k has key 1000 k + n in
                                            // the model

struct TextSequence {
  std::uint64_t key = 0;
  std::uint64_t value = 0;  // determines the values
  std::int64_t first = 0;   // the first sample
  std::int64_t count = 0;
};

std::string text_of(const std::vector<TextSequence>& sequences) {
  std::string text;
  for (const TextSequence& sequence : sequences) {
    for (std::int64_t t = sequence.first; t < sequence.first + sequence.count; ++t) {
      text += std::to_string(sequence.key) + " |x " + std::to_string(1000 * sequence.value) + " -" +
              std::to_string(t) + " |y " + std::to_string(t % 7) + ":" + std::to_string(t) + "\n";
    }
  }
  return text;
}

// Returns sequences of 1 to 23 samples, long ones between short ones.
std::vector<TextSequence> sequences() {
  std::vector<TextSequence> all;
  for (std::uint64_t key = 0; key < 60; ++key) {
    all.push_back({key, key, 0, 1 + static_cast<std::int64_t>(key * key * 5 % 23)});
  }
  return all;
}

std::vector<TextSequence> cut_beforehand(LongSequences long_sequences, std::int64_t row_samples) {
  std::vector<TextSequence> all;
  for (const TextSequence& whole : sequences()) {
    if (whole.count > row_samples && long_sequences == LongSequences::drop) continue;
    for (std::int64_t first = 0; first < whole.count; first += row_samples) {
      const auto piece = static_cast<std::uint64_t>(first / row_samples);
      all.push_back({kPiecesMax * whole.key + piece, whole.key, first,
                     std::min(row_samples, whole.count - first)});
      if (long_sequences == LongSequences::truncate) break;
    }
  }
  return all;
}

std::unique_ptr<FileSystem> files_of(const std::string& text) {
  std::unique_ptr<FileSystem> all = memory_files();
  const std::unique_ptr<ByteSink> sink = all->create("train.ctf");
  sink->write(std::as_bytes(std::span(text)));
  sink->finish();
  return all;
}

Spec spec_of(const OrderOptions& order, std::int64_t row_samples) {
  return {.data = {FilesSpec{.files = {"train.ctf"},
                             .format = {.chunk_size_bytes = 900,
                                        .read_size_bytes = 64,
                                        .index = {.mode = IndexMode::off}}}},
          .read = {.order = order, .row_samples = row_samples}};
}

/// Returns a minibatch as text, with the names of pieces as in the model.
std::string named_pieces(const Minibatch& minibatch, std::int64_t row_samples, bool is_model) {
  std::string text;
  for (std::size_t i = 0; i < minibatch.keys().size(); ++i) {
    std::uint64_t key = minibatch.keys()[i].low;
    if (!is_model) {
      const std::span<const SequenceSlice> slices = minibatch.slices();
      const std::int64_t first = slices.empty() ? 0 : slices[i].first;
      key = kPiecesMax * key + static_cast<std::uint64_t>(first / row_samples);
    }
    text += std::to_string(key) + " ";
  }
  for (std::int64_t s = 0; s < 2; ++s) {
    const StreamBatch& batch = minibatch.batch(s);
    for (const Buffer* buffer : {&batch.values, &batch.indices, &batch.row_offsets, &batch.lengths,
                                 &batch.slots, &batch.begins, &batch.mask}) {
      text.append(reinterpret_cast<const char*>(buffer->data()),
                  static_cast<std::size_t>(buffer->size_bytes()));
      text += '|';
    }
  }
  text += minibatch.ends_sweep ? "ends sweep" : "";
  text += minibatch.ends_epoch ? "ends epoch" : "";
  const Place& place = minibatch.position.place;
  return text + std::to_string(place.sequence) + "/" + std::to_string(place.sample);
}

std::vector<std::string> delivered(const Spec& spec, FileSystem& files, bool is_model) {
  Reader reader(spec, {.threads = 2}, {.files = &files});
  std::vector<std::string> all;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    all.push_back(named_pieces(*minibatch, *spec.read.row_samples, is_model));
  }
  return all;
}

TEST(LongSequences, EqualDataThatWereCutBeforehand) {
  const std::unique_ptr<FileSystem> files = files_of(text_of(sequences()));
  std::vector<OrderOptions> orders;
  for (const SweepEnds ends : {SweepEnds::cross, SweepEnds::cut}) {
    orders.push_back({.minibatch_size = 40, .sweeps = 2, .sweep_ends = ends});
    orders.push_back({.minibatch_size = 40, .epoch_size = 170, .epochs = 3, .sweep_ends = ends});
    orders.push_back({.minibatch_size = 6,
                      .unit = MinibatchUnit::sequences,
                      .sweeps = 2,
                      .sweep_ends = ends,
                      .worker_index = 1,
                      .worker_count = 3});
  }
  for (const LongSequences rule :
       {LongSequences::split, LongSequences::truncate, LongSequences::drop}) {
    for (const std::int64_t row_samples : {1, 7, 22, 23, 24}) {
      const auto cut = files_of(text_of(cut_beforehand(rule, row_samples)));
      for (std::size_t i = 0; i < orders.size(); ++i) {
        Spec spec = spec_of(orders[i], row_samples);
        const std::vector<std::string> expected = delivered(spec, *cut, true);
        spec.read.order.long_sequences = rule;
        EXPECT_EQ(delivered(spec, *files, false), expected)
            << to_string(rule) << ", rows of " << row_samples << ", order " << i;
        EXPECT_FALSE(expected.empty());
      }
    }
  }
}

// A shuffled order moves pieces like sequences. Each sample is delivered once, in its piece.
TEST(LongSequences, EachPieceIsDeliveredOnceInShuffledOrders) {
  const std::unique_ptr<FileSystem> files = files_of(text_of(sequences()));
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> pieces;
    for (const std::int64_t worker : {0, 1}) {
      const OrderOptions order{.minibatch_size = 50,
                               .long_sequences = LongSequences::split,
                               .worker_index = worker,
                               .worker_count = 2,
                               .algorithm = algorithm,
                               .seed = 3,
                               .window_chunks = 2};
      Reader reader(spec_of(order, 7), {.threads = 2}, {.files = files.get()});
      while (const std::optional<Minibatch> minibatch = reader.next()) {
        const StreamBatch& batch = minibatch->batch("x");
        const std::span<const float> values = batch.values.as<float>();
        for (std::size_t i = 0; i < minibatch->keys().size(); ++i) {
          const SequenceSlice& slice = minibatch->slices()[i];
          const auto row = static_cast<std::size_t>(batch.row(static_cast<std::int64_t>(i), 0));
          EXPECT_EQ(values[2 * row], static_cast<float>(1000 * minibatch->keys()[i].low));
          EXPECT_EQ(values[2 * row + 1], static_cast<float>(-slice.first));
          EXPECT_EQ(batch.lengths.as<std::int64_t>()[i], slice.count);
          EXPECT_TRUE(
              pieces.try_emplace({minibatch->keys()[i].low, slice.first}, slice.count).second);
        }
      }
    }
    std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> expected;
    for (const TextSequence& piece : cut_beforehand(LongSequences::split, 7)) {
      expected[{piece.value, piece.first}] = piece.count;
    }
    EXPECT_EQ(pieces, expected) << to_string(algorithm);
  }
}

TEST(LongSequences, HaveSlicesInEachMinibatch) {
  const std::unique_ptr<FileSystem> files = files_of("0 |x 1 0\n0 |x 2 0\n0 |x 3 0\n1 |x 4 0\n");
  const auto slices = [&](LongSequences rule, std::int64_t row_samples) {
    const OrderOptions order{.long_sequences = rule};
    Reader reader(spec_of(order, row_samples), {}, {.files = files.get()});
    const Minibatch minibatch = *reader.next();
    return std::vector<SequenceSlice>(minibatch.slices().begin(), minibatch.slices().end());
  };
  using Slices = std::vector<SequenceSlice>;
  EXPECT_EQ(slices(LongSequences::split, 2), (Slices{{0, 2, 3}, {2, 1, 3}, {0, 1, 1}}));
  EXPECT_EQ(slices(LongSequences::split, 3), (Slices{{0, 3, 3}, {0, 1, 1}}));
  EXPECT_EQ(slices(LongSequences::truncate, 2), (Slices{{0, 2, 3}, {0, 1, 1}}));
  EXPECT_EQ(slices(LongSequences::truncate, 9), (Slices{{0, 3, 3}, {0, 1, 1}}));
  EXPECT_EQ(slices(LongSequences::drop, 2), Slices{});
  EXPECT_EQ(slices(LongSequences::error, 3), Slices{});
}

std::string error_of_run(const std::string& text, LongSequences rule,
                         const std::vector<std::string>& transforms = {}) {
  const std::unique_ptr<FileSystem> files = files_of(text);
  OrderOptions order{.minibatch_size = 1, .unit = MinibatchUnit::sequences};
  order.long_sequences = rule;
  Spec spec = spec_of(order, 2);
  std::get<FilesSpec>(spec.data.content).format.missing_streams = MissingStreams::allow;
  for (const std::string& each : transforms) {
    spec.data.transforms.push_back(parse_transform(each));
  }
  Reader reader(spec, {.threads = 2}, {.files = files.get()});
  const Outcome outcome = run(reader);
  return std::to_string(outcome.minibatches.size()) + ": " +
         outcome.error.substr(std::min(outcome.error.size(), outcome.error.find("long: ")));
}

TEST(LongSequences, NeedStreamsOfEqualLength) {
  const std::string whole = "0 |x 1 |y 1\n0 |x 2\n";            // no longer than row_samples
  const std::string absent = "1 |x 1\n1 |x 2\n1 |x 3\n";        // y is absent
  const std::string unequal = "7 |x 1 |y 1\n7 |x 2\n7 |x 3\n";  // pieces would lose samples of x
  const std::string cut_first = "8 |x 1 |y 1\n8 |x 2 |y 2\n8 |y 3\n";
  const std::string because =
      ": a sequence that is longer than a row is cut at the same samples in every stream; leave "
      "one "
      "of the streams out, or make rows as long as the longest sequence";
  const std::string of_7 =
      "long: sequence 7 has 3 samples in stream \"x\" and 1 in stream \"y\"" + because;
  const std::string of_8 =
      "long: sequence 8 has 2 samples in stream \"x\" and 3 in stream \"y\"" + because;
  EXPECT_EQ(error_of_run(whole + absent + unequal, LongSequences::split), "3: " + of_7);
  EXPECT_EQ(error_of_run(whole + absent + unequal, LongSequences::truncate), "2: " + of_7);
  EXPECT_EQ(error_of_run(whole + absent + unequal, LongSequences::drop), "1: ");
  EXPECT_EQ(error_of_run(whole + cut_first, LongSequences::split), "1: " + of_8);
  // Transforms are applied before sequences are cut.
  EXPECT_EQ(error_of_run(whole + unequal, LongSequences::split, {"reverse"}), "1: " + of_7);
  EXPECT_EQ(error_of_run(whole + unequal, LongSequences::split, {"select:x"}), "3: ");
}

TEST(LongSequences, AreWholeByKeyAndPiecesByNumber) {
  const std::unique_ptr<FileSystem> files = files_of(text_of(sequences()));
  const OrderOptions order{.long_sequences = LongSequences::split};
  Reader reader(spec_of(order, 7), {}, {.files = files.get()});
  EXPECT_EQ(reader.sequence_at(0, 0)->slices()[0], (SequenceSlice{0, 1, 1}));
  EXPECT_EQ(reader.sequence_at(0, 2)->slices()[0], (SequenceSlice{0, 7, 21}));
  EXPECT_EQ(reader.sequence_at(0, 4)->slices()[0], (SequenceSlice{14, 7, 21}));
  EXPECT_EQ(reader.sequence_at(0, 4)->keys()[0].low, 2U);
  EXPECT_EQ(reader.sequence({.low = 0})->sample_count(), 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(reader.sequence({.low = 2})); }),
            "packing: sequence 2 has 21 samples in stream \"x\", more than the 7 of row_samples: "
            "make row_samples as large as the longest sequence, say with `long` what becomes of "
            "longer ones, or pack without row_samples");
}

TEST(LongSequences, CanBePaddedRows) {
  const std::unique_ptr<FileSystem> files = files_of(text_of(sequences()));
  Spec spec = spec_of({.minibatch_size = 8,
                       .unit = MinibatchUnit::sequences,
                       .long_sequences = LongSequences::split},
                      7);
  spec.read.row_samples.reset();
  spec.read.packing = Layout::padded;
  spec.read.padding.pad_length = 7;
  Reader reader(spec, {}, {.files = files.get()});
  std::int64_t samples = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    EXPECT_EQ(minibatch->batch(0).sample_count_max, 7);
    samples += minibatch->sample_count();
  }
  std::int64_t expected = 0;
  for (const TextSequence& sequence : sequences()) expected += sequence.count;
  EXPECT_EQ(samples, expected);
}

TEST(LongSequences, BindAPositionToTheirRuleAndLength) {
  const std::unique_ptr<FileSystem> files = files_of(text_of(sequences()));
  OrderOptions order{.long_sequences = LongSequences::split};
  Reader reader(spec_of(order, 7), {}, {.files = files.get()});
  static_cast<void>(reader.next());
  const auto resume = [&](LongSequences rule, std::int64_t row_samples) {
    OrderOptions other;
    other.long_sequences = rule;
    return error_of([&] {
      Reader(spec_of(other, row_samples), {.start = reader.position()}, {.files = files.get()});
    });
  };
  EXPECT_EQ(resume(LongSequences::split, 7), "none");
  for (const auto& [error, text] : {std::pair(resume(LongSequences::drop, 7), "\"drop/7\""),
                                    std::pair(resume(LongSequences::split, 8), "\"split/8\"")}) {
    EXPECT_NE(error.find("long"), std::string::npos) << error;
    EXPECT_NE(error.find("split/7"), std::string::npos) << error;
    EXPECT_NE(error.find(std::string(text).substr(1, 6)), std::string::npos) << error;
  }
}

// One sequence becomes 14,286 pieces, but is read once.
TEST(LongSequences, PiecesOfOneVeryLongSequenceAreDecodedOnce) {
  constexpr std::int64_t kLength = 100'000;
  for (const std::int64_t row_samples : {std::int64_t{7}, kLength - 1, kLength, kLength + 1}) {
    FakeData data;
    data.lengths = {{3, kLength, 5}};
    data.sample_size_bytes = 1;
    RunParts parts = {.data = fake(std::move(data)),
                      .order = {.minibatch_size = 3'000,
                                .unit = MinibatchUnit::sequences,
                                .long_sequences = LongSequences::split,
                                .row_samples = row_samples,
                                .algorithm = OrderAlgorithm::keyed,
                                .window_chunks = 1},
                      .packing = Layout::packed,
                      .row_samples = row_samples};
    const Outcome outcome = run(parts, {.threads = 2});
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.stats.samples, kLength + 8);
    EXPECT_EQ(outcome.stats.sequences, (kLength - 1) / row_samples + 1 + 2);
    EXPECT_EQ(parts.data->read_count(), 1);
    if (row_samples > 7) continue;
    const Outcome rest = run(parts, {.threads = 1, .start = outcome.positions[2]});
    EXPECT_EQ(rest.minibatches,
              std::vector<std::string>(outcome.minibatches.begin() + 3, outcome.minibatches.end()));
  }
}

}  // namespace
}  // namespace sheaf::testing
