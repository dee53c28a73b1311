#include "sequencer/exact_sizes.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/order_parts.h"

namespace sheaf::internal {

void check_exact_sizes(const OrderOptions& options) {
  const bool is_exact = options.sizes == Sizes::exact;
  if (!is_exact && !options.drop_last) return;
  if (options.algorithm != OrderAlgorithm::keyed) {
    throw ConfigError(
        formatted("{}: only the order \"keyed\" has a choice of sizes; set order to \"keyed\", or "
                  "leave {} out",
                  is_exact ? "sizes" : "drop_last", is_exact ? "sizes" : "drop_last"));
  }
  if (!is_exact) {
    throw ConfigError(
        "drop_last: sizes \"even\" has no short last minibatch to leave out; set sizes to "
        "\"exact\", or leave drop_last out");
  }
  if (options.truncation_length) {
    throw ConfigError(
        "truncation_length and sizes \"exact\" exclude each other: a minibatch of cut sequences "
        "has slots, not sequences; leave one of them out");
  }
  if (options.unit == MinibatchUnit::sequences) return;
  throw ConfigError(
      formatted("sizes: \"exact\" is a number of sequences, but minibatch_size counts {}; set unit "
                "to \"sequences\", or leave sizes out",
                to_string(options.unit)));
}

void check_has_minibatch(const OrderOptions& options, std::int64_t sequence_count) {
  if (!options.drop_last || sequence_count == 0 || sequence_count >= options.minibatch_size) return;
  throw ConfigError(
      formatted("drop_last: the data have {} sequences, too few for one minibatch of {}, so every "
                "sequence would be left out; make minibatch_size {} or less, or leave drop_last "
                "out",
                sequence_count, options.minibatch_size, sequence_count));
}

std::int64_t exact_end(const OrderOptions& options, std::int64_t begin, std::int64_t count,
                       std::int64_t size) {
  assert(0 <= begin && begin <= count);
  std::int64_t taken = std::min(size, count - begin);
  if (options.drop_last) taken -= taken % options.minibatch_size;
  return begin + taken;
}

LengthBatches exact_batches_by_length(std::span<const std::int64_t> lengths, std::int64_t size,
                                      std::uint64_t key) {
  const std::int64_t count = std::ssize(lengths);
  const std::int64_t batched = count - count % size;
  LengthBatches batches = batches_by_length(lengths.first(static_cast<std::size_t>(batched)), size,
                                            MinibatchUnit::sequences, key);
  if (batched == count) return batches;
  for (std::int64_t i = batched; i < count; ++i) batches.sequences.push_back(i);
  batches.ends.push_back(count);
  return batches;
}

}  // namespace sheaf::internal
