#include "reader/run.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "reader/run_all.h"

namespace sheaf::testing {
namespace {

TEST(RunOptions, OutOfRangeValuesAreRefusedWithTheRange) {
  struct Case {
    RunOptions options;
    const char* text;
  };
  const Case cases[] = {
      {{.threads = -1}, "threads must be 1 to 1024, or empty (one for each processor): got -1"},
      {{.threads = 0}, "threads must be 1 to 1024, or empty (one for each processor): got 0"},
      {{.threads = 1025}, "threads must be 1 to 1024, or empty (one for each processor): got 1025"},
      {{.memory_limit_bytes = -5},
       "memory_limit_bytes must be at least 1, or empty (no limit): got -5"},
      {{.memory_limit_bytes = 0},
       "memory_limit_bytes must be at least 1, or empty (no limit): got 0"},
      {{.max_errors = -1}, "max_errors must be 0 or more: got -1"},
  };
  for (const Case& c : cases) {
    try {
      internal::check(c.options);
      ADD_FAILURE() << c.text;
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(), c.text);
    }
    EXPECT_THROW(open({.data = fake(small_data())}, c.options), ConfigError);
  }
}

TEST(RunOptions, ExtremeValuesInRangeAreAccepted) {
  EXPECT_NO_THROW(internal::check({.threads = 1, .memory_limit_bytes = 1}));
  EXPECT_NO_THROW(internal::check({.threads = 1024}));
  EXPECT_NO_THROW(internal::check({.memory_limit_bytes = 1}));
}

TEST(RunIdentity, ContainsDataOrderPackingAndStreams) {
  const auto data = fake(small_data());
  const LinearSequencer sequencer({data, &data->index()}, {});
  const auto run = internal::run_identity(*data, sequencer, *ragged_packer(), nullptr);
  EXPECT_EQ(run->algorithm, "file");
  EXPECT_EQ(run->data, "fake-4");
  EXPECT_EQ(run->options.at("packing"), "ragged");
  EXPECT_EQ(run->options.at("streams"),
            to_string(data->streams()[0]) + "; " + to_string(data->streams()[1]));
  EXPECT_EQ(run->options.at("minibatch_size"), "256");
}

TEST(StartPosition, DefaultsToTheBeginning) {
  const auto run = std::make_shared<const RunIdentity>();
  EXPECT_EQ(internal::start_position({}, run), (Position{run, {}}));
}

TEST(StartPosition, FromAnotherRunIsRefused) {
  const RunParts parts = {.data = fake(small_data())};
  RunOptions options = {.threads = 1};
  options.start = run(parts, options).positions[2];
  EXPECT_NO_THROW(open(parts, options));

  RunParts ragged = parts;
  ragged.packing = Layout::ragged;
  EXPECT_THROW(open(ragged, options), ConfigError);
  RunParts smaller = parts;
  smaller.order.minibatch_size = 2;
  EXPECT_THROW(open(smaller, options), ConfigError);
  FakeData other_data = small_data();
  other_data.lengths.pop_back();
  EXPECT_THROW(open({.data = fake(other_data)}, options), ConfigError);
  options.start->run = nullptr;
  EXPECT_THROW(open(parts, options), ConfigError);
}

}  // namespace
}  // namespace sheaf::testing
