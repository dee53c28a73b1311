// The options for a file of several texts.

#pragma once

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/format.h"

namespace sheaf::toys {

inline FormatOptions options_of_text(FormatOptions options) {
  options.extra.clear();
  return options;
}

inline ConcatenatedKeys keys_of(const FormatOptions& options) {
  return options.extra.contains("number") ? ConcatenatedKeys::number : ConcatenatedKeys::distinct;
}

}  // namespace sheaf::toys
