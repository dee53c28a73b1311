#include "transform/types.h"

namespace sheaf {

std::span<const TransformType> builtin_transforms() noexcept {
  // A copy of each row, made at the first call: the rows are constants of other files.
  static const std::vector<TransformType> kTypes = {
<<<<<<< HEAD
      internal::kClipTransform,
      internal::kOneHotTransform,
=======
      internal::kCastTransform,
      internal::kContextTransform,
      internal::kDeltaTransform,
>>>>>>> ab8c12e56a033c6291c6798245349f86d2310095
      {.name = "rename",
       .description = "gives streams the names of as",
       .use = TransformUse::rename},
      internal::kReverseTransform,
      {.name = "select",
       .description = "keeps these streams, in this order, and drops the others",
       .use = TransformUse::select},
<<<<<<< HEAD
      internal::kSpecAugmentTransform,
      internal::kSubsampleTransform,
      internal::kToDenseTransform,
=======
      internal::kStandardizeTransform,
>>>>>>> ab8c12e56a033c6291c6798245349f86d2310095
  };
  return kTypes;
}

}  // namespace sheaf
