/// \file
/// Samples of variable shape in rows of one shape.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

#include "packer/padding.h"

namespace sheaf::internal {

/// Whether samples are any number of bytes, which no layout pads.
[[nodiscard]] bool is_opaque(const Stream& stream) noexcept;

/// Whether samples are dense and of variable shape, and not opaque.
[[nodiscard]] bool is_variable(const Stream& stream) noexcept;

/// Whether row_offsets tell the samples apart in every layout: of sparse and of opaque streams.
[[nodiscard]] bool has_row_offsets(const Stream& stream) noexcept;

/// The shape of one row of `values`: the largest extents of a variable stream, which are 0 where
/// there is no sample; else the sample shape.
///
/// Throws: InternalError where the extents of a sample are not those of its values.
[[nodiscard]] Shape row_shape_of(const Stream& stream, std::span<const SequenceView> views);

/// Check that all samples of each variable stream have the same shape.
///
/// Throws: ConfigError that names the first two sequences with different shapes.
void check_equal_shapes(Layout layout, const SequenceList& sequences);

/// The extents of each row, and zeros where no sample is.
///
/// Pre: the stream is variable, and the batch knows its rows.
[[nodiscard]] Buffer row_extents(const Stream& stream, std::span<const SequenceView> views,
                                 const StreamBatch& batch, std::int64_t row_count,
                                 std::pmr::memory_resource& memory);

/// Copy a sample to the corner of a row, and put padding around it.
///
/// Pre: the extents are as many as those of the row, and none is larger.
void copy_to_corner(const std::byte* sample, std::span<const std::int64_t> extents,
                    std::int64_t value_size, std::span<const std::int64_t> row_extents,
                    const PadFill& fill, std::byte* row) noexcept;

}  // namespace sheaf::internal
