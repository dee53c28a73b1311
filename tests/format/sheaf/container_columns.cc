// The columns of container_builder.h.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "format/sheaf/container_builder.h"
#include "format/sheaf/container_bytes.h"
#include "reference/sheaf_bytes.h"
#include "reference/sheaf_columns.h"

namespace sheaf::testing {

using conformance::container::FileColumn;
using conformance::container::hash_of;

FileColumn column_of(const BuiltStream& stream) {
  return {.has_keys = false,
          .stream = {.name = stream.name,
                     .is_sparse = stream.storage == Storage::sparse,
                     .type = stream.type,
                     .index_type = stream.index_type,
                     .shape = stream.shape,
                     .defines_size = stream.defines_minibatch_size}};
}

BuiltColumn built_column(const FileColumn& column, const std::vector<BuiltArray>& arrays) {
  const std::vector<std::string> names = conformance::container::array_names(column);
  std::set<std::int64_t> starts;  // elements at which differences start again
  if (!column.has_keys && arrays.size() == names.size()) {
    std::int64_t at = 0;
    for (const std::uint64_t count : arrays[column.stream.is_sparse ? 2 : 1].bits) {
      starts.insert(at);
      at += clipped(static_cast<std::int64_t>(count), std::int64_t{1} << 40);
    }
  }
  BuiltColumn built;
  std::string body;
  std::string hashes;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const BuiltArray& array = arrays[i];
    const ElementType type =
        i < names.size() ? conformance::container::array_type(column, names[i]) : ElementType::u8;
    const std::string bytes = array.stored ? *array.stored : encoded(array, type, starts);
    put_word(built.bytes, array.count.value_or(array.bits.size()));
    put_word(built.bytes, bytes.size());
    put_word(built.bytes, array.codec_number.value_or(static_cast<std::uint64_t>(array.codec)));
    body += bytes;
    pad(body);
    put_word(hashes, array.bits.size());
    put_word(hashes, hash_of(encoded({.bits = array.bits}, type)));
    built.array_sizes.push_back(bytes.size());
  }
  pad(built.bytes);
  built.bytes += body;
  built.content_hash = hash_of(hashes);
  return built;
}

}  // namespace sheaf::testing
