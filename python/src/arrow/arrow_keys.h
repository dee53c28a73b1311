/// \file
/// From a column of an Arrow table to the keys of sequences.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/types.h"

#include "arrow/arrow_type.h"

namespace sheaf::python {

struct ArrowKeys {
  std::vector<SequenceKey> keys = {};
  std::vector<std::string> texts = {};  // empty where keys are numbers

  /// For messages.
  [[nodiscard]] std::string name(std::int64_t i) const {
    const auto number = static_cast<std::size_t>(i);
    return texts.empty() ? to_string(keys[number]) : texts[number];
  }
};

/// The keys that a column has. `path` is what is written, for messages.
///
/// Throws: ConfigError where it has neither whole numbers nor texts; DataError where a key is a
///         null, or negative.
[[nodiscard]] ArrowKeys arrow_keys(const ArrowSchema& schema, const ArrowArray& array,
                                   const ArrowRows& rows, const std::string& path);

}  // namespace sheaf::python
