/// \file
/// Capsules of the Arrow C data interface.

#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_interface.h"

namespace sheaf::python {

/// Takes the Arrow structure out of a capsule. The capsule is empty afterwards.
///
/// Pre:    this thread has the GIL.
/// Throws: python_error if the object is not such a capsule; ConfigError if the capsule is empty.
template <typename Arrow>
[[nodiscard]] Taken<Arrow> take(nanobind::handle capsule, const char* name) {
  auto* const held = static_cast<Arrow*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw nanobind::python_error();
  Taken<Arrow> taken = nothing_taken<Arrow>();
  std::swap(*taken, *held);
  if (taken->release == nullptr) throw ConfigError("the Arrow data were taken before");
  return taken;
}

}  // namespace sheaf::python
