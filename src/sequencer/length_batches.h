/// \file
/// Batches of sequences of like length.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/sequencer.h"

namespace sheaf::internal {

/// A run of sequences, cut into batches. A sequence is given by its number in the run.
struct LengthBatches {
  std::vector<std::int64_t> sequences;  // of all batches, one batch after the other
  std::vector<std::int64_t> ends;       // of each batch in `sequences`

  [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(ends); }
  [[nodiscard]] std::span<const std::int64_t> batch(std::int64_t i) const noexcept {
    const auto end = static_cast<std::size_t>(ends[static_cast<std::size_t>(i)]);
    const auto begin =
        i == 0 ? std::size_t{0} : static_cast<std::size_t>(ends[static_cast<std::size_t>(i - 1)]);
    return std::span(sequences).subspan(begin, end - begin);
  }
};

/// Cuts a run of the order into batches of like length, in an order that `key` chooses. A batch has
/// at least one sequence, and at most `size` of what `unit` counts:
///
/// - sequences
/// - samples, where each sequence counts as many as the longest one of the batch
/// - costs, likewise; `lengths` are costs then
///
/// All batches have about the same size. Within a batch, sequences keep the order of the run.
///
/// Pre:  lengths are not negative; size > 0.
/// Cost: sorts the lengths, and cuts them about 40 times.
[[nodiscard]] LengthBatches batches_by_length(std::span<const std::int64_t> lengths,
                                              std::int64_t size, MinibatchUnit unit,
                                              std::uint64_t key);

}  // namespace sheaf::internal
