/// \file
/// The types of transforms, one to a file.

#pragma once

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

extern const TransformType kCastTransform;
extern const TransformType kContextTransform;
extern const TransformType kDeltaTransform;
extern const TransformType kReverseTransform;
extern const TransformType kStandardizeTransform;

}  // namespace sheaf::internal
