/// \file
/// The error for data that cannot be opened.

#pragma once

#include "sheaf/error.h"

namespace sheaf::cli {

/// A DataError thrown before the first sequence was read. No --max-errors tolerates such an error,
/// not even one that is not fatal.
class OpeningError final : public DataError {
 public:
  explicit OpeningError(const DataError& error) : DataError(error) {}
};

}  // namespace sheaf::cli
