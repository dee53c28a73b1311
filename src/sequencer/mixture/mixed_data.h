/// \file
/// The members of a mixture and its draws, as known before the first step.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/mixture/member_order.h"
#include "sequencer/mixture/mixture_draws.h"

namespace sheaf::internal {

/// Returns the number of sequences of each member of a mixture.
///
/// Throws: the exceptions of Counts.
[[nodiscard]] std::vector<std::int64_t> sizes_of_members(const Counts& counts);

/// The members of a mixture, each with its window, and the draws of the mixture.
///
/// Each member gets a part of the window in proportion to its weight. So the windows of all members
/// change completely within about the same number of draws.
class MixedData {
 public:
  /// Pre:      counts.mixture() is not null.
  /// Throws: ConfigError as MixtureDraws; the exceptions of Counts.
  /// Lifetime: `counts` must outlive the object.
  MixedData(const Counts& counts, const OrderOptions& options);

  [[nodiscard]] const MixtureDraws& draws() const noexcept { return draws_; }
  [[nodiscard]] std::int64_t member_count() const noexcept { return std::ssize(members_); }
  [[nodiscard]] const MemberData& member(std::int64_t member) const {
    return *members_[static_cast<std::size_t>(member)];
  }

 private:
  MixtureDraws draws_;
  std::vector<std::unique_ptr<const MemberData>> members_;
};

}  // namespace sheaf::internal
