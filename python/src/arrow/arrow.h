/// \file
/// Exports minibatches through the Arrow C data interface, without a copy.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "sheaf/minibatch.h"

#include "data.h"

namespace sheaf::python {

/// Returns two capsules, "arrow_schema" and "arrow_array". The array has a struct for each
/// sequence, with the key and the streams. The array keeps the minibatch alive.
///
/// In a `ragged` minibatch a stream is a list of samples. In `frames` it is one sample. The type of
/// a sample depends on the stream:
/// - dense: a list of fixed size, or the value if there is only one;
/// - sparse: a list of structs of index and value;
/// - variable shape with one extent: a list of values;
/// - variable shape with several extents: a struct of `data`, the list of values, and `shape`;
/// - opaque bytes: a large_binary.
/// An absent stream is a null.
///
/// Throws: ConfigError for other packings.
[[nodiscard]] nanobind::tuple arrow_capsules(nanobind::handle_t<Minibatch> minibatch);

/// Returns a capsule "arrow_array_stream" that delivers the first epoch of the data as such arrays.
/// The metadata of each stream has an element of `words` under "sheaf.stream". The consumer of the
/// Arrow stream needs no GIL.
///
/// Throws: as arrow_capsules.
[[nodiscard]] nanobind::object arrow_stream_capsule(std::shared_ptr<const Data> data,
                                                    const std::vector<std::string>& words);

}  // namespace sheaf::python
