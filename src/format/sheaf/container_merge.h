// Merges several containers into one by copying.

#pragma once

#include "sheaf/extend/format.h"

namespace sheaf::container {

/// Writes a container with the chunks of all parts, as stored. Compares every byte with its hash.
///
/// Pre:    there is a part; all parts have the same streams.
/// Throws: DataError if a part is damaged; IoError.
void merge_containers(PartsRequest request);

}  // namespace sheaf::container
