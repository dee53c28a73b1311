#include "format/sheaf/container_deserializer.h"

#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/sheaf/range_decoder.h"
#include "index/units.h"
#include "io/piecewise_source.h"

namespace sheaf::container {
namespace {

std::shared_ptr<const ByteSource> read_in_pieces(std::shared_ptr<const ByteSource> source,
                                                 const FormatOptions& options) {
  if (options.read_size_bytes < 1) {
    throw ConfigError(formatted("read_size_bytes: at least 1, got {}", options.read_size_bytes));
  }
  return std::make_shared<internal::PiecewiseSource>(std::move(source), options.read_size_bytes);
}

}  // namespace

ContainerDeserializer::ContainerDeserializer(std::shared_ptr<const ByteSource> source,
                                             const FormatOptions& options)
    : file_(open_container(read_in_pieces(std::move(source), options))),
      schema_(schema_of(file_.directory.note(), options, *file_.source)),
      index_(file_, schema_, options.index.memory_limit_bytes.value_or(0)) {}

// Orders depend on the content and on the chunks, but not on codecs.
std::string ContainerDeserializer::fingerprint() const {
  std::string content = content_of(file_.directory.note());
  std::vector<std::uint64_t> words = {key_of_text(content).low};
  for (std::int64_t i = 0; i < file_.directory.chunk_count(); ++i) {
    words.push_back(file_.directory.chunk(i).content_hash);
  }
  std::string read;
  for (const Stream& stream : schema_.streams) read += to_string(stream) + ";";
  for (const std::int64_t column : schema_.columns) read += formatted("{};", column);
  read += schema_.makes_texts ? "texts" : "";
  return formatted("sheaf:{:016x}:{:016x}", hash_of(words), key_of_text(read).low);
}

Chunk ContainerDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const std::shared_ptr<const ChunkTable> table = index_.table(range.chunk);
  return RangeDecoder(file_, schema_, *table).read(range, diagnostics);
}

std::vector<StorageNote> ContainerDeserializer::storage() const {
  const ContainerNote& note = file_.directory.note();
  std::vector<StorageNote> notes;
  for (const auto& [key, sizes] : note.storage) {
    const auto& [column, kind, codec] = key;
    const Stream* const stream = note.stream_of(column);
    notes.push_back({.stream = stream == nullptr ? std::string() : stream->name,
                     .array = std::string(to_string(kind)),
                     .codec = std::string(to_string(codec)),
                     .array_count = sizes.array_count,
                     .content_bytes = sizes.content_bytes,
                     .stored_bytes = sizes.stored_bytes});
  }
  return notes;
}

Diagnostic ContainerDeserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                              std::int64_t stream) const {
  const std::shared_ptr<const ChunkTable> table = index_.table(chunk);
  const internal::Units units(table->sequences.size(), table->block_count);
  const std::int64_t block = units.of(sequence);
  const std::int64_t column_count = file_.directory.column_count();
  const std::int64_t before =
      block * column_count + schema_.columns[static_cast<std::size_t>(stream)];
  std::int64_t offset = file_.directory.offset(static_cast<std::int64_t>(chunk));
  for (std::int64_t i = 0; i < before; ++i) {
    offset += static_cast<std::int64_t>(table->columns[static_cast<std::size_t>(i)].size);
  }
  Diagnostics diagnostics;
  const Chunk only = RangeDecoder(file_, schema_, *table).read({chunk, sequence, 1}, diagnostics);
  const std::string_view text = only.key_text(0);
  return {
      .path = std::string(file_.source->name()),
      .byte_offset = offset,
      .sequence_key = text.empty() ? to_string(table->sequences.key(sequence)) : std::string(text)};
}

}  // namespace sheaf::container
