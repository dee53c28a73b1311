/// \file
/// The parts of the Python module.

#pragma once

#include <span>

#include <nanobind/nanobind.h>

#include "sheaf/diagnostic.h"
#include "sheaf/minibatch.h"

namespace sheaf::python {

/// Translate the library's exceptions to those of sheaf.errors.
void bind_errors(nanobind::module_& module);

/// Minibatch, DenseBatch, SparseBatch.
void bind_minibatch(nanobind::module_& module);

/// Reader, StreamOptions.
void bind_reader(nanobind::module_& module);

/// A list of sheaf.errors.Diagnostic.
[[nodiscard]] nanobind::list to_python(std::span<const Diagnostic> diagnostics);

}  // namespace sheaf::python
