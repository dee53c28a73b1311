// The columns of sequences of images.

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
  std::int64_t place = 0;  // of the encoded image in the bytes of all images
  std::int64_t size_bytes = 0;
  std::int64_t class_id = 0;
  std::int32_t view = 0;
  bool is_hole = false;
  std::int64_t frame_count = 1;  // images, which lie back to back
};

/// Returns a buffer of so many bytes.
[[nodiscard]] Buffer buffer_of_size(std::int64_t size_bytes);

/// Makes the columns of sequences, in the order of `streams`. `images` are the bytes of all
/// encoded images. Several sequences may have the same place there, and bytes that no sequence has
/// may lie between images.
///
/// Where sequences have other numbers of images than one, `frame_sizes` are the sizes of all images
/// of sequences that are no holes, and those images lie back to back.
///
/// Pre: the class ids are below the number of classes.
[[nodiscard]] std::vector<Column> image_columns(const ImageStreams& streams,
                                                const std::vector<ImageSequence>& sequences,
                                                Buffer images,
                                                std::span<const std::int64_t> frame_sizes = {});

/// Returns the numbers of the holes.
[[nodiscard]] std::vector<std::int64_t> holes_of(const std::vector<ImageSequence>& sequences);

/// Returns the memory of the arrays of image_columns() at most that no sequence needs: memory comes
/// in blocks. The memory counts where a chunk is small.
[[nodiscard]] std::int64_t image_blocks_bytes(const ImageStreams& streams) noexcept;

/// Returns the memory of a sequence of image_columns() at most, besides the bytes of its image.
[[nodiscard]] std::int64_t image_overhead_bytes(const ImageStreams& streams) noexcept;

/// Returns the memory of each further image of a sequence at most, besides its bytes.
[[nodiscard]] std::int64_t frame_overhead_bytes(const ImageStreams& streams) noexcept;

}  // namespace sheaf::internal
