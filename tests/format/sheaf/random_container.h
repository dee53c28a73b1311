// Makes random containers with any streams, keys, chunks, blocks and codecs that
// docs/formats/sheaf.md allows.

#pragma once

#include "conformance/format_under_test.h"
#include "format/sheaf/container_builder.h"

namespace sheaf::testing {

/// Returns a container with the streams "a" (dense f32 of 1 to 3 values) and "b" (sparse), and
/// perhaps others.
[[nodiscard]] BuiltContainer random_container(conformance::Choices& choices);

/// Breaks a rule of docs/formats/sheaf.md in one block, with correct hashes.
///
/// Pre: the container has a chunk.
void break_rule(BuiltContainer& built, conformance::Choices& choices);

}  // namespace sheaf::testing
