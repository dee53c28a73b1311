// Laws of whole runs, for every kind of order, epoch, worker and layout.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/reader.h"

#include "reader/run_all.h"
#include "sequencer/made_up_options.h"
#include "support/fake_deserializer.h"

namespace sheaf::testing {
namespace {

/// Returns up to 5 chunks of up to 12 sequences. A unit has between one and all sequences of a
/// chunk.
FakeData made_up_data() {
  FakeData data;
  const auto chunk = rc::gen::nonEmpty(rc::gen::resize(
      12, rc::gen::container<std::vector<std::int64_t>>(any_of<std::int64_t>(1, 7))));
  data.lengths = *rc::gen::nonEmpty(
      rc::gen::resize(5, rc::gen::container<std::vector<std::vector<std::int64_t>>>(chunk)));
  data.sample_size_bytes = *rc::gen::element<std::int64_t>(1'000, 100'000, 1'000'000);
  data.measure = {.name = "points"};
  data.costs = data.lengths;
  for (std::vector<std::int64_t>& costs : data.costs) {
    for (std::int64_t& cost : costs) cost = 5 * cost % 7;  // some are 0
  }
  return data;
}

/// Returns random padding options for lengths of up to 6.
Padding made_up_padding() {
  Padding padding;
  if (*rc::gen::arbitrary<bool>()) padding.pad_side = PadSide::left;
  const int length = *any_of(0, 3);
  if (length == 1) padding.pad_multiple = *any_of<std::int64_t>(1, 9);
  if (length == 2) padding.pad_length = *any_of<std::int64_t>(6, 30);
  return padding;
}

RunParts made_up_run() {
  RunParts parts = {.data = fake(made_up_data()), .order = made_up_options()};
  parts.order.epochs = 2;
  if (parts.order.split_frames) {
    parts.packing = *rc::gen::element(Layout::frames, Layout::ragged, Layout::padded);
  } else if (parts.order.long_sequences != LongSequences::error) {
    parts.order.row_samples = *any_of<std::int64_t>(1, 8);
    parts.packing = Layout::packed;
    parts.row_samples = parts.order.row_samples;
  } else if (!parts.order.truncation_length) {
    parts.packing = *rc::gen::element(Layout::padded, Layout::ragged, Layout::packed);
    const bool has_rows = parts.packing == Layout::packed && *rc::gen::arbitrary<bool>();
    if (has_rows) parts.row_samples = *any_of<std::int64_t>(6, 30);  // for lengths of up to 6
  }
  const bool is_padded = parts.packing == Layout::padded && !parts.order.truncation_length;
  if (is_padded && *rc::gen::arbitrary<bool>()) parts.padding = made_up_padding();
  parts.fickle_seed = *any_of<std::uint64_t>(0, 3);
  return parts;
}

RC_GTEST_PROP(RunLaws, LoadsAndReleasesChangeNothing, ()) {
  RunParts parts = made_up_run();
  parts.fickle_seed = 0;
  const Outcome expected = run(parts, {.threads = 2});
  RC_ASSERT(expected.error.empty());
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    parts.fickle_seed = seed;
    RC_ASSERT(run(parts, {.threads = 2}).minibatches == expected.minibatches);
  }
}

RC_GTEST_PROP(RunLaws, ThreadsAndTheMemoryLimitChangeNothing, ()) {
  const RunParts parts = made_up_run();
  const Outcome expected = run(parts, {.threads = 1});
  RC_ASSERT(expected.error.empty());
  for (const int threads : {2, 8}) {
    RC_ASSERT(run(parts, {.threads = threads}).minibatches == expected.minibatches);
  }
  // A limit that the run keeps changes nothing. Otherwise the run throws after the same first
  // minibatches.
  const std::int64_t limit = *any_of<std::int64_t>(1, 2 * expected.stats.memory_bytes_max + 2);
  const Outcome limited = run(parts, {.threads = 2, .memory_limit_bytes = limit});
  RC_ASSERT(limited.minibatches.size() <= expected.minibatches.size());
  RC_ASSERT(std::equal(limited.minibatches.begin(), limited.minibatches.end(),
                       expected.minibatches.begin()));
  RC_ASSERT(limited.error.empty() == (limited.minibatches.size() == expected.minibatches.size()));
  RC_ASSERT(limited.stats.memory_bytes_max <= limit || !limited.error.empty());
}

RC_GTEST_PROP(RunLaws, ResumingAfterEachMinibatchEqualsNotStopping, ()) {
  const RunParts parts = made_up_run();
  const Outcome all = run(parts, {.threads = 1});
  RC_ASSERT(all.error.empty());
  const std::size_t step = 1 + all.positions.size() / 12;  // tries at most 12 positions
  for (std::size_t i = 0; i < all.positions.size(); i += step) {
    const Position position = position_from_json(to_json(all.positions[i]));
    const Outcome rest = run(parts, {.threads = 2, .start = position});
    RC_ASSERT(rest.error.empty());
    RC_ASSERT(std::vector<std::string>(all.minibatches.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       all.minibatches.end()) == rest.minibatches);
  }
}

}  // namespace
}  // namespace sheaf::testing
