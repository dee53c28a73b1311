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

/// The text of what `body` throws; empty where it does not. What is no `Exception` goes through.
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
