// The laws of the Reader for every format: any number of threads gives the same minibatches and the
// same errors at the same step, a run can continue from every position, and nothing is lost.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "conformance/law_case.h"
#include "conformance/read_all.h"
#include "conformance/seeds.h"
#include "support/interrupting.h"
#include "support/test_sources.h"

namespace sheaf::conformance {

using testing::Interrupted;
using testing::Interrupting;
using testing::TestSource;
using testing::WaitingSource;
namespace {

using ReaderLaws = Laws;

constexpr std::int64_t kAnyErrors = 1'000'000;
constexpr std::int64_t kChunkSizeBytes = 60;  // several chunks in a file of some hundred bytes

/// The result of one call of next().
struct Result {
  std::vector<ReferenceSequence> sequences;
  std::int64_t hole_count = 0;
  bool ends_sweep = false;
  bool ends_epoch = false;
  Position position;
  std::string error;  // the kind and text of the error; then all else is empty

  friend bool operator==(const Result&, const Result&) = default;
};

void PrintTo(const Result& result, std::ostream* out) {
  ReferenceResult delivered;
  delivered.sequences = result.sequences;
  *out << result.error << to_string(delivered) << "holes " << result.hole_count << ", place "
       << result.position.place.sweep << ' ' << result.position.place.sequence << '\n';
}

std::shared_ptr<const Deserializer> open(const LawCase& law_case,
                                         std::shared_ptr<const ByteSource> source) {
  FormatOptions options = law_case.set.options;
  options.chunk_size_bytes = kChunkSizeBytes;
  options.read_size_bytes = 32;
  return law_case.implementation().open({std::move(source), options});
}

std::shared_ptr<const Deserializer> open(const LawCase& law_case, const std::string& bytes) {
  return open(law_case, memory_source(bytes, std::string(kMemoryName)));
}

Reader make_reader(const std::shared_ptr<const Deserializer>& data, const RunOptions& run,
                   std::int64_t sweeps = 2) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  return {data,
          std::make_unique<LinearSequencer>(counts,
                                            OrderOptions{.minibatch_size = 5, .sweeps = sweeps}),
          ragged_packer(), run};
}

/// Returns everything that a reader delivers, up to the end or the first error.
std::vector<Result> run_to_end(Reader& reader) {
  std::vector<Result> results;
  for (;;) {
    try {
      const std::optional<Minibatch> minibatch = reader.next();
      if (!minibatch) return results;
      results.push_back({.sequences = to_reference(*minibatch),
                         .hole_count = minibatch->hole_count,
                         .ends_sweep = minibatch->ends_sweep,
                         .ends_epoch = minibatch->ends_epoch,
                         .position = minibatch->position,
                         .error = ""});
      EXPECT_EQ(reader.position(), minibatch->position);
    } catch (const DataError& error) {
      results.emplace_back().error = std::string("DataError ") + error.what();
      return results;
    } catch (const IoError& error) {
      results.emplace_back().error = std::string("IoError ") + error.what();
      return results;
    }
  }
}

std::vector<Result> run_to_end(const std::shared_ptr<const Deserializer>& data,
                               const RunOptions& run) {
  Reader reader = make_reader(data, run);
  return run_to_end(reader);
}

TEST_P(ReaderLaws, ASweepDeliversEverySequenceOnceAndInOrder) {
  for (std::uint64_t seed = 0; seed < seeds(40); ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    std::vector<ReferenceSequence> expected;
    const ReferenceResult reference = GetParam().reference(bytes);
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (const ReferenceSequence& sequence : reference.sequences) {
        if (sequence.is_hole) continue;
        expected.push_back(
            {.key = sequence.key, .key_text = sequence.key_text, .streams = sequence.streams});
      }
    }
    const auto data = open(GetParam(), bytes);
    Reader reader = make_reader(data, {.threads = 2, .max_errors = kAnyErrors});
    std::vector<ReferenceSequence> delivered;
    std::int64_t holes = 0;
    std::int64_t sweep_ends = 0;
    for (const Result& result : run_to_end(reader)) {
      EXPECT_EQ(result.error, "");
      std::ranges::copy(result.sequences, std::back_inserter(delivered));
      holes += result.hole_count;
      sweep_ends += result.ends_sweep ? 1 : 0;
    }
    EXPECT_EQ(delivered, expected);
    EXPECT_EQ(holes,
              2 * std::ranges::count(reference.sequences, true, &ReferenceSequence::is_hole));
    EXPECT_LE(1, sweep_ends);
    EXPECT_LE(sweep_ends, 2) << "two sweeps may end in one minibatch";

    const ReaderStats stats = reader.stats();
    EXPECT_EQ(stats.sequences, std::ssize(delivered));
    EXPECT_EQ(stats.holes, holes);
    EXPECT_EQ(stats.error_count, reference.error_count()) << "counted once, not once a sweep";
    const std::int64_t warnings = std::ssize(reference.diagnostics) - reference.error_count();
    EXPECT_EQ(std::ssize(reader.warnings()),
              std::min(warnings, Diagnostics::kKeptMaxDefault) + std::ssize(data->warnings()))
        << "given once, not once a sweep";
  }
}

TEST_P(ReaderLaws, AnyNumberOfThreadsGivesTheSameMinibatchesAndErrors) {
  constexpr std::uint64_t kFiles = 25;
  std::int64_t error_count = 0;
  for (std::uint64_t seed = 0; seed < (error_count > 0 ? seeds(kFiles) : kFiles); ++seed) {
    for (const std::int64_t max_errors : {std::int64_t{0}, std::int64_t{1}, kAnyErrors}) {
      const auto data = open(GetParam(), file_that_opens(seed));
      const auto expected = run_to_end(data, {.threads = 1, .max_errors = max_errors});
      if (!expected.back().error.empty()) ++error_count;
      for (const int threads : {2, 8}) {
        EXPECT_EQ(run_to_end(data, {.threads = threads, .max_errors = max_errors}), expected)
            << "seed " << seed << ", " << threads << " threads, max_errors " << max_errors;
      }
    }
  }
  EXPECT_GT(error_count, 0) << "no file had an error: the law was not tried";
}

TEST_P(ReaderLaws, TheFirstErrorOfTheFileIsThrownByEveryCall) {
  for (std::uint64_t seed = 0; seed < seeds(60); ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const ReferenceResult reference = GetParam().reference(bytes);
    const auto first = std::ranges::find_if(reference.diagnostics, &ReferenceDiagnostic::counts);
    if (first == reference.diagnostics.end()) continue;
    Reader reader = make_reader(open(GetParam(), bytes), {.threads = 2});
    std::string text;
    for (int call = 0; call < 1'000 && text.empty(); ++call) {
      try {
        ASSERT_TRUE(reader.next()) << "the end came before the error";
      } catch (const DataError& error) {
        text = error.what();
        ASSERT_EQ(error.diagnostics().size(), 1U);
        const Diagnostic& thrown = error.diagnostics().back();
        EXPECT_TRUE(std::ranges::any_of(reference.diagnostics, [&](const ReferenceDiagnostic&
                                                                       diagnostic) {
          return diagnostic.counts() && diagnostic.sequence == first->sequence &&
                 diagnostic.byte_offset == thrown.byte_offset && diagnostic.code == thrown.code &&
                 diagnostic.line == thrown.line && diagnostic.column == thrown.column;
        })) << text;
      }
    }
    for (int call = 0; call < 2; ++call) {
      try {
        static_cast<void>(reader.next());
        FAIL() << "nothing was thrown";
      } catch (const DataError& error) {
        EXPECT_EQ(text, error.what());
      }
    }
  }
}

TEST_P(ReaderLaws, ResumingFromAnyPositionEqualsNotStopping) {
  for (std::uint64_t seed = 0; seed < seeds(10); ++seed) {
    const auto data = open(GetParam(), file_that_opens(seed));
    const auto expected = run_to_end(data, {.threads = 2, .max_errors = kAnyErrors});
    Position position = make_reader(data, {.threads = 1}).position();
    for (std::size_t k = 0; k <= expected.size(); ++k) {
      const RunOptions run = {.threads = k % 2 == 0 ? 1 : 2,
                              .max_errors = kAnyErrors,
                              .start = position_from_json(to_json(position))};
      const std::vector<Result> rest(expected.begin() + static_cast<std::ptrdiff_t>(k),
                                     expected.end());
      EXPECT_EQ(run_to_end(data, run), rest) << "seed " << seed << ", after step " << k;
      if (k < expected.size()) position = expected[k].position;
    }
  }
}

TEST_P(ReaderLaws, AFailedReadFailsItsStepAndTheNextReaderWorks) {
  for (std::uint64_t seed = 0; seed < seeds(4); ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const auto expected = run_to_end(open(GetParam(), bytes), {.max_errors = kAnyErrors});
    for (std::int64_t n = 1;; ++n) {
      const auto source = std::make_shared<TestSource>(bytes);
      source->fail_read(n);
      std::vector<Result> results;
      try {
        results = run_to_end(open(GetParam(), source), {.threads = 2, .max_errors = kAnyErrors});
      } catch (const IoError&) {
        continue;  // opening failed, or so did the constructor of the reader, which looks for the
                   // first chunk
      }
      if (source->read_count() < n) {
        EXPECT_EQ(results, expected);
        break;
      }
      // The minibatches before the error are right. A failed read for a step after the error may be
      // discarded; a failed read that is needed may not.
      ASSERT_FALSE(results.empty());
      EXPECT_TRUE(results.back().error.starts_with("IoError")) << "read " << n;
      results.pop_back();
      ASSERT_LE(results.size(), expected.size());
      for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], expected[i]);
      EXPECT_EQ(run_to_end(open(GetParam(), bytes), {.max_errors = kAnyErrors}), expected);
    }
  }
}

TEST_P(ReaderLaws, AReaderCanBeDestroyedAtAnyMoment) {
  for (std::uint64_t seed = 0; seed < seeds(10); ++seed) {
    const auto data = open(GetParam(), file_that_opens(seed));
    const auto expected = run_to_end(data, {.threads = 2, .max_errors = kAnyErrors});
    for (std::size_t steps = 0; steps <= expected.size(); ++steps) {
      Reader reader = make_reader(data, {.threads = 4, .max_errors = kAnyErrors});
      std::optional<Minibatch> last;
      for (std::size_t i = 0; i < steps; ++i) last = reader.next();
      reader = make_reader(data, {.threads = 1});
      if (last) {
        EXPECT_EQ(to_reference(*last), expected[steps - 1].sequences);
      }
    }
  }
}

/// Returns the result of a lookup of one sequence, or the error that the lookup threw.
Result ask(const std::function<std::optional<Minibatch>()>& lookup) {
  Result result;
  try {
    const std::optional<Minibatch> minibatch = lookup();
    if (minibatch) {
      result.sequences = to_reference(*minibatch);
      EXPECT_EQ(minibatch->hole_count, 0);
    } else {
      result.error = "nothing";
    }
  } catch (const DataError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    result.error = "DataError";
  }
  return result;
}

TEST_P(ReaderLaws, RandomAccessEqualsTheSweep) {
  for (std::uint64_t seed = 0; seed < seeds(40); ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const ReferenceResult reference = GetParam().reference(bytes);
    const auto data = open(GetParam(), bytes);
    Reader reader = make_reader(data, {.threads = 2, .max_errors = kAnyErrors});
    std::vector<Result> results;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < reference.sequences.size(); ++i) {
      const ReferenceSequence& sequence = reference.sequences[i];
      Result expected;
      if (sequence.is_hole) {
        expected.error = "DataError";
      } else {
        expected.sequences = {
            {.key = sequence.key, .key_text = sequence.key_text, .streams = sequence.streams}};
      }
      const auto number = static_cast<std::int64_t>(i);
      EXPECT_EQ(ask([&] { return reader.sequence_at(0, number); }), expected);
      EXPECT_EQ(ask([&] { return reader.sequence_at(7, number); }), expected);
      const bool is_first = keys.insert(to_string(sequence.key)).second;
      if (is_first) {
        EXPECT_EQ(ask([&] { return reader.sequence(sequence.key); }), expected);
        if (!sequence.key_text.empty()) {  // the key text of a hole may be damaged
          EXPECT_EQ(ask([&] { return reader.sequence(sequence.key_text); }), expected);
        }
      }
      if (std::optional<Minibatch> next = reader.next()) {
        results.push_back({.sequences = to_reference(*next),
                           .hole_count = next->hole_count,
                           .ends_sweep = next->ends_sweep,
                           .ends_epoch = next->ends_epoch,
                           .position = next->position,
                           .error = ""});
      }
    }
    EXPECT_FALSE(reader.sequence_at(0, std::ssize(reference.sequences)));
    EXPECT_FALSE(reader.sequence("no such key"));
    std::ranges::move(run_to_end(reader), std::back_inserter(results));
    EXPECT_EQ(results, run_to_end(data, {.threads = 2, .max_errors = kAnyErrors}))
        << "the run has not changed";
  }
}

TEST_P(ReaderLaws, AnInterruptionLeavesTheReaderUnchanged) {
  for (std::uint64_t seed = 0; seed < seeds(2); ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const RunOptions run{.threads = 1, .max_errors = kAnyErrors};
    const auto plain = open(GetParam(), bytes);
    Reader undisturbed = make_reader(plain, run);
    const std::vector<Result> expected = run_to_end(undisturbed);
    const std::vector<Diagnostic> diagnostics(undisturbed.diagnostics().begin(),
                                              undisturbed.diagnostics().end());
    const Result by_location = ask([&] { return undisturbed.sequence_at(0, 1); });
    std::int64_t n = 1;
    for (;; ++n) {
      ASSERT_LT(n, 10'000) << "it asks more and more often";
      SCOPED_TRACE(n);
      const auto source =
          std::make_shared<WaitingSource>(memory_source(bytes, std::string(kMemoryName)));
      const auto data = open(GetParam(), source);
      Reader reader = make_reader(data, run);
      Interrupting interruption(n);
      const InterruptionScope scope(interruption);
      std::vector<Result> results;
      Result found;
      try {
        found = ask([&] { return reader.sequence_at(0, 1); });
      } catch (const Interrupted&) {
        found = ask([&] { return reader.sequence_at(0, 1); });
      }
      for (bool is_done = false; !is_done;) {
        try {
          std::ranges::move(run_to_end(reader), std::back_inserter(results));
          is_done = true;
        } catch (const Interrupted&) {  // run_to_end() lost its results: continue after them
          const Position position = reader.position();
          results.clear();
          const auto behind = std::ranges::find(expected, position, &Result::position);
          const auto count = behind == expected.end() ? 0 : behind - expected.begin() + 1;
          std::copy_n(expected.begin(), count, std::back_inserter(results));
        }
      }
      EXPECT_EQ(found, by_location);
      EXPECT_EQ(results, expected);
      EXPECT_TRUE(std::ranges::equal(reader.diagnostics(), diagnostics));
      if (HasFailure() || !interruption.has_thrown()) break;
    }
    // These formats need not wait: all data are in memory, or the one sequence is read before this
    // thread waits for it.
    const bool need_not_wait =
        GetParam().format.name == "joined" || GetParam().format.has_one_sequence;
    EXPECT_TRUE(n > 1 || need_not_wait) << "it never asks";
  }
}

SHEAF_LAWS(ReaderLaws);

}  // namespace
}  // namespace sheaf::conformance
