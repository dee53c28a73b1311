/// \file
/// The Arrow C data interface, and its stream interface: names and order of members are theirs. A
/// schema says what an array is, the array points to its buffers. Whoever takes one calls its
/// `release` in the end, from whichever thread.
///
/// Source: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.

#pragma once

#include <cstdint>
#include <memory>

extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace sheaf::python {

/// Releases what was taken.
template <typename Arrow>
struct ArrowRelease {
  void operator()(Arrow* taken) const {
    if (taken->release != nullptr) taken->release(taken);
    delete taken;
  }
};

/// An Arrow struct that is ours to release.
template <typename Arrow>
using Taken = std::unique_ptr<Arrow, ArrowRelease<Arrow>>;

/// One that holds nothing yet.
template <typename Arrow>
[[nodiscard]] Taken<Arrow> nothing_taken() {
  return Taken<Arrow>(new Arrow{});
}

}  // namespace sheaf::python
