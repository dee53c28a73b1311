// Size class k has the ranges of 2^k to 2^(k+1) - 1 sequences, sorted by first sequence. A range
// that contains a sequence begins less than 2^(k+1) before the sequence. Since ranges at most
// touch, or share a sequence at their ends, only a few ranges of a class begin there. Searching
// every class of a chunk takes a handful of searches. If all ranges were sorted together by first
// sequence, long ranges could be hidden behind any number of short ones.

#include "reader/plan/held_ranges.h"

#include <bit>
#include <utility>

namespace sheaf::internal {
namespace {

/// Returns the number of the highest set bit.
///
/// Pre: at least one bit is set.
int highest_bit(std::uint64_t bits) noexcept { return 63 - std::countl_zero(bits); }

int size_class_of(const ChunkRange& range) noexcept {
  return highest_bit(static_cast<std::uint64_t>(range.count));
}

}  // namespace

HeldRanges::Key HeldRanges::key_of(const ChunkRange& range) noexcept {
  return {size_class_of(range), range.first, range.count};
}

void HeldRanges::add(const ChunkRange& range, std::int64_t bytes, bool is_late) {
  if (is_late) bytes = 0;
  OfChunk& of_chunk = chunks_[range.chunk];
  const auto [entry, is_new] = of_chunk.ranges.try_emplace(
      key_of(range), Held{.range = range, .bytes = bytes, .is_late = is_late});
  if (!is_new) return;
  of_chunk.size_classes |= std::uint64_t{1} << size_class_of(range);
  ++size_;
  if (is_whole(range)) ++whole_count_;
  bytes_ += bytes;
}

void HeldRanges::release(const ChunkRange& range) {
  const auto found = chunks_.find(range.chunk);
  if (found == chunks_.end()) return;
  const auto entry = found->second.ranges.find(key_of(range));
  if (entry == found->second.ranges.end()) return;
  forget(entry->second);
  found->second.ranges.erase(entry);
  if (found->second.ranges.empty()) chunks_.erase(found);
}

void HeldRanges::forget(const Held& held) noexcept {
  --size_;
  if (is_whole(held.range)) --whole_count_;
  bytes_ -= held.bytes;
}

HeldRanges::Held* HeldRanges::find(ChunkIndex chunk, std::int64_t sequence) {
  const auto found = chunks_.find(chunk);
  if (found == chunks_.end()) return nullptr;
  auto& ranges = found->second.ranges;
  if (ranges.size() == 1) {  // usually the whole chunk
    Held& only = ranges.begin()->second;
    return only.range.contains(chunk, sequence) ? &only : nullptr;
  }
  for (std::uint64_t classes = found->second.size_classes; classes != 0;) {
    const int size_class = highest_bit(classes);
    classes &= ~(std::uint64_t{1} << size_class);
    const std::int64_t longest = static_cast<std::int64_t>((std::uint64_t{2} << size_class) - 1);
    auto entry = ranges.upper_bound({size_class, sequence, ChunkRange::kAll});
    while (entry != ranges.begin()) {
      --entry;
      Held& held = entry->second;
      if (std::get<int>(entry->first) != size_class) break;
      if (held.range.contains(chunk, sequence)) return &held;
      if (sequence - held.range.first >= longest) break;
    }
  }
  return nullptr;
}

bool HeldRanges::contains(const ChunkRange& range) const {
  const auto found = chunks_.find(range.chunk);
  return found != chunks_.end() && found->second.ranges.contains(key_of(range));
}

void HeldRanges::set_cut(Held& held, std::shared_ptr<const RangeCut> cut) {
  held.cut = std::move(cut);
  const std::int64_t first = held.cut->first();
  const std::int64_t count = held.cut->end() - first;
  bytes_ -= held.bytes;
  held.bytes = held.cut->row_bytes(count) + (held.is_late ? 0 : held.cut->held_bytes(first, count));
  bytes_ += held.bytes;
}

}  // namespace sheaf::internal
