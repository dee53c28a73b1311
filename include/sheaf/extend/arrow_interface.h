/// \file
/// The Arrow C data interface and the Arrow C stream interface. Arrow fixes the names and the order
/// of the members, so that libraries exchange arrays without a common header.
///
///     sheaf::Taken<ArrowSchema> schema = sheaf::nothing_taken<ArrowSchema>();
///     std::cout << (schema->release == nullptr) << '\n';  // 1: nothing to release yet
///
/// Source: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.

#pragma once

#include <cstdint>
#include <memory>

extern "C" {
// Arrow's own headers have the same guards, so a program may include both.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/// The type of an array.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

/// The buffers of an array. The owner must call `release` at the end, from any thread.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/// Arrays of one type, one after the other.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif
}

namespace sheaf {

/// Calls the release function of an Arrow struct, and frees the struct.
template <typename Arrow>
struct ArrowRelease {
  void operator()(Arrow* taken) const {
    if (taken->release != nullptr) taken->release(taken);
    delete taken;
  }
};

/// An Arrow struct that its holder releases.
template <typename Arrow>
using Taken = std::unique_ptr<Arrow, ArrowRelease<Arrow>>;

/// Returns a struct that holds nothing yet.
template <typename Arrow>
[[nodiscard]] Taken<Arrow> nothing_taken() {
  return Taken<Arrow>(new Arrow{});
}

}  // namespace sheaf
