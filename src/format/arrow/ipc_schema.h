// The columns of a file, and which nodes and buffers of a record batch belong to each.
//
// A record batch lists the lengths of all arrays ("nodes") and their buffers, in the order of a
// walk over the fields: a field before its children. A field with a dictionary has the node and the
// buffers of its numbers alone. The values of a dictionary come in batches of their own, with one
// column each.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_node.h"

#include "format/arrow/arrow_layout.h"
#include "format/arrow/flatbuffer.h"

namespace sheaf::arrow {

/// A version of the metadata; numbers as in Schema.fbs.
inline constexpr std::int16_t kVersion4 = 3;
inline constexpr std::int16_t kVersion5 = 4;

/// How many nodes and buffers come before a field, or belong to all fields.
struct IpcCounts {
  std::int64_t nodes = 0;
  std::int64_t buffers = 0;  // without the bytes of views
  std::int64_t views = 0;    // fields with views: each has any number of buffers more
};

/// A field: how to find and read its array in a record batch.
struct IpcField {
  std::string path = {};  // for messages: "a.item"
  Layout layout = {};     // of the numbers, where the field has a dictionary
  IpcCounts before = {};
  bool has_old_validity = false;
  std::optional<std::size_t> dictionary = {};  // number in IpcSchema::dictionaries
  std::vector<IpcField> children = {};
};

/// The dictionary of one field.
struct IpcDictionary {
  std::int64_t id = 0;
  IpcField values = {};
  IpcCounts all = {};
  bool is_nested = false;  // whether values have a dictionary themselves
};

struct IpcSchema {
  ArrowNode type = {};  // a struct, whose children are the columns
  std::vector<IpcField> columns = {};
  IpcCounts all = {};
  std::vector<IpcDictionary> dictionaries = {};
};

/// Reads a Schema of Schema.fbs. `version`: of the metadata.
///
/// Throws: DataError for damage, unknown types, big-endian numbers, and types nested more than 64
///         deep.
[[nodiscard]] IpcSchema read_schema(const FlatTable& schema, std::int16_t version);

}  // namespace sheaf::arrow
