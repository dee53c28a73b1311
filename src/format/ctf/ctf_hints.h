// Mistakes that people really make, in plain words.

#pragma once

#include <string>

#include "sheaf/types.h"

#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_rows.h"

namespace sheaf::ctf {

/// What probably went wrong at a wrong place of a row, and what to do; empty where nothing special
/// comes to mind.
[[nodiscard]] std::string hint_for(const ErrorKind& kind, const Row& row, const char* place,
                                   const Stream* stream);

}  // namespace sheaf::ctf
