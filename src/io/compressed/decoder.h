// The interface of all codecs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

#include "io/compressed/access_points.h"

namespace sheaf::internal {

/// Decompresses forward from an access point.
///
/// Threads: one call at a time.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Fills `into` with the next decompressed bytes, and returns their number. The number is less
  /// than asked for only at the end of the data. The checksums have been verified then.
  ///
  /// Throws: Damage, IoError.
  virtual std::size_t read(std::span<std::byte> into) = 0;

  /// Returns the offset of the next decompressed byte.
  [[nodiscard]] virtual std::int64_t position() const noexcept = 0;

  /// Returns about how much memory the decoder takes.
  [[nodiscard]] virtual std::int64_t memory_bytes() const noexcept = 0;
};

/// The range of bytes that a decoder reads.
struct DecoderRange {
  AccessPoint from = {};
  std::int64_t end = 0;                    // offset in the compressed source
  AccessPointCollector* points = nullptr;  // if not null, collects the points on the way
};

/// Pre: `source` outlives the decoder.
[[nodiscard]] std::unique_ptr<Decoder> gzip_decoder(const ByteSource& source,
                                                    const DecoderRange& range);
[[nodiscard]] std::unique_ptr<Decoder> zstd_decoder(const ByteSource& source,
                                                    const DecoderRange& range);
[[nodiscard]] std::unique_ptr<Decoder> lz4_decoder(const ByteSource& source,
                                                   const DecoderRange& range);

}  // namespace sheaf::internal
