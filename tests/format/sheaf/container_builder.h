// `.sheaf` files made by hand, array by array, with a codec for each: none of the library's own
// code writes them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sheaf/types.h"

#include "reference/sheaf_codecs.h"
#include "reference/sheaf_layout.h"

namespace sheaf::testing {

using conformance::container::Codec;

/// One array. Its values are bits, with zeros above them.
struct BuiltArray {
  std::vector<std::uint64_t> bits = {};
  Codec codec = Codec::raw;
  int exponent = 0;    // of the codec decimal
  int spare_bits = 0;  // of each packed number: more than needed

  /// What is written in place of the encoded values, and of the count and the codec in the head.
  std::optional<std::string> stored = {};
  std::optional<std::uint64_t> count = {};
  std::optional<std::uint64_t> codec_number = {};
};

/// Makes an array of values, such as array_of<float>({1, 2}, Codec::decimal).
template <typename T>
[[nodiscard]] BuiltArray array_of(const std::vector<T>& values, Codec codec = Codec::raw) {
  BuiltArray array;
  array.codec = codec;
  for (const T value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    array.bits.push_back(bits);
  }
  return array;
}

struct BuiltStream {
  std::string name;
  Storage storage = Storage::dense;
  ElementType type = ElementType::f32;
  ElementType index_type = ElementType::i32;
  std::vector<std::int64_t> shape = {};
  bool defines_minibatch_size = false;
  std::vector<std::string> class_names = {};
};

/// The columns of one block: for each stream its arrays, in the order of the page.
struct BuiltBlock {
  std::vector<std::vector<BuiltArray>> columns;
  Codec key_sizes = Codec::raw;  // codecs of the key column, where keys are texts
  Codec key_text = Codec::raw;
};

/// A chunk has as many sequences as it has sample counts. How they are shared out among the blocks
/// follows from the number of blocks.
struct BuiltChunk {
  std::vector<std::int64_t> sample_counts;
  std::vector<std::uint64_t> keys = {};     // where keys are numbers; none: 0, 1, 2 and so on
  std::vector<std::string> key_texts = {};  // where keys are texts
  std::vector<BuiltBlock> blocks = {};
};

struct BuiltContainer {
  std::vector<BuiltStream> streams;
  bool has_text_keys = false;
  std::vector<BuiltChunk> chunks = {};

  /// What is written in place of the note.
  std::optional<std::string> note = {};
};

/// Returns the bytes of the file, with all hashes and sizes right. The content of arrays that
/// contradict each other is counted as far as their values go.
[[nodiscard]] std::string build_container(const BuiltContainer& built);

/// The stored form of a column.
struct BuiltColumn {
  std::string bytes = {};
  std::uint64_t content_hash = 0;
  std::vector<std::size_t> array_sizes = {};  // of the arrays, without padding
};

[[nodiscard]] BuiltColumn built_column(const conformance::container::FileColumn& column,
                                       const std::vector<BuiltArray>& arrays);

/// Returns the column of a stream.
[[nodiscard]] conformance::container::FileColumn column_of(const BuiltStream& stream);

/// Returns the bytes that a codec makes of values.
///
/// Pre: the codec can store the values: `array.exponent` is 0 .. 18, and a constant array has a
///      value.
[[nodiscard]] std::string encoded(const BuiltArray& array, ElementType type,
                                  const std::set<std::int64_t>& starts = {});

}  // namespace sheaf::testing
