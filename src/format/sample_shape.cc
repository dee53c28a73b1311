#include "format/sample_shape.h"

#include <cstdint>
#include <limits>
#include <string>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

void check_sample_shape(std::string_view stream, const Shape& shape, Storage storage,
                        ElementType index_type) {
  const auto refuse = [stream](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", quoted(stream), why));
  };
  std::int64_t size = 1;
  for (const std::int64_t extent : shape.extents()) {
    if (__builtin_mul_overflow(size, extent, &size) || size > kSampleSizeMax) {
      refuse(formatted("sample_shape {} has more than 2^40 values", to_string(shape)));
    }
  }
  if (storage != Storage::sparse) return;
  if (shape.rank() != 1) refuse("a sparse stream has one extent, got " + to_string(shape));
  if (index_type != ElementType::i32 && index_type != ElementType::i64) {
    refuse(formatted("index_dtype: i32 or i64, got {}", to_string(index_type)));
  }
  constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
  if (index_type == ElementType::i32 && size - 1 > kMax32) {
    refuse(formatted("dim {} needs index_dtype i64: an i32 reaches {}", size, kMax32));
  }
}

}  // namespace sheaf::internal
