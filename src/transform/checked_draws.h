/// \file
/// Ordered draws that pass over wrong data.

#pragma once

#include <span>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// OrderedDraws of a transform that finds some wrong data without the work of apply(). Wrong
/// sequences do not count in the numbering of a minibatch: CNTK removes such sequences before its
/// transforms.
class CheckedDraws : public OrderedDraws {
 public:
  /// Returns false if the data of the sequence are certainly wrong. Does not find all wrong data.
  /// `views` has a view of each input stream.
  ///
  /// Pre: the streams are present.
  [[nodiscard]] virtual bool looks_right(std::span<const SequenceView> views) const = 0;
};

/// The only number of a sequence that looks wrong in any stream, in place of draws. apply() then
/// uses any draws, so that the wrong stream has its own message.
inline constexpr double kPassedOver = -1;

/// Returns CheckedDraws::looks_right(); true for other draws.
[[nodiscard]] inline bool looks_right(const OrderedDraws& draws,
                                      std::span<const SequenceView> views) {
  const auto* const checked = dynamic_cast<const CheckedDraws*>(&draws);
  return checked == nullptr || checked->looks_right(views);
}

}  // namespace sheaf::internal
