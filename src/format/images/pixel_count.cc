#include "format/images/pixel_count.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/saturated.h"
#include "format/listed/source_bytes.h"
#include "image/image_header.h"

namespace sheaf::internal {
namespace {

// The bytes of an image to read for its extents: few at first, then more.
constexpr std::array<std::int64_t, 3> kHeaderBytes = {kFirstHeaderBytes, 64 << 10, 16 << 20};

}  // namespace

std::int64_t pixel_count_of(std::int64_t size_bytes, const ImageFront& front) {
  for (const std::int64_t limit : kHeaderBytes) {
    const std::int64_t size = std::min(limit, size_bytes);
    const std::span<const std::byte> bytes = front(size);
    ImageHeader header;
    ImageProblem problem;
    if (read_image_header(bytes, header, problem)) {
      return saturated_product(header.stored_width, header.stored_height);
    }
    if (!problem.is_cut || size == size_bytes || std::ssize(bytes) < size) break;
  }
  return 0;
}

std::int64_t pixel_count_of(const ByteSource& source, std::int64_t offset_bytes,
                            std::int64_t size_bytes, std::int64_t read_size_bytes,
                            std::vector<std::byte> first_bytes) {
  std::vector<std::byte> bytes = std::move(first_bytes);
  return pixel_count_of(size_bytes, [&](std::int64_t size) {
    const std::size_t before = bytes.size();
    const auto wanted = static_cast<std::size_t>(size);
    if (before < wanted) {
      bytes.resize(wanted);
      read_bytes(source, offset_bytes + static_cast<std::int64_t>(before),
                 std::span(bytes).subspan(before), read_size_bytes);
    }
    return std::span<const std::byte>(bytes).first(wanted);
  });
}

}  // namespace sheaf::internal
