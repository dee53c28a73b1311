/// \file
/// Makes mixtures of every kind, for RapidCheck.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "sheaf/mixture.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf::testing {

/// Returns a mixture of members of given sizes, with or without a schedule.
inline Mixture made_up_mixture(std::size_t member_count, Exhausted exhausted) {
  Mixture mixture;
  mixture.options.exhausted = exhausted;
  for (std::size_t i = 0; i < member_count; ++i) {
    mixture.names.push_back(std::string(1, static_cast<char>('a' + i)));
    mixture.options.weights.push_back(*any_of<std::int64_t>(1, 9));
  }
  std::int64_t from = 0;
  for (std::int64_t stages = *any_of<std::int64_t>(-2, 3); stages > 0; --stages) {
    from += *any_of<std::int64_t>(1, 30);
    MixtureStage stage{.from = from, .weights = {}};
    for (std::size_t i = 0; i < member_count; ++i) {
      stage.weights.push_back(*any_of<std::int64_t>(0, 5));
    }
    // A member without weight in the last stage is never exhausted.
    for (std::int64_t& weight : stage.weights) weight += stages == 1 ? 1 : 0;
    stage.weights.front() += 1;
    mixture.options.schedule.push_back(stage);
  }
  return mixture;
}

/// Members of several chunks each. The chunks of each member follow those of the member before.
struct MadeUpMembers {
  Sizes sizes;                     // [chunk][sequence]: samples
  std::vector<std::int64_t> ends;  // of each member, in `sizes`

  [[nodiscard]] std::vector<std::int64_t> sequence_counts() const {
    std::vector<std::int64_t> counts;
    std::int64_t chunk = 0;
    for (const std::int64_t end : ends) {
      std::int64_t& count = counts.emplace_back(0);
      for (; chunk < end; ++chunk) count += std::ssize(sizes[static_cast<std::size_t>(chunk)]);
    }
    return counts;
  }
};

inline MadeUpMembers made_up_members() {
  const auto length = rc::gen::oneOf(any_of<std::int64_t>(1, 4), any_of<std::int64_t>(1, 30));
  const auto chunk =
      rc::gen::nonEmpty(rc::gen::resize(10, rc::gen::container<std::vector<std::int64_t>>(length)));
  MadeUpMembers members;
  const std::int64_t count = *any_of<std::int64_t>(1, 6);
  for (std::int64_t i = 0; i < count; ++i) {
    const Sizes own = *rc::gen::nonEmpty(rc::gen::resize(5, rc::gen::container<Sizes>(chunk)));
    members.sizes.insert(members.sizes.end(), own.begin(), own.end());
    members.ends.push_back(std::ssize(members.sizes));
  }
  return members;
}

}  // namespace sheaf::testing
