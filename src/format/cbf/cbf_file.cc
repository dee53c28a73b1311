#include "format/cbf/cbf_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/utf8.h"
#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_cursor.h"
#include "format/cbf/cbf_errors.h"

namespace sheaf::cbf {

ChunkTable::Chunk ChunkTable::operator[](std::int64_t i) const noexcept {
  const std::int64_t first = first_sequences_[i];
  const std::int64_t behind = i + 1 < size() ? first_sequences_[i + 1] : sequence_count_;
  return {.offset = offsets_[i],
          .size = ends_[i] - offsets_[i],
          .first_sequence = first,
          .sequence_count = behind - first,
          .sample_count = sample_counts_[i],
          .number = numbers_[i]};
}

std::int64_t ChunkTable::memory_bytes() const noexcept {
  return offsets_.size_bytes() + ends_.size_bytes() + first_sequences_.size_bytes() +
         sample_counts_.size_bytes() + numbers_.size_bytes();
}

/// Appends the chunks of a file. Skips chunks without sequences.
class ChunkTable::Builder {
 public:
  void add(std::int64_t offset, std::int64_t end, std::int64_t sequences, std::int64_t samples,
           std::int64_t number) {
    if (sequences == 0) return;
    offsets_.push_back(offset);
    ends_.push_back(end);
    first_sequences_.push_back(sequence_count_);
    sample_counts_.push_back(samples);
    numbers_.push_back(number);
    sequence_count_ += sequences;
  }

  [[nodiscard]] ChunkTable finish() {
    ChunkTable table;
    table.offsets_ = offsets_.finish();
    table.ends_ = ends_.finish();
    table.first_sequences_ = first_sequences_.finish();
    table.sample_counts_ = sample_counts_.finish();
    table.numbers_ = numbers_.finish();
    table.sequence_count_ = sequence_count_;
    return table;
  }

 private:
  PackedInts::Builder offsets_;
  PackedInts::Builder ends_;
  PackedInts::Builder first_sequences_;
  PackedInts::Builder sample_counts_;
  PackedInts::Builder numbers_;
  std::int64_t sequence_count_ = 0;
};

namespace {

std::string hex(std::uint64_t number) { return formatted("0x{:016x}", number); }

bool is_text(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return (c >= ' ' && c < 0x7F) || c == '\t' || c == '\n' || c == '\r';
  });
}

void check_prefix(const ByteSource& source) {
  if (source.size() < kPrefixSize) {
    throw_wrong(source, source.size(), kTruncated, formatted("{} bytes", source.size()),
                "the file was cut, or is no CBF file");
  }
  std::array<std::byte, kPrefixSize> prefix{};
  source.read_at(0, prefix);
  const auto magic = load<std::uint64_t>(prefix.data());
  const auto version = load<std::uint32_t>(prefix.data() + 8);
  if (magic != kMagic) {
    // Before the format had a magic number, it began with version, chunks and streams.
    if (magic >= 1 && magic <= 2) {
      throw_wrong(source, 0, kHeaderFirst,
                  formatted("version {} where the magic number is: an older layout, whose header "
                            "comes first",
                            magic),
                  "write the file anew from its source");
    }
    throw_wrong(source, 0, kMagicWrong, hex(magic),
                is_text(prefix)
                    ? "the file is text, and no CBF file: name it .ctf, or as its format is"
                    : "the file is no CBF file");
  }
  if (version != kVersion) throw_wrong(source, 8, kVersionWrong, formatted("version {}", version));
}

// Returns whether a header lies where the first chunk belongs.
bool is_header_first(const ByteSource& source) {
  if (source.size() < kPrefixSize + 8) return false;
  std::array<std::byte, 8> bytes{};
  source.read_at(kPrefixSize, bytes);
  return load<std::uint64_t>(bytes.data()) == kMagic;
}

std::int64_t find_header(const ByteSource& source) {
  constexpr std::string_view kHint = "the end of the file is missing, or something else follows it";
  const std::int64_t trailer = source.size() - kTrailerSize;
  const std::int64_t last = trailer - kHeaderFixedSize;
  if (last < kPrefixSize) {
    throw_wrong(source, source.size(), kTruncated, formatted("{} bytes", source.size()),
                std::string(kHint));
  }
  std::array<std::byte, 8> bytes{};
  source.read_at(trailer, bytes);
  const auto offset = load<std::int64_t>(bytes.data());
  const bool is_within = offset >= kPrefixSize && offset <= last;
  if (is_within) {
    source.read_at(offset, bytes);
    if (load<std::uint64_t>(bytes.data()) == kMagic) return offset;
  }
  if (is_header_first(source) && (!is_within || offset != kPrefixSize)) {
    throw_wrong(source, kPrefixSize, kHeaderFirst,
                "a header in front of the chunks: an older layout, whose header comes first",
                "write the file anew from its source");
  }
  if (!is_within) {
    throw_wrong(source, trailer, kTrailer,
                formatted("{}, which is not between {} and {}", offset, kPrefixSize, last),
                std::string(kHint));
  }
  throw_wrong(
      source, offset, kMagicWrong,
      formatted("{} where the trailer has the header", hex(load<std::uint64_t>(bytes.data()))),
      std::string(kHint));
}

FileStream read_stream(const ByteSource& source, Cursor& header) {
  FileStream stream;
  const std::int64_t at = header.offset();
  if (header.rest() < kStreamFixedSize) {
    throw_wrong(source, at, kTruncated, formatted("{} bytes of a stream's header", header.rest()));
  }
  const auto storage = header.number<std::uint8_t>();
  if (storage > 1) throw_wrong(source, at, kStorage, formatted("{}", storage));
  stream.storage = storage == 1 ? Storage::sparse : Storage::dense;

  const std::int64_t size = header.number<std::uint32_t>();
  if (size == 0 || size > header.rest() - (kStreamFixedSize - 5) || size > kNameSizeMax) {
    throw_wrong(source, at + 1, kNameSize, formatted("{}", size));
  }
  stream.name.assign(reinterpret_cast<const char*>(header.take(size)),
                     static_cast<std::size_t>(size));
  if (!internal::is_utf8(stream.name) || stream.name.find('\0') != std::string::npos) {
    throw_wrong(source, at + 5, kName, quoted(stream.name));
  }

  const std::int64_t type_at = header.offset();
  const auto type = header.number<std::uint8_t>();
  if (type > 1) throw_wrong(source, type_at, kElementType, formatted("{}", type));
  stream.element_type = type == 1 ? ElementType::f64 : ElementType::f32;

  stream.dim = header.number<std::uint32_t>();
  const bool is_sparse = stream.storage == Storage::sparse;
  if (stream.dim == 0 || (is_sparse && stream.dim > std::numeric_limits<std::int32_t>::max())) {
    Diagnostic diagnostic = wrong_at(source, type_at + 1, kDim, formatted("{}", stream.dim));
    diagnostic.stream = stream.name;
    throw DataError({std::move(diagnostic)});
  }
  return stream;
}

std::vector<FileStream> read_streams(const ByteSource& source, Cursor& header, std::int64_t count) {
  std::vector<FileStream> streams;
  std::set<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = header.offset();
    streams.push_back(read_stream(source, header));
    if (!names.insert(streams.back().name).second) {
      throw_wrong(source, at + 5, kRepeatedName, quoted(streams.back().name));
    }
  }
  return streams;
}

// Returns the smallest size of a sequence in a chunk: its length, and an empty block in each
// stream.
std::int64_t sequence_size_min(std::span<const FileStream> streams) noexcept {
  std::int64_t size = kCountSize;
  for (const FileStream& stream : streams) {
    size += stream.storage == Storage::sparse ? 2 * kCountSize : kCountSize;
  }
  return size;
}

struct Entry {
  std::int64_t at = 0;  // offset of the entry
  std::int64_t number = 0;
  std::int64_t offset = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
};

// Checks that a chunk without sequences has no samples and no bytes. Otherwise its number of
// sequences is wrong, and skipping the chunk would lose them.
void check_empty_chunk(const ByteSource& source, const Entry& entry, std::int64_t end,
                       bool trusts_lengths) {
  constexpr std::string_view kHint = "its number of sequences is 0, so it has no samples, no bytes";
  if (entry.samples > 0 && !trusts_lengths) {
    throw_wrong(source, entry.at + 12, kSampleCount,
                formatted("{} where chunk {} has no lengths", entry.samples, entry.number),
                std::string(kHint));
  }
  if (entry.offset < end) {
    throw_wrong(source, entry.offset, kSlack,
                formatted("{} more bytes (chunk {})", end - entry.offset, entry.number),
                std::string(kHint));
  }
}

ChunkTable read_chunks(const ByteSource& source, Cursor& header, std::int64_t count,
                       std::int64_t header_offset, std::int64_t sequence_size,
                       bool trusts_lengths) {
  ChunkTable::Builder chunks;
  Entry before;
  const auto add = [&](std::int64_t end) {
    if (before.offset < kPrefixSize || before.offset > end) {
      throw_wrong(source, before.at, kChunkOffset,
                  formatted("chunk {} at byte {}, the next one or the header at {}", before.number,
                            before.offset, end));
    }
    if (before.sequences > (end - before.offset) / sequence_size) {
      throw_wrong(source, before.at + 8, kSequenceCount,
                  formatted("{} in the {} bytes of chunk {}", before.sequences, end - before.offset,
                            before.number));
    }
    if (before.sequences == 0) check_empty_chunk(source, before, end, trusts_lengths);
    chunks.add(before.offset, end, before.sequences, before.samples, before.number);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    Entry entry{.at = header.offset(), .number = i};
    const std::byte* bytes = header.take(kChunkEntrySize);
    entry.offset = load<std::int64_t>(bytes);
    entry.sequences = load<std::uint32_t>(bytes + 8);
    entry.samples = load<std::uint32_t>(bytes + 12);
    if (entry.offset < kPrefixSize || entry.offset > header_offset) {
      throw_wrong(source, entry.at, kChunkOffset,
                  formatted("chunk {} at byte {}", i, entry.offset));
    }
    if (i > 0) add(entry.offset);
    before = entry;
  }
  if (count > 0) add(header_offset);
  return chunks.finish();
}

}  // namespace

CbfFile open_cbf(const ByteSource& source, bool trusts_lengths) {
  check_prefix(source);
  CbfFile file;
  file.header_offset = find_header(source);
  Cursor header(source, file.header_offset, source.size() - kTrailerSize);
  static_cast<void>(header.number<std::uint64_t>());
  const std::int64_t chunk_count = header.number<std::uint32_t>();
  const std::int64_t stream_count = header.number<std::uint32_t>();
  if (stream_count == 0 || stream_count > header.rest() / (kStreamFixedSize + 1)) {
    throw_wrong(source, file.header_offset + 12, kStreamCount,
                formatted("{} in {} bytes", stream_count, header.rest()));
  }
  file.stream_table_offset = header.offset();
  file.streams = read_streams(source, header, stream_count);
  file.chunk_table_offset = header.offset();
  if (chunk_count > header.rest() / kChunkEntrySize) {
    throw_wrong(source, file.header_offset + 8, kChunkCount,
                formatted("{} in {} bytes", chunk_count, header.rest()));
  }
  file.chunks = read_chunks(source, header, chunk_count, file.header_offset,
                            sequence_size_min(file.streams), trusts_lengths);
  file.end_offset = header.offset();
  if (file.chunks.size() == 0) {
    throw_wrong(source, file.header_offset + 8, kEmpty, formatted("{} chunks", chunk_count));
  }
  return file;
}

}  // namespace sheaf::cbf
