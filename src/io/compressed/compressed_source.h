// A compressed file that can be read at any offset.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"

#include "io/compressed/access_points.h"
#include "io/compressed/decoder.h"

namespace sheaf::internal {

/// The decompressed bytes of a file. A read begins at the access point before it, or continues with
/// a decoder that an earlier read left shortly before it. So reading from front to back
/// decompresses each byte once.
class CompressedSource final : public ByteSource {
 public:
  /// Limits of the decoders that wait for another read: their number, and their memory together.
  static constexpr std::size_t kWaitingMax = 16;
  static constexpr std::int64_t kWaitingBytesMax = std::int64_t{64} << 20;

  /// Pre: `points` belong to the source.
  CompressedSource(std::shared_ptr<const ByteSource> source, AccessPoints points);

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override { return source_->path(); }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override {
    return source_->modified_ns();
  }
  [[nodiscard]] std::int64_t size() const noexcept override {
    return points_.decompressed.size_bytes;
  }
  [[nodiscard]] std::int64_t stored_size_bytes() const noexcept override {
    return source_->stored_size_bytes();
  }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override;
  [[nodiscard]] Fingerprint fingerprint() const override { return points_.decompressed; }
  [[nodiscard]] std::string access_points() const override { return to_bytes(points_); }

 private:
  struct Waiting {
    std::unique_ptr<Decoder> decoder;
    std::int64_t position = 0;
    std::int64_t memory_bytes = 0;
  };

  [[nodiscard]] std::unique_ptr<Decoder> decoder_for(std::int64_t offset) const;
  void keep(std::unique_ptr<Decoder> decoder) const;

  const std::shared_ptr<const ByteSource> source_;
  const AccessPoints points_;
  mutable std::mutex mutex_;
  mutable std::vector<Waiting> waiting_;  // most recently used last
};

}  // namespace sheaf::internal
