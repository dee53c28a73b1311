/// \file
/// EXIF of images.

#pragma once

#include "image/header_bytes.h"

namespace sheaf::internal {

/// Returns the orientation that EXIF says, 1 to 8: how to turn the stored pixels. 1 where EXIF has
/// none, or breaks its rules. `exif` may begin with "Exif" and two zeros.
///
/// Cost: the entries of the first directory.
/// Source: EXIF 2.32 and TIFF 6.0: the tag 0x0112, one SHORT in the first directory.
[[nodiscard]] int orientation_of_exif(HeaderBytes exif) noexcept;

}  // namespace sheaf::internal
