// Packs one stream in the layout `padded`: an array [N, T] with one line for each sequence. The
// samples come first and then the padding, or the other way round if padded on the left.

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

/// The length and the padding of the sequences.
struct PaddedRows {
  std::int64_t length = 0;  // T
  PadSide pad_side = PadSide::right;
  PadFill fill;
};

/// Pre: no view has more than rows.length samples; `sizes` is measure(views).
[[nodiscard]] StreamBatch pack_padded_stream(const Stream& stream,
                                             std::span<const SequenceView> views,
                                             const Sizes& sizes, const PaddedRows& rows,
                                             const StreamMemory& memory);

}  // namespace sheaf::internal
