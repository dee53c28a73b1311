#include "dataset/unit_bytes.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

// Names the streams by their numbers, since a format may refuse a name.
std::vector<Stream> stored_streams(std::span<const Stream> streams) {
  std::vector<Stream> stored;
  for (const Stream& stream : streams) {
    stored.push_back({.name = formatted("{}", stored.size()),
                      .element_type = stream.element_type,
                      .sample_shape = stream.sample_shape,
                      .storage = stream.storage,
                      .index_type = stream.index_type});
  }
  return stored;
}

// Returns the text of a refusal with the name of the stream in place of its number.
std::string with_name(std::string text, std::span<const std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = formatted("stream \"{}\"", i);
    const std::size_t at = text.find(number);
    if (at == std::string::npos) continue;
    return text.replace(at, number.size(), formatted("stream {}", sheaf::quoted(names[i])));
  }
  return text;
}

[[noreturn]] void refuse(const ByteSource& source, const char* expected, std::string found) {
  throw DataError({Diagnostic{.path = std::string(source.name()),
                              .byte_offset = Diagnostic::kNoOffset,
                              .code = "cache-unit",
                              .expected = expected,
                              .found = std::move(found)}});
}

}  // namespace

UnitBytes::UnitBytes(const Format& format, std::span<const Stream> streams)
    : format_(format), streams_(stored_streams(streams)) {
  for (const Stream& stream : streams) names_.push_back(stream.name);
  std::string bytes;  // of a file that is never finished: beginning it checks the streams
  try {
    static_cast<void>(
        format_.create({.sink = memory_sink(bytes, "cache"), .streams = streams_, .options = {}}));
  } catch (const ConfigError& error) {
    throw ConfigError(with_name(error.what(), names_));
  }
}

// The first stream is named after the unit.
std::vector<Stream> UnitBytes::streams_of(const SequenceKey& unit) const {
  std::vector<Stream> streams = streams_;
  if (!streams.empty()) streams.front().name = to_string(unit);
  return streams;
}

// Puts the names of the streams in place of the names in the file.
std::vector<Diagnostic> UnitBytes::with_names(const SequenceKey& unit,
                                              std::span<const Diagnostic> diagnostics) const {
  const std::vector<Stream> stored = streams_of(unit);
  std::vector<Diagnostic> named(diagnostics.begin(), diagnostics.end());
  for (Diagnostic& each : named) {
    const auto found = std::ranges::find(stored, each.stream, &Stream::name);
    if (found == stored.end()) continue;
    each.stream = names_[static_cast<std::size_t>(found - stored.begin())];
  }
  return named;
}

std::string UnitBytes::write(const SequenceKey& unit, const Chunk& chunk, std::int64_t first,
                             std::span<const SequenceKey> keys) const {
  const std::int64_t count = std::ssize(keys);
  std::vector<std::vector<SequenceView>> views(streams_.size());
  std::vector<std::span<const SequenceView>> spans;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    chunk.append_views(static_cast<std::int64_t>(i), first, count, views[i]);
    spans.emplace_back(views[i]);
  }
  std::vector<std::string_view> texts;
  if (chunk.has_key_texts()) {
    for (std::int64_t i = 0; i < count; ++i) texts.push_back(chunk.key_text(first + i));
  }

  std::string bytes;
  const std::unique_ptr<Serializer> serializer =
      format_.create({.sink = memory_sink(bytes, "cache"),
                      .streams = streams_of(unit),
                      .options = {.chunk_size_bytes = std::numeric_limits<std::int64_t>::max(),
                                  .keeps_storage_notes = false}});
  try {
    serializer->append(serializer->encode({.keys = keys, .key_texts = texts, .views = spans}));
    serializer->finish();
  } catch (const DataError& error) {
    throw DataError(with_names(unit, error.diagnostics()));
  }
  return bytes;
}

Chunk UnitBytes::read(const Wanted& wanted, const std::shared_ptr<const ByteSource>& source) const {
  try {
    return read_stored(wanted, source);
  } catch (const DataError& error) {
    throw DataError(with_names(wanted.name, error.diagnostics()));
  }
}

Chunk UnitBytes::read_stored(const Wanted& wanted,
                             const std::shared_ptr<const ByteSource>& source) const {
  const FormatOptions options{.read_size_bytes = std::max<std::int64_t>(1, source->size()),
                              .index = {.mode = IndexMode::off}};
  const std::unique_ptr<Deserializer> data =
      format_.open({.source = source, .options = options, .context = {}});
  const std::optional<ChunkInfo> chunk = data->index().chunk(ChunkIndex{0});
  if (!chunk || chunk->sequence_count != wanted.sequence_count ||
      data->index().chunk(ChunkIndex{1}).has_value()) {
    refuse(*source, "one chunk of the sequences of the unit",
           formatted("{} sequences where {} are expected", chunk ? chunk->sequence_count : 0,
                     wanted.sequence_count));
  }
  if (!std::ranges::equal(data->streams(), streams_of(wanted.name))) {
    refuse(*source, "the streams of the unit", "other streams");
  }
  Diagnostics diagnostics;
  Chunk read = data->read({ChunkIndex{0}, wanted.first, wanted.count}, diagnostics);
  if (!diagnostics.empty()) {
    const std::span<const Diagnostic> described = diagnostics.described();
    throw DataError({described.begin(), described.end()});
  }
  return read;
}

std::int64_t size_of_columns(const Chunk& chunk) noexcept {
  std::int64_t size = 0;
  for (const Column& column : chunk.columns()) {
    for (const Buffer* buffer : {&column.values, &column.indices, &column.sample_offsets,
                                 &column.extents, &column.sequence_offsets, &column.presence,
                                 &column.value_byte_offsets, &column.index_byte_offsets}) {
      size += std::max(buffer->size_bytes(), buffer->capacity_bytes());
    }
  }
  return size;
}

}  // namespace sheaf::internal
