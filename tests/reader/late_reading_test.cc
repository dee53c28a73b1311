// Windows that exceed the memory limit, over data with large sequences.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"
#include "sheaf/writer.h"

#include "reader/run_all.h"
#include "support/test_sources.h"

namespace sheaf::testing {
namespace {

constexpr std::int64_t kValueCount = 5000;
constexpr std::int64_t kSequenceCount = 300;
constexpr std::int64_t kLimit = 4 << 20;

/// Returns sequences of one sample with 5,000 values, 6 MB when decoded. With `are_wrong`, some
/// sequences have errors.
std::string large_text(bool are_wrong) {
  std::string text;
  for (std::int64_t key = 0; key < kSequenceCount; ++key) {
    text += std::to_string(key) + " |x";
    for (std::int64_t i = 0; i < kValueCount; ++i) {
      text += ' ' + std::to_string(1000 + key * i % 9000);
    }
    text += are_wrong && key % 100 == 7 ? " oops\n" : " |y " + std::to_string(key % 10) + ":1\n";
  }
  return text;
}

std::shared_ptr<const Deserializer> open_source(std::shared_ptr<const ByteSource> source,
                                                const std::string& format) {
  FormatOptions options;
  options.format = format;
  options.chunk_size_bytes = 1 << 20;
  return find_format("", options).open({std::move(source), options});
}

std::string converted_to_cbf(const std::shared_ptr<const Deserializer>& data) {
  std::string bytes;
  WriterOptions options;
  options.format = {.format = "cbf", .chunk_size_bytes = 1 << 20};
  Writer writer(memory_sink(bytes, "memory"), data->streams(), options);
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader reader(data, make_sequencer(counts, {}), ragged_packer(), {});
  while (const std::optional<Minibatch> minibatch = reader.next()) writer.write(*minibatch);
  writer.finish();
  return bytes;
}

Outcome outcome_of(const std::shared_ptr<const Deserializer>& data, OrderAlgorithm algorithm,
                   const RunOptions& run_options) {
  OrderOptions order;
  order.minibatch_size = 16;
  order.sweeps = 2;
  order.algorithm = algorithm;
  order.window_chunks = 100;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader reader(data, make_sequencer(counts, order), padded_packer(), run_options);
  return run(reader);
}

TEST(LateReading, EqualsAReaderWithoutALimit) {
  for (const bool are_wrong : {false, true}) {
    const auto text = open_source(memory_source(large_text(are_wrong), "text"), "ctf");
    std::vector<std::shared_ptr<const Deserializer>> all = {text};
    if (!are_wrong) {
      all.push_back(open_source(memory_source(converted_to_cbf(text), "binary"), "cbf"));
    }
    for (const auto& data : all) {
      ASSERT_TRUE(data->has_fast_random_access());
      for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
        const Outcome expected = outcome_of(data, algorithm, {.threads = 2, .max_errors = 100});
        EXPECT_EQ(expected.error, "");
        EXPECT_EQ(expected.diagnostics.empty(), !are_wrong);
        for (const int threads : {1, 3}) {
          const Outcome late =
              outcome_of(data, algorithm,
                         {.threads = threads, .memory_limit_bytes = kLimit, .max_errors = 100});
          EXPECT_EQ(late.error, "");
          EXPECT_EQ(late.minibatches, expected.minibatches);
          EXPECT_EQ(late.diagnostics, expected.diagnostics);
          EXPECT_LE(late.stats.memory_bytes_max, kLimit);
        }
      }
    }
  }
}

TEST(LateReading, IsOnlyForSourcesWithFastAccess) {
  const auto slow = open_source(std::make_shared<TestSource>(large_text(false)), "ctf");
  ASSERT_FALSE(slow->has_fast_random_access());
  const Outcome refused =
      outcome_of(slow, OrderAlgorithm::cntk, {.threads = 2, .memory_limit_bytes = kLimit});
  EXPECT_NE(refused.error.find("too few for a window"), std::string::npos) << refused.error;
}

}  // namespace
}  // namespace sheaf::testing
