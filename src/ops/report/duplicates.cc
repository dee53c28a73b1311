#include "ops/report/duplicates.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sheaf::internal {
namespace {

// Keeps the examples that come first in the data.
void keep_first(std::vector<SequencePair>& all, std::size_t count_max) {
  std::ranges::sort(all, {}, [](const SequencePair& pair) { return pair.first; });
  if (all.size() > count_max) all.resize(count_max);
}

// Calls `visit` once for each input, with all sequences that have the input.
template <typename Visit>
void visit_inputs(std::span<const HashedSequence> sequences, const Visit& visit) {
  for (std::size_t begin = 0; begin < sequences.size();) {
    std::size_t end = begin + 1;
    while (end < sequences.size() && sequences[end].input == sequences[begin].input) ++end;
    visit(sequences.subspan(begin, end - begin));
    begin = end;
  }
}

SequencePair first_two(std::span<const HashedSequence> sequences) {
  std::vector<CompactLocation> locations;
  for (const HashedSequence& each : sequences) locations.push_back(each.location);
  std::ranges::sort(locations);
  return {locations[0], locations[1]};
}

}  // namespace

Duplicates duplicates_of(const std::vector<HashedSequence>& sequences, std::size_t examples_max) {
  Duplicates all;
  visit_inputs(sequences, [&](std::span<const HashedSequence> same) {
    for (const HashedSequence& each : same) {
      all.looked_at += each.count;
      all.same += each.count - 1;
      if (each.count > 1) all.repeated.push_back({each.location, each.second});
    }
    if (same.size() < 2) return;
    ++all.conflicts;
    all.conflicting.push_back(first_two(same));
  });
  keep_first(all.repeated, examples_max);
  keep_first(all.conflicting, examples_max);
  return all;
}

CommonSequences common_sequences(const std::vector<HashedSequence>& sequences,
                                 const std::vector<HashedSequence>& others,
                                 std::size_t examples_max) {
  CommonSequences common;
  for (const HashedSequence& each : sequences) {
    common.looked_at += each.count;
    // `others` is sorted by input hash, then by the hash of the whole sequence.
    const auto is_before = [](const HashedSequence& a, const HashedSequence& b) {
      return std::pair(a.input, a.whole) < std::pair(b.input, b.whole);
    };
    const auto found = std::lower_bound(others.begin(), others.end(), each, is_before);
    const bool is_same = found != others.end() && found->is_same(each);
    HashedSequence first_input = each;
    first_input.whole = 0;
    const auto same_input =
        is_same ? found : std::lower_bound(others.begin(), found, first_input, is_before);
    if (same_input == others.end() || same_input->input != each.input) continue;
    common.same_input += each.count;
    if (is_same) common.same += each.count;
    const HashedSequence& other = *same_input;
    common.examples.push_back({each.location, other.location});
  }
  keep_first(common.examples, examples_max);
  return common;
}

}  // namespace sheaf::internal
