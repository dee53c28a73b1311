// Guesses the role of each stream from its description.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Where a stream has ids, such as classes or tokens.
enum class IdSource : std::uint8_t {
  none,
  indices,  // the indices of sparse samples
  values,   // the dense values, if all of them are integers
  one_hot,  // the index of the 1, if each sample has a single 1 and otherwise zeros
};

/// Returns where a stream may have ids. Its values decide whether it has ids; see may_be_ids().
[[nodiscard]] IdSource id_source_of(const Stream& stream) noexcept;

/// Tells for each stream whether it is a label rather than input. The first rule that applies
/// decides:
///   1. Streams with class names are labels.
///   2. Streams with names such as "labels" or "target" are labels.
///   3. Sparse streams and streams of single integers are labels, if there are also dense streams
///      of floating-point numbers or streams of bytes.
/// A rule does not apply if it would make every stream a label.
[[nodiscard]] std::vector<bool> label_streams(std::span<const Stream> streams);

}  // namespace sheaf::internal
