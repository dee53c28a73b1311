// The frozen results of "keyed/1". If one of them changed, stored positions would lead elsewhere. A
// changed order needs a new name.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/golden.h"
#include "sequencer/made_up_counts.h"

namespace sheaf {
namespace {

using testing::MadeUpCounts;

/// Returns chunks of `size` sequences in `units` units. Sequences have one sample, or 1 to 20
/// samples.
std::shared_ptr<const Counts> counts_of(std::int64_t chunks, std::int64_t size, std::int64_t units,
                                        bool has_lengths) {
  const auto counts = std::make_shared<MadeUpCounts>(testing::Sizes{});
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (!has_lengths) {
      counts->add_chunk(size, units);
      continue;
    }
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t square = (chunk * size + i) * (chunk * size + i);
      lengths.push_back(1 + square % 383 % 20);
    }
    counts->add_chunk(lengths, units);
  }
  return counts;
}

/// Returns what a run delivers: "chunk.sequence" for each sequence, and "/" after a minibatch, or
/// "//" if it ends a sweep.
std::string text_of(const Sequencer& sequencer) {
  std::string text;
  for (const Step& step : testing::walk(sequencer, {}, 1'000'000)) {
    for (const SequenceRef& ref : step.sequences) {
      text += std::to_string(static_cast<std::int64_t>(ref.chunk)) + "." +
              std::to_string(ref.sequence) + " ";
    }
    text += step.ends_sweep ? "// " : "/ ";
  }
  text.pop_back();
  return text;
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// A line has the words: chunks size units lengths(0|1) window seed sweeps minibatch_size unit
// batching balance worker workers. The delivered sequences follow, or "hash" and their FNV-1a hash.
TEST(KeyedGolden, TheOrderMatchesTheGoldenValues) {
  const auto lines = testing::golden_lines("keyed_1.txt");
  EXPECT_EQ(std::ssize(lines), 20);
  for (const std::vector<std::string>& words : lines) {
    ASSERT_GE(std::ssize(words), 15);
    const auto number = [&](std::size_t i) { return testing::golden_number(words[i]); };
    OrderOptions options{.minibatch_size = number(7), .sweeps = number(6)};
    options.algorithm = OrderAlgorithm::keyed;
    options.window_chunks = number(4);
    options.seed = std::stoull(words[5]);
    if (words[8] == "sequences") options.unit = MinibatchUnit::sequences;
    if (words[9] == "bucketed") options.batching = Batching::bucketed;
    if (words[10] == "count") options.balance = Balance::count;
    options.worker_index = number(11);
    options.worker_count = number(12);
    const auto counts = counts_of(number(0), number(1), number(2), number(3) != 0);
    const std::string found = text_of(*make_sequencer(counts, options));
    std::string expected;
    std::string head;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string& text = i < 13 ? head : expected;
      text += (text.empty() ? "" : " ") + words[i];
    }
    const bool is_hash = words[13] == "hash";
    EXPECT_EQ(is_hash ? "hash " + std::to_string(hash_of(found)) : found, expected) << head;
  }
}

}  // namespace
}  // namespace sheaf
