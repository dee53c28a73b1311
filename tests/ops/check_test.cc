#include "sheaf/check.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"
#include "sheaf/extend/interruption.h"

#include "support/interrupting.h"

namespace sheaf {
namespace {

constexpr std::int64_t kSequenceCount = 3000;

// Returns a text in which one sequence of a hundred has a wrong number, and one lacks a value.
std::string text_with_errors() {
  std::string text;
  for (std::int64_t i = 0; i < kSequenceCount; ++i) {
    const std::string number = std::to_string(i);
    const char* const values = i % 100 == 7 ? " 1 x" : i % 100 == 50 ? " 1" : " 1 2";
    text += number + " |x" + values + '\n';
  }
  return text;
}

class Check : public ::testing::Test {
 protected:
  Check() { write("a.ctf", text_with_errors()); }

  void write(const std::string& path, const std::string& text) {
    const std::unique_ptr<ByteSink> sink = files_->create(path);
    sink->write(std::as_bytes(std::span(text)));
    sink->finish();
  }

  CheckReport checked(const CheckOptions& options = {}, std::int64_t chunk_size_bytes = 5000) {
    FilesSpec files{.files = {"a.ctf"}};
    files.format.chunk_size_bytes = chunk_size_bytes;
    files.format.streams = {{.name = "x", .storage = Storage::dense, .sample_shape = Shape{2}}};
    return check(DataSpec{std::move(files)}, options, {.files = files_.get()});
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

std::vector<std::string> texts(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& each : diagnostics) texts.push_back(to_string(each));
  return texts;
}

TEST_F(Check, EveryErrorIsCountedAndTheFirstAreDescribedInOrder) {
  const CheckReport report = checked({.limit = 5});
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.sequences, kSequenceCount - 60);
  EXPECT_EQ(report.samples, kSequenceCount - 60);
  EXPECT_EQ(report.holes, 60);
  EXPECT_EQ(report.errors.count, 60);
  EXPECT_EQ(report.errors.described, 5);
  ASSERT_EQ(report.errors.first.size(), 5U);
  EXPECT_EQ(report.errors.first[1].line, 51);
  EXPECT_EQ(report.errors.by_code.at("ctf-number").count, 30);
  EXPECT_EQ(report.errors.by_code.at("ctf-few-values").first.line, 51);
  EXPECT_EQ(report.warnings.count, 0);
  ASSERT_EQ(report.streams.size(), 1U);
  EXPECT_EQ(report.streams[0].name, "x");
}

TEST_F(Check, TheReportIsTheSameForAnyThreads) {
  const std::vector<std::string> one =
      texts(checked({.limit = kAll, .run = {.threads = 1}}).errors.first);
  EXPECT_EQ(one.size(), 60U);
  for (const int threads : {2, 5}) {
    const CheckOptions options{.limit = kAll, .run = {.threads = threads}};
    EXPECT_EQ(texts(checked(options).errors.first), one);
    EXPECT_EQ(texts(checked(options, 1 << 20).errors.first), one);
  }
}

TEST_F(Check, ErrorsArePassedToTheCallback) {
  std::vector<Diagnostic> described;
  const CheckReport report =
      checked({.limit = 7, .described = [&](const Diagnostic& each, bool /*is_repeated*/) {
                 described.push_back(each);
               }});
  EXPECT_EQ(texts(described), texts(checked({.limit = 7}).errors.first));
  EXPECT_TRUE(report.errors.first.empty());
  EXPECT_EQ(report.errors.described, 7);
}

TEST_F(Check, ProgressAscendsToTheEndOfTheFile) {
  std::int64_t last = 0;
  const CheckReport report = checked({.run = {.progress = [&](std::int64_t bytes) {
                                        EXPECT_GT(bytes, last);
                                        last = bytes;
                                      }}});
  EXPECT_EQ(last, std::ssize(text_with_errors()));
}

TEST_F(Check, UnopenableDataAreReported) {
  write("a.ctf", "nonsense\n");
  const CheckReport report = checked();
  EXPECT_EQ(report.errors.count, 1);
  EXPECT_EQ(report.errors.by_code.count("ctf-no-id"), 1U);
  EXPECT_EQ(report.sequences, 0);
}

TEST_F(Check, AnInterruptionEndsTheCheck) {
  testing::Refusing interruption;
  const InterruptionScope scope(interruption);
  EXPECT_THROW(static_cast<void>(checked()), testing::Interrupted);
}

TEST_F(Check, InvalidLimitsAreRefused) {
  EXPECT_THROW(static_cast<void>(checked({.limit = -1})), ConfigError);
  EXPECT_THROW(static_cast<void>(checked({.run = {.memory_limit_bytes = 1}})), ConfigError);
}

}  // namespace
}  // namespace sheaf
