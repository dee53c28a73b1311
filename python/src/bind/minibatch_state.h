/// \file
/// Minibatches as tuples of plain objects and arrays, for pickle and copy.

#pragma once

#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>

#include "sheaf/minibatch.h"

namespace sheaf::python {

/// The content of a minibatch, of all streams or of one. The arrays in the tuple share the memory
/// of the minibatch.
///
/// Pre: `stream` is below the number of streams.
[[nodiscard]] nanobind::tuple state_of(nanobind::handle_t<Minibatch> minibatch,
                                       std::optional<std::int64_t> stream = std::nullopt);

/// The minibatch that a state describes, with memory of its own.
///
/// Throws: ConfigError where the state is none, or of another version of the package.
[[nodiscard]] Minibatch minibatch_of(const nanobind::tuple& state);

}  // namespace sheaf::python
