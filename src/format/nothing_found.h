// Exceptions that say that a file does not show its streams or their dims.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

namespace sheaf::internal {

/// Says that a file has no sample from which a stream, or the dim of a stream, could be found.
/// Another file of the same data set may have one. This is a base of the exceptions that report
/// that.
class NothingFound {
 public:
  struct Known {
    std::string file;                    // the name of the file in messages
    std::vector<StreamOptions> streams;  // from the options, with declared or found shapes
  };

  explicit NothingFound(Known known) : known_(std::make_shared<const Known>(std::move(known))) {}
  NothingFound(const NothingFound&) = default;
  NothingFound& operator=(const NothingFound&) = default;
  virtual ~NothingFound() = default;

  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] const Known& known() const noexcept { return *known_; }

 private:
  std::shared_ptr<const Known> known_;  // copying must not throw
};

/// A declared stream has no dim, and the file has no sample that shows the dim.
class NoDimFound final : public ConfigError, public NothingFound {
 public:
  NoDimFound(const std::string& text, Known known)
      : ConfigError(text), NothingFound(std::move(known)) {}
};

/// No row of the file names a stream.
class NoStreamFound final : public DataError, public NothingFound {
 public:
  NoStreamFound(Diagnostic diagnostic, Known known)
      : DataError({std::move(diagnostic)}), NothingFound(std::move(known)) {}
};

}  // namespace sheaf::internal
