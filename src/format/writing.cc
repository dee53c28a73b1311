#include "format/writing.h"

#include <algorithm>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

void check_written_streams(std::string_view format, std::span<const Stream> streams) {
  if (streams.empty()) throw ConfigError(formatted("streams: {} needs at least one", format));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::span<const Stream> before = streams.first(i);
    if (std::ranges::find(before, streams[i].name, &Stream::name) != before.end()) {
      throw ConfigError(formatted("streams: two have the name {}", quoted(streams[i].name)));
    }
  }
}

void throw_unwritable(const WriteContext& location, const ErrorKind& kind, std::string found,
                      std::string hint) {
  throw DataError({{.path = std::string(location.path),
                    .byte_offset = Diagnostic::kNoOffset,
                    .sequence_key = std::string(location.key),
                    .stream = std::string(location.stream),
                    .code = std::string(kind.code),
                    .expected = std::string(kind.expected),
                    .found = std::move(found),
                    .hint = std::move(hint)}});
}

const Stream& only_stream(std::string_view format, std::span<const Stream> streams) {
  check_written_streams(format, streams);
  if (streams.size() == 1) return streams.front();
  throw ConfigError(
      formatted("streams: {} holds one stream, not {}; choose one", format, streams.size()));
}

std::string written_key(std::string_view path, const SequenceBatch& batch, std::size_t sequence,
                        std::string_view code) {
  const SequenceKey& key = batch.keys[sequence];
  if (!batch.key_texts.empty()) {
    std::string text(batch.key_texts[sequence]);
    if (key_of_text(text) == key) return text;
    throw_unwritable({.path = path, .key = text}, {code, "the key that the text has"},
                     to_string(key));
  }
  if (key.high == 0) return std::to_string(key.low);
  throw_unwritable({.path = path, .key = to_string(key)}, {code, "the text of the key"},
                   "its hash alone");
}

std::string beside(std::string_view path, std::string_view name) {
  return std::string(path.substr(0, path.find_last_of('/') + 1)) + std::string(name);
}

void check_has_location(std::string_view format, std::string_view path, bool has_location) {
  if (has_location) return;
  throw ConfigError(formatted(
      "{}: cannot be written as {}, which is a list and the files that it names: give the list a "
      "path",
      path, format));
}

void check_running(std::string_view path, std::span<const SequenceKey> keys, std::int64_t first,
                   const ErrorKind& kind) {
  for (const SequenceKey& key : keys) {
    if (key == SequenceKey{.low = static_cast<std::uint64_t>(first++)}) continue;
    const std::string text = to_string(key);
    throw_unwritable({.path = path, .key = text}, kind,
                     formatted("{} where {} would be read", text, first - 1));
  }
}

void check_repeated(std::string_view path, const std::optional<WrittenKeys::Repeated>& repeated,
                    const ErrorKind& kind) {
  if (!repeated) return;
  const std::string key = repeated->key ? to_string(*repeated->key) : "";
  throw_unwritable({.path = path, .key = key}, kind,
                   formatted("one that has, sequence number {} from 0", repeated->sequence));
}

TextBlock::TextBlock(Buffer bytes, const SequenceBatch& batch)
    : text(std::move(bytes)),
      keys(batch.keys.begin(), batch.keys.end()),
      has_key_texts(!batch.key_texts.empty()) {}

std::int64_t TextBlock::memory_bytes() const noexcept {
  return text.capacity_bytes() + static_cast<std::int64_t>(keys.capacity() * sizeof(SequenceKey));
}

}  // namespace sheaf::internal
