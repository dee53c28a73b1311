#include "reader/fetch/decoded_ranges.h"

#include <cstddef>

namespace sheaf::internal {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{32} << 20;  // unwritten pages cost nothing

}  // namespace

DecodedSink::Kept DecodedRanges::keep(Chunk decoded) {
  SharedBlock::Maker memory = take_memory();
  auto held = std::make_shared<const HeldChunk>(std::move(decoded), streams_, *memory, true);
  keep_memory(std::move(memory));
  return held;
}

void DecodedRanges::add(const ChunkRange& range, Kept kept, std::int64_t first) {
  begins_[range.chunk].push_back(range.first);
  if (kept == nullptr) return;
  ranges_.push_back({range, std::static_pointer_cast<const HeldChunk>(std::move(kept)), first});
}

void DecodedRanges::clear() noexcept {
  end();
  begins_.clear();
  held_bytes_.clear();
  reading_bytes_ = 0;
  ranges_.clear();
}

// Decoded data are read in random order, a few bytes at a time, and each access needs a page
// lookup. Lookups of huge pages are faster. So the arrays of many chunks share one large block.
SharedBlock::Maker DecodedRanges::take_memory() {
  {
    const std::scoped_lock lock(mutex_);
    if (!memory_.empty()) {
      SharedBlock::Maker memory = std::move(memory_.back());
      memory_.pop_back();
      return memory;
    }
  }
  return SharedBlock::make(kMemoryBytes, default_memory());
}

void DecodedRanges::keep_memory(SharedBlock::Maker memory) {
  if (memory->room_bytes() < kMemoryBytes / 4) return;  // may be too small for the next chunk
  const std::scoped_lock lock(mutex_);
  memory_.push_back(std::move(memory));
}

}  // namespace sheaf::internal
