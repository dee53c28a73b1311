// What the system says when bytes cannot be had.

#pragma once

#include <cerrno>
#include <string_view>
#include <system_error>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

/// "PATH: cannot WHAT: REASON", with the reason that errno stands for.
[[noreturn]] inline void throw_io_error(std::string_view path, std::string_view what, int error) {
  throw IoError(formatted("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

/// What `call` returns, a negative number for an error, once no signal interrupts it.
template <typename Call>
[[nodiscard]] auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace sheaf::internal
