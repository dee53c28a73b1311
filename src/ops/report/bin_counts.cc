#include "ops/report/bin_counts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace sheaf::internal {
namespace {

// Calls `visit` with both counts of each bin that is filled in either histogram.
template <typename Visit>
void visit_both(std::span<const BinCounts::Entry> a, std::span<const BinCounts::Entry> b,
                const Visit& visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool takes_a = j == b.size() || (i < a.size() && a[i].bin <= b[j].bin);
    const bool takes_b = i == a.size() || (j < b.size() && b[j].bin <= a[i].bin);
    visit(takes_a ? a[i].bin : b[j].bin, takes_a ? a[i].count : 0, takes_b ? b[j].count : 0);
    i += takes_a ? 1 : 0;
    j += takes_b ? 1 : 0;
  }
}

}  // namespace

void BinCounts::hit(std::uint32_t bin) {
  const auto entry = std::ranges::lower_bound(entries_, bin, {}, &Entry::bin);
  if (entry != entries_.end() && entry->bin == bin) {
    ++entry->count;
  } else {
    entries_.insert(entry, {bin, 1});
  }
  ++total_;
}

void BinCounts::add(const BinCounts& other) {
  if (other.entries_.empty()) return;
  std::vector<Entry> all;
  all.reserve(std::max(entries_.size(), other.entries_.size()));
  visit_both(entries_, other.entries_, [&](std::uint32_t bin, std::int64_t a, std::int64_t b) {
    all.push_back({bin, a + b});
  });
  entries_ = std::move(all);
  total_ += other.total_;
}

double distance(const BinCounts& a, const BinCounts& b) {
  if (a.total() == 0 || b.total() == 0) return 0;
  const auto all_a = static_cast<double>(a.total());
  const auto all_b = static_cast<double>(b.total());
  double sum = 0;
  visit_both(a.entries(), b.entries(),
             [&](std::uint32_t /*bin*/, std::int64_t count_a, std::int64_t count_b) {
               sum += std::abs(static_cast<double>(count_a) / all_a -
                               static_cast<double>(count_b) / all_b);
             });
  return sum / 2;
}

// The mean absolute value of a normal variable is its deviation times the square root of 2 / pi.
double chance_distance(const BinCounts& all, double scale) {
  if (all.total() == 0 || scale <= 0) return 0;
  double sum = 0;
  for (const BinCounts::Entry& each : all.entries()) {
    const double share = static_cast<double>(each.count) / static_cast<double>(all.total());
    sum += std::min(2 * share, std::sqrt(2 / std::numbers::pi * scale * share * (1 - share)));
  }
  return sum / 2;
}

double beyond_chance(double distance, double chance) noexcept {
  return chance >= 1 ? 0 : std::clamp((distance - chance) / (1 - chance), 0.0, 1.0);
}

}  // namespace sheaf::internal
