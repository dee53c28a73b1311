// What the streams of data are for, as their descriptions tell.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Where the ids of a stream are, such as classes or tokens.
enum class IdSource : std::uint8_t {
  none,
  indices,  // of sparse samples
  values,   // dense values, where all of them are whole numbers
  one_hot,  // the place of the only 1 of a sample, where each sample has a single 1 and else 0
};

/// Returns where a stream may have ids. The values decide: may_be_ids().
[[nodiscard]] IdSource id_source_of(const Stream& stream) noexcept;

/// Returns which streams are labels, and not input. These are streams with names of classes; else
/// streams whose names say so, such as "labels" or "target"; else, beside dense streams of numbers
/// with a fraction or of bytes, sparse streams and streams of single whole numbers. Returns false
/// for all streams where every stream would be a label.
[[nodiscard]] std::vector<bool> label_streams(std::span<const Stream> streams);

}  // namespace sheaf::internal
