/// \file
/// The exceptions of the library. Everything that the library throws on purpose derives from
/// sheaf::Error. When memory runs out, the library throws std::bad_alloc.
///
///     try {
///       throw sheaf::ConfigError("minibatch_size must be above 0: got -1");
///     } catch (const sheaf::Error& error) {
///       std::cout << error.what() << '\n';
///     }

#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"

namespace sheaf {

/// The base of all exceptions below.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when options contradict each other, the data or a limit. The text names the option, the
/// given value and the possible values.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// Thrown when bytes cannot be read or written. The text names the path and the system's reason.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Thrown when data break the rules of their format more often than the options tolerate.
class DataError : public Error {
 public:
  /// Makes an exception from diagnostics. The last diagnostic is the error that exceeded the limit.
  /// Its text becomes the text of the exception.
  ///
  /// Pre: at least one diagnostic.
  explicit DataError(std::vector<Diagnostic> diagnostics);

  /// Returns the errors that were counted and described. The error that was not tolerated comes
  /// last.
  ///
  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept { return *diagnostics_; }

 private:
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics_;  // copying must not throw
};

/// Thrown when the library, or a class that the user passed to it, breaks a promise.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace sheaf
