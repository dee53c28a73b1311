#include "reader/fetch/chunk_memory.h"

#include <cstddef>

#include "sheaf/extend/buffer.h"

#include "core/common_values.h"

namespace sheaf::internal {

std::int64_t held_bytes(const Chunk& chunk) noexcept {
  std::int64_t bytes = chunk.memory_bytes();
  const std::byte* last = nullptr;  // several arrays may borrow the same bytes
  const auto add_borrowed = [&](const Buffer& buffer) {
    const std::int64_t borrowed = buffer.size_bytes() - buffer.capacity_bytes();
    if (borrowed <= 0 || buffer.data() == last || is_common(buffer)) return;
    bytes += borrowed;
    last = buffer.data();
  };
  for (const Column& column : chunk.columns()) {
    for (const Buffer* buffer : {&column.values, &column.indices, &column.sample_offsets,
                                 &column.extents, &column.sequence_offsets, &column.presence,
                                 &column.value_byte_offsets, &column.index_byte_offsets}) {
      add_borrowed(*buffer);
    }
  }
  return bytes;
}

}  // namespace sheaf::internal
