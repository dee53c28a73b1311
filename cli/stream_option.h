/// \file
/// A stream as the command line says it.

#pragma once

#include <string_view>

#include "sheaf/format.h"

namespace sheaf::cli {

/// Parse NAME:dense|sparse:DIM[:alias=A][:mb]. DIM is a number, or for dense streams also a shape
/// as 8x8.
///
/// Throws: ConfigError that says which part is wrong.
[[nodiscard]] StreamOptions parse_stream_option(std::string_view text);

}  // namespace sheaf::cli
