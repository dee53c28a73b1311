/// \file
/// The exceptions of the library. Everything it throws on purpose derives from sheaf::Error;
/// memory that cannot be had is std::bad_alloc.

#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"

namespace sheaf {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options contradict each other, the data, or a limit. The text names the option, what was given
/// and what is possible.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// Bytes could not be had. The text names the path and the system's reason.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Data are not as their format says, and more of them than the options tolerate.
class DataError : public Error {
 public:
  /// Pre: at least one diagnostic. The last one is the one too many, or fatal; it makes the text.
  explicit DataError(std::vector<Diagnostic> diagnostics);

  /// Every place that was counted, as far as it was described; the one that was not tolerated is
  /// the last.
  ///
  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept { return *diagnostics_; }

 private:
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics_;  // copying must not throw
};

/// A promise inside the library, or one that a user's own class made to it, was broken.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace sheaf
