/// \file
/// Lays samples of variable shape in array rows of one shape.

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

/// Returns whether a stream is opaque: samples of any number of bytes, which no layout pads.
[[nodiscard]] bool is_opaque(const Stream& stream) noexcept;

/// Returns whether a stream is variable: dense samples of variable shape, not opaque.
[[nodiscard]] bool is_variable(const Stream& stream) noexcept;

/// Returns whether a stream has row_offsets in every layout: sparse and opaque streams.
[[nodiscard]] bool has_row_offsets(const Stream& stream) noexcept;

/// Returns the shape of one row of `values`: in a variable stream, the largest extents, or 0 if
/// there is no sample; otherwise the sample shape.
///
/// Throws: InternalError if the extents of a sample do not match its number of values.
[[nodiscard]] Shape row_shape_of(const Stream& stream, std::span<const SequenceView> views);

/// Checks that all samples of each variable stream have the same shape.
///
/// Throws: ConfigError that names the first two sequences with different shapes.
void check_equal_shapes(Layout layout, const SequenceList& sequences);

/// Returns the extents of each array row, or zeros for a row without a sample.
///
/// Pre: the stream is variable, and batch.row() works.
[[nodiscard]] Buffer row_extents(const Stream& stream, std::span<const SequenceView> views,
                                 const StreamBatch& batch, std::int64_t row_count,
                                 std::pmr::memory_resource& memory);

/// Copies a sample to the corner of an array row, with padding around it.
///
/// Pre: there are as many extents as row_extents, and none is larger.
void copy_to_corner(const std::byte* sample, std::span<const std::int64_t> extents,
                    std::int64_t value_size, std::span<const std::int64_t> row_extents,
                    const PadFill& fill, std::byte* row) noexcept;

}  // namespace sheaf::internal
