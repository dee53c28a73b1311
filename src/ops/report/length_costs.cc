#include "ops/report/length_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

namespace sheaf::internal {
namespace {

// A block is a whole number of pools for every minibatch size.
constexpr std::size_t kBlockLengths =
    static_cast<std::size_t>(kMinibatchSizes.back() * PaddingMeter::kPoolMinibatches);

// Uses a counting sort if there are few distinct lengths.
void sort_lengths(std::span<std::int64_t> lengths) {
  const auto [low, high] = std::ranges::minmax(lengths);
  if (low == high) return;
  if (high - low > 4 * std::ssize(lengths)) {
    std::ranges::sort(lengths);
    return;
  }
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(high - low + 1));
  for (const std::int64_t each : lengths) ++counts[static_cast<std::size_t>(each - low)];
  std::size_t end = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(end), counts[i],
                low + static_cast<std::int64_t>(i));
    end += counts[i];
  }
}

// Returns the number of samples, padding included, in minibatches of neighbours.
double padded_samples(std::span<const std::int64_t> lengths, std::size_t size) {
  double sum = 0;
  while (!lengths.empty()) {
    const std::span<const std::int64_t> minibatch = lengths.first(std::min(size, lengths.size()));
    sum += static_cast<double>(std::ranges::max(minibatch)) * static_cast<double>(minibatch.size());
    lengths = lengths.subspan(minibatch.size());
  }
  return sum;
}

// Returns the probability that `size` of `all` sequences, drawn at random, all belong to a subset
// of `part` sequences.
double probability_inside(std::int64_t part, std::int64_t all, std::int64_t size) {
  if (part < size) return 0;
  double probability = 1;
  for (std::int64_t i = 0; i < size; ++i) {
    probability *= static_cast<double>(part - i) / static_cast<double>(all - i);
  }
  return probability;
}

/// Rows that are not full, grouped by their remaining room.
class OpenRows {
 public:
  explicit OpenRows(std::int64_t row_length) : row_length_(row_length) {}

  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }

  // Rows with less room than the best row cannot take the length. Therefore the best row stays the
  // best until it is full, and the sequences of one length fill one row after the other.
  void pack(std::int64_t length, std::int64_t count) {
    while (count > 0) {
      const auto best = rooms_.lower_bound(length);
      const bool is_new = best == rooms_.end();
      const std::int64_t room = is_new ? row_length_ : best->first;
      const std::int64_t of_row = room / length;
      const std::int64_t full = is_new ? count / of_row : std::min(best->second, count / of_row);
      const bool has_rest = is_new ? count % of_row > 0 : full < best->second;
      const std::int64_t rest = has_rest ? count - full * of_row : 0;
      take(room, full + (has_rest ? 1 : 0), is_new);
      add(room - of_row * length, full);
      if (has_rest) add(room - rest * length, 1);
      count -= full * of_row + rest;
    }
  }

 private:
  void take(std::int64_t room, std::int64_t rows, bool is_new) {
    if (is_new) {
      rows_ += rows;
      return;
    }
    const auto entry = rooms_.find(room);
    entry->second -= rows;
    if (entry->second == 0) rooms_.erase(entry);
  }

  void add(std::int64_t room, std::int64_t rows) {
    if (room > 0 && rows > 0) rooms_[room] += rows;
  }

  std::int64_t row_length_;
  std::int64_t rows_ = 0;
  std::map<std::int64_t, std::int64_t> rooms_;  // [room]: number of rows with this room
};

}  // namespace

void PaddingMeter::add(std::int64_t length) {
  block_.push_back(length);
  if (block_.size() < kBlockLengths) return;
  add_block(block_, sums_);
  block_.clear();
}

void PaddingMeter::add_block(std::vector<std::int64_t> lengths, AllSums& sums) {
  const auto [low, high] = std::ranges::minmax(lengths);
  if (low == high) {  // no padding
    const double samples = static_cast<double>(low) * static_cast<double>(lengths.size());
    for (Sums& each : sums) {
      each.file += samples;
      each.buckets += samples;
    }
    return;
  }
  for (std::size_t i = 0; i < kMinibatchSizes.size(); ++i) {
    sums[i].file += padded_samples(lengths, static_cast<std::size_t>(kMinibatchSizes[i]));
  }
  for (std::size_t i = 0; i < kMinibatchSizes.size(); ++i) {
    const auto size = static_cast<std::size_t>(kMinibatchSizes[i]);
    for (std::span<std::int64_t> rest = lengths; !rest.empty();) {
      const std::span<std::int64_t> pool =
          rest.first(std::min(size * std::size_t{kPoolMinibatches}, rest.size()));
      sort_lengths(pool);
      sums[i].buckets += padded_samples(pool, size);
      rest = rest.subspan(pool.size());
    }
  }
}

std::array<PaddingMeter::Sums, kMinibatchSizes.size()> PaddingMeter::sums() const {
  AllSums all = sums_;
  if (!block_.empty()) add_block(block_, all);
  return all;
}

double random_padding(const Histogram& lengths, std::int64_t size) {
  const std::int64_t drawn = std::min(size, lengths.count());
  std::int64_t part = 0;
  double before = 0;
  double longest = 0;  // average length of the longest sequence of a minibatch
  for (const auto& [length, count] : lengths.counts()) {
    part += count;
    const double probability = probability_inside(part, lengths.count(), drawn);
    longest += static_cast<double>(length) * (probability - before);
    before = probability;
  }
  return longest > 0 ? std::max(0.0, 1 - lengths.mean() / longest) : 0;
}

PackedRows packed_rows(const Histogram& lengths, std::int64_t row_length) {
  PackedRows packed;
  OpenRows open(row_length);
  const std::vector<std::pair<std::int64_t, std::int64_t>> counts = lengths.counts();
  for (auto each = counts.rbegin(); each != counts.rend(); ++each) {
    const auto [length, count] = *each;
    if (length > row_length) {
      packed.too_long += count;
    } else if (length > 0) {
      open.pack(length, count);
      packed.samples += length * count;
    }
  }
  packed.rows = open.rows();
  return packed;
}

}  // namespace sheaf::internal
