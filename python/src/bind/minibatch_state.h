/// \file
/// Converts minibatches to tuples of plain objects and arrays, for pickle and copy.

#pragma once

#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>

#include "sheaf/minibatch.h"

namespace sheaf::python {

/// Returns the contents of a minibatch, for all streams or for one. The arrays in the tuple share
/// the memory of the minibatch.
///
/// Pre: `stream` is below the number of streams.
[[nodiscard]] nanobind::tuple state_of(nanobind::handle_t<Minibatch> minibatch,
                                       std::optional<std::int64_t> stream = std::nullopt);

/// Returns the minibatch that a state describes. The minibatch has its own memory.
///
/// Throws: ConfigError if the state is invalid, or from another version of the package.
[[nodiscard]] Minibatch minibatch_of(const nanobind::tuple& state);

}  // namespace sheaf::python
