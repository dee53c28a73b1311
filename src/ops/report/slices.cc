#include "ops/report/slices.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sheaf::internal {
namespace {

constexpr std::size_t kRoom = 32;  // neighbours merge when the limit is exceeded by this many
                                   // slices

}  // namespace

std::uint32_t bin_of_length(std::int64_t length) noexcept {
  constexpr std::uint64_t kOwn = 16;
  const auto number = static_cast<std::uint64_t>(length);
  if (number < kOwn) return static_cast<std::uint32_t>(number);
  const int shift =
      static_cast<int>(std::bit_width(number)) - 4;  // the first four bits give the bin
  return static_cast<std::uint32_t>(8 * shift + static_cast<int>(number >> shift));
}

void Slice::add(Slice next) {
  sequences += next.sequences;
  samples += next.samples;
  lengths.add(next.lengths);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams[i].values.add(next.streams[i].values);
    streams[i].bins.add(next.streams[i].bins);
    streams[i].ids.add(next.streams[i].ids);
  }
}

void Slices::add(Slice slice) {
  if (slice.sequences == 0) return;
  slices_.push_back(std::move(slice));
  if (slices_.size() >= kCountMax + kRoom) merge(kCountMax);
}

std::vector<Slice> Slices::take(std::size_t count_max) {
  merge(count_max);
  return std::move(slices_);
}

void Slices::merge(std::size_t count_max) {
  slices_ = merged_slices(std::move(slices_), count_max);
}

std::vector<Slice> merged_slices(std::vector<Slice> slices, std::size_t count_max) {
  while (slices.size() > std::max<std::size_t>(1, count_max)) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < slices.size(); ++i) {
      const auto size = [&](std::size_t at) {
        return slices[at].sequences + slices[at + 1].sequences;
      };
      if (size(i) < size(best)) best = i;
    }
    slices[best].add(std::move(slices[best + 1]));
    slices.erase(slices.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  return slices;
}

}  // namespace sheaf::internal
