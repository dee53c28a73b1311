// The memory that objects take, for keeping to a limit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/extend/packed_ints.h"

#include "index/chunk_notes.h"

namespace sheaf::internal {

/// Returns how much memory the allocator takes for `size_bytes`. Its blocks have a header and are
/// multiples of 16 bytes.
[[nodiscard]] constexpr std::int64_t allocated_bytes(std::int64_t size_bytes) noexcept {
  if (size_bytes <= 0) return 0;
  const std::int64_t with_header = (size_bytes + 8 + 15) / 16 * 16;
  return with_header < 32 ? 32 : with_header;
}

/// Returns how much memory std::make_shared takes for an object.
template <typename Object>
[[nodiscard]] constexpr std::int64_t shared_bytes() noexcept {
  return allocated_bytes(std::int64_t{sizeof(Object)} + 16);
}

/// Returns how much memory an object takes besides itself, as the functions below.
template <typename Value>
[[nodiscard]] std::int64_t heap_bytes(const std::vector<Value>& values) noexcept {
  return allocated_bytes(static_cast<std::int64_t>(values.capacity() * sizeof(Value)));
}

[[nodiscard]] inline std::int64_t heap_bytes(const std::string& text) noexcept {
  const bool is_inside = text.capacity() <= std::string().capacity();
  return is_inside ? 0 : allocated_bytes(static_cast<std::int64_t>(text.capacity()) + 1);
}

// PackedInts has two lists and reports their sum. The first list takes at least 24 bytes.
[[nodiscard]] inline std::int64_t heap_bytes(const PackedInts& values) noexcept {
  const std::int64_t size = values.size_bytes();
  return size <= 24 ? allocated_bytes(size) : allocated_bytes(size) + 16;
}

/// Returns how much memory a table from std::make_shared takes.
[[nodiscard]] inline std::int64_t memory_bytes(const SequenceTable& table) noexcept {
  const SequenceTable::Columns& columns = table.columns();
  const SequenceTable::RareColumns* const rare = columns.rare.get();
  const std::int64_t rare_bytes =
      rare == nullptr ? 0
                      : shared_bytes<SequenceTable::RareColumns>() + heap_bytes(rare->costs) +
                            heap_bytes(rare->sources) + heap_bytes(rare->source_offsets_bytes);
  return shared_bytes<SequenceTable>() + shared_bytes<PackedInts>() + heap_bytes(columns.keys_low) +
         heap_bytes(columns.keys_high) + heap_bytes(columns.offsets_bytes) +
         heap_bytes(columns.first_lines) + heap_bytes(*columns.sample_counts) + rare_bytes;
}

/// Returns how much memory notes from std::make_shared take.
[[nodiscard]] inline std::int64_t memory_bytes(const ChunkNotes& notes) noexcept {
  return shared_bytes<ChunkNotes>() + heap_bytes(notes.streams) + heap_bytes(notes.unit_hashes) +
         heap_bytes(notes.repeated);
}

}  // namespace sheaf::internal
