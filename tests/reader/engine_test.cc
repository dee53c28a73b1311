#include "reader/engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "support/fake_deserializer.h"
#include "support/interrupting.h"
#include "support/test_executors.h"
#include "support/test_memory.h"

namespace sheaf::testing {
namespace {

constexpr int kThreadCounts[] = {1, 2, 8};

/// Returns runs of every kind over the same data.
std::vector<RunParts> all_parts(const FakeData& data) {
  const auto deserializer = fake(data);
  const OrderOptions by_samples = {.minibatch_size = 8, .sweeps = 3};
  OrderOptions random = {.minibatch_size = 8,
                         .sweeps = 3,
                         .algorithm = OrderAlgorithm::cntk,
                         .seed = 5,
                         .window_chunks = 3};
  OrderOptions shared = random;
  shared.worker_index = 1;
  shared.worker_count = 2;
  shared.minibatch_size = 4;
  OrderOptions frames = random;
  frames.split_frames = true;
  OrderOptions pieces = random;
  pieces.long_sequences = LongSequences::split;
  pieces.row_samples = 2;
  OrderOptions truncated = random;
  truncated.truncation_length = 3;
  OrderOptions truncated_in_file_order = {.minibatch_size = 9, .sweeps = 2, .truncation_length = 2};
  return {
      {.data = deserializer},
      {.data = deserializer, .order = random, .packing = Layout::packed},
      {.data = deserializer, .order = shared, .packing = Layout::packed, .row_samples = 7},
      {.data = deserializer, .order = shared},
      {.data = deserializer, .order = frames, .packing = Layout::frames},
      {.data = deserializer, .order = pieces, .packing = Layout::packed, .row_samples = 2},
      {.data = deserializer, .order = truncated},
      {.data = deserializer, .order = truncated_in_file_order},
      {.data = deserializer, .order = by_samples, .packing = Layout::ragged},
      {.data = deserializer, .jumps = true},
      {.data = deserializer, .jumps = true, .has_slices = true, .packing = Layout::ragged},
      {.data = deserializer, .jumps = true, .packing = Layout::packed},
      {.data = deserializer, .order = random, .fickle_seed = 1},
      {.data = deserializer, .order = frames, .packing = Layout::frames, .fickle_seed = 2},
      {.data = deserializer, .order = truncated, .fickle_seed = 3},
      {.data = deserializer, .jumps = true, .packing = Layout::ragged, .fickle_seed = 4},
  };
}

/// Returns a function that makes earlier reads slower, so that reads finish out of order.
std::function<void(const ChunkRange&)> ever_faster() {
  auto count = std::make_shared<std::atomic<int>>(0);
  return [count](const ChunkRange&) {
    const int number = (*count)++;
    std::this_thread::sleep_for(std::chrono::microseconds(400 / (1 + number % 4)));
  };
}

TEST(Engine, DeliversEverySequenceOnceASweepInFileOrder) {
  const auto data = fake(small_data());
  Reader reader = open({.data = data}, {.threads = 2});
  std::vector<std::uint64_t> keys;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) keys.push_back(key.low);
  }
  std::vector<std::uint64_t> expected;
  for (int sweep = 0; sweep < 2; ++sweep) {
    const FakeData lengths = small_data();
    for (std::size_t chunk = 0; chunk < lengths.lengths.size(); ++chunk) {
      for (std::int64_t i = 0; i < std::ssize(lengths.lengths[chunk]); ++i) {
        expected.push_back(FakeDeserializer::key(chunk, i));
      }
    }
  }
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(reader.stats().minibatches, 18);
  EXPECT_EQ(reader.stats().sequences, 54);
  EXPECT_FALSE(reader.next());
}

TEST(Engine, ReadsEachUnitOnceASweepInFileOrder) {
  FakeData data = small_data();
  data.sample_size_bytes = 2 << 20;  // each sequence is a unit
  const auto deserializer = fake(data);
  const Outcome outcome = run({.data = deserializer}, {.threads = 2});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(deserializer->read_count(), 2 * 27);
}

TEST(Engine, JumpingBetweenHeldChunksReadsNothingTwice) {
  FakeData data = small_data();
  const auto deserializer = fake(data);
  const RunParts parts = {.data = deserializer, .order = {.sweeps = 1}, .jumps = true};
  std::int64_t unit_count = 0;
  for (ChunkIndex chunk{}; deserializer->index().chunk(chunk); chunk = next(chunk)) {
    unit_count += deserializer->index().chunk_counts(chunk)->unit_count;
  }
  EXPECT_EQ(run(parts, {.threads = 2}).error, "");
  EXPECT_EQ(deserializer->read_count(), unit_count);
}

/// Returns the smallest limit that an error message asks for.
std::int64_t bytes_needed(const std::string& error) {
  const std::string before = "needs ";
  const std::size_t begin = error.find(before);
  EXPECT_NE(begin, std::string::npos) << error;
  return begin == std::string::npos ? 0 : std::stoll(error.substr(begin + before.size()));
}

/// Returns ten chunks of ten units of a hundred sequences.
FakeData large_data() {
  FakeData data;
  data.sample_size_bytes = (1 << 20) / 100;
  data.lengths.assign(10, std::vector<std::int64_t>(1000, 1));
  return data;
}

RunParts random_parts(FakeData data, std::int64_t window_chunks) {
  return {.data = fake(std::move(data)),
          .order = {.minibatch_size = 50,
                    .sweeps = 2,
                    .algorithm = OrderAlgorithm::cntk,
                    .window_chunks = window_chunks}};
}

TEST(Engine, TheFirstMinibatchWaitsOnlyForItsSequences) {
  std::atomic<std::int64_t> read_count = 0;
  std::atomic<bool> is_delivered = false;
  std::atomic<bool> is_late = false;
  FakeData data = large_data();
  // Allows reads of the 50 sequences of the minibatch, and of the units that a thread reads
  // meanwhile. Reading all of the about 45 units with these sequences is too much.
  data.on_read = [&](const ChunkRange& range) {
    if ((read_count += range.count) <= 1500) return;
    for (int i = 0; i < 5000 && !is_delivered; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!is_delivered) is_late = true;
  };
  const RunParts parts = random_parts(std::move(data), 10);
  Reader reader = open(parts, {.threads = 1});
  ASSERT_TRUE(reader.next());
  is_delivered = true;
  EXPECT_FALSE(is_late);
}

TEST(Engine, HeldUnitsAreReadOnce) {
  std::atomic<std::int64_t> read_count = 0;
  FakeData data = large_data();
  data.on_read = [&](const ChunkRange& range) { read_count += range.count; };
  const RunParts parts = random_parts(std::move(data), 10);
  const Outcome outcome = run(parts, {.threads = 2});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.stats.sequences, 20'000);
  // Both sweeps take 10,000 sequences from one reading. The first steps read some of them ahead, so
  // these are read twice.
  EXPECT_LE(read_count, 11'000);
}

TEST(Engine, ReportsWhetherTheNextMinibatchIsReady) {
  std::atomic<bool> may_read = false;
  FakeData data = large_data();
  data.lengths.resize(1);
  data.wrong[{0, 999}] = {7};
  data.on_read = [&](const ChunkRange& /*range*/) {
    while (!may_read) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  RunParts parts = {.data = fake(std::move(data)), .order = {.minibatch_size = 500}};
  Reader reader = open(parts, {.threads = 2, .max_errors = 1});
  EXPECT_FALSE(reader.is_ready());
  may_read = true;
  while (!reader.is_ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(reader.next());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(reader.is_ready()) << "a unit with an error may have to be read again";
  ASSERT_TRUE(reader.next());
  while (!reader.is_ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(reader.next()) << "the end is there, too";
}

TEST(Engine, UnitsDecodedDuringIndexingAreNotReadAgain) {
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    for (const std::optional<std::int64_t> limit :
         {std::optional<std::int64_t>(), std::optional(std::int64_t{1} << 40)}) {
      std::atomic<std::int64_t> read_count = 0;
      FakeData data = large_data();
      const std::int64_t chunk_count = std::ssize(data.lengths);
      const auto all = [&] {
        RunParts parts = random_parts(data, chunk_count);
        parts.order.algorithm = algorithm;
        return run(parts, {.threads = 2, .memory_limit_bytes = limit});
      };
      const Outcome expected = all();
      data.is_decoded_ahead = true;
      data.on_read = [&](const ChunkRange& range) { read_count += range.count; };
      const Outcome outcome = all();
      EXPECT_EQ(outcome.minibatches, expected.minibatches);
      EXPECT_EQ(outcome.positions, expected.positions);
      EXPECT_EQ(outcome.error, expected.error);
      const std::int64_t chunk_3 = std::ssize(data.lengths[3]);
      if (!limit) {
        EXPECT_GE(read_count, chunk_3);
        EXPECT_LE(read_count, chunk_3 + chunk_3 / 10) << "some of it for the first step alone";
      } else {
        EXPECT_GT(read_count, 9 * chunk_3) << "with a limit, decoded units are not kept";
      }
    }
  }
}

// Reading ahead does not make the engine drop held data.
TEST(Engine, HeldUnitsAreReadOnceNearTheMemoryLimit) {
  std::int64_t needed = 0;
  try {
    Reader reader = open(random_parts(large_data(), 10), {.memory_limit_bytes = 1});
    static_cast<void>(reader.next());
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    const std::size_t number = text.find("it needs ");
    ASSERT_NE(number, std::string::npos) << text;
    needed = std::stoll(text.substr(number + 9));
  }
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    // The first steps read single sequences if the threads find the time: ranges of less than an
    // eighth of a unit. Everything else is read in units, each of them once.
    constexpr std::int64_t kUnitSequences = 100;
    std::atomic<std::int64_t> unit_sequences = 0;
    FakeData data = large_data();
    data.on_read = [&](const ChunkRange& range) {
      if (range.count > kUnitSequences / 8) unit_sequences += range.count;
    };
    RunParts parts = random_parts(std::move(data), 10);
    parts.order.algorithm = algorithm;
    const std::int64_t limit = needed + needed / 10 + (std::int64_t{8} << 20);
    const Outcome outcome = run(parts, {.threads = 2, .memory_limit_bytes = limit});
    EXPECT_EQ(outcome.error, "");
    EXPECT_LE(outcome.stats.memory_bytes_max, limit);
    EXPECT_EQ(unit_sequences, 10'000);
  }
}

/// Holds units of its own share, which are the even chunks, and draws single sequences from the odd
/// chunks. Delivers every sequence; the sequences of a unit mix with the other units that are held
/// at the same time.
class UnitsSequencer final : public Sequencer {
 public:
  static constexpr std::size_t kHeldMax = 7;  // units

  explicit UnitsSequencer(const Counts& counts) {
    std::vector<ChunkRange> units;
    std::vector<SequenceRef> foreign;
    for (ChunkIndex chunk{}; counts.chunk_counts(chunk); chunk = sheaf::next(chunk)) {
      const ChunkCounts sizes = *counts.chunk_counts(chunk);
      for (std::int64_t unit = 0; unit < sizes.unit_count; ++unit) {
        const std::int64_t first = unit * sizes.sequence_count / sizes.unit_count;
        const std::int64_t end = (unit + 1) * sizes.sequence_count / sizes.unit_count;
        if (static_cast<std::int64_t>(chunk) % 2 == 0) {
          units.push_back({chunk, first, end - first});
        } else {
          for (std::int64_t i = first; i < end; ++i) foreign.push_back({chunk, i});
        }
      }
    }
    for (std::size_t begin = 0; begin < units.size(); begin += kHeldMax) {
      const std::size_t end = std::min(begin + kHeldMax, units.size());
      add_lap({units.begin() + static_cast<std::ptrdiff_t>(begin),
               units.begin() + static_cast<std::ptrdiff_t>(end)},
              foreign);
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "units"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override {
    return written().step(from, cursor, room);
  }
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override {
    return written().window_change(from, to, cursor);
  }

  [[nodiscard]] std::int64_t foreign_count() const noexcept { return foreign_count_; }

 private:
  void add_lap(const std::vector<ChunkRange>& units, std::vector<SequenceRef>& foreign) {
    const std::size_t first_step = steps_.size();
    for (std::int64_t i = 0; true; ++i) {
      WrittenStep step;
      for (const ChunkRange& unit : units) {
        if (i < unit.count) step.sequences.push_back({unit.chunk, unit.first + i});
      }
      if (step.sequences.empty()) break;
      if (!foreign.empty()) {
        const SequenceRef& ref = step.sequences.emplace_back(foreign.back());
        step.load.push_back({ref.chunk, ref.sequence, 1});
        step.release.push_back({ref.chunk, ref.sequence, 1});
        foreign.pop_back();
        ++foreign_count_;
      }
      steps_.push_back(std::move(step));
    }
    std::ranges::copy(units, std::back_inserter(steps_[first_step].load));
    std::ranges::copy(units, std::back_inserter(steps_.back().release));
  }

  // Built at the first call.
  [[nodiscard]] const WrittenSequencer& written() const {
    if (!written_) written_.emplace(steps_);
    return *written_;
  }

  std::vector<WrittenStep> steps_;
  mutable std::optional<WrittenSequencer> written_;
  std::int64_t foreign_count_ = 0;
};

TEST(Engine, HeldRangesAreReadOnce) {
  FakeData data;
  data.sample_size_bytes = (1 << 20) / 5;
  data.lengths.assign(12, std::vector<std::int64_t>(50, 1));
  std::mutex mutex;
  std::map<ChunkRange, int> read;
  data.on_read = [&](const ChunkRange& range) {
    const std::lock_guard lock(mutex);
    ++read[range];
  };
  const auto deserializer = fake(std::move(data));
  const std::shared_ptr<const Counts> counts(deserializer, &deserializer->index());
  auto sequencer = std::make_unique<UnitsSequencer>(*counts);
  const std::int64_t foreign_count = sequencer->foreign_count();
  ASSERT_GT(foreign_count, 20);
  Reader reader(deserializer, std::move(sequencer), padded_packer(), {.threads = 2});
  const Outcome outcome = run(reader);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.stats.sequences, 6 * 50 + foreign_count);
  for (const auto& [range, times] : read) {
    EXPECT_EQ(times, 1);
    EXPECT_EQ(range.count, static_cast<std::int64_t>(range.chunk) % 2 == 0 ? 5 : 1);
  }
  EXPECT_EQ(std::ssize(read), 6 * 10 + foreign_count);

  // With the memory that the errors ask for, the outcome is the same.
  std::int64_t limit = 1;
  for (Outcome limited; true; limit = bytes_needed(limited.error)) {
    Reader tight(deserializer, std::make_unique<UnitsSequencer>(*counts), padded_packer(),
                 {.threads = 2, .memory_limit_bytes = limit});
    limited = run(tight);
    if (!limited.error.empty()) {
      ASSERT_GT(bytes_needed(limited.error), limit);
      continue;
    }
    EXPECT_EQ(limited.minibatches, outcome.minibatches);
    EXPECT_LE(limited.stats.memory_bytes_max, limit);
    break;
  }
  constexpr std::int64_t kUnitBytes = 5 * FakeDeserializer::kSampleBytesMax;
  EXPECT_GT(limit, UnitsSequencer::kHeldMax * kUnitBytes);
  EXPECT_LT(limit, (UnitsSequencer::kHeldMax + 3) * kUnitBytes +
                       internal::Planner::kReadBufferBytes + (64 << 10));
}

TEST(Engine, AWindowAboveTheLimitIsAnErrorThatNamesAFittingWindow) {
  const RunParts parts = random_parts(large_data(), 4);
  const Outcome outcome = run(parts, {.threads = 1, .memory_limit_bytes = 5 << 20});
  EXPECT_TRUE(outcome.error.find("few for a window of 4 chunks") != std::string::npos)
      << outcome.error;
  EXPECT_TRUE(outcome.error.find("or a window of at most ") != std::string::npos) << outcome.error;
  const std::int64_t needed = bytes_needed(outcome.error);
  const Outcome enough = run(parts, {.threads = 2, .memory_limit_bytes = needed + (1 << 20)});
  EXPECT_EQ(enough.error, "");
  EXPECT_EQ(enough.minibatches, run(parts, {.threads = 1}).minibatches);
  EXPECT_LE(enough.stats.memory_bytes_max, needed + (1 << 20));
}

TEST(Engine, AWorkerReadsOnlyItsPart) {
  std::atomic<std::int64_t> read_count = 0;
  FakeData data = large_data();
  data.on_read = [&](const ChunkRange& range) { read_count += range.count; };
  RunParts parts = random_parts(std::move(data), 10);
  parts.order.worker_index = 1;
  parts.order.worker_count = 5;
  parts.order.sweeps = 1;
  EXPECT_EQ(run(parts, {.threads = 2}).stats.sequences, 2000);
  EXPECT_LE(read_count, 2500);
}

TEST(Engine, ThreadsChangeNothing) {
  FakeData data = small_data();
  data.on_read = ever_faster();
  for (const RunParts& parts : all_parts(data)) {
    const Outcome expected = run(parts, {.threads = 1});
    ASSERT_EQ(expected.error, "");
    ASSERT_GT(expected.minibatches.size(), 10U);
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(threads);
      EXPECT_EQ(run(parts, {.threads = threads}).minibatches, expected.minibatches);
    }
  }
}

/// Returns the smallest limit with which a whole run works, found by following the errors.
std::int64_t least_limit(const RunParts& parts) {
  std::int64_t limit_bytes = 1;
  for (int tries = 0; tries < 100; ++tries) {
    const Outcome outcome = run(parts, {.threads = 1, .memory_limit_bytes = limit_bytes});
    if (outcome.error.empty()) return limit_bytes;
    limit_bytes = bytes_needed(outcome.error);
  }
  ADD_FAILURE() << "the errors ask for ever more";
  return limit_bytes;
}

/// Returns all runs, with and without fast access to single sequences.
std::vector<RunParts> parts_of_both(FakeData data) {
  std::vector<RunParts> parts = all_parts(data);
  data.has_fast_random_access = true;
  std::ranges::move(all_parts(data), std::back_inserter(parts));
  return parts;
}

TEST(Engine, TheMemoryLimitIsKeptAndChangesNothing) {
  FakeData data = small_data();
  data.on_read = ever_faster();
  for (const RunParts& parts : parts_of_both(data)) {
    const Outcome expected = run(parts, {.threads = 2});
    const std::int64_t least = least_limit(parts);
    for (const std::int64_t limit : {least, least + 300, 2 * least, 100 * least}) {
      for (const int threads : kThreadCounts) {
        SCOPED_TRACE(threads);
        SCOPED_TRACE(limit);
        const Outcome outcome = run(parts, {.threads = threads, .memory_limit_bytes = limit});
        EXPECT_EQ(outcome.error, "");
        EXPECT_EQ(outcome.minibatches, expected.minibatches);
        EXPECT_LE(outcome.stats.memory_bytes_max, limit);
        EXPECT_GT(outcome.stats.memory_bytes_max, 0);
      }
    }
  }
}

TEST(Engine, ATooSmallLimitIsTheSameErrorForAnyNumberOfThreads) {
  for (const RunParts& parts : parts_of_both(small_data())) {
    const std::int64_t least = least_limit(parts);
    for (const std::int64_t limit : {std::int64_t{1}, least - 1}) {
      SCOPED_TRACE(limit);
      const Outcome expected = run(parts, {.threads = 1, .memory_limit_bytes = limit});
      EXPECT_NE(expected.error.find("ConfigError"), std::string::npos) << expected.error;
      EXPECT_NE(expected.error.find("memory_limit_bytes: " + std::to_string(limit) +
                                    " bytes are too few"),
                std::string::npos)
          << expected.error;
      for (const int threads : kThreadCounts) {
        const Outcome outcome = run(parts, {.threads = threads, .memory_limit_bytes = limit});
        EXPECT_EQ(outcome.error, expected.error);
        EXPECT_EQ(outcome.minibatches, expected.minibatches);
      }
    }
  }
}

TEST(Engine, AWindowThatDoesNotFitIsReadOneByOne) {
  FakeData data;
  data.lengths.assign(4, std::vector<std::int64_t>(200, 30));  // about 24 MB
  const OrderOptions random = {
      .minibatch_size = 60, .sweeps = 2, .algorithm = OrderAlgorithm::cntk, .window_chunks = 4};
  const RunParts slow = {.data = fake(data), .order = random};
  const Outcome expected = run(slow, {.threads = 2});
  const std::int64_t limit = 5 << 20;
  EXPECT_EQ(run(slow, {.threads = 2, .memory_limit_bytes = limit}).minibatches,
            expected.minibatches)
      << "decoded, it is less than it is said to be";
  EXPECT_NE(run(slow, {.threads = 2, .memory_limit_bytes = 2 << 20}).error.find("window"),
            std::string::npos);

  std::int64_t longest = 0;
  std::mutex mutex;
  data.on_read = [&](const ChunkRange& range) {
    const std::scoped_lock lock(mutex);
    longest = std::max(longest, range.count);
  };
  data.has_fast_random_access = true;
  const auto fast = fake(data);
  const Outcome outcome =
      run({.data = fast, .order = random}, {.threads = 2, .memory_limit_bytes = limit});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.minibatches, expected.minibatches);
  EXPECT_LE(outcome.stats.memory_bytes_max, limit);
  EXPECT_EQ(longest, 1);
  EXPECT_EQ(fast->read_count(), 2 * 800) << "each sequence once a sweep";

  longest = 0;
  const Outcome held =
      run({.data = fast, .order = random}, {.threads = 2, .memory_limit_bytes = 100 << 20});
  EXPECT_EQ(held.minibatches, expected.minibatches);
  EXPECT_GT(longest, 1) << "a window that fits is read in units";
}

TEST(Engine, ReadersCanShareAnExecutor) {
  FakeData data = small_data();
  data.on_read = ever_faster();
  const RunParts parts = {.data = fake(data)};
  const Outcome expected = run(parts, {.threads = 1});
  const std::unique_ptr<Executor> executor = thread_pool(2);
  for (int round = 0; round < 3; ++round) {
    Reader one = open(parts, {.executor = executor.get()});
    Reader other = open(parts, {.executor = executor.get()});
    std::vector<std::string> from_one;
    std::vector<std::string> from_other;
    while (const std::optional<Minibatch> minibatch = one.next()) {
      from_one.push_back(to_text(*minibatch));
      if (round > 0 && from_other.size() >= 5) continue;  // `other` stops early
      from_other.push_back(to_text(*other.next()));
    }
    EXPECT_EQ(from_one, expected.minibatches);
    from_other.resize(5);
    EXPECT_EQ(from_other, std::vector<std::string>(expected.minibatches.begin(),
                                                   expected.minibatches.begin() + 5));
  }
}

TEST(Engine, ResumingAfterAnyMinibatchEqualsNotStopping) {
  for (const RunParts& parts : all_parts(small_data())) {
    const Outcome whole = run(parts, {.threads = 2});
    for (std::size_t k = 0; k < whole.positions.size(); ++k) {
      SCOPED_TRACE(k);
      RunOptions options = {.threads = 2};
      options.start = position_from_json(to_json(whole.positions[k]));
      Reader reader = open(parts, options);
      EXPECT_EQ(reader.position(), whole.positions[k]);
      const Outcome rest = run(reader);
      EXPECT_EQ(rest.error, "");
      const std::vector<std::string> expected(
          whole.minibatches.begin() + static_cast<std::ptrdiff_t>(k) + 1, whole.minibatches.end());
      EXPECT_EQ(rest.minibatches, expected);
      EXPECT_EQ(reader.position(), whole.positions.back());
    }
  }
}

TEST(Engine, AFailedReadIsTheErrorOfTheFirstStepThatNeedsIt) {
  for (std::int64_t failing = 0; failing < 27; ++failing) {
    SCOPED_TRACE(failing);
    FakeData data = small_data();
    std::int64_t chunk = 0;
    std::int64_t sequence = failing;
    while (sequence >= std::ssize(data.lengths[static_cast<std::size_t>(chunk)])) {
      sequence -= std::ssize(data.lengths[static_cast<std::size_t>(chunk++)]);
    }
    data.on_read = [=](const ChunkRange& range) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (range.chunk == ChunkIndex{chunk} && range.first <= sequence &&
          sequence < range.first + range.count) {
        throw IoError("made-up: no byte " + std::to_string(range.first));
      }
    };
    // The first sequence of the unit determines the step that fails.
    const auto deserializer = fake(data);
    const internal::RangeCut cut(deserializer->index(), {ChunkIndex{chunk}});
    const std::int64_t first_failing = failing - sequence + cut.unit_at(sequence).first;
    const RunParts parts = {.data = deserializer};
    const std::vector<std::string> good = run({.data = fake(small_data())}, {}).minibatches;
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(threads);
      Reader reader = open(parts, {.threads = threads});
      const Outcome outcome = run(reader);
      EXPECT_NE(outcome.error.find("IoError"), std::string::npos) << outcome.error;
      EXPECT_EQ(std::ssize(outcome.minibatches), first_failing / 3);
      EXPECT_EQ(outcome.minibatches,
                std::vector<std::string>(good.begin(), good.begin() + first_failing / 3));
      EXPECT_EQ(run(reader).error, outcome.error) << "it must stay so";
      EXPECT_EQ(run(reader).minibatches.size(), 0U);
    }
  }
}

TEST(Engine, AnyFailedReadIsReportedAndTheNextReaderWorks) {
  const std::vector<std::string> good = run({.data = fake(small_data())}, {}).minibatches;
  bool has_failed = true;
  for (std::int64_t n = 1; has_failed; ++n) {
    SCOPED_TRACE(n);
    FakeData data = small_data();
    auto left = std::make_shared<std::atomic<std::int64_t>>(n);
    data.on_read = [left](const ChunkRange&) {
      if (--*left == 0) throw IoError("made-up: the n-th read");
    };
    const RunParts parts = {.data = fake(data)};
    const Outcome outcome = run(parts, {.threads = 2});
    *left = 0;  // no further read fails
    has_failed = !outcome.error.empty();
    if (!has_failed) {
      EXPECT_EQ(outcome.minibatches, good);
      EXPECT_GT(n, 20);
    }
    for (std::size_t i = 0; i < outcome.minibatches.size(); ++i) {
      EXPECT_EQ(outcome.minibatches[i], good[i]);
    }
    EXPECT_EQ(run(parts, {.threads = 2}).minibatches, good);
  }
}

/// Returns the small data with 4 errors: in sequences 2 and 3 of chunk 0, and two in sequence 5 of
/// chunk 2.
FakeData wrong_data() {
  FakeData data = small_data();
  data.wrong = {{{0, 2}, {20}}, {{0, 3}, {30}}, {{2, 5}, {255, 256}}};
  return data;
}

TEST(Engine, ErrorsAreToleratedUpToMaxErrors) {
  struct Case {
    std::int64_t max_errors;
    std::int64_t minibatches;  // before the error
    std::int64_t errors;
    const char* last_error;
  };
  const Case cases[] = {
      {0, 0, 1, "byte 20"},     // in the first minibatch: sequences 0 to 2
      {1, 1, 2, "byte 30"},     // in the second
      {2, 5, 3, "byte 255"},    // sequence 16 of the file
      {3, 5, 4, "byte 256"},    // the same sequence
      {4, 18, 4, "byte 256"},   // two sweeps; each error counts once
      {99, 18, 4, "byte 256"},  // more than enough
  };
  for (const Case& c : cases) {
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(c.max_errors);
      SCOPED_TRACE(threads);
      const Outcome outcome =
          run({.data = fake(wrong_data())}, {.threads = threads, .max_errors = c.max_errors});
      EXPECT_EQ(outcome.error.find("DataError") != std::string::npos, c.max_errors < 4)
          << outcome.error;
      EXPECT_EQ(outcome.error.find(c.last_error) != std::string::npos, c.max_errors < 4)
          << outcome.error;
      EXPECT_EQ(outcome.stats.minibatches, c.minibatches);
      EXPECT_EQ(outcome.stats.error_count, c.errors);
      ASSERT_EQ(std::ssize(outcome.diagnostics), c.errors);
      EXPECT_NE(outcome.diagnostics.back().find(c.last_error), std::string::npos);
    }
  }
}

TEST(Engine, ADataErrorListsEveryCountedError) {
  Reader reader = open({.data = fake(wrong_data())}, {.threads = 2, .max_errors = 2});
  try {
    while (reader.next()) {
    }
    FAIL() << "three errors are too many";
  } catch (const DataError& error) {
    std::vector<std::int64_t> offsets;
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      offsets.push_back(diagnostic.byte_offset);
    }
    EXPECT_EQ(offsets, (std::vector<std::int64_t>{20, 30, 255}));
  }
}

TEST(Engine, AHoleIsLeftOutWithoutShiftingOthers) {
  const Outcome good = run({.data = fake(small_data())}, {.threads = 2});
  const Outcome outcome = run({.data = fake(wrong_data())}, {.threads = 2, .max_errors = 4});
  ASSERT_EQ(outcome.minibatches.size(), good.minibatches.size());
  std::vector<std::size_t> different;
  for (std::size_t i = 0; i < good.minibatches.size(); ++i) {
    if (outcome.minibatches[i] != good.minibatches[i]) different.push_back(i);
  }
  EXPECT_EQ(different, (std::vector<std::size_t>{0, 1, 5, 9, 10, 14}));
  EXPECT_EQ(outcome.stats.holes, 2 * 3);
  EXPECT_EQ(outcome.stats.sequences + outcome.stats.holes, good.stats.sequences);
}

TEST(Engine, ErrorsOfDeliveredSequencesCount) {
  FakeData data = wrong_data();  // errors 20, 30, 255 and 256
  data.flawed = {{{0, 0}, {5, 6}}, {{0, 3}, {33}}, {{3, 8}, {380}}};
  const RunParts parts = {.data = fake(data)};
  const std::vector<std::int64_t> offsets = {5, 6, 20, 30, 33, 255, 256, 380};
  for (std::int64_t max_errors = 0; max_errors < std::ssize(offsets); ++max_errors) {
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(max_errors);
      Reader reader = open(parts, {.threads = threads, .max_errors = max_errors});
      try {
        while (reader.next()) {
        }
        FAIL() << "one more error is too many";
      } catch (const DataError& error) {
        std::vector<std::int64_t> found;
        for (const Diagnostic& each : error.diagnostics()) found.push_back(each.byte_offset);
        EXPECT_EQ(found,
                  std::vector<std::int64_t>(offsets.begin(), offsets.begin() + max_errors + 1));
      }
    }
  }
  const Outcome outcome = run(parts, {.threads = 2, .max_errors = 8});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.stats.error_count, 8);
  EXPECT_EQ(outcome.stats.holes, 2 * 3) << "a flawed sequence is delivered";
  const Outcome expected = run({.data = fake(wrong_data())}, {.threads = 2, .max_errors = 8});
  EXPECT_EQ(outcome.minibatches, expected.minibatches);
}

TEST(Engine, AFatalErrorEndsTheRunForAnyMaxErrors) {
  struct Case {
    std::int64_t fatal;
    std::int64_t minibatches;  // before the error
    std::int64_t errors;
  };
  const Case cases[] = {
      {20, 0, 1},   // of a hole in the first minibatch
      {256, 5, 5},  // the second error of a hole
      {33, 1, 3},   // of a delivered sequence
  };
  for (const Case& c : cases) {
    FakeData data = wrong_data();
    data.flawed = {{{0, 3}, {33}}};
    data.fatal = {c.fatal};
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(c.fatal);
      const Outcome outcome =
          run({.data = fake(data)}, {.threads = threads, .max_errors = 1'000'000});
      EXPECT_NE(outcome.error.find("DataError"), std::string::npos) << outcome.error;
      EXPECT_NE(outcome.error.find("byte " + std::to_string(c.fatal)), std::string::npos)
          << outcome.error;
      EXPECT_EQ(outcome.stats.minibatches, c.minibatches);
      EXPECT_EQ(outcome.stats.error_count, c.errors);
    }
  }
}

TEST(Engine, AnUnpackableSequenceIsTheErrorOfItsStep) {
  FakeData data;
  data.lengths = {{1, 1, 1, 1, 1, 1, 1, 2, 1}};
  const RunParts parts = {.data = fake(data), .packing = Layout::frames};
  for (const int threads : kThreadCounts) {
    const Outcome outcome = run(parts, {.threads = threads});
    EXPECT_EQ(outcome.minibatches.size(), 2U);
    EXPECT_NE(outcome.error.find("ConfigError"), std::string::npos) << outcome.error;
    EXPECT_NE(outcome.error.find("sequence 1007 has 2 samples in stream \"x\""), std::string::npos)
        << outcome.error;
  }
}

TEST(Engine, WarningsOfTheDeserializerAreReported) {
  FakeData data = small_data();
  EXPECT_TRUE(open({.data = fake(data)}, {.threads = 1}).warnings().empty());
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.code = "fake-unasked";
  data.warnings = {warning};
  EXPECT_EQ(open({.data = fake(data)}, {.threads = 1}).warnings(), data.warnings);
}

TEST(Engine, WarningsOfSequencesComeFirstAndOnce) {
  FakeData data = small_data();
  Diagnostic unasked;
  unasked.severity = Severity::warning;
  unasked.code = "fake-unasked";
  data.warnings = {unasked};
  data.flawed = {{{0, 0}, {5, 6}}, {{0, 3}, {33}}, {{3, 8}, {380}}};
  data.warned = {5, 6, 33, 380};
  for (const int threads : kThreadCounts) {
    SCOPED_TRACE(threads);
    RunParts parts = {.data = fake(data)};
    parts.order.sweeps = 3;
    Reader reader = open(parts, {.threads = threads});
    while (reader.next()) {
    }
    EXPECT_EQ(reader.stats().error_count, 0);
    EXPECT_TRUE(reader.diagnostics().empty());
    std::vector<std::int64_t> offsets;
    const std::vector<Diagnostic> warnings = reader.warnings();
    for (const Diagnostic& warning : warnings) {
      EXPECT_EQ(warning.severity, Severity::warning);
      offsets.push_back(warning.byte_offset);
    }
    EXPECT_EQ(offsets, (std::vector<std::int64_t>{5, 6, 33, 380, 0}));
    EXPECT_EQ(warnings.back(), unasked);
  }
}

TEST(Engine, KeyTextsAreDelivered) {
  FakeData data;
  data.lengths = {{1, 2, 1, 1}};
  data.wrong = {{{0, 2}, {7}}};
  data.on_chunk = [](Chunk chunk) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i)
      texts.emplace_back(static_cast<std::size_t>(i) + 1, 'k');
    chunk.set_key_texts(std::move(texts));
    return chunk;
  };
  data.sample_size_bytes = 1;  // one unit
  const RunParts parts = {.data = fake(data), .order = {.minibatch_size = 100}};
  Reader reader = open(parts, {.threads = 2, .max_errors = 1});
  const std::optional<Minibatch> minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(std::vector(minibatch->key_texts().begin(), minibatch->key_texts().end()),
            (std::vector<std::string_view>{"k", "kk", "kkkk"}));
}

TEST(Engine, UndescribedErrorsAreLookedUp) {
  // One unit has 150 sequences with errors. A read describes 100 of them. The second run starts
  // after them.
  FakeData data;
  data.sample_size_bytes = 100;
  data.lengths = {std::vector<std::int64_t>(200, 1)};
  for (std::int64_t i = 0; i < 150; ++i) data.wrong[{0, i}] = {1000 + i};
  const RunParts parts = {.data = fake(data),
                          .order = {.minibatch_size = 10, .unit = MinibatchUnit::sequences}};
  const Outcome whole = run(parts, {.threads = 2, .max_errors = 150});
  EXPECT_EQ(whole.error, "");
  EXPECT_EQ(whole.stats.error_count, 150);
  EXPECT_EQ(whole.diagnostics.size(), 100U);

  RunOptions options = {.threads = 2, .max_errors = 7};
  options.start = whole.positions[11];  // after 120 sequences
  const Outcome rest = run(parts, options);
  EXPECT_NE(rest.error.find("byte 1127"), std::string::npos) << rest.error;
  EXPECT_EQ(rest.diagnostics.size(), 8U);
  EXPECT_NE(rest.diagnostics.front().find("byte 1120"), std::string::npos);

  const Outcome late = run(parts, {.threads = 2, .max_errors = 140});
  EXPECT_NE(late.error.find("byte 1140"), std::string::npos) << late.error;
  EXPECT_EQ(late.diagnostics.size(), 101U);
}

TEST(Engine, AMinibatchOfHolesIsDeliveredEmpty) {
  FakeData data;
  data.lengths = {{1, 2}};
  data.wrong = {{{0, 0}, {1}}, {{0, 1}, {2}}};
  Reader reader =
      open({.data = fake(data), .order = {.minibatch_size = 8}}, {.threads = 1, .max_errors = 2});
  const std::optional<Minibatch> minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(minibatch->sequence_count(), 0);
  EXPECT_EQ(minibatch->hole_count, 2);
  EXPECT_TRUE(minibatch->ends_epoch);
}

TEST(Engine, ABrokenDeserializerPromiseIsNamed) {
  struct Case {
    std::function<void(FakeData&)> breaking;
    const char* text;
  };

  const Case cases[] = {
      {[&](FakeData& data) {
         data.on_chunk = [](const Chunk&) {
           const std::vector<Stream> none;
           return Chunk(none, 7, {});
         };
       },
       "3 sequences were asked for, 7 came"},
      {[&](FakeData& data) {
         data.on_chunk = [](const Chunk& chunk) {
           const std::vector<Stream> none;
           return Chunk(none, chunk.sequence_count(), {});
         };
       },
       "streams() has 2 streams, the chunk has 0"},
      {[&](FakeData& data) {
         data.wrong[{0, 1}] = {};
       },
       "sequence 1 is a hole without"},
  };
  for (const Case& c : cases) {
    FakeData data;
    data.lengths = {{1, 1, 1}};
    c.breaking(data);
    const Outcome outcome = run({.data = fake(data)}, {.threads = 1});
    EXPECT_NE(outcome.error.find("InternalError"), std::string::npos) << outcome.error;
    EXPECT_NE(outcome.error.find(c.text), std::string::npos) << outcome.error;
    EXPECT_NE(outcome.error.find("Deserializer::read of chunk 0, sequences 0 to 2"),
              std::string::npos)
        << outcome.error;
  }
}

/// Fails at a given step.
class FailingSequencer final : public Sequencer {
 public:
  FailingSequencer(std::shared_ptr<const Counts> counts, std::int64_t good_steps,
                   std::function<std::optional<Step>()> fail)
      : linear_(std::move(counts), {.minibatch_size = 2, .unit = MinibatchUnit::sequences}),
        good_steps_(good_steps),
        fail_(std::move(fail)) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "failing"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override {
    return linear_.make_cursor();
  }
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override {
    return from.sequence >= 2 * good_steps_ ? fail_() : linear_.step(from, cursor, room);
  }

 private:
  LinearSequencer linear_;
  std::int64_t good_steps_;
  std::function<std::optional<Step>()> fail_;
};

TEST(Engine, APlanningErrorIsTheErrorOfItsStep) {
  struct Case {
    std::function<std::optional<Step>()> fail;
    const char* text;
  };
  const auto step_of = [](SequenceRef ref, std::vector<SampleRange> slices) {
    return Step{.sequences = {ref}, .slices = std::move(slices), .next = {.sequence = 100}};
  };
  const Case cases[] = {
      {[]() -> std::optional<Step> { throw IoError("made-up: no index"); }, "made-up: no index"},
      {[&] {
         return step_of({ChunkIndex{9}, 0}, {});
       },
       "names chunk 9, which the index does not"},
      {[&] {
         return step_of({ChunkIndex{1}, 1}, {});
       },
       "names sequence 1 of chunk 1, which has 1"},
      {[&] {
         return step_of({ChunkIndex{1}, -1}, {});
       },
       "names sequence -1 of chunk 1"},
      {[&] {
         return step_of({ChunkIndex{0}, 0}, {{0, 1}, {0, 1}});
       },
       "2 slices for 1 sequences"},
  };
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  for (const Case& c : cases) {
    for (std::int64_t good_steps = 0; good_steps < 13; good_steps += 4) {
      for (const int threads : kThreadCounts) {
        SCOPED_TRACE(good_steps);
        const auto open = [&] {
          return Reader(data, std::make_unique<FailingSequencer>(counts, good_steps, c.fail),
                        padded_packer(), {.threads = threads});
        };
        if (good_steps == 0) {
          EXPECT_THROW(open(), Error);
          continue;
        }
        Reader reader = open();
        const Outcome outcome = run(reader);
        EXPECT_EQ(std::ssize(outcome.minibatches), good_steps);
        EXPECT_NE(outcome.error.find(c.text), std::string::npos) << outcome.error;
      }
    }
  }
}

TEST(Engine, AllocationFailureIsTheErrorOfAStepAndLeaksNothing) {
  const RunParts parts = {.data = fake(small_data())};
  const std::vector<std::string> good = run(parts, {}).minibatches;
  bool has_failed = true;
  std::int64_t failures = 0;
  for (std::int64_t allocations = 0; has_failed; allocations += 3) {
    TestMemory memory(allocations);
    const Outcome outcome = run(parts, {.threads = 2, .minibatch_memory = &memory});
    has_failed = !outcome.error.empty();
    failures += has_failed ? 1 : 0;
    if (has_failed) {
      EXPECT_NE(outcome.error.find("bad_alloc"), std::string::npos) << outcome.error;
    }
    EXPECT_EQ(memory.held_bytes(), 0);
    ASSERT_LE(outcome.minibatches.size(), good.size());
    for (std::size_t i = 0; i < outcome.minibatches.size(); ++i) {
      EXPECT_EQ(outcome.minibatches[i], good[i]);
    }
  }
  EXPECT_GT(failures, 18);
}

TEST(Engine, CanBeDestroyedAfterAnyMinibatch) {
  FakeData data = small_data();
  data.on_read = [](const ChunkRange&) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  };
  for (const RunParts& parts : all_parts(data)) {
    for (int delivered = 0; delivered < 20; ++delivered) {
      for (const int threads : kThreadCounts) {
        Reader reader = open(parts, {.threads = threads});
        for (int i = 0; i < delivered; ++i) static_cast<void>(reader.next());
      }
    }
  }
}

TEST(Engine, CanBeDestroyedWhileTheFirstReadBlocks) {
  FakeData data = small_data();
  std::atomic<bool> is_reading = false;
  std::atomic<bool> may_go_on = false;
  std::atomic<int> reads = 0;
  data.on_read = [&](const ChunkRange&) {
    ++reads;
    is_reading = true;
    while (!may_go_on) std::this_thread::yield();
  };
  const auto deserializer = fake(data);
  std::thread releasing;
  {
    const Reader reader = open({.data = deserializer}, {.threads = 1});
    while (!is_reading) std::this_thread::yield();
    releasing = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      may_go_on = true;
    });
  }
  EXPECT_TRUE(may_go_on) << "the destructor waits for running tasks";
  EXPECT_EQ(reads, 1) << "and begins nothing more";
  releasing.join();
}

TEST(Engine, AnInterruptionWhileWaitingKeepsTheRun) {
  FakeData data = small_data();
  std::atomic<bool> may_go_on = false;
  data.on_read = [&](const ChunkRange&) {
    while (!may_go_on) std::this_thread::yield();
  };
  const auto deserializer = fake(data);
  Reader reader = open({.data = deserializer}, {.threads = 2});
  Refusing refusing;
  {
    const InterruptionScope scope(refusing);
    EXPECT_THROW(static_cast<void>(reader.next()), Interrupted);
    EXPECT_THROW(static_cast<void>(reader.next()), Interrupted);
  }
  EXPECT_EQ(refusing.count(), 2);
  may_go_on = true;
  const auto count = [](Reader& run) {
    std::int64_t sequences = 0;
    while (const std::optional<Minibatch> minibatch = run.next()) {
      sequences += minibatch->sequence_count();
    }
    return sequences;
  };
  Reader undisturbed = open({.data = deserializer}, {.threads = 2});
  EXPECT_EQ(count(reader), count(undisturbed));
}

TEST(Engine, TasksMayRunInAnyOrder) {
  const RunParts parts = {.data = fake(small_data()), .jumps = true};
  const Outcome expected = run(parts, {.threads = 1});
  ManualExecutor executor(1'000'000);
  std::atomic<bool> is_over = false;
  std::thread running([&] {  // last in, first out
    while (!is_over) {
      if (!executor.run_one()) std::this_thread::yield();
    }
  });
  EXPECT_EQ(run(parts, {.executor = &executor}).minibatches, expected.minibatches);
  is_over = true;
  running.join();
}

TEST(Engine, ARefusedTaskIsAnErrorOfNext) {
  const RunParts parts = {.data = fake(small_data())};
  const std::vector<std::string> good = run(parts, {}).minibatches;
  bool has_failed = true;
  for (std::int64_t accepted = 0; has_failed; ++accepted) {
    ManualExecutor executor(accepted);
    std::atomic<bool> is_over = false;
    std::thread running([&] {
      while (!is_over) {
        if (!executor.run_one()) std::this_thread::yield();
      }
    });
    const Outcome outcome = run(parts, {.executor = &executor});
    is_over = true;
    running.join();
    has_failed = !outcome.error.empty();
    if (has_failed) {
      EXPECT_NE(outcome.error.find("bad_alloc"), std::string::npos);
    } else {
      EXPECT_EQ(outcome.minibatches, good);
    }
  }
}

TEST(Engine, ReadsAheadUpToALimit) {
  FakeData data;
  data.sample_size_bytes = 2 << 20;
  data.lengths.assign(20, std::vector<std::int64_t>(10, 1));  // 200 units of one sequence
  const auto deserializer = fake(data);
  Reader reader =
      open({.data = deserializer, .order = {.minibatch_size = 1, .unit = MinibatchUnit::sequences}},
           {.threads = 2});
  for (int delivered = 1; delivered <= 5; ++delivered) {
    ASSERT_TRUE(reader.next());
    while (deserializer->read_count() <= delivered) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LE(deserializer->read_count(), delivered + 1 + 6);  // the front's read, and 2 * threads
                                                               // + 2 more
  }
}

TEST(Engine, WaitingTimeIsCounted) {
  FakeData data;
  data.lengths = {{1}};
  data.on_read = [](const ChunkRange&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  const Outcome outcome = run({.data = fake(data)}, {.threads = 1});
  EXPECT_GT(outcome.stats.wait_seconds, 0);
  EXPECT_LT(outcome.stats.wait_seconds, 60);
}

}  // namespace
}  // namespace sheaf::testing
