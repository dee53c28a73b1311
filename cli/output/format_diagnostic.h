/// \file
/// Diagnostics as JSON.

#pragma once

#include <string>

#include "sheaf/extend/json.h"

namespace sheaf::cli {

/// Appends a JSON object of all fields.
inline void append_diagnostic(std::string& out, const Diagnostic& diagnostic) {
  out += json_text(diagnostic);
}

}  // namespace sheaf::cli
