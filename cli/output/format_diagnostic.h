/// \file
/// Diagnostics as JSON.

#pragma once

#include <string>

#include "sheaf/diagnostic.h"

namespace sheaf::cli {

/// Append a JSON object of all fields.
void append_diagnostic(std::string& out, const Diagnostic& diagnostic);

}  // namespace sheaf::cli
