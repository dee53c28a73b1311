// Shows the values of one stream of a sequence.

#pragma once

#include <string>

#include "ops/report/page_fields.h"

namespace sheaf::internal::page {

/// Returns the values as a heat map, a curve, ids, a picture or a text, depending on the JSON.
/// Returns an empty text if the JSON has no values, or if the bytes of a picture do not match its
/// size.
[[nodiscard]] std::string values_html(const Json& stream);

}  // namespace sheaf::internal::page
