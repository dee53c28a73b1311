// Goes once through a compressed file.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/executor.h"

#include "io/compressed/access_points.h"
#include "io/compressed/decoder.h"

namespace sheaf::internal {

/// Decompressed bytes between two access points, at least. A point of gzip has at most 32 KiB of
/// state, so points take less than 1 % of what is decompressed; others have next to none.
struct AccessSpacing {
  std::int64_t gzip = std::int64_t{4} << 20;
  std::int64_t others = std::int64_t{1} << 20;
};

/// Begins to decompress at a point.
///
/// Pre: compression is not `none`; the source outlives the decoder.
[[nodiscard]] std::unique_ptr<Decoder> begin_at(const ByteSource& source, Compression compression,
                                                const DecoderRange& range);

/// Decompresses all of a source, to find its size, its access points and its damages.
///
/// Throws: IoError, also for damage; it names the place. Whatever check_interruption() throws.
/// Cost:   memory of some MiB, and a decoder a thread.
[[nodiscard]] AccessPoints find_access_points(const ByteSource& source, Compression compression,
                                              Executor* executor,
                                              const AccessSpacing& spacing = {});

}  // namespace sheaf::internal
