// Finds the streams of data sets that are read one after the other, if the options do not declare
// them. The result has every stream that any of the data sets has.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A request to open a data set.
struct MemberRequest {
  std::size_t member = 0;                       // number of the data set
  std::span<const StreamOptions> streams = {};  // to declare
  const Deserializer* earlier = nullptr;        // as in OpenRequest
  bool is_for_streams = false;                  // as in IndexOptions
};
using OpenMember = std::function<NamedData(const MemberRequest& request)>;

/// Opens data sets that are read one after the other. `members` has the options of each. Null
/// stands for a member whose streams cannot be declared.
///
/// Streams and dims that the options leave open come from all members together: the streams in the
/// order of their first appearance, and the largest dim of a sparse stream. A member whose own
/// streams differ is opened again with these streams. Every other member is opened once.
///
/// Throws: the exceptions of `open`; ConfigError if the samples of a stream differ in their storage
///         or in their dense size, and if a member cannot be opened with these streams.
[[nodiscard]] std::vector<NamedData> open_with_common_streams(
    std::span<const FormatOptions* const> members, const OpenMember& open);

/// Returns a text that says how a stream differs between two data sets.
[[nodiscard]] std::string difference_text(const std::string& a, const Stream& of_a,
                                          const std::string& b, const Stream& of_b);

/// Returns `difference` with a hint about what to do.
[[nodiscard]] std::string refusal_text(const std::string& difference);

}  // namespace sheaf::internal
