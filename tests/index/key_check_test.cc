#include "index/key_check.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/error.h"

#include "io/limits.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

using Keys = std::vector<SequenceKey>;
using Answers = std::vector<KeyCheck::Repeated>;

constexpr std::int64_t kNoLimit = 0;

std::shared_ptr<const SequenceTable> table_of_keys(const Keys& keys) {
  SequenceTable::Builder builder;
  for (const SequenceKey& key : keys) builder.push_back({.key = key});
  return std::make_shared<const SequenceTable>(builder.finish());
}

Keys keys_of(const std::vector<std::uint64_t>& numbers) {
  Keys keys;
  for (const std::uint64_t number : numbers) keys.push_back({.low = number});
  return keys;
}

/// The questions to a check, and its answers.
struct Outcome {
  Answers answers;
  std::int64_t answered_at_once = 0;  // chunks
  std::int64_t memory_bytes_max = 0;
  std::vector<std::int64_t> asked_for;
};

Outcome run(const std::vector<Keys>& chunks, std::int64_t limit_bytes) {
  Outcome outcome;
  std::int64_t added = 0;
  KeyCheck check(limit_bytes, [&](std::int64_t chunk) {
    EXPECT_LT(chunk, added);
    outcome.asked_for.push_back(chunk);
    return table_of_keys(chunks[static_cast<std::size_t>(chunk)]);
  });
  for (const Keys& keys : chunks) {
    std::optional<KeyCheck::Repeated> repeated = check.add(*table_of_keys(keys));
    if (repeated) {
      EXPECT_EQ(outcome.answered_at_once, added);  // once an answer is missing, no further answer
                                                   // comes
      ++outcome.answered_at_once;
      outcome.answers.push_back(*std::move(repeated));
    }
    ++added;
    outcome.memory_bytes_max = std::max(outcome.memory_bytes_max, check.memory_bytes());
  }
  for (KeyCheck::Repeated& repeated : check.finish()) {
    outcome.answers.push_back(std::move(repeated));
  }
  return outcome;
}

/// Returns the answers, found in the simplest way.
Answers expected_of(const std::vector<Keys>& chunks) {
  std::set<SequenceKey> seen;
  Answers answers;
  for (const Keys& keys : chunks) {
    answers.emplace_back();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!seen.insert(keys[i]).second) answers.back().push_back(static_cast<std::int64_t>(i));
    }
  }
  return answers;
}

/// Returns chunks whose keys rise up to some sequence, and are random from then on.
std::vector<Keys> random_chunks(std::mt19937_64& random, std::int64_t count, bool has_wide_keys,
                                std::uint64_t key_count) {
  const bool rises_first = random() % 2 == 0;
  const auto size = static_cast<std::uint64_t>(count) + 1;
  const auto rising_count = rises_first ? static_cast<std::int64_t>(random() % size) : 0;
  std::vector<Keys> chunks(1);
  for (std::int64_t i = 0; i < count; ++i) {
    if (random() % 1000 == 0) chunks.emplace_back();
    SequenceKey key{.low = static_cast<std::uint64_t>(10 * i)};
    if (i >= rising_count) {
      key.low = random() % key_count;
      if (has_wide_keys) key.high = key.low % 5 * 0x123456789ABCDEFU;
    }
    chunks.back().push_back(key);
  }
  std::erase_if(chunks, [](const Keys& keys) { return keys.empty(); });
  return chunks;
}

TEST(KeyCheck, TheResultDoesNotDependOnTheLimit) {
  const bool holds = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<unsigned>());
    const std::vector<Keys> chunks =
        random_chunks(random, *rc::gen::inRange(1, 12'000), *rc::gen::arbitrary<bool>(),
                      *rc::gen::element<std::uint64_t>(3, 5000, 100'000, 1ULL << 60));
    const Answers expected = expected_of(chunks);
    for (const std::int64_t limit_bytes : {kNoLimit, std::int64_t{1}, std::int64_t{300'000}}) {
      RC_ASSERT(run(chunks, limit_bytes).answers == expected);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(KeyCheck, FindsRepeatedKeysInSmallCases) {
  const std::pair<std::vector<Keys>, Answers> cases[] = {
      {{}, {}},                                                                 // no keys
      {{keys_of({5})}, {{}}},                                                   // one
      {{keys_of({5, 5})}, {{1}}},                                               // equal
      {{keys_of({1, 2, 1})}, {{2}}},                                            // within a chunk
      {{keys_of({1, 2}), keys_of({2, 3})}, {{}, {0}}},                          // across chunks
      {{keys_of({1, 2}), keys_of({3, 4}), keys_of({4, 1})}, {{}, {}, {0, 1}}},  //
      {{keys_of({3, 3, 3, 2, 2})}, {{1, 2, 4}}},                                //
      {{{{.low = 1, .high = 2}, {.low = 2, .high = 1}, {.low = 1, .high = 2}}}, {{2}}},  // wide
      {{{{.low = 1}, {.low = 1, .high = 1}, {.low = 1}}}, {{2}}},  // narrow and wide keys
  };
  for (const auto& [chunks, expected] : cases) {
    EXPECT_EQ(run(chunks, kNoLimit).answers, expected);
    EXPECT_EQ(run(chunks, 1).answers, expected);
  }
}

TEST(KeyCheck, RisingKeysTakeNoMemory) {
  std::vector<Keys> chunks(3);
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    // Evenly spaced in the first chunk only. In the last chunk, keys have a high half.
    chunks[i / 10'000].push_back({.low = i * 3 + (i < 10'000 ? 0 : i % 2), .high = i / 20'000});
  }
  const Outcome rising = run(chunks, kNoLimit);
  EXPECT_EQ(rising.answers, Answers(3));
  EXPECT_EQ(rising.answered_at_once, 3);
  EXPECT_EQ(rising.memory_bytes_max, 0);
  EXPECT_EQ(rising.asked_for, std::vector<std::int64_t>());
}

TEST(KeyCheck, EvenlySpacedKeysMayOverflow) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(run({keys_of({kMax - 2, kMax - 1, kMax, 0, 1})}, kNoLimit).answers, Answers(1));
  EXPECT_EQ(run({keys_of({kMax - 1, kMax}), keys_of({0, 1}), keys_of({kMax})}, kNoLimit).answers,
            (Answers{{}, {}, {0}}));
  // Steps of half the range, or of zero.
  EXPECT_EQ(run({keys_of({1, 1 + (kMax / 2 + 1), 1})}, kNoLimit).answers, (Answers{{2}}));
  EXPECT_EQ(run({keys_of({7, 7, 7})}, kNoLimit).answers, (Answers{{1, 2}}));
  const Outcome falling = run({keys_of({9, 6, 3}), keys_of({9})}, kNoLimit);
  EXPECT_EQ(falling.answers, (Answers{{}, {0}}));
}

TEST(KeyCheck, RereadsEachEarlierTableOnceWhenKeysStopRising) {
  const Outcome stops = run(
      {keys_of({1, 2}), keys_of({3}), keys_of({4, 3}), keys_of({2, 9}), keys_of({1})}, kNoLimit);
  EXPECT_EQ(stops.asked_for, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(stops.answers, (Answers{{}, {}, {1}, {0}, {0}}));
  EXPECT_EQ(stops.answered_at_once, 5);
}

Keys random_keys(std::int64_t count, std::mt19937_64& random, bool has_wide_keys) {
  Keys keys;
  for (std::int64_t i = 0; i < count; ++i) {
    keys.push_back({.low = random(), .high = has_wide_keys ? random() : 0});
  }
  return keys;
}

// More keys than 64 parts of the set can hold, so parts are spread again.
TEST(KeyCheck, OversizedPartsAreSplitAgain) {
  std::mt19937_64 random(5);
  std::vector<Keys> chunks;
  for (int i = 0; i < 10; ++i) chunks.push_back(random_keys(40'000, random, i >= 5));
  for (std::size_t i = 0; i < 1000; ++i) chunks[9][i * 7] = chunks[random() % 9][random() % 40'000];
  EXPECT_EQ(run(chunks, 1).answers, expected_of(chunks));
}

TEST(KeyCheck, StaysWithinItsLimit) {
  constexpr std::int64_t kLimit = 1 << 20;
  std::mt19937_64 random(6);
  std::vector<Keys> chunks;
  for (int i = 0; i < 20; ++i) chunks.push_back(random_keys(100'000, random, false));
  chunks[19][5] = chunks[0][99'999];
  chunks[0][7] = chunks[0][6];
  const Outcome limited = run(chunks, kLimit);
  EXPECT_LE(limited.memory_bytes_max, kLimit);
  EXPECT_GE(limited.memory_bytes_max, kLimit / 8);
  EXPECT_EQ(limited.answered_at_once, 0);
  Answers expected(20);
  expected[0] = {7};
  expected[19] = {5};
  EXPECT_EQ(limited.answers, expected);
}

TEST(KeyCheck, AnswersImmediatelyWhileKeysFit) {
  std::mt19937_64 random(7);
  std::vector<Keys> chunks;
  for (int i = 0; i < 10; ++i) chunks.push_back(random_keys(1000, random, false));
  EXPECT_EQ(run(chunks, kNoLimit).answered_at_once, 10);
  const Outcome limited = run(chunks, 64 << 10);  // 2048 keys fill this memory
  EXPECT_EQ(limited.answered_at_once, 2);
  EXPECT_EQ(limited.asked_for, std::vector<std::int64_t>());
  EXPECT_EQ(limited.answers, Answers(10));
}

TEST(KeyCheck, FewFrequentKeysFit) {
  std::vector<Keys> chunks;
  std::mt19937_64 random(8);
  const Keys few = random_keys(500, random, false);
  for (int i = 0; i < 100; ++i) chunks.push_back(few);
  const Outcome limited = run(chunks, 1);
  EXPECT_EQ(limited.answered_at_once, 100);
  EXPECT_EQ(limited.answers, expected_of(chunks));
}

// Rising keys that exceed the set go to disk directly.
TEST(KeyCheck, ManyFormerlyRisingKeysAreSpread) {
  std::vector<Keys> chunks(3);
  for (std::uint64_t i = 0; i < 60'000; ++i) chunks[i / 30'000].push_back({.low = i * i});
  chunks[2] = keys_of({16, 17, 25, 59'999ULL * 59'999});
  const Outcome limited = run(chunks, 1);
  EXPECT_EQ(limited.answered_at_once, 2);
  EXPECT_EQ(limited.asked_for, (std::vector<std::int64_t>{0, 1}));
  EXPECT_LE(limited.memory_bytes_max, 68'000);
  EXPECT_EQ(limited.answers, (Answers{{}, {}, {0, 2, 3}}));
}

std::string io_error_of(const auto& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no IoError";
  return {};
}

TEST(KeyCheck, AFailedTemporaryFileIsAnErrorWithTheReason) {
  const TestFolder folder;
  std::mt19937_64 random(9);
  const std::vector<Keys> chunks = {random_keys(10'000, random, false)};
  const TemporaryFolder temporary(folder.path("none"));
  EXPECT_EQ(io_error_of([&] { (void)run(chunks, 1); }),
            "the folder of temporary files (TMPDIR): cannot use: No such file or directory");
  EXPECT_EQ(run(chunks, kNoLimit).answers, Answers(1));  // needs no memory
}

TEST(KeyCheck, AFullDiskIsAnErrorWithTheReason) {
  std::mt19937_64 random(9);
  const std::vector<Keys> chunks = {random_keys(10'000, random, false)};
  const FileSizeLimit limit(50'000);
  const std::string text = io_error_of([&] { (void)run(chunks, 1); });
  EXPECT_TRUE(text.ends_with(": cannot write to a temporary file: File too large")) << text;
}

TEST(KeyCheck, LeavesNoFiles) {
  const TestFolder folder;
  const TemporaryFolder temporary(folder.path("."));
  std::mt19937_64 random(10);
  KeyCheck check(1, nullptr);
  EXPECT_EQ(check.add(*table_of_keys(random_keys(10'000, random, false))), std::nullopt);
  EXPECT_EQ(folder.names(), std::set<std::string>());
}

}  // namespace
}  // namespace sheaf::internal
