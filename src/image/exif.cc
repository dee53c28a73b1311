#include "image/exif.h"

#include <string_view>

namespace sheaf::internal {
namespace {

constexpr std::string_view kExifPrefix{"Exif\0\0", 6};

constexpr std::uint64_t kOrientationTag = 0x0112;
constexpr std::uint64_t kByte = 1;
constexpr std::uint64_t kShort = 3;
constexpr std::uint64_t kLong = 4;
constexpr std::size_t kEntrySize = 12;

}  // namespace

int orientation_of_exif(HeaderBytes exif) noexcept {
  if (exif.starts_with(0, kExifPrefix)) {
    exif = exif.part(kExifPrefix.size(), exif.size() - kExifPrefix.size());
  }
  const bool is_little = exif.starts_with(0, "II");
  if (!is_little && !exif.starts_with(0, "MM")) return 1;
  const auto number = [&](std::size_t at, std::size_t count) {
    return is_little ? exif.little(at, count) : exif.big(at, count);
  };
  if (!exif.has(2, 6) || number(2, 2) != 42) return 1;
  const auto directory = static_cast<std::size_t>(number(4, 4));
  if (!exif.has(directory, 2)) return 1;
  const std::uint64_t count = number(directory, 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + static_cast<std::size_t>(i) * kEntrySize;
    if (!exif.has(entry, kEntrySize)) return 1;
    if (number(entry, 2) != kOrientationTag) continue;
    // The value must be a single short. But some writers use another type or count, and OpenCV
    // reads the first two bytes in any case.
    const std::uint64_t type = number(entry + 2, 2);
    if (type != kByte && type != kShort && type != kLong) return 1;
    const std::uint64_t value = number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace sheaf::internal
