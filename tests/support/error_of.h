// Returns the exception of a call as text.

#pragma once

#include <exception>
#include <string>

namespace sheaf::testing {

/// Returns the text of the exception that `body` throws, or "none".
template <typename Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

/// Returns the text of the `Exception` that `body` throws, or "". Other exceptions propagate.
template <typename Exception, typename Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace sheaf::testing
