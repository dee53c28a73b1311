/// \file
/// What there is in data that are open.

#pragma once

#include <nanobind/nanobind.h>

#include "data.h"

namespace sheaf::python {

/// Format, chunks and keys of Data.
void bind_contents(nanobind::class_<Data>& type);

}  // namespace sheaf::python
