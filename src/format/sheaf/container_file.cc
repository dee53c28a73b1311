#include "format/sheaf/container_file.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "format/sheaf/container_errors.h"

namespace sheaf::container {
namespace {

std::vector<std::byte> read(const ByteSource& source, std::int64_t offset, std::int64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  source.read_at(offset, bytes);
  return bytes;
}

Directory read_directory(const ByteSource& source) {
  const std::int64_t size = source.size();
  if (size < kHeadSize + kFootSize) {
    throw_damaged(source, 0, kMagicError, formatted("a file of {} bytes", size));
  }
  const std::vector<std::byte> head = read(source, 0, kHeadSize);
  if (!has_head_mark(head)) throw_damaged(source, 0, kMagicError, "other bytes");
  const std::uint64_t version = version_of(head);
  if (version != kVersion && version != kVersionWithCosts) {
    throw_damaged(source, 8, kVersionError, formatted("version {}", version));
  }
  if (!has_head_zeros(head)) throw_damaged(source, 0, kMagicError, "other bytes after the version");
  const std::int64_t foot_at = size - kFootSize;
  const std::vector<std::byte> end = read(source, foot_at, kFootSize);
  if (!has_foot_mark(end)) {
    throw_damaged(source, size - 8, kMagicError, "other bytes at the end: was the file cut?");
  }
  const std::optional<Foot> foot = foot_of(end);
  if (!foot) throw_damaged(source, foot_at, kFootError, "another hash");
  const auto begin = static_cast<std::int64_t>(foot->directory_offset);
  const auto directory_size = static_cast<std::int64_t>(foot->directory_size);
  const bool fits = begin >= kHeadSize && begin % kAlignment == 0 && begin <= foot_at &&
                    directory_size == foot_at - begin;
  if (!fits) {
    throw_damaged(source, foot_at, kFootError,
                  formatted("a directory of {} bytes at byte {}, where the foot is at byte {}",
                            foot->directory_size, foot->directory_offset, foot_at));
  }
  const std::vector<std::byte> bytes = read(source, begin, directory_size);
  if (hash_of(bytes) != foot->directory_hash) {
    throw_damaged(source, begin, kDirectoryError, "another hash");
  }
  std::optional<Directory> directory = Directory::parse(bytes, begin);
  if (!directory) throw_damaged(source, begin, kDirectoryError, "bytes that are no directory");
  if (directory->note().has_costs() != (version == kVersionWithCosts)) {
    throw_damaged(source, begin, kDirectoryError,
                  directory->note().has_costs() ? "costs in a file of version 1"
                                                : "no costs in a file of version 2");
  }
  return *std::move(directory);
}

// Returns whether the sequences and columns in a table fit its chunk.
bool fits(const ChunkTable& table, const ChunkEntry& entry) {
  std::int64_t size = 0;
  for (const StoredColumn& column : table.columns) {
    if (column.size > static_cast<std::uint64_t>(entry.blocks_size - size)) return false;
    size += static_cast<std::int64_t>(column.size);
  }
  if (size != entry.blocks_size) return false;
  std::int64_t content = 0;
  for (const std::int64_t each : entry.contents) content += each;
  const SequenceTable& sequences = table.sequences;
  std::int64_t sample_count = 0;
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < sequences.size(); ++i) {
    const std::int64_t offset = sequences.offset_bytes(i);
    const std::int64_t samples = sequences.sample_count(i);
    const bool is_possible = (i == 0 ? offset == 0 : offset >= before) && offset <= content &&
                             samples >= 0 && samples <= entry.sample_count - sample_count &&
                             sequences.first_line(i) == 0;
    if (!is_possible) return false;
    before = offset;
    sample_count += samples;
  }
  return sample_count == entry.sample_count;
}

// Returns whether all keys are of the kind in the note.
bool has_keys(const ChunkTable& table, bool are_texts) {
  for (std::int64_t i = 0; i < table.sequences.size(); ++i) {
    if ((table.sequences.key(i).high != 0) != are_texts) return false;
  }
  return true;
}

}  // namespace

ContainerFile open_container(std::shared_ptr<const ByteSource> source) {
  Directory directory = read_directory(*source);
  return {std::move(source), std::move(directory)};
}

ChunkTable read_table(const ContainerFile& file, std::int64_t chunk) {
  const ChunkEntry entry = file.directory.chunk(chunk);
  const std::int64_t offset = file.directory.offset(chunk) + entry.blocks_size;
  const std::vector<std::byte> bytes = read(*file.source, offset, entry.table_size);
  if (hash_of(bytes) != entry.table_hash) {
    throw_damaged(*file.source, offset, kTableError, "another hash");
  }
  std::optional<ChunkTable> table = table_of(bytes, entry, file.directory.note().has_costs());
  if (!table || !fits(*table, entry) || !has_keys(*table, file.directory.note().has_text_keys)) {
    throw_damaged(*file.source, offset, kTableError, "numbers that do not fit the chunk");
  }
  return *std::move(table);
}

}  // namespace sheaf::container
