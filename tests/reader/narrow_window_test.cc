// Windows that fit into the memory limit only with narrow columns.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "support/test_sources.h"

namespace sheaf::testing {
namespace {

/// Returns small numbers, 13 MB when decoded. If the numbers are whole, narrow columns take 3.2 MB;
/// otherwise columns cannot be narrow.
std::shared_ptr<const Deserializer> small_numbers(bool are_whole,
                                                  const std::string& wrong_row = "") {
  constexpr std::int64_t kRows = 4000;
  constexpr std::int64_t kValues = 800;
  std::string row;
  for (std::int64_t i = 0; i < kValues; ++i) {
    row += ' ' + std::to_string(i % 200) + (are_whole ? "" : ".37");
  }
  std::string text;
  for (std::int64_t key = 0; key < kRows; ++key) {
    text += std::to_string(key) + " |x" + (key == 2711 ? wrong_row + row : row) + '\n';
  }
  FormatOptions options;
  options.format = "ctf";
  options.chunk_size_bytes = 4 << 20;
  options.streams.push_back({.name = "x", .sample_shape = Shape{kValues}});
  return find_format("", options).open({std::make_shared<TestSource>(text), options});
}

Outcome narrow_outcome_of(const std::shared_ptr<const Deserializer>& data,
                          const RunOptions& run_options,
                          OrderAlgorithm algorithm = OrderAlgorithm::keyed,
                          std::int64_t minibatch_size = 32) {
  OrderOptions order;
  order.minibatch_size = minibatch_size;
  order.sweeps = 2;
  order.algorithm = algorithm;
  order.window_chunks = 100;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader reader(data, make_sequencer(counts, order), padded_packer(), run_options);
  return run(reader);
}

/// Returns the limit named by an error.
std::int64_t named_limit(const std::string& error) {
  const std::string before = "set the limit to ";
  const std::size_t begin = error.find(before);
  return begin == std::string::npos ? 0 : std::stoll(error.substr(begin + before.size()));
}

TEST(NarrowWindow, FitsWhereWideDataDoNot) {
  constexpr std::int64_t kLimit = 10 << 20;
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    const auto data = small_numbers(true);
    const Outcome expected = narrow_outcome_of(data, {.threads = 2}, algorithm);
    ASSERT_EQ(expected.error, "");
    for (const int threads : {1, 3}) {
      const Outcome narrow =
          narrow_outcome_of(data, {.threads = threads, .memory_limit_bytes = kLimit}, algorithm);
      EXPECT_EQ(narrow.error, "");
      EXPECT_EQ(narrow.minibatches, expected.minibatches);
      EXPECT_EQ(narrow.positions, expected.positions);
      EXPECT_LE(narrow.stats.memory_bytes_max, kLimit);
    }
  }
}

TEST(NarrowWindow, MayHaveErrors) {
  const auto data = small_numbers(true, " oops");
  const Outcome expected = narrow_outcome_of(data, {.threads = 2, .max_errors = 9});
  ASSERT_EQ(expected.diagnostics.size(), 1U);
  const Outcome narrow =
      narrow_outcome_of(data, {.threads = 2, .memory_limit_bytes = 10 << 20, .max_errors = 9});
  EXPECT_EQ(narrow.minibatches, expected.minibatches);
  EXPECT_EQ(narrow.diagnostics, expected.diagnostics);
}

TEST(NarrowWindow, RefusalsNameASufficientLimit) {
  struct Case {
    bool are_whole;
    std::int64_t minibatch_size;
    std::int64_t limit;
  };
  for (const Case& each :
       {Case{true, 32, 3 << 20}, Case{true, 2000, 10 << 20}, Case{false, 32, 10 << 20}}) {
    const auto data = small_numbers(each.are_whole);
    const auto outcome = [&](int threads, std::int64_t limit) {
      return narrow_outcome_of(data, {.threads = threads, .memory_limit_bytes = limit},
                               OrderAlgorithm::keyed, each.minibatch_size);
    };
    const std::int64_t limit = named_limit(outcome(1, each.limit).error);
    ASSERT_GT(limit, each.limit);
    EXPECT_EQ(named_limit(outcome(4, each.limit).error), limit)
        << "the number of threads makes no difference";
    for (const int threads : {1, 4}) {
      // Steps take different numbers of units, and the size of each unit is rounded up.
      EXPECT_EQ(outcome(threads, limit + 1024).error, "") << limit;
      EXPECT_EQ(outcome(threads, limit + limit / 3).error, "") << limit;
    }
  }
}

}  // namespace
}  // namespace sheaf::testing
