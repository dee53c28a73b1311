// The values of one stream of a sequence, to look at.

#pragma once

#include <string>

#include "ops/report/page_fields.h"

namespace sheaf::internal::page {

/// Returns the values as a heat map, a curve, ids, a picture or a text, whichever the JSON has; an
/// empty text where the JSON has none, or where bytes and size of a picture do not agree.
[[nodiscard]] std::string values_html(const Json& stream);

}  // namespace sheaf::internal::page
