#include "ops/report/key_numbers.h"

#include <compare>
#include <cstddef>
#include <memory>

#include "sheaf/extend/interruption.h"

#include "ops/report/hash_sample.h"
#include "ops/report/id_counts.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kKeysMax = std::size_t{1} << 20;

/// A key as a hash.
struct HashedKey {
  std::uint64_t hash = 0;
  std::int64_t count = 1;

  [[nodiscard]] std::uint64_t sampling_hash() const noexcept { return hash; }
  [[nodiscard]] bool is_same(const HashedKey& other) const noexcept { return hash == other.hash; }
  void add(const HashedKey& later) noexcept { count += later.count; }
  friend auto operator<=>(const HashedKey&, const HashedKey&) = default;  // NOLINT: no null
};

// Tells whether one numeric key follows another. A text follows any key, since its key is a hash.
bool is_next(const SequenceKey& key, const SequenceKey& before) noexcept {
  return key.high != 0 || before.high != 0 || key.low == before.low + 1;
}

}  // namespace

void KeyNumbers::add(const SequenceKey& key) noexcept {
  if (count == 0) {
    first = key;
  } else {
    rises = rises && key > last;
    gaps += is_next(key, last) ? 0 : 1;
  }
  last = key;
  ++count;
}

void KeyNumbers::add(const KeyNumbers& next) noexcept {
  if (next.count == 0) return;
  if (count == 0) {
    *this = next;
    return;
  }
  rises = rises && next.rises && next.first > last;
  gaps += next.gaps + (is_next(next.first, last) ? 0 : 1);
  last = next.last;
  count += next.count;
}

KeyNumbers keys_of(const SequenceTable& table, std::int64_t first, std::int64_t count) noexcept {
  KeyNumbers keys;
  for (std::int64_t i = first; i < first + count; ++i) keys.add(table.key(i));
  return keys;
}

KeyRepeats key_repeats(const Index& index, ChunkIndex chunk_end) {
  HashSample<HashedKey> sample(kKeysMax);
  for (ChunkIndex chunk{}; chunk < chunk_end; chunk = next(chunk)) {
    check_interruption();
    const std::shared_ptr<const SequenceTable> table = index.sequences(chunk);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const SequenceKey key = table->key(i);
      sample.add({.hash = spread_bits(key.low ^ spread_bits(key.high + 1))});
    }
  }
  KeyRepeats result;
  for (const HashedKey& each : sample.take()) {
    result.looked_at += each.count;
    result.repeats += each.count - 1;
  }
  return result;
}

}  // namespace sheaf::internal
