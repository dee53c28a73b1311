// The format `blobs`: opaque bytes, like images or lattices. A file consists of records without
// separators. A record is a sequence:
//
//   record = key , ( %xFF | count , { blob } ) ;     (* count 0 .. 254 blobs; FF: the stream is
//                                                        absent from this sequence *)
//   blob   = size , size * byte , check ;            (* check: the sum of the bytes, modulo 256 *)
//
// Key, count, size and check are one byte each. A record with a wrong check, or cut off by the end
// of the file, is a hole. An empty file is refused.
//
//   05 02  03 61 62 63 26  00 00  06 FF      sequence 5 of "abc" and an empty blob; 6, without
//   blobs

#include "toys/blobs/blobs_deserializer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "toys/toy_bytes.h"

namespace sheaf::toys {
namespace {

constexpr std::int64_t kAbsent = 0xFF;

std::int64_t byte_at(std::string_view bytes, std::int64_t at) {
  return static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)]);
}

struct Wrong {
  std::int64_t at = 0;  // from the start of the record
  std::string_view code;
  std::string expected;
};

/// One record, from the front of some bytes.
struct Record {
  std::int64_t size_bytes = 0;
  std::int64_t blob_count = 0;  // as the record says
  bool is_absent = false;
  std::vector<std::string_view> blobs;
  std::vector<Wrong> wrong;
};

Record parse_record(std::string_view bytes) {
  Record record;
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto cut = [&] {
    record.wrong.push_back({size, "blobs-cut", "more bytes of the record"});
    record.size_bytes = size;
  };
  if (size < 2) {
    cut();
    return record;
  }
  std::int64_t at = 2;
  record.blob_count = byte_at(bytes, 1);
  if (record.blob_count == kAbsent) {
    record.is_absent = true;
    record.blob_count = 0;
  }
  for (std::int64_t i = 0; i < record.blob_count; ++i) {
    if (at == size || at + byte_at(bytes, at) + 2 > size) {
      cut();
      return record;
    }
    const std::int64_t blob_size = byte_at(bytes, at);
    const std::string_view blob =
        bytes.substr(static_cast<std::size_t>(at) + 1, static_cast<std::size_t>(blob_size));
    at += 1 + blob_size;
    unsigned sum = 0;
    for (const char byte : blob) sum += static_cast<unsigned char>(byte);
    if (sum % 256 != byte_at(bytes, at)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const std::string byte = {kDigits[sum / 16 % 16], kDigits[sum % 16]};
      record.wrong.push_back({at, "blobs-check", "check byte " + byte});
    }
    ++at;
    record.blobs.push_back(blob);
  }
  record.size_bytes = at;
  return record;
}

std::vector<Stream> streams_of(const FormatOptions& options) {
  const Shape any{Shape::kVariable};
  if (options.streams.size() != 1) throw ConfigError("streams: blobs has one stream");
  const StreamOptions& stream = options.streams.front();
  if (stream.storage != Storage::dense ||
      stream.dtype.value_or(ElementType::bytes) != ElementType::bytes ||
      stream.sample_shape.value_or(any) != any) {
    throw ConfigError("stream \"" + stream.name +
                      "\": blobs has dense samples of bytes, of shape " + to_string(any));
  }
  return {{.name = stream.name,
           .element_type = ElementType::bytes,
           .sample_shape = any,
           .defines_minibatch_size = stream.defines_minibatch_size}};
}

}  // namespace

BlobsDeserializer::BlobsDeserializer(std::shared_ptr<const ByteSource> source,
                                     const FormatOptions& options)
    : source_(std::move(source)),
      streams_(streams_of(options)),
      read_size_bytes_(options.read_size_bytes),
      fingerprint_("blobs:" + to_string(source_->fingerprint()) +
                   ":chunk=" + std::to_string(options.chunk_size_bytes)) {
  make_index(options.chunk_size_bytes);
}

void BlobsDeserializer::make_index(std::int64_t chunk_size_bytes) {
  const std::int64_t size = source_->size();
  const std::string bytes = read_part(*source_, 0, size, read_size_bytes_);
  if (size == 0) {
    Diagnostic diagnostic;
    diagnostic.path = source_->name();
    diagnostic.code = "blobs-empty";
    diagnostic.expected = "at least one record";
    throw DataError({diagnostic});
  }

  ChunkInfo chunk;
  SequenceTable::Builder table;
  std::int64_t blob_count = 0;
  const auto end_chunk = [&](std::int64_t end) {
    chunk.size_bytes = end - chunk.offset_bytes;
    // A byte takes a byte, a blob three numbers, and a record one number and the presence flag.
    chunk.decoded_size_bytes = chunk.size_bytes + 16 * (blob_count + 1) + 9 * (table.size() + 1);
    index_.add(chunk, table.finish());
    chunk = {};
    chunk.offset_bytes = end;
    blob_count = 0;
  };
  for (std::int64_t at = 0; at < size;) {
    const Record record =
        parse_record(std::string_view(bytes).substr(static_cast<std::size_t>(at)));
    const std::int64_t end = at + record.size_bytes;
    if (table.size() > 0 && end - chunk.offset_bytes > chunk_size_bytes) end_chunk(at);
    table.push_back({.key = {.low = static_cast<std::uint64_t>(byte_at(bytes, at))},
                     .offset_bytes = at - chunk.offset_bytes,
                     .first_line = 0,
                     .sample_count = record.blob_count});
    blob_count += record.blob_count;
    at = end;
  }
  end_chunk(size);
}

Chunk BlobsDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const ChunkInfo chunk = *index_.chunk(range.chunk);
  const std::shared_ptr<const SequenceTable> table = index_.sequences(range.chunk);
  const std::int64_t count = std::min(range.count, table->size() - range.first);
  const std::int64_t last = range.first + count;
  const std::int64_t begin = chunk.offset_bytes + table->offset_bytes(range.first);
  const std::int64_t end =
      chunk.offset_bytes + (last < table->size() ? table->offset_bytes(last) : chunk.size_bytes);
  const std::string bytes = read_part(*source_, begin, end, read_size_bytes_);

  std::vector<char> values;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> sample_offsets = {0};
  std::vector<std::int64_t> sequence_offsets = {0};
  std::vector<std::uint8_t> presence;
  std::vector<std::int64_t> holes;
  for (std::int64_t i = range.first; i < last; ++i) {
    const std::int64_t at = table->offset_bytes(i) - table->offset_bytes(range.first);
    const Record record =
        parse_record(std::string_view(bytes).substr(static_cast<std::size_t>(at)));
    for (const Wrong& wrong : record.wrong) {
      Diagnostic diagnostic;
      diagnostic.path = source_->name();
      diagnostic.byte_offset = begin + at + wrong.at;
      diagnostic.sequence_key = to_string(table->key(i));
      diagnostic.stream = streams_.front().name;
      diagnostic.code = wrong.code;
      diagnostic.expected = wrong.expected;
      diagnostics.add(i, std::move(diagnostic));
    }
    if (record.wrong.empty()) {
      for (const std::string_view blob : record.blobs) {
        values.insert(values.end(), blob.begin(), blob.end());
        extents.push_back(static_cast<std::int64_t>(blob.size()));
        sample_offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
    } else {
      holes.push_back(i - range.first);
    }
    presence.push_back(record.is_absent ? 0 : 1);
    sequence_offsets.push_back(static_cast<std::int64_t>(extents.size()));
  }

  std::vector<Column> columns(1);
  columns[0].values = buffer_of(values);
  columns[0].extents = buffer_of(extents);
  columns[0].sample_offsets = buffer_of(sample_offsets);
  columns[0].sequence_offsets = buffer_of(sequence_offsets);
  columns[0].presence = buffer_of(presence);
  return {streams_, count, std::move(columns), std::move(holes)};
}

}  // namespace sheaf::toys
