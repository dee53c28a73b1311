// Reads several sources at once.

#pragma once

#include <exception>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// The requests to one source.
struct SourceRequests {
  const ByteSource* source = nullptr;
  std::span<const ByteSource::Request> requests;
};

/// Fills the spans of all requests. Begins the reads of all sources before waiting for any of them,
/// if the sources support this. Returns the error of each source, or null if there was none. The
/// result does not depend on which read ends first.
///
/// Throws: exceptions other than Error, such as an interruption. No span is written afterwards.
[[nodiscard]] std::vector<std::exception_ptr> try_read_sources(
    std::span<const SourceRequests> sources);

/// Does the same as try_read_sources().
///
/// Throws: the error of the first source that has one; otherwise as try_read_sources().
void read_sources(std::span<const SourceRequests> sources);

}  // namespace sheaf::internal
