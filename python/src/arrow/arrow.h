/// \file
/// Minibatches as arrays of the Arrow C data interface, which others take without a copy.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "sheaf/minibatch.h"

#include "data.h"

namespace sheaf::python {

/// A pair of capsules, "arrow_schema" and "arrow_array": an array of structs, one for each
/// sequence, with its key and its streams. The array keeps the minibatch alive.
///
/// A stream of a `ragged` minibatch is a list of samples, one of `frames` a sample. A dense sample
/// is a list of fixed size, or where it has a single value that value; a sparse one a list of
/// structs of index and value. A sample of variable shape is a list of values, or where it has
/// several extents a struct of `data`, such a list, and `shape`. An opaque one is a large_binary.
/// Where the stream is absent there is a null.
///
/// Throws: ConfigError for other packings.
[[nodiscard]] nanobind::tuple arrow_capsules(nanobind::handle_t<Minibatch> minibatch);

/// A capsule "arrow_array_stream" of such arrays: the first epoch of the data. Each stream has its
/// word of `words` for metadata, under "sheaf.stream". Nothing of it needs the GIL.
///
/// Throws: as arrow_capsules.
[[nodiscard]] nanobind::object arrow_stream_capsule(std::shared_ptr<const Data> data,
                                                    const std::vector<std::string>& words);

}  // namespace sheaf::python
