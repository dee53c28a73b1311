// A single pass through a compressed file.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/executor.h"

#include "io/compressed/access_points.h"
#include "io/compressed/decoder.h"

namespace sheaf::internal {

/// The least number of decompressed bytes between two access points. A point of gzip has at most 32
/// KiB of state, so points take less than 1 % of the decompressed bytes. Other points have next to
/// no state.
struct AccessSpacing {
  std::int64_t gzip = std::int64_t{4} << 20;
  std::int64_t others = std::int64_t{1} << 20;
};

/// Returns a decoder that begins at a point.
///
/// Pre: compression is not `none`; the source outlives the decoder.
[[nodiscard]] std::unique_ptr<Decoder> begin_at(const ByteSource& source, Compression compression,
                                                const DecoderRange& range);

/// Decompresses a whole source to find its size, its access points and any damage.
///
/// Throws: IoError, also for damage, with its offset; the exceptions of check_interruption().
/// Cost:   some MiB of memory, and a decoder for each thread.
[[nodiscard]] AccessPoints find_access_points(const ByteSource& source, Compression compression,
                                              Executor* executor,
                                              const AccessSpacing& spacing = {});

}  // namespace sheaf::internal
