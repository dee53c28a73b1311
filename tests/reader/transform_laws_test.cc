// The laws of transforms in a reader: transforms change the content of sequences, and nothing else.
// The result depends only on data, options, seed, sweep and key.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "support/test_transforms.h"

namespace sheaf::testing {
namespace {

constexpr std::int64_t kSequences = 90;

std::int64_t length_of(std::int64_t key) { return 1 + key * 5 % 11; }

// Sequence k has samples (1000 k + t, -t).
std::string text() {
  std::string all;
  for (std::int64_t key = 0; key < kSequences; ++key) {
    for (std::int64_t t = 0; t < length_of(key); ++t) {
      all += std::to_string(key) + " |x " + std::to_string(1000 * key + t) + " -" +
             std::to_string(t) + " |y " + std::to_string(t % 3) + ":1\n";
    }
  }
  return all;
}

std::unique_ptr<FileSystem> files() {
  std::unique_ptr<FileSystem> all = memory_files();
  const std::unique_ptr<ByteSink> sink = all->create("train.ctf");
  const std::string bytes = text();
  sink->write(std::as_bytes(std::span(bytes)));
  sink->finish();
  return all;
}

const std::unique_ptr<FileSystem>& shared_files() {
  static const std::unique_ptr<FileSystem> kFiles = files();
  return kFiles;
}

Spec spec_of(const std::vector<std::string_view>& transforms, const OrderOptions& order,
             Layout packing = Layout::ragged) {
  Spec spec{.data = {FilesSpec{.files = {"train.ctf"},
                               .format = {.chunk_size_bytes = 400,
                                          .read_size_bytes = 64,
                                          .index = {.mode = IndexMode::off}}}},
            .read = {.order = order, .packing = packing}};
  for (const std::string_view each : transforms) {
    spec.data.transforms.push_back(parse_transform(each));
  }
  return spec;
}

Reader open_run(const Spec& spec, const RunOptions& run = {}) {
  return Reader(spec, run, {.files = shared_files().get(), .functions = test_functions()});
}

using Values = std::vector<float>;
using Delivered = std::map<std::pair<std::int64_t, std::uint64_t>, Values>;  // by sweep and key

// Returns the values of the first stream of each sequence. Each worker delivers whole sequences.
Delivered delivered(const Spec& spec, const RunOptions& run = {}) {
  Delivered all;
  Reader reader = open_run(spec, run);
  std::map<std::uint64_t, std::int64_t> sweeps;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    const StreamBatch& batch = minibatch->batch(0);
    const std::span<const float> values = batch.values.as<float>();
    const std::span<const std::int64_t> offsets = batch.sequence_offsets.as<std::int64_t>();
    for (std::int64_t i = 0; i < minibatch->sequence_count(); ++i) {
      const auto number = static_cast<std::size_t>(i);
      const std::uint64_t key = minibatch->keys()[number].low;
      all[{sweeps[key]++, key}] =
          Values(values.begin() + 2 * offsets[number], values.begin() + 2 * offsets[number + 1]);
    }
  }
  return all;
}

OrderOptions keyed(std::int64_t minibatch_size, std::int64_t sweeps = 2) {
  return {.minibatch_size = minibatch_size,
          .sweeps = sweeps,
          .algorithm = OrderAlgorithm::keyed,
          .seed = 11};
}

TEST(TransformLaws, EachSequenceIsTransformed) {
  const Delivered raw = delivered(spec_of({}, keyed(16, 1)));
  const Delivered halved = delivered(spec_of({"select:x", "function:x:name=halve"}, keyed(16, 1)));
  ASSERT_EQ(raw.size(), static_cast<std::size_t>(kSequences));
  ASSERT_EQ(halved.size(), raw.size());
  for (const auto& [entry, values] : raw) {
    Values expected;
    for (std::size_t i = 0; i < values.size(); i += 4) {
      expected.insert(expected.end(), {values[i], values[i + 1]});
    }
    EXPECT_EQ(halved.at(entry), expected) << entry.second;
  }
}

TEST(TransformLaws, RandomNumbersDependOnlyOnSeedSweepAndKey) {
  const std::vector<std::string_view> transforms = {"function:x:name=noise", "reverse"};
  const Delivered expected = delivered(spec_of(transforms, keyed(16)));
  for (const std::int64_t minibatch_size : {1, 7, 1000}) {
    EXPECT_EQ(delivered(spec_of(transforms, keyed(minibatch_size))), expected);
  }
  OrderOptions in_order = keyed(16);
  in_order.algorithm = OrderAlgorithm::file;
  EXPECT_EQ(delivered(spec_of(transforms, in_order)), expected);
  Delivered of_workers;
  for (const std::int64_t worker : {0, 1, 2}) {
    OrderOptions order = keyed(16, 1);  // all workers together deliver each sequence once in a
                                        // sweep
    order.worker_index = worker;
    order.worker_count = 3;
    of_workers.merge(delivered(spec_of(transforms, order)));
  }
  EXPECT_EQ(of_workers, delivered(spec_of(transforms, keyed(16, 1))));
  for (const auto& [entry, values] : expected) {  // sweeps differ
    if (entry.first == 0) {
      EXPECT_NE(values, expected.at({1, entry.second}));
    }
  }
}

class TransformedRuns : public ::testing::TestWithParam<Spec> {};

TEST_P(TransformedRuns, DoNotDependOnThreadsOrMemory) {
  Reader one = open_run(GetParam(), {.threads = 1});
  const Outcome expected = run(one);
  EXPECT_EQ(expected.error, "");
  EXPECT_GT(expected.minibatches.size(), 3U);
  for (const int threads : {2, 5}) {
    Reader many = open_run(GetParam(), {.threads = threads});
    EXPECT_EQ(run(many).minibatches, expected.minibatches);
  }
  Reader small = open_run(GetParam(), {.threads = 3, .memory_limit_bytes = 4 << 20});
  EXPECT_EQ(run(small).minibatches, expected.minibatches);
}

TEST_P(TransformedRuns, ResumeAtAnyPosition) {
  Reader whole = open_run(GetParam(), {.threads = 2});
  const Outcome expected = run(whole);
  for (std::size_t i = 0; i < expected.positions.size(); i += 3) {
    Reader rest = open_run(GetParam(), {.threads = 2, .start = expected.positions[i]});
    const std::vector<std::string> later(
        expected.minibatches.begin() + static_cast<std::ptrdiff_t>(i) + 1,
        expected.minibatches.end());
    EXPECT_EQ(run(rest).minibatches, later);
  }
}

std::vector<Spec> runs() {
  const std::vector<std::string_view> keep = {"function:x:name=noise", "reverse", "select:x+y"};
  const std::vector<std::string_view> change = {"select:x", "function:x:name=halve",
                                                "function:x:name=noise"};
  std::vector<Spec> specs;
  const std::vector<std::string_view> widen = {"context:x:left=1,right=2"};
  const std::vector<std::string_view> ordered = {"function:x:name=ordered", "function:x:name=add_1",
                                                 "function:x:name=add_2"};
  for (const auto& transforms : {keep, change, widen, ordered}) {
    OrderOptions order = keyed(16);
    specs.push_back(spec_of(transforms, order));
    specs.push_back(spec_of(transforms, order, Layout::padded));
    order.split_frames = true;
    specs.push_back(spec_of(transforms, order, Layout::frames));
    OrderOptions cut = keyed(16);
    cut.truncation_length = 4;
    specs.push_back(spec_of(transforms, cut, Layout::truncated));
    OrderOptions pieces = keyed(16);
    pieces.long_sequences = LongSequences::split;
    specs.push_back(spec_of(transforms, pieces, Layout::packed));
    specs.back().read.row_samples = 3;
    OrderOptions random{.minibatch_size = 16, .sweeps = 2, .algorithm = OrderAlgorithm::cntk};
    random.window_chunks = 3;
    specs.push_back(spec_of(transforms, random, Layout::packed));
  }
  return specs;
}

INSTANTIATE_TEST_SUITE_P(All, TransformedRuns, ::testing::ValuesIn(runs()),
                         [](const auto& run) { return "run_" + std::to_string(run.index); });

// Context frames give packers samples that overlap. Other transforms get copies of the samples.
TEST(TransformLaws, OverlappingSamplesArePackedLikeCopies) {
  for (Spec spec : runs()) {
    spec.data.transforms = {parse_transform("context:x:left=2,right=1")};
    Reader overlapping = open_run(spec);
    spec.data.transforms.insert(spec.data.transforms.end(), 2, parse_transform("reverse:x"));
    Reader copied = open_run(spec);
    const Outcome expected = run(copied);
    EXPECT_EQ(expected.error, "");
    EXPECT_EQ(run(overlapping).minibatches, expected.minibatches);
  }
}

/// Requires samples that lie back to back.
class PlainPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "plain"; }
  void check(std::span<const Stream> /*streams*/) const override {}
  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    for (const SequenceView& view : sequences.views(0)) EXPECT_EQ(view.sample_stride, 0);
    return padded_packer()->pack(sequences, memory);
  }
};

TEST(TransformLaws, UserPackersGetConsecutiveSamples) {
  Spec spec = spec_of({"context:x:left=2,right=1"}, {.minibatch_size = 16}, Layout::padded);
  const auto data = open(spec, {.files = shared_files().get()}).data;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader own(data, std::make_unique<LinearSequencer>(counts, spec.read.order),
             std::make_unique<PlainPacker>());
  Reader padded = open_run(spec);
  const Outcome expected = run(padded);
  EXPECT_EQ(expected.error, "");
  EXPECT_EQ(run(own).minibatches, expected.minibatches);
}

// Frames and pieces are cut from the transformed sequence.
TEST(TransformLaws, FramesEqualPartsOfTheTransformedSequence) {
  const std::vector<std::string_view> transforms = {"select:x", "function:x:name=halve", "reverse",
                                                    "function:x:name=noise"};
  const Delivered whole = delivered(spec_of(transforms, keyed(16, 1)));
  OrderOptions order = keyed(5, 1);
  order.split_frames = true;
  Reader reader = open_run(spec_of(transforms, order, Layout::frames));
  std::int64_t frames = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    const std::span<const float> values = minibatch->batch(0).values.as<float>();
    for (std::size_t i = 0; i < minibatch->slices().size(); ++i, ++frames) {
      const SequenceSlice& slice = minibatch->slices()[i];
      const Values& all = whole.at({0, minibatch->keys()[i].low});
      EXPECT_EQ(slice.sequence_sample_count, std::ssize(all) / 2);
      const auto entry = 2 * static_cast<std::size_t>(slice.first);
      EXPECT_EQ(values[2 * i], all[entry]);
      EXPECT_EQ(values[2 * i + 1], all[entry + 1]);
    }
  }
  std::int64_t expected = 0;
  for (const auto& [entry, values] : whole) expected += std::ssize(values) / 2;
  EXPECT_EQ(frames, expected);
}

TEST(TransformLaws, PiecesEqualPartsOfTheTransformedSequence) {
  const std::vector<std::string_view> transforms = {"select:x", "function:x:name=halve", "reverse",
                                                    "function:x:name=noise"};
  const Delivered whole = delivered(spec_of(transforms, keyed(16, 1)));
  OrderOptions order = keyed(5, 1);
  order.long_sequences = LongSequences::split;
  order.row_samples = 2;
  Reader reader = open_run(spec_of(transforms, order));
  std::int64_t samples = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    const std::span<const float> values = minibatch->batch(0).values.as<float>();
    const auto offsets = minibatch->batch(0).sequence_offsets.as<std::int64_t>();
    for (std::size_t i = 0; i < minibatch->slices().size(); ++i) {
      const SequenceSlice& slice = minibatch->slices()[i];
      const Values& all = whole.at({0, minibatch->keys()[i].low});
      EXPECT_EQ(slice.sequence_sample_count, std::ssize(all) / 2);
      EXPECT_EQ(
          Values(values.begin() + 2 * offsets[i], values.begin() + 2 * offsets[i + 1]),
          Values(all.begin() + 2 * slice.first, all.begin() + 2 * (slice.first + slice.count)));
      samples += slice.count;
    }
  }
  std::int64_t expected = 0;
  for (const auto& [entry, values] : whole) expected += std::ssize(values) / 2;
  EXPECT_EQ(samples, expected);
}

TEST(TransformLaws, MinibatchSizesCountTransformedSamples) {
  OrderOptions order = keyed(20, 1);
  Reader reader = open_run(spec_of({"select:x", "function:x:name=halve"}, order));
  std::int64_t samples = 0;
  std::int64_t minibatches = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    samples += minibatch->sample_count();
    ++minibatches;
    EXPECT_LE(minibatch->sample_count(), 20 + 6);
  }
  std::int64_t expected = 0;
  for (std::int64_t key = 0; key < kSequences; ++key) expected += (length_of(key) + 1) / 2;
  EXPECT_EQ(samples, expected);
  EXPECT_EQ(minibatches, (expected + 19) / 20);
}

TEST(TransformLaws, RandomAccessUsesTheRandomNumbersOfItsSweep) {
  const Spec spec = spec_of({"function:x:name=noise"}, keyed(16));
  const Delivered all = delivered(spec);
  Reader reader = open_run(spec);
  for (const std::int64_t sweep : {0, 1}) {
    for (std::int64_t number = 0; number < kSequences; number += 7) {
      const std::optional<Minibatch> found = reader.sequence_at(sweep, number);
      ASSERT_TRUE(found);
      const std::span<const float> values = found->batch(0).values.as<float>();
      const std::uint64_t key = found->keys()[0].low;
      EXPECT_EQ(Values(values.begin(), values.end()), all.at({sweep, key}));
      const std::optional<Minibatch> by_key = reader.sequence(SequenceKey{.low = key}, sweep);
      ASSERT_TRUE(by_key);
      const std::span<const float> same = by_key->batch(0).values.as<float>();
      EXPECT_EQ(Values(same.begin(), same.end()), all.at({sweep, key}));
    }
  }
}

/// Makes large samples. In the first sequence, waits until a second thread arrives.
class Meets final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "meets"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> /*inputs*/) const override {
    return {{.name = "x", .sample_shape = Shape{4096}}};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    float* const out = output.dense<float>(0, input.range.count);
    std::fill_n(out, input.range.count * 4096, static_cast<float>(input.sequence.name.key.low));
    std::unique_lock lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return threads_.size() > 1; });
  }
  [[nodiscard]] std::size_t thread_count() const {
    const std::scoped_lock lock(mutex_);
    return threads_.size();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::set<std::thread::id> threads_;
};

TEST(TransformLaws, AllThreadsPrepareOneMinibatch) {
  const auto meets = std::make_shared<const Meets>();
  const Spec spec = spec_of({"function:x:name=meets", "select:x"}, keyed(100'000, 1));
  Reader reader(spec, {.threads = 2},
                {.files = shared_files().get(), .functions = {{"meets", meets}}});
  const std::optional<Minibatch> minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(minibatch->sequence_count(), kSequences);
  EXPECT_GE(meets->thread_count(), 2U);  // the waiting thread helps
  EXPECT_FALSE(reader.next());
  const std::span<const float> values = minibatch->batch(0).values.as<float>();
  const std::span<const std::int64_t> offsets =
      minibatch->batch(0).sequence_offsets.as<std::int64_t>();
  for (std::size_t i = 0; i < minibatch->keys().size(); ++i) {
    EXPECT_EQ(values[4096 * static_cast<std::size_t>(offsets[i])],
              static_cast<float>(minibatch->keys()[i].low));
  }
}

TEST(TransformLaws, AnErrorIsThrownAtItsMinibatch) {
  OrderOptions order = keyed(16, 1);
  order.algorithm = OrderAlgorithm::file;
  const Spec spec = spec_of({"function:x:name=fails"}, order);
  Reader one = open_run(spec, {.threads = 1});
  const Outcome expected = run(one);
  EXPECT_NE(expected.error.find("transform \"function:x:name=fails\": sequence 0: this cannot be"),
            std::string::npos)
      << expected.error;
  const Spec later = spec_of({"function:x:name=fails", "function:x:name=noise"}, keyed(16, 1));
  Reader reader = open_run(later, {.threads = 1});
  const Outcome other = run(reader);
  EXPECT_NE(other.error, "");
  for (const int threads : {2, 4}) {
    Reader many = open_run(later, {.threads = threads});
    const Outcome outcome = run(many);
    EXPECT_EQ(outcome.minibatches, other.minibatches);
    EXPECT_EQ(outcome.error, other.error);
  }
}

// A function of several sequences: the grouping into calls changes nothing, not even if a call
// fails.
TEST(TransformLaws, ABatchFunctionEqualsAFunctionOfEachSequence) {
  const std::vector<std::string_view> transforms = {"select:x", "function:x:name=negate"};
  OrderOptions order = keyed(30, 1);
  order.algorithm = OrderAlgorithm::file;
  Reader one = open_run(spec_of(transforms, order), {.threads = 1});
  const Outcome expected = run(one);
  EXPECT_NE(expected.error.find("sequence 3: no threes"), std::string::npos) << expected.error;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    OrderOptions shuffled = keyed(6, 1);
    shuffled.seed = seed;
    Reader first = open_run(spec_of(transforms, shuffled), {.threads = 1});
    const Outcome outcome = run(first);
    EXPECT_NE(outcome.error, "");
    for (const int threads : {2, 4}) {
      Reader many = open_run(spec_of(transforms, shuffled), {.threads = threads});
      const Outcome other = run(many);
      EXPECT_EQ(other.minibatches, outcome.minibatches);
      EXPECT_EQ(other.error, outcome.error);
    }
  }
}

TEST(TransformLaws, AStepFunctionGetsTheSequencesOfAMinibatch) {
  OrderOptions order{.minibatch_size = 2, .unit = MinibatchUnit::sequences};
  const Spec spec = spec_of({"select:x", "function:x:name=crowd"}, order);
  for (const int threads : {1, 3}) {
    Reader reader = open_run(spec, {.threads = threads});
    const std::optional<Minibatch> minibatch = reader.next();
    ASSERT_TRUE(minibatch);
    EXPECT_EQ(minibatch->batch(0).values.as<float>()[0], 0 + 2);
    EXPECT_THROW(static_cast<void>(reader.next()), ConfigError);  // sequences 2 and 3
  }
}

TEST(TransformLaws, APositionContainsItsTransforms) {
  Reader with = open_run(spec_of({"function:x:name=noise"}, keyed(16)));
  static_cast<void>(with.next());
  const Position position = with.position();
  const auto resume = [&](const std::vector<std::string_view>& transforms) {
    static_cast<void>(open_run(spec_of(transforms, keyed(16)), {.start = position}));
  };
  EXPECT_NO_THROW(resume({"function:x:name=noise"}));
  EXPECT_THROW(resume({}), ConfigError);
  EXPECT_THROW(resume({"function:x:name=noise", "reverse:x"}), ConfigError);
}

TEST(TransformLaws, MembersOfAJoinHaveNoTransforms) {
  DataSpec member = spec_of({"reverse"}, {}).data;
  Spec spec;
  spec.data = {ConcatenationSpec{.members = {member, spec_of({}, {}).data}}};
  try {
    static_cast<void>(open_run(spec));
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "transform \"reverse\": a member of other data has no transforms; "
                 "put the transform beside the members");
  }
}

// If a transform reports an error, the sequence becomes a hole, as with an error in a file.
TEST(TransformLaws, ErrorsInDataMakeHoles) {
  const Spec spec = spec_of({"select:x", "function:x:name=doubts"}, keyed(16));
  const auto outcome_of = [&](int threads, std::int64_t max_errors) {
    Reader reader = open_run(spec, {.threads = threads, .max_errors = max_errors});
    return run(reader);
  };
  const Outcome expected = outcome_of(1, 13);
  EXPECT_EQ(expected.error, "");
  EXPECT_EQ(expected.stats.holes, 26);  // in two sweeps
  EXPECT_EQ(expected.stats.sequences, 2 * (kSequences - 13));
  EXPECT_EQ(expected.stats.error_count, 13);
  ASSERT_EQ(expected.diagnostics.size(), 13U);
  for (const int threads : {2, 5}) {
    const Outcome many = outcome_of(threads, 13);
    EXPECT_EQ(many.minibatches, expected.minibatches);
    EXPECT_EQ(many.diagnostics, expected.diagnostics);
  }
  const Outcome too_many = outcome_of(2, 12);
  EXPECT_EQ(outcome_of(5, 12).error, too_many.error);
  EXPECT_NE(too_many.error.find("stream \"x\": expected another key, found "), std::string::npos)
      << too_many.error;
  EXPECT_NE(too_many.error.find("[test-doubt]"), std::string::npos) << too_many.error;
}

// The other sequences of a batch are delivered, even if the batch is a minibatch.
TEST(TransformLaws, DroppedSequencesAreHoles) {
  const auto outcome_of = [](std::string_view function, std::int64_t max_errors) {
    Reader reader = open_run(spec_of({"select:x", function}, keyed(16)),
                             {.threads = 2, .max_errors = max_errors});
    return run(reader);
  };
  const Outcome expected = outcome_of("function:x:name=doubts", 13);
  EXPECT_EQ(expected.stats.holes, 26);
  for (const std::string_view function :
       {"function:x:name=leaves_out", "function:x:name=leaves_out_any",
        "function:x:name=leaves_out_step"}) {
    SCOPED_TRACE(function);
    const Outcome outcome = outcome_of(function, 13);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.stats.holes, 26);
    EXPECT_EQ(outcome.minibatches, expected.minibatches);
    EXPECT_EQ(outcome.diagnostics, expected.diagnostics);
    EXPECT_EQ(outcome_of(function, 12).error, outcome_of("function:x:name=doubts", 12).error);
  }
}

TEST(TransformLaws, ADroppedSequenceCannotBeRequested) {
  Reader reader = open_run(spec_of({"function:x:name=leaves_out_any"}, keyed(16)));
  EXPECT_TRUE(reader.sequence(SequenceKey{8}, 0).has_value());
  EXPECT_THROW(static_cast<void>(reader.sequence(SequenceKey{7}, 0)), DataError);
}

TEST(TransformLaws, WarningsOfTransformsAreReportedOnce) {
  const Spec spec = spec_of({"select:x", "function:x:name=doubts"}, keyed(16));
  Reader reader = open_run(spec, {.max_errors = 13});
  EXPECT_EQ(run(reader).error, "");
  std::int64_t count = 0;
  for (const Diagnostic& warning : reader.warnings()) {
    if (warning.code != "test-doubt") continue;
    ++count;
    EXPECT_EQ(warning.severity, Severity::warning);
    EXPECT_EQ(std::stoi(warning.found) % 7, 1) << warning.found;
  }
  EXPECT_EQ(count, 13);
}

TEST(TransformLaws, ASequenceThatATransformRejectsCannotBeRequested) {
  Reader reader = open_run(spec_of({"select:x", "function:x:name=doubts"}, keyed(16)));
  EXPECT_TRUE(reader.sequence(SequenceKey{8}, 0).has_value());
  EXPECT_THROW(static_cast<void>(reader.sequence(SequenceKey{7}, 0)), DataError);
}

// A hole draws nothing, and the next sequence of the minibatch has its number.
TEST(TransformLaws, OrderedDrawsFollowThePlan) {
  Spec spec = spec_of({"select:x", "function:x:name=ordered"},
                      {.minibatch_size = 3, .unit = MinibatchUnit::sequences, .sweeps = 1});
  Reader reader = open_run(spec);
  std::map<std::int64_t, std::int64_t> drawn;  // numbers drawn so far, by number in the minibatch
  std::int64_t count = 0;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    const StreamBatch& batch = minibatch->batch(0);
    const std::span<const std::int64_t> offsets = batch.sequence_offsets.as<std::int64_t>();
    for (std::int64_t i = 0; i < minibatch->sequence_count(); ++i, ++count) {
      // The first value of each sequence is even, so one number is drawn.
      const float value =
          batch.values
              .as<float>()[static_cast<std::size_t>(2 * offsets[static_cast<std::size_t>(i)])];
      const auto key =
          static_cast<std::int64_t>(minibatch->keys()[static_cast<std::size_t>(i)].low);
      EXPECT_EQ(value, static_cast<float>(1000 * key + 1000 * i + drawn[i]++));
    }
    EXPECT_EQ(minibatch->position.draws.size(), 1U + drawn.size());
  }
  EXPECT_EQ(count, kSequences);
  EXPECT_EQ(reader.sequence(SequenceKey{5}, 0)->batch(0).values.as<float>()[0], 5000.0F);
}

TEST(TransformLaws, APositionWithInvalidDrawsIsRefused) {
  Spec spec = spec_of({"select:x", "function:x:name=ordered"}, keyed(16));
  Reader reader = open_run(spec);
  Position position = reader.next()->position;
  for (const std::vector<std::int64_t>& draws :
       {std::vector<std::int64_t>{-1}, {1}, {0, 0}, {2, 1}}) {
    position.draws = draws;
    EXPECT_THROW(static_cast<void>(open_run(spec, {.start = position})), ConfigError);
  }
}

}  // namespace
}  // namespace sheaf::testing
