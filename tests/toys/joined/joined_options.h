// Splits the streams of a joined file between its texts.

#pragma once

#include <cstddef>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/extend/join.h"

namespace sheaf::toys {

/// Gives the first stream to the first text, and the other streams to the second.
inline std::vector<FormatOptions> options_of_texts(FormatOptions options) {
  options.extra.clear();
  std::vector<FormatOptions> own(2, options);
  own[0].streams.resize(1);
  own[1].streams.erase(own[1].streams.begin());
  return own;
}

inline MissingSequences missing_of(const FormatOptions& options) {
  return options.extra.contains("absent") ? MissingSequences::absent : MissingSequences::drop;
}

}  // namespace sheaf::toys
