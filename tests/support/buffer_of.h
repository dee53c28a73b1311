/// \file
/// A buffer of given values.

#pragma once

#include <vector>

#include "sheaf/extend/buffer.h"

namespace sheaf::testing {

template <typename T>
Buffer buffer_of(const std::vector<T>& values) {
  Buffer buffer;
  for (const T value : values) buffer.push_back(value);
  return buffer;
}

}  // namespace sheaf::testing
