/// \file
/// Converts texts and diagnostics to JSON, as printed by the command.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"

namespace sheaf {

/// Returns a text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

/// Returns a JSON object with all fields of a diagnostic, its message and its text. Leaves out
/// `places` if it is 1.
[[nodiscard]] std::string json_text(const Diagnostic& diagnostic);

}  // namespace sheaf
