// What the system says when bytes cannot be had.

#pragma once

#include <string_view>
#include <system_error>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

/// "PATH: cannot WHAT: REASON", with the reason that errno stands for.
[[noreturn]] inline void throw_io_error(std::string_view path, std::string_view what, int error) {
  throw IoError(formatted("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

}  // namespace sheaf::internal
