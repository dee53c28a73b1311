/// \file
/// The types of transforms, one to a file.

#pragma once

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

extern const TransformType kReverseTransform;

}  // namespace sheaf::internal
