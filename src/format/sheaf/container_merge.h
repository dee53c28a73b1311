// One container of several, by copying.

#pragma once

#include "sheaf/extend/format.h"

namespace sheaf::container {

/// Writes a container of the chunks of all parts, as they are stored. Every byte is compared with
/// its hash on the way.
///
/// Pre:    the parts have the same streams; there is a part.
/// Throws: DataError where a part is damaged; IoError.
void merge_containers(PartsRequest request);

}  // namespace sheaf::container
