/// \file
/// Converts a column of an Arrow table to the keys of sequences.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/types.h"

#include "arrow/arrow_type.h"

namespace sheaf::python {

struct ArrowKeys {
  std::vector<SequenceKey> keys = {};
  std::vector<std::string> texts = {};  // empty if keys are numbers

  /// Returns a key for messages.
  [[nodiscard]] std::string name(std::int64_t i) const {
    const auto number = static_cast<std::size_t>(i);
    return texts.empty() ? to_string(keys[number]) : texts[number];
  }
};

/// Returns the keys in a column. `path` is the path of the file to write, for messages.
///
/// Throws: ConfigError if the column has neither whole numbers nor texts; DataError if a key is
/// null
///         or negative.
[[nodiscard]] ArrowKeys arrow_keys(const ArrowSchema& schema, const ArrowArray& array,
                                   const ArrowRows& rows, const std::string& path);

}  // namespace sheaf::python
