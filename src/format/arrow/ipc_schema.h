// The columns of a file, and the nodes and buffers of a record batch that belong to each.
//
// A record batch lists the lengths of all arrays ("nodes") and their buffers, in the order of a
// walk over the fields, parents first. A field with a dictionary has only the node and the buffers
// of its numbers. The values of a dictionary come in batches of their own, with one column each.

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

/// The version of the metadata, numbered as in Schema.fbs.
inline constexpr std::int16_t kVersion4 = 3;
inline constexpr std::int16_t kVersion5 = 4;

/// The number of nodes and buffers before a field, or of all fields.
struct IpcCounts {
  std::int64_t nodes = 0;
  std::int64_t buffers = 0;  // without the bytes of views
  std::int64_t views = 0;    // fields with views; each has any number of further buffers
};

/// A field, with the data to find and read its array in a record batch.
struct IpcField {
  std::string path = {};  // for messages, such as "a.item"
  Layout layout = {};     // of the numbers, if the field has a dictionary
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
  bool is_nested = false;  // whether the values have a dictionary themselves
};

struct IpcSchema {
  ArrowNode type = {};  // a struct, whose children are the columns
  std::vector<IpcField> columns = {};
  IpcCounts all = {};
  std::vector<IpcDictionary> dictionaries = {};
};

/// Reads a Schema of Schema.fbs. `version` is that of the metadata.
///
/// Throws: DataError for damage, unknown types, big-endian numbers, and types nested more than 64
///         deep.
[[nodiscard]] IpcSchema read_schema(const FlatTable& schema, std::int16_t version);

}  // namespace sheaf::arrow
