/// \file
/// Data that cannot be opened.

#pragma once

#include "sheaf/error.h"

namespace sheaf::cli {

/// A DataError that came before the first sequence was read: no --max-errors tolerates it, whatever
/// its severity.
class OpeningError final : public DataError {
 public:
  explicit OpeningError(const DataError& error) : DataError(error) {}
};

}  // namespace sheaf::cli
