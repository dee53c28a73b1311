/// \file
/// The contents of open data.

#pragma once

#include <nanobind/nanobind.h>

#include "data.h"

namespace sheaf::python {

/// Binds the format, the chunks and the keys of Data.
void bind_contents(nanobind::class_<Data>& type);

}  // namespace sheaf::python
