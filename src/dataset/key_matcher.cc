#include "dataset/key_matcher.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sheaf::internal {
namespace {

std::int64_t bucket_of(const SequenceKey& key, std::int64_t bucket_count) noexcept {
  // Uses the upper bits of a product, so that consecutive numbers spread as well as hashes.
  const std::uint64_t mixed = (key.low ^ (key.high >> 32U)) * 0x9E37'79B9'7F4A'7C15U;
  return static_cast<std::int64_t>((mixed >> 32U) % static_cast<std::uint64_t>(bucket_count));
}

void sort_by_key(std::vector<KeyedSequence>& sequences) {
  const auto name = [](const KeyedSequence& s) { return std::tuple(s.key, s.number); };
  const auto is_less = [&](const auto& a, const auto& b) { return name(a) < name(b); };
  if (!std::ranges::is_sorted(sequences, is_less)) std::ranges::sort(sequences, is_less);
}

/// Among neighbours with the same key, returns the pair whose later sequence comes first in the
/// set.
std::optional<RepeatedKey> first_repeated(std::int64_t set,
                                          const std::vector<KeyedSequence>& sequences) {
  std::optional<RepeatedKey> first;
  for (std::size_t i = 1; i < sequences.size(); ++i) {
    const KeyedSequence& earlier = sequences[i - 1];
    const KeyedSequence& later = sequences[i];
    if (earlier.key != later.key || (first && first->later <= later.number)) continue;
    first = {.set = set, .earlier = earlier.number, .later = later.number, .key = later.key};
  }
  return first;
}

}  // namespace

KeyMatcher::KeyMatcher(std::int64_t set_count, std::int64_t unmatched_max)
    : sizes_(static_cast<std::size_t>(set_count)),
      unmatched_max_(unmatched_max),
      unmatched_(static_cast<std::size_t>(set_count)) {
  constexpr auto kRecords = kExtentBytes / std::int64_t{sizeof(KeyedSequence)};
  for (std::int64_t i = 0; i < set_count; ++i) sequences_.emplace_back(kBucketCount, kRecords);
}

void KeyMatcher::add(std::int64_t set, const KeyedSequence& sequence) {
  const auto i = static_cast<std::size_t>(set);
  sequences_[i].put(bucket_of(sequence.key, kBucketCount), sequence);
  ++sizes_[i];
}

std::optional<RepeatedKey> KeyMatcher::match() {
  numbers_per_bucket_ = std::max<std::int64_t>(1, (sizes_[0] + kBucketCount - 1) / kBucketCount);
  constexpr auto kRecords = kExtentBytes / std::int64_t{sizeof(Match)};
  for (std::size_t set = 0; set < sizes_.size(); ++set) {
    found_.push_back({.buckets = Buckets<Match>(kBucketCount, kRecords)});
  }
  for (std::int64_t part = 0; part < kBucketCount; ++part) match_part(part);
  sequences_.clear();
  return repeated_;
}

void KeyMatcher::match_part(std::int64_t part) {
  std::vector<KeyedSequence> firsts;
  for (std::size_t set = 0; set < sizes_.size(); ++set) {
    std::vector<KeyedSequence> others = sequences_[set].take(part);
    sort_by_key(others);
    const std::optional<RepeatedKey> repeated =
        first_repeated(static_cast<std::int64_t>(set), others);
    if (repeated && (!repeated_ || std::tuple(repeated->set, repeated->later) <
                                       std::tuple(repeated_->set, repeated_->later))) {
      repeated_ = repeated;
    }
    if (set == 0) {
      firsts = std::move(others);
      continue;
    }
    auto first = firsts.begin();
    for (const KeyedSequence& other : others) {
      while (first != firsts.end() && first->key < other.key) ++first;
      if (first == firsts.end() || first->key != other.key) {
        note_unmatched(set, other.number);
        continue;
      }
      found_[set].buckets.put(first->number / numbers_per_bucket_,
                              {.first = first->number,
                               .other = other.number,
                               .sample_count = other.sample_count,
                               .size_bytes = other.size_bytes,
                               .decoded_bytes = other.decoded_bytes,
                               .cost = other.cost});
    }
  }
}

void KeyMatcher::note_unmatched(std::size_t set, std::int64_t number) {
  std::vector<std::int64_t>& heap = unmatched_[set];
  const bool is_full = std::ssize(heap) == unmatched_max_;
  if (is_full && (heap.empty() || number > heap.front())) return;
  if (is_full) {
    std::ranges::pop_heap(heap);
    heap.pop_back();
  }
  heap.push_back(number);
  std::ranges::push_heap(heap);
}

std::vector<std::int64_t> KeyMatcher::unmatched(std::int64_t set) const {
  std::vector<std::int64_t> numbers = unmatched_[static_cast<std::size_t>(set)];
  std::ranges::sort_heap(numbers);
  return numbers;
}

std::optional<Match> KeyMatcher::find(std::int64_t set, std::int64_t number) {
  Found& found = found_[static_cast<std::size_t>(set)];
  if (const std::int64_t bucket = number / numbers_per_bucket_; bucket != found.bucket) {
    found.bucket = bucket;
    found.current = found.buckets.take(bucket);
    found.at = 0;
    std::ranges::sort(found.current, {}, &Match::first);
  }
  while (found.at < found.current.size() && found.current[found.at].first < number) ++found.at;
  if (found.at == found.current.size() || found.current[found.at].first != number) {
    return std::nullopt;
  }
  return found.current[found.at];
}

}  // namespace sheaf::internal
