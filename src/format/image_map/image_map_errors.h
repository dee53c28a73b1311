// The errors in maps of images.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::image_map {

using internal::ErrorKind;

// Errors of the whole map.
inline constexpr ErrorKind kEmpty{"image_map-empty", "at least one line with an image"};

// Errors in one line of the map.
inline constexpr ErrorKind kColumns{"image_map-columns",
                                    "two or three columns with a tab between them: a path and a "
                                    "class id, or a key before both"};
inline constexpr ErrorKind kKey{"image_map-key", "a key that is not empty"};
inline constexpr ErrorKind kNumericKey{"image_map-numeric-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kRepeatedKey{"image_map-repeated-key", "a key that was not there yet"};
inline constexpr ErrorKind kPath{"image_map-path", "the path of an image"};
inline constexpr ErrorKind kLabel{"image_map-label", "a class id, a whole number from 0"};
inline constexpr ErrorKind kClass{"image_map-class", "a class id below the number of classes"};

// Errors of the image that a line names.
inline constexpr ErrorKind kImage{"image_map-image", "a file that can be opened"};
inline constexpr ErrorKind kEntry{"image_map-entry", "an entry of the archive"};
inline constexpr ErrorKind kNoBytes{"image_map-no-bytes", "an image of at least one byte"};

}  // namespace sheaf::image_map
