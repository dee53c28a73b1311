/// \file
/// Samples in slots that advance side by side: what `packed` and `truncated` share.

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

/// The mask of a batch whose sequences have their slots and begins.
///
/// Pre: no two samples have one row, and row_count is that of the batch.
[[nodiscard]] Buffer packed_mask(std::span<const SequenceView> views, const StreamBatch& batch,
                                 std::int64_t row_count, std::pmr::memory_resource& memory);

/// Fill in the mask and the arrays: padding, and nothing where sparse or opaque, in rows without a
/// sample.
///
/// Pre: as above; all samples of a variable stream have the row_shape of the batch.
void pack_in_rows(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                  std::int64_t row_count, const PadFill& fill, StreamBatch& batch,
                  std::pmr::memory_resource& memory);

}  // namespace sheaf::internal
