// Reads sparse samples: objects with a list of indices and a list of values.

#pragma once

#include "sheaf/types.h"

#include "format/jsonl/jsonl_values.h"

namespace sheaf::jsonl {

inline constexpr std::string_view kIndicesName = "indices";
inline constexpr std::string_view kValuesName = "values";

/// Returns the function that reads values of a sparse stream.
[[nodiscard]] ReadValue sparse_reader(const Stream& stream);

/// The lists of a sparse sample.
struct SparseParts {
  const char* indices = nullptr;
  const char* values = nullptr;  // null if all values are 1
  const char* end = nullptr;     // end of the sample
};

/// Finds the lists of the object at `p`. Sets the fault to the first error and returns false if the
/// value is not an object with such lists.
[[nodiscard]] bool find_parts(const char* p, SparseParts& parts, Fault& fault);

}  // namespace sheaf::jsonl
