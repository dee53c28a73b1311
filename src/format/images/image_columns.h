// Builds the columns of sequences of images.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"

#include "format/images/image_streams.h"

namespace sheaf::internal {

/// One sequence of a data set of images.
struct ImageSequence {
  std::int64_t location = 0;  // offset of the encoded image in the bytes of all images
  std::int64_t size_bytes = 0;
  std::int64_t class_id = 0;
  std::int32_t view = 0;
  bool is_hole = false;
  std::int64_t frame_count = 1;  // number of images, which are contiguous
};

/// Returns a buffer of this size.
[[nodiscard]] Buffer buffer_of_size(std::int64_t size_bytes);

/// Makes the columns of sequences, in the order of `streams`. `images` are the bytes of all encoded
/// images. Several sequences may have the same offset there, and unused bytes may lie between
/// images.
///
/// If sequences do not have exactly one image each, `frame_sizes` has the sizes of all images of
/// sequences that are not holes, and those images are contiguous.
///
/// Pre: the class ids are below the number of classes.
[[nodiscard]] std::vector<Column> image_columns(const ImageStreams& streams,
                                                const std::vector<ImageSequence>& sequences,
                                                Buffer images,
                                                std::span<const std::int64_t> frame_sizes = {});

/// Returns the numbers of the holes.
[[nodiscard]] std::vector<std::int64_t> holes_of(const std::vector<ImageSequence>& sequences);

/// Returns the largest memory of the arrays of image_columns() that does not depend on sequences,
/// because memory comes in blocks. This matters for small chunks.
[[nodiscard]] std::int64_t image_blocks_bytes(const ImageStreams& streams) noexcept;

/// Returns the largest memory of a sequence in image_columns(), besides the bytes of its image.
[[nodiscard]] std::int64_t image_overhead_bytes(const ImageStreams& streams) noexcept;

/// Returns the largest memory of each further image of a sequence, besides its bytes.
[[nodiscard]] std::int64_t frame_overhead_bytes(const ImageStreams& streams) noexcept;

}  // namespace sheaf::internal
