#include "index/key_finder.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "sheaf/extend/packed_ints.h"

namespace sheaf::internal {
namespace {

/// Returns the number of the first sequence with a key, or the number of sequences if there is
/// none.
std::int64_t first_with(const SequenceTable& table, const SequenceKey& key, bool keys_rise) {
  const std::int64_t count = table.size();
  if (!keys_rise) {
    std::int64_t i = 0;
    while (i < count && table.key(i) != key) ++i;
    return i;
  }
  std::int64_t low = 0;
  std::int64_t high = count;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (table.key(middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && table.key(low) == key ? low : count;
}

/// Returns whether the keys are numbers that rise in even steps, as in most data.
bool are_running(const SequenceTable& table) {
  const std::optional<PackedInts::Line> line = table.columns().keys_low.line();
  if (!line || line->step < 0 || table.columns().keys_high.size() > 0) return false;
  const auto count = static_cast<std::uint64_t>(table.size() - 1);
  std::uint64_t last = 0;  // lines may overflow
  return !__builtin_mul_overflow(count, static_cast<std::uint64_t>(line->step), &last) &&
         !__builtin_add_overflow(last, static_cast<std::uint64_t>(line->first), &last);
}

}  // namespace

std::optional<ChunkRange> KeyFinder::find(const SequenceKey& key) {
  for (std::size_t i = 0;; ++i) {
    const ChunkIndex chunk{static_cast<std::int64_t>(i)};
    std::shared_ptr<const SequenceTable> table;
    if (i == chunks_.size()) {
      if (!index_.chunk(chunk)) return std::nullopt;
      table = index_.sequences(chunk);
      chunks_.push_back(keys_of(*table));
    }
    const Keys& keys = chunks_[i];
    if (key < keys.smallest || keys.largest < key) continue;
    if (!table) table = index_.sequences(chunk);
    const std::int64_t sequence = first_with(*table, key, keys.rise);
    if (sequence < table->size()) return ChunkRange{chunk, sequence, 1};
  }
}

KeyFinder::Keys KeyFinder::keys_of(const SequenceTable& table) {
  Keys keys{.smallest = table.key(0), .largest = table.key(table.size() - 1), .rise = true};
  if (are_running(table)) return keys;
  SequenceKey last = keys.largest = keys.smallest;
  for (std::int64_t i = 1; i < table.size(); ++i) {
    const SequenceKey key = table.key(i);
    if (key < last) keys.rise = false;
    keys.smallest = std::min(keys.smallest, key);
    keys.largest = std::max(keys.largest, key);
    last = key;
  }
  return keys;
}

std::int64_t KeyFinder::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(chunks_.capacity() * sizeof(Keys));
}

}  // namespace sheaf::internal
