#include "sheaf/error.h"

#include <cassert>
#include <utility>

namespace sheaf {

DataError::DataError(std::vector<Diagnostic> diagnostics)
    : Error(diagnostics.empty() ? std::string() : to_string(diagnostics.back())),
      diagnostics_(std::make_shared<const std::vector<Diagnostic>>(std::move(diagnostics))) {
  assert(!diagnostics_->empty());
}

}  // namespace sheaf
