// The laws of deserializers for every format: the contract of the interface holds, and the
// deserializer agrees with the reference parser.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/simd.h"

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

using DeserializerLaws = Laws;

#if defined(SHEAF_SANITIZED)
constexpr int kShorterBy = 3;  // sanitizers are slow
constexpr std::uint64_t kSeeds = 24;
constexpr std::uint64_t kSeedsOfSizes = 1;
constexpr std::uint64_t kSeedsOfFailures = 1;  // each file is read once for each of its reads
constexpr std::uint64_t kSeedsOfInterruptions = 1;
constexpr std::uint64_t kSeedsOfChecks = 30;
constexpr std::uint64_t kRandomFiles = 120;
#else
constexpr int kShorterBy = 0;
constexpr std::uint64_t kSeeds = 300;
constexpr std::uint64_t kSeedsOfSizes = 12;
constexpr std::uint64_t kSeedsOfFailures = 6;
constexpr std::uint64_t kSeedsOfInterruptions = 3;
constexpr std::uint64_t kSeedsOfChecks = 200;
constexpr std::uint64_t kRandomFiles = 3000;
#endif
constexpr std::uint64_t kRandomFilesMin = 40;  // if the reference is slow

constexpr std::int64_t kChunkSizes[] = {1, 40, 1 << 20};

FormatOptions with_sizes(FormatOptions options, std::int64_t chunk_size_bytes,
                         std::int64_t read_size_bytes) {
  options.chunk_size_bytes = chunk_size_bytes;
  options.read_size_bytes = read_size_bytes;
  return options;
}

std::unique_ptr<Deserializer> open(const LawCase& law_case, const std::string& bytes,
                                   std::int64_t chunk_size_bytes) {
  return law_case.implementation().open({memory_source(bytes, std::string(kMemoryName)),
                                         with_sizes(law_case.set.options, chunk_size_bytes, 4096)});
}

/// Compares a format with the reference parser. Returns whether they agree.
bool agree(const LawCase& law_case, const ReferenceResult& expected, const std::string& bytes,
           std::int64_t chunk_size_bytes, std::int64_t read_size_bytes) {
  const ReferenceResult actual =
      read_all(law_case.implementation(), bytes,
               with_sizes(law_case.set.options, chunk_size_bytes, read_size_bytes));
  if (actual == expected) return true;
  ADD_FAILURE() << "on " << quoted(bytes, 2000) << "\nwith chunks of " << chunk_size_bytes
                << " and reads of " << read_size_bytes << " bytes\nthe reference has\n"
                << to_string(expected) << "and the format\n"
                << to_string(actual);
  return false;
}

constexpr int kFailuresMax = 5;

TEST_P(DeserializerLaws, TheFastParserAgreesWithTheReferenceOnEveryShortString) {
  for (const Alphabet& alphabet : GetParam().set.alphabets) {
    const std::size_t letter_count = alphabet.letters.size();
    const int length_max = alphabet.length_max - kShorterBy;
    int failures = 0;
    for (int length = 0; length <= length_max; ++length) {
      std::vector<std::size_t> word(static_cast<std::size_t>(length), 0);
      for (std::int64_t n = 0;; ++n) {
        std::string bytes;
        for (const std::size_t letter : word) bytes += alphabet.letters[letter];
        const ReferenceResult expected = GetParam().reference(bytes);
        if (!agree(GetParam(), expected, bytes, 1 << 20, 4096)) ++failures;
        if (n % 8 == 0 && !agree(GetParam(), expected, bytes, 1 + n % 5, 1 + n % 3)) ++failures;
        ASSERT_LT(failures, kFailuresMax) << "there may be more";

        std::size_t i = 0;  // the next word, counted like an odometer
        while (i < word.size() && ++word[i] == letter_count) word[i++] = 0;
        if (i == word.size()) break;
      }
    }
  }
}

TEST_P(DeserializerLaws, TheFastParserAgreesWithTheReferenceOnRandomFiles) {
  int failures = 0;
  std::int64_t delivered = 0;
  std::int64_t wrong = 0;
  const std::vector<SimdLevel> levels = simd_levels();
  const std::uint64_t file_count = std::max(kRandomFiles / GetParam().set.one_in, kRandomFilesMin);
  for (std::uint64_t seed = 0; seed < file_count; ++seed) {
    SCOPED_TRACE(seed);
    set_simd_level(levels[seed % levels.size()]);
    const std::string bytes = GetParam().file(seed);
    const ReferenceResult expected = GetParam().reference(bytes);
    if (!agree(GetParam(), expected, bytes, 1 << 20, 1 << 16)) ++failures;
    if (!agree(GetParam(), expected, bytes, 1 + static_cast<std::int64_t>(seed % 90),
               1 + static_cast<std::int64_t>(seed % 17))) {
      ++failures;
    }
    ASSERT_LT(failures, kFailuresMax) << "there may be more";
    wrong += expected.error_count();
    delivered += std::ranges::count(expected.sequences, false, &ReferenceSequence::is_hole);
  }
  set_simd_level(levels.back());
  // Checks the generator: some random files are good, and some are bad.
  const std::uint64_t delivered_min =
      GetParam().format.has_one_sequence ? file_count / 2 : file_count;
  EXPECT_GT(delivered, static_cast<std::int64_t>(delivered_min));
  EXPECT_GT(wrong, static_cast<std::int64_t>(file_count / 10));
}

TEST_P(DeserializerLaws, ReadSizeAndChunkSizeDoNotChangeTheSequences) {
  for (std::uint64_t seed = 0; seed < kSeedsOfSizes; ++seed) {
    const std::string bytes = GetParam().file(seed);
    const ReferenceResult expected =
        read_all(GetParam().implementation(), bytes, GetParam().set.options);
    std::vector<std::int64_t> read_sizes = {64 << 10};
    for (std::int64_t size = 1; size <= std::ssize(bytes); size += size < 100 ? 1 : 37) {
      read_sizes.push_back(size);
    }
    for (const std::int64_t chunk_size : kChunkSizes) {
      for (const std::int64_t read_size : read_sizes) {
        EXPECT_EQ(expected, read_all(GetParam().implementation(), bytes,
                                     with_sizes(GetParam().set.options, chunk_size, read_size)))
            << "seed " << seed << ", chunks of " << chunk_size << ", reads of " << read_size;
      }
    }
  }
}

TEST_P(DeserializerLaws, NoReadIsLargerThanTheReadSize) {
  for (std::uint64_t seed = 0; seed < seeds(5); ++seed) {
    const std::string bytes = file_that_opens(seed);
    for (const std::int64_t read_size : {3, 64}) {
      const auto source = std::make_shared<TestSource>(bytes);
      const auto data = GetParam().implementation().open(
          {source, with_sizes(GetParam().set.options, 1 << 20, read_size)});
      // The fingerprint and the texts of errors may read small parts of the file at once.
      constexpr std::int64_t kSmall = 64 << 10;
      static_cast<void>(read_all(*data));
      EXPECT_LE(source->read_size_max(), std::max(read_size, kSmall)) << "seed " << seed;
      // Columns that nobody asks for may stay unread.
      const std::int64_t read = std::min(std::ssize(bytes), source->read_bytes());
      EXPECT_GE(source->read_count(), read / read_size) << "seed " << seed;
    }
  }
}

TEST_P(DeserializerLaws, AnyRangeEqualsThatPartOfTheChunk) {
  for (std::uint64_t seed = 0; seed < seeds(25); ++seed) {
    SCOPED_TRACE(seed);
    const auto data = open(GetParam(), file_that_opens(seed), 1 << 20);
    const RangeResult whole = read_range(*data, {.chunk = ChunkIndex{}});
    const std::int64_t count = std::ssize(whole.sequences);
    for (std::int64_t first = 0; first < count; ++first) {
      for (std::int64_t size = 1; first + size <= count; ++size) {
        const RangeResult part =
            read_range(*data, {.chunk = ChunkIndex{}, .first = first, .count = size});
        RangeResult expected;
        std::copy_n(whole.sequences.begin() + first, size, std::back_inserter(expected.sequences));
        std::ranges::copy_if(whole.diagnostics, std::back_inserter(expected.diagnostics),
                             [&](const ReferenceDiagnostic& diagnostic) {
                               return first <= diagnostic.sequence &&
                                      diagnostic.sequence < first + size;
                             });
        EXPECT_EQ(part, expected) << "sequences " << first << " to " << first + size;
      }
      const RangeResult rest = read_range(*data, {.chunk = ChunkIndex{}, .first = first});
      EXPECT_EQ(std::ssize(rest.sequences), count - first) << "a count too large is cut";
    }
  }
}

TEST_P(DeserializerLaws, EachIndexedSequenceIsDeliveredOrDiagnosed) {
  for (std::uint64_t seed = 0; seed < kSeedsOfChecks; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const auto data = open(GetParam(), bytes, kChunkSizes[seed % 3]);
    std::int64_t end_of_last = 0;
    ChunkIndex index{};
    for (; const std::optional<ChunkInfo> info = data->index().chunk(index); index = next(index)) {
      const auto table = data->index().sequences(index);
      ASSERT_GT(info->sequence_count, 0);
      EXPECT_EQ(info->sequence_count, table->size());
      EXPECT_GE(info->offset_bytes, end_of_last);
      end_of_last = info->offset_bytes + info->size_bytes;
      EXPECT_LE(end_of_last, std::ssize(bytes));

      Diagnostics diagnostics;
      const Chunk chunk = data->read({.chunk = index}, diagnostics);
      EXPECT_EQ(chunk.sequence_count(), info->sequence_count);
      // Each of the six buffers of a column may be rounded up to whole cache lines.
      EXPECT_LE(chunk.memory_bytes(), info->decoded_size_bytes + chunk.stream_count() * 6 * 64);

      std::int64_t samples = 0;
      std::vector<std::int64_t> spoilt;
      for (const Diagnostics::Entry& entry : diagnostics.entries()) {
        if (entry.counts()) spoilt.push_back(entry.sequence);
      }
      EXPECT_TRUE(std::ranges::is_sorted(spoilt));
      spoilt.erase(std::unique(spoilt.begin(), spoilt.end()), spoilt.end());
      EXPECT_TRUE(std::ranges::includes(spoilt, chunk.holes()))
          << "an error says why a sequence is a hole";
      for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
        samples += table->sample_count(i);
        std::int64_t longest = 0;
        std::int64_t defining = -1;
        for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
          const std::int64_t count = chunk.view(s, i).sample_count;
          longest = std::max(longest, count);
          if (data->streams()[static_cast<std::size_t>(s)].defines_minibatch_size) defining = count;
        }
        // With CNTK's rules, the sample count is the number of rows, which differs if samples have
        // errors.
        if (GetParam().set.options.compatibility == Compatibility::cntk) continue;
        if (GetParam().format.stores_index) continue;
        EXPECT_EQ(chunk.is_hole(i) ? 0 : table->sample_count(i),
                  defining >= 0 ? defining : longest);
      }
      EXPECT_EQ(info->sample_count, samples);
      const std::optional<ChunkCounts> counts = data->index().chunk_counts(index);
      ASSERT_TRUE(counts);
      EXPECT_EQ(counts->sequence_count, info->sequence_count);
      EXPECT_EQ(counts->sample_count, samples);
    }
    EXPECT_FALSE(data->index().chunk(next(index))) << "behind the last chunk there is none either";
    EXPECT_GT(data->index().memory_bytes(), 0);
  }
}

TEST_P(DeserializerLaws, AChunkIsWithinItsSizeUnlessItIsOneSequence) {
  const FormatOptions& options = GetParam().set.options;
  const bool has_gaps =
      options.missing_streams == MissingStreams::allow &&
      std::ranges::any_of(options.streams, &StreamOptions::defines_minibatch_size);
  if (GetParam().format.stores_index || !GetParam().format.inner_format.empty()) return;
  if (has_gaps) return;  // dropped sequences lie between the others and do not count
  for (std::uint64_t seed = 0; seed < seeds(50); ++seed) {
    const auto data = open(GetParam(), file_that_opens(seed), 100);
    for (ChunkIndex i{}; const auto info = data->index().chunk(i); i = next(i)) {
      // Sequences may share bytes, as views of an image do.
      const bool is_one = data->index().sequences(i)->offset_bytes(info->sequence_count - 1) == 0;
      EXPECT_TRUE(info->size_bytes <= 100 || is_one)
          << "seed " << seed << ": " << info->size_bytes << " bytes, " << info->sequence_count
          << " sequences";
    }
  }
}

TEST_P(DeserializerLaws, ManyThreadsReadTheSame) {
  for (std::uint64_t seed = 0; seed < seeds(10); ++seed) {
    const std::string bytes = file_that_opens(seed);
    const ReferenceResult expected = read_all(*open(GetParam(), bytes, 40));
    const auto data = open(GetParam(), bytes, 40);
    std::array<ReferenceResult, 4> results;
    std::vector<std::thread> threads;
    for (ReferenceResult& result : results) {
      threads.emplace_back([&result, &data] { result = read_all(*data); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const ReferenceResult& result : results) EXPECT_EQ(result, expected) << "seed " << seed;
  }
}

/// The whole content of an index.
struct IndexResult {
  std::vector<ChunkInfo> chunks;
  std::vector<std::vector<std::int64_t>> rows;  // of each chunk: keys, offsets and counts of its
                                                // sequences
  std::vector<std::string> warnings;

  friend bool operator==(const IndexResult&, const IndexResult&) = default;
};

void PrintTo(const IndexResult& result, std::ostream* out) {
  for (std::size_t i = 0; i < result.chunks.size(); ++i) {
    const ChunkInfo& chunk = result.chunks[i];
    *out << "at " << chunk.offset_bytes << ", line " << chunk.first_line << ": " << chunk.size_bytes
         << " bytes, " << chunk.sample_count << " samples, " << chunk.decoded_size_bytes
         << " decoded:" << ::testing::PrintToString(result.rows[i]) << '\n';
  }
  *out << ::testing::PrintToString(result.warnings) << '\n';
}

IndexResult index_of(const Deserializer& data) {
  IndexResult result;
  for (ChunkIndex i{}; const auto info = data.index().chunk(i); i = next(i)) {
    result.chunks.push_back(*info);
    std::vector<std::int64_t>& row = result.rows.emplace_back();
    const auto table = data.index().sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) {
      row.insert(row.end(), {static_cast<std::int64_t>(table->key(k).low),
                             static_cast<std::int64_t>(table->key(k).high), table->offset_bytes(k),
                             table->first_line(k), table->sample_count(k)});
    }
  }
  for (const Diagnostic& warning : data.warnings()) {
    result.warnings.push_back(std::to_string(warning.line) + " " + to_string(warning));
  }
  return result;
}

/// Checks that the sequences decoded while indexing equal the sequences that read() returns. Chunks
/// come in order, and each chunk is complete. Returns how many sequences were decoded.
std::int64_t check_decoded(const std::vector<DecodedRange>& ranges, const Deserializer& plain) {
  std::int64_t decoded = 0;
  std::int64_t last_chunk = -1;
  std::int64_t next = 0;   // the first sequence of the next range of the chunk
  std::int64_t count = 0;  // how many sequences the chunk has
  for (const DecodedRange& range : ranges) {
    const auto chunk = static_cast<std::int64_t>(range.range.chunk);
    if (chunk != last_chunk) {
      EXPECT_EQ(next, count) << "chunk " << last_chunk << " is not complete";
      EXPECT_GT(chunk, last_chunk);
      last_chunk = chunk;
      next = 0;
      count = plain.index().chunk(range.range.chunk).value().sequence_count;
    }
    EXPECT_EQ(range.range.first, next);
    next += range.range.count;
    if (range.chunk == nullptr) continue;
    EXPECT_EQ(decoded_range(plain, range), read_range(plain, range.range));
    decoded += range.range.count;
  }
  EXPECT_EQ(next, count);
  return decoded;
}

TEST_P(DeserializerLaws, BuildingTheIndexGivesTheSameIndexAndSequences) {
  const std::unique_ptr<Executor> threads = thread_pool(3);
  std::int64_t decoded = 0;
  bool does_it = false;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const auto read_size = static_cast<std::int64_t>(1 + seed % 3);
    const FormatOptions options =
        with_sizes(GetParam().set.options, kChunkSizes[seed % 3], read_size);
    const auto open_it = [&] {
      return GetParam().implementation().open(
          {memory_source(bytes, std::string(kMemoryName)), options});
    };
    const auto plain = open_it();
    const auto expected = index_of(*plain);
    const auto data = open_it();
    const std::int64_t chunks_max = seed % 5 == 0 ? 0 : 1'000'000;
    const std::vector<DecodedRange> ranges = build_index(*data, *threads, chunks_max);
    EXPECT_EQ(index_of(*data), expected);
    EXPECT_TRUE(chunks_max > 0 || ranges.empty());
    does_it |= !ranges.empty();
    decoded += check_decoded(ranges, *plain);
    EXPECT_EQ(read_all(*data), read_all(*plain));
    EXPECT_TRUE(build_index(*data, *threads, chunks_max).empty()) << "the index is there";

    const auto begun = open_it();
    static_cast<void>(begun->index().chunk(ChunkIndex{}));
    check_decoded(build_index(*begun, *threads, chunks_max), *plain);
    EXPECT_EQ(index_of(*begun), expected);
  }
  // While a format does not know whether a sequence will be dropped, the sequence is not decoded.
  const FormatOptions& options = GetParam().set.options;
  const bool may_drop =
      std::ranges::any_of(options.streams, &StreamOptions::defines_minibatch_size) ||
      options.missing_streams == MissingStreams::allow;
  EXPECT_TRUE(!does_it || may_drop || decoded > static_cast<std::int64_t>(kSeeds)) << decoded;
}

TEST_P(DeserializerLaws, BuildingTheIndexCanBeRepeatedAfterAFailure) {
  const std::unique_ptr<Executor> threads = thread_pool(2);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const FormatOptions options = with_sizes(GetParam().set.options, 40, 2);
    const auto plain =
        GetParam().implementation().open({memory_source(bytes, std::string(kMemoryName)), options});
    for (std::int64_t n = 1; n < 40; n += 3) {
      const auto source = std::make_shared<TestSource>(bytes);
      const auto data = GetParam().implementation().open({source, options});
      source->fail_read(source->read_count() + n);
      try {
        static_cast<void>(build_index(*data, *threads, 1'000'000));
      } catch (const IoError&) {
      }
      source->fail_read(0);
      EXPECT_EQ(index_of(*data), index_of(*plain)) << "after read " << n << " failed";
      EXPECT_EQ(read_all(*data), read_all(*plain));
    }
  }
}

/// Interrupts `work` at its first chance, then at its second and so on, until nothing is left to
/// interrupt. Each attempt has its own data. After each attempt, `check` gets the interrupted data.
template <typename Data>
void interrupt_everywhere(const std::function<Data()>& open,
                          const std::function<void(const Data&)>& work,
                          const std::function<void(const Data&)>& check) {
  std::int64_t n = 1;
  for (;; ++n) {
    ASSERT_LT(n, 10'000) << "it asks more and more often";
    SCOPED_TRACE(n);
    const Data data = open();
    Interrupting interruption(n);
    try {
      const InterruptionScope scope(interruption);
      work(data);
    } catch (const Interrupted&) {
    }
    check(data);
    if (::testing::Test::HasFailure() || !interruption.has_thrown()) break;
  }
  EXPECT_GT(n, 1) << "it never asks";
}

TEST_P(DeserializerLaws, AnInterruptionLeavesTheDeserializerUnchanged) {
  using Data = std::shared_ptr<const Deserializer>;
  const std::unique_ptr<Executor> threads = thread_pool(2);
  for (const bool is_limited : {false, true}) {
    for (std::uint64_t seed = 0; seed < kSeedsOfInterruptions; ++seed) {
      SCOPED_TRACE(seed);
      const std::string bytes = file_that_opens(seed);
      FormatOptions options = with_sizes(GetParam().set.options, 40, 40);
      options.index.memory_limit_bytes.reset();
      if (is_limited) options.index.memory_limit_bytes = 1;
      const auto open_it = [&]() -> Data {
        const auto source =
            std::make_shared<WaitingSource>(memory_source(bytes, std::string(kMemoryName)));
        return GetParam().implementation().open({source, options});
      };
      const Data plain = open_it();
      const IndexResult index = index_of(*plain);
      const ReferenceResult content = read_all(*plain);
      const auto work = [&](const Data& data) {
        static_cast<void>(index_of(*data));
        static_cast<void>(read_all(*data));
      };
      const auto index_together = [&](const Data& data) {
        static_cast<void>(data->index().chunk(ChunkIndex{}));  // one thread begins the index
        static_cast<void>(build_index(*data, *threads, seed == 0 ? 0 : 1'000'000));
        work(data);
      };
      const auto check = [&](const Data& data) {
        EXPECT_EQ(index_of(*data), index);
        EXPECT_EQ(read_all(*data), content);
      };
      interrupt_everywhere<Data>(open_it, work, check);
      interrupt_everywhere<Data>(open_it, index_together, check);
    }
  }
}

TEST_P(DeserializerLaws, OpeningCanBeRepeatedAfterAnInterruption) {
  const std::string bytes = file_that_opens(1);
  const FormatOptions options = with_sizes(GetParam().set.options, 40, 40);
  const auto source =
      std::make_shared<WaitingSource>(memory_source(bytes, std::string(kMemoryName)));
  const auto open_it = [&] { return GetParam().implementation().open({source, options}); };
  const IndexResult index = index_of(*open_it());
  interrupt_everywhere<int>([] { return 0; }, [&](int) { static_cast<void>(open_it()); },
                            [&](int) { EXPECT_EQ(index_of(*open_it()), index); });
}

TEST_P(DeserializerLaws, TheFingerprintDependsOnContentAndOptions) {
  const std::string bytes = file_that_opens(1);
  const std::string fingerprint = open(GetParam(), bytes, 40)->fingerprint();
  EXPECT_EQ(fingerprint, open(GetParam(), bytes, 40)->fingerprint());
  EXPECT_NE(fingerprint, open(GetParam(), file_that_opens(2), 40)->fingerprint());
  if (!GetParam().format.stores_index) {
    EXPECT_NE(fingerprint, open(GetParam(), bytes, 41)->fingerprint()) << "chunks are other ones";
  }
  for (const char c : fingerprint) EXPECT_TRUE(' ' <= c && c < 0x7F) << "byte " << int{c};
}

TEST_P(DeserializerLaws, DiagnosticsNameThePathAndTheExpectedValue) {
  const std::string& inner = GetParam().format.inner_format;
  const std::string prefix = (inner.empty() ? GetParam().format.name : inner) + '-';
  for (std::uint64_t seed = 0; seed < kSeedsOfChecks; ++seed) {
    const auto data = open(GetParam(), file_that_opens(seed), 1 << 20);
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = ChunkIndex{}}, diagnostics));
    for (const Diagnostic& diagnostic : diagnostics.described()) {
      EXPECT_EQ(diagnostic.path, kMemoryName);
      EXPECT_TRUE(diagnostic.code.starts_with(prefix)) << diagnostic.code;
      EXPECT_FALSE(diagnostic.expected.empty()) << diagnostic.code;
    }
  }
}

TEST_P(DeserializerLaws, DiagnosticsBeyondTheLimitAreCountedWithoutText) {
  for (std::uint64_t seed = 0; seed < kSeedsOfChecks; ++seed) {
    const auto data = open(GetParam(), file_that_opens(seed), 1 << 20);
    Diagnostics all;
    Diagnostics few(1);
    static_cast<void>(data->read({.chunk = ChunkIndex{}}, all));
    static_cast<void>(data->read({.chunk = ChunkIndex{}}, few));
    ASSERT_EQ(all.entries().size(), few.entries().size()) << "seed " << seed;
    for (std::size_t i = 0; i < all.entries().size(); ++i) {
      EXPECT_EQ(all.entries()[i].sequence, few.entries()[i].sequence);
      EXPECT_EQ(all.entries()[i].byte_offset, few.entries()[i].byte_offset);
      EXPECT_EQ(all.entries()[i].severity, few.entries()[i].severity);
    }
    EXPECT_EQ(std::ssize(few.described()), std::min<std::int64_t>(1, all.error_count()) +
                                               std::min<std::int64_t>(1, all.warning_count()));
  }
}

TEST_P(DeserializerLaws, AFailedReadIsAnIoError) {
  for (std::uint64_t seed = 0; seed < kSeedsOfFailures; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const FormatOptions options = with_sizes(GetParam().set.options, 40, 16);
    const ReferenceResult expected = read_all(GetParam().implementation(), bytes, options);
    std::int64_t failures = 0;
    for (std::int64_t n = 1;; ++n) {
      const auto source = std::make_shared<TestSource>(bytes);
      source->fail_read(n);
      try {
        EXPECT_EQ(read_all(GetParam().implementation(), source, options), expected);
        ASSERT_LT(source->read_count(), n) << "read " << n << " failed without an error";
        break;
      } catch (const IoError&) {
        ++failures;
      }
      EXPECT_EQ(read_all(GetParam().implementation(), bytes, options), expected)
          << "after read " << n << " of another source failed";
    }
    EXPECT_GT(failures, 1);
  }
}

TEST_P(DeserializerLaws, AFailedReadLeavesTheDeserializerUnchanged) {
  for (std::uint64_t seed = 0; seed < seeds(6); ++seed) {
    SCOPED_TRACE(seed);
    const auto source = std::make_shared<TestSource>(file_that_opens(seed));
    const auto data =
        GetParam().implementation().open({source, with_sizes(GetParam().set.options, 1 << 20, 16)});
    const RangeResult expected = read_range(*data, {.chunk = ChunkIndex{}});
    for (std::int64_t n = 1; n < 20; ++n) {
      source->fail_read(source->read_count() + n);
      try {
        EXPECT_EQ(read_range(*data, {.chunk = ChunkIndex{}}), expected);
      } catch (const IoError&) {
      }
      source->fail_read(0);
      EXPECT_EQ(read_range(*data, {.chunk = ChunkIndex{}}), expected);
    }
  }
}

TEST_P(DeserializerLaws, AFileTruncatedAfterOpeningIsAnIoError) {
  for (std::uint64_t seed = 0; seed < kSeedsOfFailures; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const FormatOptions options = with_sizes(GetParam().set.options, 40, 16);
    const ReferenceResult expected = read_all(GetParam().implementation(), bytes, options);
    const auto data_end = GetParam().format.data_end;
    const std::int64_t end = data_end == nullptr ? std::ssize(bytes) : data_end(bytes);
    for (std::int64_t size = 0; size < end; size += 7) {
      const auto source = std::make_shared<TestSource>(bytes);
      const auto data = GetParam().implementation().open({source, options});
      source->cut(size);
      std::int64_t read = 0;
      EXPECT_THROW(
          {
            for (ChunkIndex chunk{}; data->index().chunk(chunk); chunk = next(chunk)) {
              const RangeResult part = read_range(*data, {.chunk = chunk});
              for (const ReferenceSequence& sequence : part.sequences) {
                EXPECT_EQ(sequence, expected.sequences[static_cast<std::size_t>(read++)]);
              }
            }
          },
          IoError)
          << "cut to " << size << " of " << bytes.size() << " bytes";
    }
  }
}

SHEAF_LAWS(DeserializerLaws);

}  // namespace
}  // namespace sheaf::conformance
