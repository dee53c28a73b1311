#include "reader/deliver/error_account.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

SequenceError error_at(std::int64_t sequence, std::int64_t byte_offset) {
  Diagnostic diagnostic;
  diagnostic.byte_offset = byte_offset;
  diagnostic.code = "described";
  return {.chunk = ChunkIndex{0},
          .sequence = sequence,
          .number = byte_offset,
          .byte_offset = byte_offset,
          .diagnostic = std::make_shared<const Diagnostic>(std::move(diagnostic))};
}

std::optional<Diagnostic> never(const SequenceError& error) {
  ADD_FAILURE() << "error " << error.byte_offset << " has a description";
  return std::nullopt;
}

TEST(ErrorAccount, CountsDistinctErrors) {
  ErrorAccount account(3, never);
  std::vector<SequenceError> errors = {error_at(1, 10), error_at(1, 11), error_at(1, 10)};
  account.add(errors);
  errors = {error_at(1, 10), error_at(2, 10)};  // two sequences, so two errors
  account.add(errors);
  EXPECT_EQ(account.error_count(), 3);
  EXPECT_EQ(account.described().size(), 3U);
  errors = {error_at(1, 11), error_at(9, 90), error_at(9, 91)};
  try {
    account.add(errors);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.diagnostics().size(), 4U);
    EXPECT_EQ(error.diagnostics().back().byte_offset, 90);
  }
  EXPECT_EQ(account.error_count(), 4);
}

SequenceError error_in_frame(std::int64_t sequence, std::int64_t frame) {
  SequenceError error = error_at(sequence, 0);
  error.frame = frame;
  return error;
}

TEST(ErrorAccount, CountsEachFrameOnceAndDescribesTheFirst) {
  ErrorAccount account(3, never);
  std::vector<SequenceError> errors = {error_in_frame(1, 4), error_in_frame(1, 2),
                                       error_in_frame(1, 4)};
  account.add(errors);
  EXPECT_EQ(account.error_count(), 2);
  account.add(errors);  // the next sweep
  EXPECT_EQ(account.error_count(), 2);
  errors = {error_in_frame(2, 4)};
  account.add(errors);
  EXPECT_EQ(account.error_count(), 3);
  EXPECT_EQ(account.described().size(), 2U);
  errors = {error_in_frame(2, 4), error_in_frame(2, 5)};
  EXPECT_THROW(account.add(errors), DataError);
  EXPECT_EQ(account.error_count(), 4);
  EXPECT_EQ(account.described().size(), 2U) << "all frames of an utterance have the same errors";
}

TEST(ErrorAccount, CountsTheMemoryOfSequencesAndFrames) {
  Ledger ledger;
  {
    ErrorAccount account(std::numeric_limits<std::int64_t>::max(), never, Ledger::Token(ledger));
    EXPECT_EQ(ledger.used_bytes(), 0);
    std::vector<SequenceError> errors = {error_in_frame(0, 8'000'000)};
    account.add(errors);
    const std::int64_t used_bytes = ledger.used_bytes();
    EXPECT_GE(used_bytes, 1'000'000) << "a bit for each frame";
    EXPECT_LE(used_bytes, 2'001'000);
    EXPECT_EQ(ledger.held_bytes(), used_bytes);
    account.add(errors);
    EXPECT_EQ(ledger.used_bytes(), used_bytes) << "the same frame";
    errors = {error_in_frame(1, 8'000'000)};
    account.add(errors);
    EXPECT_GE(ledger.used_bytes(), 2 * used_bytes - 1000);
    errors = {error_at(80'000'000, 0)};
    account.add(errors);
    EXPECT_GE(ledger.used_bytes(), 12'000'000) << "a bit for each sequence";
  }
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_EQ(ledger.used_bytes(), 0);
}

TEST(ErrorAccount, KeepsTheFirstHundredDescriptionsAndTheLast) {
  ErrorAccount account(500, never);
  for (std::int64_t i = 0; i < 100; ++i) {
    std::vector<SequenceError> errors = {error_at(i, i)};
    account.add(errors);
  }
  std::vector<SequenceError> errors;
  for (std::int64_t i = 100; i < 600; ++i) {
    errors.push_back({.chunk = ChunkIndex{0}, .sequence = i, .byte_offset = i});
  }
  errors[400].diagnostic = error_at(0, 500).diagnostic;
  EXPECT_THROW(account.add(errors), DataError);
  ASSERT_EQ(account.described().size(), 101U);
  EXPECT_EQ(account.described()[99].byte_offset, 99);
  EXPECT_EQ(account.described()[100].byte_offset, 500);

  ErrorAccount of_frames(101, never);
  for (std::int64_t i = 0; i < 101; ++i) {
    std::vector<SequenceError> first = {error_in_frame(i, 0)};
    of_frames.add(first);
  }
  std::vector<SequenceError> next = {error_at(7, 70)};
  next[0].frame = 1;
  EXPECT_THROW(of_frames.add(next), DataError);
  ASSERT_EQ(of_frames.described().size(), 101U);
  EXPECT_EQ(of_frames.described()[100].byte_offset, 70);
}

TEST(ErrorAccount, LooksUpMissingDescriptionsOrReportsTheLocation) {
  std::vector<SequenceError> errors = {{.chunk = ChunkIndex{4}, .sequence = 7, .byte_offset = 70}};
  ErrorAccount finding(1, [](const SequenceError& error) {
    return std::optional(*error_at(error.sequence, error.byte_offset).diagnostic);
  });
  finding.add(errors);
  EXPECT_EQ(finding.described()[0].code, "described");

  errors = {{.chunk = ChunkIndex{4}, .sequence = 7, .byte_offset = 70}};
  ErrorAccount failing(1, [](const SequenceError&) { return std::nullopt; });
  failing.add(errors);
  EXPECT_EQ(failing.described()[0].byte_offset, 70);
  EXPECT_EQ(failing.described()[0].found, "a wrong place at byte 70 (sequence 7 of chunk 4)");
}

TEST(ErrorAccount, DescribesErrorsBeforeCountingThem) {
  std::int64_t asked = 0;
  ErrorAccount account(9, [&asked](const SequenceError& error) {
    if (++asked == 3) throw 3;  // an interruption
    return std::optional(*error_at(error.sequence, error.byte_offset).diagnostic);
  });
  std::vector<SequenceError> errors;
  for (std::int64_t i = 0; i < 4; ++i) {
    errors.push_back({.chunk = ChunkIndex{0}, .sequence = i, .byte_offset = i});
  }
  errors[0].severity = Severity::warning;
  EXPECT_THROW(account.describe(errors), int);
  EXPECT_EQ(account.error_count(), 0);
  account.describe(errors);
  EXPECT_EQ(asked, 5) << "descriptions are kept";
  account.add(errors);
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(account.error_count(), 3);

  std::vector<SequenceError> again = {{.chunk = ChunkIndex{0}, .sequence = 0, .byte_offset = 0},
                                      {.chunk = ChunkIndex{0}, .sequence = 3, .byte_offset = 3}};
  again[0].severity = Severity::warning;
  account.describe(again);
  EXPECT_EQ(asked, 5) << "errors of another sweep were reported before";
}

TEST(ErrorAccount, DescribesNoMoreThanItKeeps) {
  std::int64_t asked = 0;
  ErrorAccount account(150, [&asked](const SequenceError& error) {
    ++asked;
    return std::optional(*error_at(error.sequence, error.byte_offset).diagnostic);
  });
  std::vector<SequenceError> errors;
  for (std::int64_t i = 0; i < 200; ++i) {
    errors.push_back({.chunk = ChunkIndex{0}, .sequence = i, .byte_offset = i});
  }
  account.describe(errors);
  EXPECT_EQ(asked, 101) << "the first hundred, and the one that is too many";
  EXPECT_THROW(account.add(errors), DataError);
  EXPECT_EQ(asked, 101);
}

TEST(ErrorAccount, ToleratesNoFatalError) {
  ErrorAccount account(std::numeric_limits<std::int64_t>::max(), never);
  std::vector<SequenceError> errors = {error_at(1, 1), error_at(2, 2), error_at(3, 3)};
  errors[1].severity = Severity::fatal;
  try {
    account.add(errors);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics().back().byte_offset, 2);
  }
  EXPECT_EQ(account.error_count(), 2);
}

TEST(ErrorAccount, ReportsAFatalErrorWithoutADescription) {
  ErrorAccount account(9, [](const SequenceError&) { return std::nullopt; });
  std::vector<SequenceError> errors = {
      {.chunk = ChunkIndex{4}, .sequence = 7, .byte_offset = 70, .severity = Severity::fatal}};
  EXPECT_THROW(account.add(errors), DataError);
  EXPECT_EQ(account.described().back().severity, Severity::fatal);
  EXPECT_EQ(account.described().back().byte_offset, 70);
}

TEST(ErrorAccount, KeepsTheFirstHundredDistinctWarningsAndCountsNone) {
  ErrorAccount account(1, never);
  const auto warning_at = [](std::int64_t sequence) {
    SequenceError error = error_at(sequence, sequence);
    error.severity = Severity::warning;
    return error;
  };
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (std::int64_t i = 0; i < 150; ++i) {
      std::vector<SequenceError> errors = {warning_at(i)};
      if (i == 10) errors.push_back(error_at(10, 11));
      account.add(errors);
    }
  }
  EXPECT_EQ(account.error_count(), 1);
  ASSERT_EQ(account.described().size(), 1U);
  EXPECT_EQ(account.described()[0].byte_offset, 11);
  ASSERT_EQ(account.warnings().size(), 100U);
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(account.warnings()[static_cast<std::size_t>(i)].byte_offset, i);
  }
}

TEST(ErrorAccount, ToleratesAnyNumberIfUnlimited) {
  ErrorAccount account(std::numeric_limits<std::int64_t>::max(), never);
  std::vector<SequenceError> errors = {error_at(1, 1), error_at(2, 2)};
  account.add(errors);
  EXPECT_EQ(account.error_count(), 2);
}

}  // namespace
}  // namespace sheaf::internal
