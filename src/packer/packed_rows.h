/// \file
/// Functions that `packed` and `truncated` share, for samples in slots.

#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

#include "packer/gather.h"
#include "packer/padding.h"

namespace sheaf::internal {

/// Returns the mask of a batch whose `slots` and `begins` are set.
///
/// Pre: no two samples have the same array row; row_count is batch.row_count().
[[nodiscard]] Buffer packed_mask(std::span<const SequenceView> views, const StreamBatch& batch,
                                 std::int64_t row_count, std::pmr::memory_resource& memory);

/// Fills in the mask and the arrays. Array rows without a sample get padding, or no values in a
/// sparse or opaque stream.
///
/// Pre: as above; all samples of a variable stream have the row_shape of the batch.
void pack_in_rows(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                  std::int64_t row_count, const PadFill& fill, StreamBatch& batch,
                  std::pmr::memory_resource& memory);

}  // namespace sheaf::internal
