// Reads of several sources at once.

#pragma once

#include <exception>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// What is read of one source.
struct SourceRequests {
  const ByteSource* source = nullptr;
  std::span<const ByteSource::Request> requests;
};

/// Fills the spans of all requests. Begins the reads of all sources before it waits for any of
/// them, where sources can do so. Returns the error of each source, null where there was none: what
/// it returns does not depend on which read ends first.
///
/// Throws: what is no Error, such as an interruption. No span is written afterwards.
[[nodiscard]] std::vector<std::exception_ptr> try_read_sources(
    std::span<const SourceRequests> sources);

/// Does the same.
///
/// Throws: the error of the first source that has one; else as try_read_sources().
void read_sources(std::span<const SourceRequests> sources);

}  // namespace sheaf::internal
