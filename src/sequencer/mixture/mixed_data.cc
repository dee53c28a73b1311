#include "sequencer/mixture/mixed_data.h"

#include <algorithm>
#include <optional>

#include "sheaf/error.h"

#include "base/permutation.h"
#include "base/text.h"

namespace sheaf::internal {
namespace {

// Returns the options with the window of a member. The order "file" needs no window.
OrderOptions options_of_member(const OrderOptions& options, const MixtureDraws& draws,
                               std::int64_t member) {
  OrderOptions own = options;
  if (options.algorithm == OrderAlgorithm::file) own.window_chunks = kAll;
  for (std::optional<std::int64_t>* const window : {&own.window_chunks, &own.window_samples}) {
    if (!*window || **window == kAll) continue;
    *window = std::max<std::int64_t>(1, draws.largest_part(member, **window));
  }
  return own;
}

}  // namespace

std::vector<std::int64_t> sizes_of_members(const Counts& counts) {
  std::vector<std::int64_t> sizes;
  std::int64_t chunk = 0;
  for (const std::int64_t end : counts.member_ends()) {
    std::int64_t& size = sizes.emplace_back(0);
    for (; chunk < end; ++chunk) size += counts.chunk_counts(ChunkIndex{chunk})->sequence_count;
  }
  return sizes;
}

MixedData::MixedData(const Counts& counts, const OrderOptions& options)
    : draws_(*counts.mixture(), sizes_of_members(counts)) {
  std::int64_t first = 0;
  for (const std::int64_t end : counts.member_ends()) {
    const std::int64_t number = std::ssize(members_);
    members_.push_back(std::make_unique<const MemberData>(
        counts, first, end, options_of_member(options, draws_, number),
        key_of(options.seed, static_cast<std::uint64_t>(number))));
    first = end;
  }
}

}  // namespace sheaf::internal
