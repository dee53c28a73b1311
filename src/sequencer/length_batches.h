/// \file
/// Sequences of like length, put together.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/sequencer.h"

namespace sheaf::internal {

/// Sequences of a run of the order, by their number in it, in batches.
struct LengthBatches {
  std::vector<std::int64_t> sequences;  // of all batches, one after the other
  std::vector<std::int64_t> ends;       // of each batch in `sequences`

  [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(ends); }
  [[nodiscard]] std::span<const std::int64_t> batch(std::int64_t i) const noexcept {
    const auto end = static_cast<std::size_t>(ends[static_cast<std::size_t>(i)]);
    const auto begin =
        i == 0 ? std::size_t{0} : static_cast<std::size_t>(ends[static_cast<std::size_t>(i - 1)]);
    return std::span(sequences).subspan(begin, end - begin);
  }
};

/// Cut a run of the order into batches of like length, in an order that a key chooses. A batch has
/// at most `size` sequences, or samples where each counts as many as the longest of the batch, or
/// the same in costs, where `lengths` are costs; but
/// at least one sequence. All have about as much as each other. Within a batch, sequences stand in
/// the order of the run.
///
/// Pre:  lengths are not negative; size > 0.
/// Cost: sorting the lengths, and cutting them some 40 times.
[[nodiscard]] LengthBatches batches_by_length(std::span<const std::int64_t> lengths,
                                              std::int64_t size, MinibatchUnit unit,
                                              std::uint64_t key);

}  // namespace sheaf::internal
