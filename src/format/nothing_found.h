// Streams that were looked for, and are not in a file.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

namespace sheaf::internal {

/// A file has no sample to find a stream, or the dim of a stream, from. Another file of the same
/// data set may have one.
class NothingFound : public ConfigError {
 public:
  struct Known {
    std::string file;                    // what messages call the file
    std::vector<StreamOptions> streams;  // of the options, with shapes that are declared or found
  };

  NothingFound(const std::string& text, Known known)
      : ConfigError(text), known_(std::make_shared<const Known>(std::move(known))) {}

  /// Lifetime: as long as any copy of this exception.
  [[nodiscard]] const Known& known() const noexcept { return *known_; }

 private:
  std::shared_ptr<const Known> known_;  // copying must not throw
};

}  // namespace sheaf::internal
