// The streams of data sets that are read one after the other, where the options do not declare
// them: those that any of the data sets has.

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

/// How a data set is opened.
struct MemberRequest {
  std::size_t member = 0;                       // number of the data set
  std::span<const StreamOptions> streams = {};  // to declare
  const Deserializer* earlier = nullptr;        // as in OpenRequest
  bool is_for_streams = false;                  // as in IndexOptions
};
using OpenMember = std::function<NamedData(const MemberRequest& request)>;

/// Opens data sets that are read one after the other. `members` has the options of each; null for
/// one whose streams cannot be declared.
///
/// Streams and dims that the options leave open are those that all members together have: streams
/// in the order of their first appearance, the largest dim of a sparse stream. A member that has
/// found others is opened once more, with these declared; every other member is opened once.
///
/// Throws: what `open` throws; ConfigError where the samples of a stream differ in their storage,
///         or in their dense size, and where a member cannot be opened with these streams.
[[nodiscard]] std::vector<NamedData> open_with_common_streams(
    std::span<const FormatOptions* const> members, const OpenMember& open);

/// How a stream differs in two data sets, and that this is refused.
[[nodiscard]] std::string difference_text(const std::string& a, const Stream& of_a,
                                          const std::string& b, const Stream& of_b);

/// `difference`, and what to do about it.
[[nodiscard]] std::string refusal_text(const std::string& difference);

}  // namespace sheaf::internal
