/// \file
/// Reads the EXIF data of images.

#pragma once

#include "image/header_bytes.h"

namespace sheaf::internal {

/// Returns the orientation in EXIF data, 1 to 8, which says how to turn the stored pixels. Returns
/// 1 if EXIF has none or is invalid. `exif` may begin with "Exif" and two zeros.
///
/// Cost: linear in the entries of the first directory.
/// Source: EXIF 2.32 and TIFF 6.0: the tag 0x0112, one SHORT in the first directory.
[[nodiscard]] int orientation_of_exif(HeaderBytes exif) noexcept;

}  // namespace sheaf::internal
