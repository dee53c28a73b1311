#include "transform/types.h"

namespace sheaf {

std::span<const TransformType> builtin_transforms() noexcept {
  // A copy of each row, made at the first call: the rows are constants of other files.
  static const std::vector<TransformType> kTypes = {
      internal::kCastTransform,
      internal::kClipTransform,
      internal::kContextTransform,
      internal::kDeltaTransform,
      internal::kOneHotTransform,
      {.name = "rename",
       .description = "gives streams the names of as",
       .use = TransformUse::rename},
      internal::kReverseTransform,
      {.name = "select",
       .description = "keeps these streams, in this order, and drops the others",
       .use = TransformUse::select},
      internal::kSpecAugmentTransform,
      internal::kStandardizeTransform,
      internal::kSubsampleTransform,
      internal::kToDenseTransform,
  };
  return kTypes;
}

}  // namespace sheaf
