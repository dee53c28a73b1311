// Access points: offsets in a compressed file from which decompression can begin.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

namespace sheaf::internal {

/// One access point. `bits` and `state` have a meaning for the codec only.
struct AccessPoint {
  std::int64_t compressed = 0;
  std::int64_t decompressed = 0;
  int bits = 0;       // gzip: bits of the previous byte still to be read
  std::string state;  // what a decoder must know about the bytes before

  friend bool operator==(const AccessPoint&, const AccessPoint&) = default;
};

/// Collects points, and keeps their cost low. Points are at least `spacing_bytes` of decompressed
/// data apart. Each time that the points take more than `bytes_max`, every second one is dropped
/// and the spacing doubles.
class AccessPointCollector {
 public:
  static constexpr std::int64_t kBytesMax = std::int64_t{16} << 20;

  /// Begins with the point `first`.
  ///
  /// Pre: spacing_bytes >= 1.
  explicit AccessPointCollector(std::int64_t spacing_bytes, AccessPoint first = {},
                                std::int64_t bytes_max = kBytesMax);

  /// Returns whether a point at this offset would be useful.
  [[nodiscard]] bool is_due(std::int64_t decompressed) const noexcept {
    return decompressed - points_.back().decompressed >= spacing_;
  }

  /// Pre: is_due(point.decompressed).
  void add(AccessPoint point);

  [[nodiscard]] const std::vector<AccessPoint>& points() const noexcept { return points_; }
  [[nodiscard]] std::vector<AccessPoint> take() { return std::move(points_); }

 private:
  void thin();

  std::int64_t spacing_;
  std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;
  std::vector<AccessPoint> points_;
};

/// The results of a pass over a compressed file.
struct AccessPoints {
  Compression compression = Compression::none;
  Fingerprint compressed;
  Fingerprint decompressed;         // has the size of the source
  std::vector<AccessPoint> points;  // rising; the first is at offset 0

  friend bool operator==(const AccessPoints&, const AccessPoints&) = default;
};

/// Encodes the points: a version, the numbers, and a checksum of all bytes.
[[nodiscard]] std::string to_bytes(const AccessPoints& points);

/// Decodes to_bytes(). Returns nothing if the bytes are damaged or have another version, or if the
/// points are impossible for any file.
[[nodiscard]] std::optional<AccessPoints> access_points_from_bytes(std::string_view bytes);

}  // namespace sheaf::internal
