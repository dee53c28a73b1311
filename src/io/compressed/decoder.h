// What the codecs have in common.

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
/// Threads: one at a time.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Fills `into` with the next decompressed bytes. Returns how many; fewer than asked only at the
  /// end of the data, whose checksums are then known to be right.
  ///
  /// Throws: Damage, IoError.
  virtual std::size_t read(std::span<std::byte> into) = 0;

  /// How many decompressed bytes come before the next one.
  [[nodiscard]] virtual std::int64_t position() const noexcept = 0;

  /// Memory held, about.
  [[nodiscard]] virtual std::int64_t memory_bytes() const noexcept = 0;
};

/// Where a decoder begins and ends.
struct DecoderRange {
  AccessPoint from = {};
  std::int64_t end = 0;                    // byte of the compressed source
  AccessPointCollector* points = nullptr;  // gets the points passed, if not null
};

/// Pre: the source outlives the decoder.
[[nodiscard]] std::unique_ptr<Decoder> gzip_decoder(const ByteSource& source,
                                                    const DecoderRange& range);
[[nodiscard]] std::unique_ptr<Decoder> zstd_decoder(const ByteSource& source,
                                                    const DecoderRange& range);
[[nodiscard]] std::unique_ptr<Decoder> lz4_decoder(const ByteSource& source,
                                                   const DecoderRange& range);

}  // namespace sheaf::internal
