// One stream in the layout `padded`: sequences as rows of a rectangle [N, T], each with its samples
// first and padding after them; or, padded on the left, the other way round.

#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>

#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

#include "packer/gather.h"
#include "packer/padding.h"

namespace sheaf::internal {

/// How the rows look.
struct PaddedRows {
  std::int64_t length = 0;  // T
  PadSide pad_side = PadSide::right;
  PadFill fill;
};

/// Pre: no view has more samples than a row; `sizes` are those of the views.
[[nodiscard]] StreamBatch pack_padded_stream(const Stream& stream,
                                             std::span<const SequenceView> views,
                                             const Sizes& sizes, const PaddedRows& rows,
                                             std::pmr::memory_resource& memory);

}  // namespace sheaf::internal
