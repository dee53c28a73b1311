#include "io/compressed/access_points.h"

#define XXH_INLINE_ALL
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>

#include <xxhash.h>

#include "base/int_codec.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kPointsMagic = "\x89SHEAFP\n";
constexpr std::uint64_t kPointsVersion = 1;

std::int64_t size_of(const AccessPoint& point) noexcept {
  return static_cast<std::int64_t>(sizeof(AccessPoint) + point.state.capacity());
}

std::uint64_t checksum_of(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void append_int(std::int64_t value, std::string& into) {
  append_word(static_cast<std::uint64_t>(value), into);
}

void append_print(const Fingerprint& fingerprint, std::string& into) {
  append_int(fingerprint.size_bytes, into);
  append_word(fingerprint.hash, into);
}

/// Takes numbers off the front of bytes. If the bytes do not suffice, all later numbers are 0.
class PointReader {
 public:
  explicit PointReader(std::string_view bytes)
      : bytes_(std::as_bytes(std::span(bytes.data(), bytes.size()))) {}

  std::uint64_t word() {
    const std::optional<std::uint64_t> value = ok_ ? take_word(bytes_) : std::nullopt;
    ok_ = value.has_value();
    return value.value_or(0);
  }

  /// Takes a size or an offset of at most `most`.
  std::int64_t number(std::int64_t most) {
    const std::uint64_t value = word();
    if (value > static_cast<std::uint64_t>(most)) ok_ = false;
    return ok_ ? static_cast<std::int64_t>(value) : 0;
  }

  std::string text() {
    const std::int64_t size = number(std::ssize(bytes_));
    if (!ok_) return {};
    std::string text(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(text.size());
    return text;
  }

  Fingerprint fingerprint() {
    Fingerprint fingerprint;
    fingerprint.size_bytes = number(std::numeric_limits<std::int64_t>::max());
    fingerprint.hash = word();
    return fingerprint;
  }

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::int64_t left() const noexcept { return std::ssize(bytes_); }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace

AccessPointCollector::AccessPointCollector(std::int64_t spacing_bytes, AccessPoint first,
                                           std::int64_t bytes_max)
    : spacing_(spacing_bytes), bytes_max_(bytes_max) {
  assert(spacing_bytes >= 1 && first.decompressed == 0);
  points_.push_back(std::move(first));
}

void AccessPointCollector::add(AccessPoint point) {
  assert(is_due(point.decompressed));
  bytes_ += size_of(point);
  points_.push_back(std::move(point));
  if (bytes_ > bytes_max_) thin();
}

void AccessPointCollector::thin() {
  std::vector<AccessPoint> kept;
  kept.push_back(std::move(points_.front()));
  bytes_ = 0;
  for (std::size_t i = 2; i < points_.size(); i += 2) {
    bytes_ += size_of(points_[i]);
    kept.push_back(std::move(points_[i]));
  }
  points_ = std::move(kept);
  spacing_ *= 2;
}

std::string to_bytes(const AccessPoints& points) {
  std::string bytes(kPointsMagic);
  append_word(kPointsVersion, bytes);
  append_word(static_cast<std::uint64_t>(points.compression), bytes);
  append_print(points.compressed, bytes);
  append_print(points.decompressed, bytes);
  append_word(std::uint64_t{points.points.size()}, bytes);
  for (const AccessPoint& point : points.points) {
    append_int(point.compressed, bytes);
    append_int(point.decompressed, bytes);
    append_int(point.bits, bytes);
    append_word(std::uint64_t{point.state.size()}, bytes);
    bytes += point.state;
  }
  append_word(checksum_of(bytes), bytes);
  return bytes;
}

std::optional<AccessPoints> access_points_from_bytes(std::string_view bytes) {
  constexpr std::size_t kWordSize = sizeof(std::uint64_t);
  constexpr std::int64_t kPointSize = 4 * std::int64_t{kWordSize};
  if (!bytes.starts_with(kPointsMagic) || bytes.size() < kPointsMagic.size() + kWordSize) {
    return std::nullopt;
  }
  const std::string_view checked = bytes.substr(0, bytes.size() - kWordSize);
  if (PointReader(bytes.substr(checked.size())).word() != checksum_of(checked)) return std::nullopt;

  PointReader reader(checked.substr(kPointsMagic.size()));
  if (reader.word() != kPointsVersion) return std::nullopt;
  AccessPoints read;
  read.compression =
      static_cast<Compression>(reader.number(static_cast<std::int64_t>(Compression::lz4)));
  read.compressed = reader.fingerprint();
  read.decompressed = reader.fingerprint();
  const std::int64_t count = reader.number(reader.left() / kPointSize);
  AccessPoint least;  // lower bound: points must rise
  for (std::int64_t i = 0; i < count && reader.ok(); ++i) {
    AccessPoint point;
    point.compressed = reader.number(read.compressed.size_bytes);
    point.decompressed = reader.number(read.decompressed.size_bytes);
    point.bits = static_cast<int>(reader.number(7));
    point.state = reader.text();
    const bool rises =
        i == 0 ? point == AccessPoint{}
               : point.compressed > least.compressed && point.decompressed > least.decompressed;
    if (!rises) return std::nullopt;
    least.compressed = point.compressed;
    least.decompressed = point.decompressed;
    read.points.push_back(std::move(point));
  }
  if (!reader.ok() || reader.left() != 0 || read.points.empty()) return std::nullopt;
  return read;
}

}  // namespace sheaf::internal
