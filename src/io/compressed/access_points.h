// Places of a compressed file from which decompression can begin.

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

/// One such place. What `bits` and `state` mean is up to the codec.
struct AccessPoint {
  std::int64_t compressed = 0;
  std::int64_t decompressed = 0;
  int bits = 0;       // gzip: of the byte before, that are still to be read
  std::string state;  // what a decoder must know of what comes before

  friend bool operator==(const AccessPoint&, const AccessPoint&) = default;
};

/// Collects points so that they cost little: one in every kSpacingBytes of decompressed data at
/// most, and only every second one of those each time that they take more than kBytesMax.
class AccessPointCollector {
 public:
  static constexpr std::int64_t kBytesMax = std::int64_t{16} << 20;

  /// Begins with `first`, at which nothing is decompressed.
  ///
  /// Pre: spacing_bytes >= 1.
  explicit AccessPointCollector(std::int64_t spacing_bytes, AccessPoint first = {},
                                std::int64_t bytes_max = kBytesMax);

  /// Returns whether a point here would be of use.
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

/// All that a pass over a compressed file finds out.
struct AccessPoints {
  Compression compression = Compression::none;
  Fingerprint compressed;
  Fingerprint decompressed;         // its size is that of the source
  std::vector<AccessPoint> points;  // rising; the first is at 0

  friend bool operator==(const AccessPoints&, const AccessPoints&) = default;
};

/// Bytes to keep: a version, the numbers, and a checksum of all.
[[nodiscard]] std::string to_bytes(const AccessPoints& points);

/// The way back. Nothing where the bytes are of another version or damaged, or the points cannot be
/// of any file.
[[nodiscard]] std::optional<AccessPoints> access_points_from_bytes(std::string_view bytes);

}  // namespace sheaf::internal
