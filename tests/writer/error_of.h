// What a call throws, as text.

#pragma once

#include <exception>
#include <string>

namespace sheaf::testing {

/// The text of what `body` throws; "none" where it does not.
template <typename Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

}  // namespace sheaf::testing
