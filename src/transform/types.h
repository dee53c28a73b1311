/// \file
/// The types of transforms, one to a file.

#pragma once

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

extern const TransformType kCastTransform;
extern const TransformType kClipTransform;
extern const TransformType kContextTransform;
extern const TransformType kDeltaTransform;
extern const TransformType kOneHotTransform;
extern const TransformType kReverseTransform;
extern const TransformType kSpecAugmentTransform;
extern const TransformType kStandardizeTransform;
extern const TransformType kSubsampleTransform;
extern const TransformType kToDenseTransform;

}  // namespace sheaf::internal
