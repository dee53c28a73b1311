/// \file
/// The slow parser of image lines in base64.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a whole file, line by line.
[[nodiscard]] ReferenceResult parse_image_base64(std::string_view bytes,
                                                 const FormatOptions& options);

}  // namespace sheaf::conformance
