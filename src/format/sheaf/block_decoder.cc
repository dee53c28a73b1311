#include "format/sheaf/block_decoder.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "format/sheaf/container_errors.h"

namespace sheaf::container {
namespace {

// Returns whether all indices are below the dim.
template <typename Index>
bool are_below(std::span<const std::byte> bytes, std::int64_t dim) noexcept {
  const std::span indices(reinterpret_cast<const Index*>(bytes.data()),
                          bytes.size() / sizeof(Index));
  Index least = 0;
  Index most = 0;
  for (const Index index : indices) {  // no branches, so that compilers vectorise the loop
    least = std::min(least, index);
    most = std::max(most, index);
  }
  return least >= 0 && (indices.empty() || most < dim);
}

bool decode_into(const BlockColumn& column, ArrayKind kind, ElementType type, DecodedArray& into) {
  if (const std::optional<std::span<const std::byte>> raw = column.raw(kind)) {
    into.bytes = *raw;
    return true;
  }
  const std::int64_t size = column.value_count() * element_size(type);
  into.own.reserve(size);
  into.own.resize(size);
  into.bytes = {into.own.data(), static_cast<std::size_t>(size)};
  return column.decode(kind, into.own.mutable_data());
}

/// Checks one block against its table.
class BlockChecker {
 public:
  BlockChecker(const ContainerFile& file, const ContainerSchema& schema, const ChunkTable& table,
               std::int64_t number, ReadBlock& block)
      : note_(file.directory.note()),
        schema_(schema),
        table_(table),
        number_(number),
        block_(block) {}

  // Decodes the columns before a damaged column, too. The first wrong column is the one reported,
  // and the keys name the sequences.
  DecodedBlock decode() {
    DecodedBlock decoded(schema_.columns_in_file.size());
    bool is_right = true;
    for (std::size_t i = 0; i < block_.columns.size() && is_right; ++i) {
      is_right = decode(i, decoded[i]);
    }
    if (!block_.damage) check_lengths();
    return decoded;
  }

 private:
  [[nodiscard]] bool decode(std::size_t i, DecodedColumn& into) {
    const std::int64_t number = schema_.columns_in_file[i];
    const Stream* stream = note_.stream_of(number);
    const BlockColumn& column = block_.columns[i];
    const ArrayKind values = stream == nullptr ? ArrayKind::key_text : ArrayKind::values;
    bool is_right = decode_into(column, values, type_of(values, stream), into.values);
    if (is_right && stream != nullptr && stream->storage == Storage::sparse) {
      is_right = decode_into(column, ArrayKind::indices, stream->index_type, into.indices);
    }
    if (!is_right) return damage(i, "an array that its codec cannot have made");
    if (!column.is_plain()) {
      const std::uint64_t hash = column.content_hash(into.values.bytes, into.indices.bytes);
      if (hash != stored_column(table_, number_, number).content_hash) {
        return damage(i, "another hash of the content");
      }
    }
    if (stream == nullptr) return check_keys(column, into.values.bytes);
    if (stream->storage == Storage::dense) return true;
    const std::int64_t dim = stream->sample_shape.size();
    const bool fits = stream->index_type == ElementType::i64
                          ? are_below<std::int64_t>(into.indices.bytes, dim)
                          : are_below<std::int32_t>(into.indices.bytes, dim);
    return fits || damage(i, formatted("an index outside 0 .. {}", dim - 1));
  }

  [[nodiscard]] bool check_keys(const BlockColumn& column, std::span<const std::byte> text) {
    const char* const chars = reinterpret_cast<const char*>(text.data());
    for (std::int64_t i = 0; i < block_.count; ++i) {
      const std::int64_t begin = column.values_before(i);
      const std::string_view key(chars + begin,
                                 static_cast<std::size_t>(column.values_before(i + 1) - begin));
      if (key_of_text(key) == table_.sequences.key(block_.first + i)) continue;
      return damage(0, "another key than the table has");
    }
    return true;
  }

  // Checks the lengths of the stream that defines the minibatch size. If no stream does, checks the
  // longest stream. If only some streams are read, none of them may be longer than the table says.
  void check_lengths() {
    const auto defining = std::ranges::find(note_.streams, true, &Stream::defines_minibatch_size);
    const bool has_defining = defining != note_.streams.end();
    const bool has_all = schema_.columns.size() == note_.streams.size();
    if (has_defining) {
      const auto column = std::ranges::find(
          schema_.columns_in_file, note_.first_stream() + (defining - note_.streams.begin()));
      if (column == schema_.columns_in_file.end()) return;
      const auto i = static_cast<std::size_t>(column - schema_.columns_in_file.begin());
      if (!has_lengths({&block_.columns[i], 1}, true)) {
        damage(block_.columns.size() - 1, kOtherLength);
      }
      return;
    }
    const std::span<const BlockColumn> streams =
        std::span(block_.columns).subspan(static_cast<std::size_t>(note_.first_stream()));
    if (!has_lengths(streams, has_all)) damage(block_.columns.size() - 1, kOtherLength);
  }

  [[nodiscard]] bool has_lengths(std::span<const BlockColumn> columns, bool is_exact) const {
    for (std::int64_t i = 0; i < block_.count; ++i) {
      std::int64_t longest = 0;
      for (const BlockColumn& column : columns) {
        const std::span<const std::int64_t> before = column.samples_before();
        longest = std::max(
            longest, before[static_cast<std::size_t>(i) + 1] - before[static_cast<std::size_t>(i)]);
      }
      const std::int64_t wanted = table_.sequences.sample_count(block_.first + i);
      if (is_exact ? longest != wanted : longest > wanted) return false;
    }
    return true;
  }

  // Notes the damage and returns false.
  bool damage(std::size_t i, std::string found) {
    block_.damage = BlockDamage{.kind = &kContentError,
                                .found = std::move(found),
                                .byte_offset = block_.offsets[i],
                                .stream = schema_.stream_of(schema_.columns_in_file[i])};
    return false;
  }

  static constexpr const char* kOtherLength = "a sequence of another length than the table has";

  const ContainerNote& note_;
  const ContainerSchema& schema_;
  const ChunkTable& table_;
  const std::int64_t number_;
  ReadBlock& block_;
};

}  // namespace

DecodedBlock decode_block(const ContainerFile& file, const ContainerSchema& schema,
                          const ChunkTable& table, std::int64_t number, ReadBlock& block) {
  return BlockChecker(file, schema, table, number, block).decode();
}

}  // namespace sheaf::container
