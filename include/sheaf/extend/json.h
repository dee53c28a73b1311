/// \file
/// Plain data as JSON, as the command prints them.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"

namespace sheaf {

/// Returns a text as a JSON string. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

/// Returns a JSON object of all fields of a diagnostic, and of its message and its text. `places`
/// is there where it is not 1.
[[nodiscard]] std::string json_text(const Diagnostic& diagnostic);

}  // namespace sheaf
