#include "format/images/pixel_count.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/saturated.h"
#include "format/listed/source_bytes.h"
#include "image/image_header.h"

namespace sheaf::internal {
namespace {

// Bytes of an image that are read for its extents: few at first, then more.
constexpr std::array<std::int64_t, 3> kHeaderBytes = {4 << 10, 64 << 10, 16 << 20};

}  // namespace

std::int64_t pixel_count_of(const ByteSource& source, std::int64_t offset_bytes,
                            std::int64_t size_bytes, std::int64_t read_size_bytes) {
  std::vector<std::byte> bytes;
  for (const std::int64_t limit : kHeaderBytes) {
    const std::int64_t before = std::ssize(bytes);
    const std::int64_t size = std::min(limit, size_bytes);
    bytes.resize(static_cast<std::size_t>(size));
    read_bytes(source, offset_bytes + before,
               std::span(bytes).subspan(static_cast<std::size_t>(before)), read_size_bytes);
    ImageHeader header;
    ImageProblem problem;
    if (read_image_header(bytes, header, problem)) {
      return saturated_product(header.stored_width, header.stored_height);
    }
    if (!problem.is_cut || size == size_bytes) break;
  }
  return 0;
}

}  // namespace sheaf::internal
