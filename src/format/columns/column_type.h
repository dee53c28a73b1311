// The type of a stream that a column of an Arrow table can be.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/types.h"

namespace sheaf::columns {

/// The name of key columns that we write, and the metadata key that marks such a column.
inline constexpr std::string_view kKeyName = "sequence_key";
inline constexpr std::string_view kKeyMetadata = "sheaf.key";

/// A column whose type a stream can have. A "number" is a whole number, a floating-point number or
/// a boolean. A "text" is a string or a binary:
///
/// | Type                                              | A sequence has                           |
/// |---------------------------------------------------|------------------------------------------|
/// | number                                            | a sample of one value                    |
/// | fixed(number), fixed(fixed(number)) ...           | a sample of that shape                   |
/// | fixed-size binary                                 | a sample of that many u8                 |
/// | list(number), list(fixed(number)) ...             | samples                                  |
/// | list(list(number))                                | samples, a list each                     |
/// | text, struct(bytes, path)                         | a sample of opaque bytes                 |
/// | list(text), list(struct(bytes, path))             | samples of opaque bytes                  |
/// | dictionary(text), list(dictionary(text)) ...      | as numbers: ids of classes               |
/// | list(struct(index, value)), or a map              | a sparse sample                          |
/// | list(list(struct(index, value)))                  | sparse samples                           |
/// | struct(indices: list, values: list)               | a sparse sample                          |
/// | list(struct(indices: list, values: list))         | sparse samples                           |
struct ColumnType {
  enum class Kind : std::uint8_t { numbers, bytes, classes, sparse };

  Kind kind = Kind::numbers;
  std::string name = {};
  std::string word = {};               // metadata "sheaf.stream"; may be empty
  std::vector<bool> large_lists = {};  // of each list of any length: 64-bit offsets?

  // The sizes of the fixed lists within, outermost first, and the shape that they make. A tensor is
  // a single list with any number of extents.
  std::vector<std::int64_t> fixed_lists = {};
  std::vector<std::int64_t> extents = {};
  char value_format = 0;         // of numbers, also in dictionaries; 'w': fixed-size binary
  std::int64_t value_width = 1;  // bytes of a fixed-size binary
  std::string text_format = {};  // of bytes
  int bytes_child = -1;          // number of `bytes` in struct(bytes, path)

  // For sparse samples: the numbers of the children and their formats. For struct(indices: list,
  // values: list), also whether the lists have 64-bit offsets.
  bool has_lists_inside = false;
  int indices_child = 0;
  int values_child = 1;
  char index_format = 0;
  bool are_indices_large = false;
  bool are_values_large = false;

  /// Returns whether samples are lists of any length.
  [[nodiscard]] bool has_sample_lists() const noexcept {
    if (kind == Kind::sparse) return !has_lists_inside;
    return large_lists.size() == 2;
  }

  /// Returns whether a sequence is a list of samples. Otherwise it is one sample.
  [[nodiscard]] bool has_sequence_lists() const noexcept {
    return large_lists.size() == (has_sample_lists() ? 2U : 1U);
  }

  /// Returns the number of values in one element of the innermost list of any length.
  [[nodiscard]] std::int64_t values_per_element() const noexcept;

  /// Returns the element type of an undeclared stream: the type that holds all values.
  [[nodiscard]] ElementType element_type() const noexcept;
};

/// A type, or why the column cannot be a stream.
struct FoundType {
  ColumnType type = {};
  std::string why_not = {};  // empty if the column can be a stream
};

[[nodiscard]] FoundType column_type_of(const ArrowSchema& column);

/// Returns whether a column can hold keys: whole numbers or texts.
[[nodiscard]] bool can_be_key(const ArrowSchema& column) noexcept;

/// Returns the name of a type as pyarrow prints it: "timestamp[us]", "list<int32>".
[[nodiscard]] std::string type_name(const ArrowSchema& type);

/// Returns the value of a key in ArrowSchema::metadata, or an empty text if there is none.
[[nodiscard]] std::string metadata_value(const ArrowSchema& schema, std::string_view key);

}  // namespace sheaf::columns
