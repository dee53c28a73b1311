// Errors of the operating system.

#pragma once

#include <cerrno>
#include <string_view>
#include <system_error>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

/// Throws "PATH: cannot WHAT: REASON", with the reason for errno.
[[noreturn]] inline void throw_io_error(std::string_view path, std::string_view what, int error) {
  throw IoError(formatted("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

/// Repeats `call` until no signal interrupts it. Returns its result, which is negative for an
/// error.
template <typename Call>
[[nodiscard]] auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace sheaf::internal
