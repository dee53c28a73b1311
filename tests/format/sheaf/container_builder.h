// Makes `.sheaf` files by hand, array by array with a codec for each, without the library's own
// code.

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

/// One array. Values are bits, with zeros above.
struct BuiltArray {
  std::vector<std::uint64_t> bits = {};
  Codec codec = Codec::raw;
  int exponent = 0;    // for the codec decimal
  int spare_bits = 0;  // extra bits of each packed number

  /// Replaces the encoded values, and the count and the codec in the head.
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

/// The columns of one block: for each stream its arrays, in the order of docs/formats/sheaf.md.
struct BuiltBlock {
  std::vector<std::vector<BuiltArray>> columns;
  Codec key_sizes = Codec::raw;  // codecs of the key column, if keys are texts
  Codec key_text = Codec::raw;
};

/// A chunk has one sequence for each sample count. The number of blocks determines how the
/// sequences are divided among blocks.
struct BuiltChunk {
  std::vector<std::int64_t> sample_counts;
  std::vector<std::uint64_t> keys = {};     // if keys are numbers; empty means 0, 1, 2 and so on
  std::vector<std::string> key_texts = {};  // if keys are texts
  std::vector<BuiltBlock> blocks = {};
  std::vector<std::uint64_t> costs = {};  // one for each sequence if the file has costs
};

struct BuiltContainer {
  std::vector<BuiltStream> streams;
  bool has_text_keys = false;
  std::vector<BuiltChunk> chunks = {};
  std::string cost_name = {};  // what costs measure; empty: the file has none

  /// Replaces the note.
  std::optional<std::string> note = {};
};

/// Returns the bytes of the file, with correct hashes and sizes. If arrays contradict each other,
/// the content counts as far as there are values.
[[nodiscard]] std::string build_container(const BuiltContainer& built);

/// A column in its stored form.
struct BuiltColumn {
  std::string bytes = {};
  std::uint64_t content_hash = 0;
  std::vector<std::size_t> array_sizes = {};  // size of each array without padding
};

[[nodiscard]] BuiltColumn built_column(const conformance::container::FileColumn& column,
                                       const std::vector<BuiltArray>& arrays);

/// Returns the column of a stream.
[[nodiscard]] conformance::container::FileColumn column_of(const BuiltStream& stream);

/// Returns the encoded values.
///
/// Pre: the codec can store the values: `array.exponent` is 0 .. 18, and a constant array has a
///      value.
[[nodiscard]] std::string encoded(const BuiltArray& array, ElementType type,
                                  const std::set<std::int64_t>& starts = {});

}  // namespace sheaf::testing
