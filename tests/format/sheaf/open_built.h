// Opens containers made by hand, with the library.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "format/sheaf/container_builder.h"
#include "format/sheaf/container_file.h"

namespace sheaf::testing {

/// Opens the bytes of a file.
[[nodiscard]] inline container::ContainerFile open_bytes(std::string bytes) {
  return container::open_container(memory_source(std::move(bytes), "x.sheaf"));
}

[[nodiscard]] inline container::ContainerFile open_built(const BuiltContainer& built) {
  return open_bytes(build_container(built));
}

/// Returns the library's form of the stream.
[[nodiscard]] inline Stream stream_of(const BuiltStream& built) {
  return {.name = built.name,
          .element_type = built.type,
          .sample_shape = Shape(built.shape),
          .storage = built.storage,
          .index_type = built.index_type,
          .defines_minibatch_size = built.defines_minibatch_size};
}

}  // namespace sheaf::testing
