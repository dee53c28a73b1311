/// \file
/// The types of transforms, one to a file.

#pragma once

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

<<<<<<< HEAD
extern const TransformType kClipTransform;
extern const TransformType kOneHotTransform;
extern const TransformType kReverseTransform;
extern const TransformType kSpecAugmentTransform;
extern const TransformType kSubsampleTransform;
extern const TransformType kToDenseTransform;
=======
extern const TransformType kCastTransform;
extern const TransformType kContextTransform;
extern const TransformType kDeltaTransform;
extern const TransformType kReverseTransform;
extern const TransformType kStandardizeTransform;
>>>>>>> ab8c12e56a033c6291c6798245349f86d2310095

}  // namespace sheaf::internal
