#include "format/sheaf/container_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/int_codec.h"
#include "base/saturated.h"
#include "base/unaligned.h"
#include "format/sheaf/packing_kernel.h"
#include "index/table_codec.h"

namespace sheaf::container {
namespace {

using internal::append_word;
using internal::load;
using internal::saturated_sum;
using internal::take_word;

// Each mark has bytes that a text file, or a transfer as text, would change.
constexpr std::string_view kHeadMark = "\x89SHEAF\r\n";
constexpr std::string_view kFootMark =
    "\x89"
    "FAEHS\r\n";
constexpr std::int64_t kWord = sizeof(std::uint64_t);

std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

bool begins_with(std::span<const std::byte> bytes, std::string_view mark) noexcept {
  return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

bool are_zeros(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// Takes a size or a count, within the range that a file may have.
std::optional<std::int64_t> take_count(std::span<const std::byte>& bytes) {
  const std::optional<std::uint64_t> word = take_word(bytes);
  if (!word || *word > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*word);
}

bool take_hashes(std::span<const std::byte>& bytes, std::int64_t count,
                 std::vector<std::uint64_t>& into) {
  if (count > std::ssize(bytes) / kWord) return false;
  for (std::int64_t i = 0; i < count; ++i) into.push_back(load<std::uint64_t>(bytes.data(), i));
  bytes = bytes.subspan(static_cast<std::size_t>(count * kWord));
  return true;
}

// Returns the hash of a chunk's content, which does not depend on codecs.
std::uint64_t content_hash_of(const ChunkTable& table, std::span<const std::byte> sequences) {
  std::vector<std::uint64_t> words = {static_cast<std::uint64_t>(table.sequences.size()),
                                      static_cast<std::uint64_t>(table.block_count)};
  for (const StoredColumn& column : table.columns) words.push_back(column.content_hash);
  words.push_back(hash_of(sequences));
  return hash_of(words);
}

bool has_negative(const PackedInts& values) noexcept {
  if (const std::optional<std::int64_t> constant = values.constant()) return *constant < 0;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) return true;
  }
  return false;
}

// Returns whether the table has costs, or no costs, as the file says. A container has no sources.
bool has_rare(const SequenceTable::Columns& columns, bool has_costs) noexcept {
  if (!columns.rare) return !has_costs;
  return has_costs && columns.rare->sources.size() == 0 && !has_negative(columns.rare->costs);
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept {
  return packing_kernel().hash(bytes.data(), bytes.size());
}

std::uint64_t hash_of(std::span<const std::uint64_t> words) noexcept {
  return hash_of(std::as_bytes(words));
}

std::string file_head(std::uint64_t version) {
  std::string head(kHeadMark);
  append_word(version, head);
  head.resize(std::size_t{kHeadSize}, '\0');
  return head;
}

bool has_head_mark(std::span<const std::byte> head) noexcept {
  return begins_with(head, kHeadMark);
}

bool has_head_zeros(std::span<const std::byte> head) noexcept {
  return are_zeros(head.subspan(kHeadMark.size() + std::size_t{kWord}));
}

std::uint64_t version_of(std::span<const std::byte> head) noexcept {
  return load<std::uint64_t>(head.data() + kHeadMark.size());
}

std::string to_bytes(const Foot& foot) {
  std::string bytes;
  append_word(foot.directory_offset, bytes);
  append_word(foot.directory_size, bytes);
  append_word(foot.directory_hash, bytes);
  append_word(hash_of(bytes_of(bytes)), bytes);
  bytes += kFootMark;
  return bytes;
}

bool has_foot_mark(std::span<const std::byte> bytes) noexcept {
  return begins_with(bytes.last(kFootMark.size()), kFootMark);
}

std::optional<Foot> foot_of(std::span<const std::byte> bytes) noexcept {
  const Foot foot{.directory_offset = load<std::uint64_t>(bytes.data(), 0),
                  .directory_size = load<std::uint64_t>(bytes.data(), 1),
                  .directory_hash = load<std::uint64_t>(bytes.data(), 2)};
  if (load<std::uint64_t>(bytes.data(), 3) != hash_of(bytes.first(std::size_t{3 * kWord}))) {
    return std::nullopt;
  }
  return foot;
}

std::int64_t ChunkTable::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(sizeof(ChunkTable) + columns.capacity() * sizeof(StoredColumn)) +
         sequences.size_bytes();
}

TableBytes to_bytes(const ChunkTable& table) {
  TableBytes result;
  append_word(static_cast<std::uint64_t>(table.sequences.size()), result.bytes);
  append_word(static_cast<std::uint64_t>(table.block_count), result.bytes);
  for (const StoredColumn& column : table.columns) {
    append_word(column.size, result.bytes);
    append_word(column.hash, result.bytes);
    append_word(column.content_hash, result.bytes);
  }
  std::string sequences;
  internal::append_table(table.sequences, sequences);
  result.bytes += sequences;
  result.bytes.append(static_cast<std::size_t>(padding_of(std::ssize(result.bytes))), '\0');
  result.content_hash = content_hash_of(table, bytes_of(sequences));
  return result;
}

std::optional<ChunkTable> table_of(std::span<const std::byte> bytes, const ChunkEntry& entry,
                                   bool has_costs) {
  ChunkTable table;
  if (take_count(bytes) != entry.sequence_count || take_count(bytes) != entry.block_count) {
    return std::nullopt;
  }
  table.block_count = entry.block_count;
  constexpr std::int64_t kColumnEntrySize = 3 * kWord;
  const std::int64_t column_count = std::ssize(entry.contents);
  if (table.block_count > std::ssize(bytes) / kColumnEntrySize / column_count) return std::nullopt;
  const std::int64_t column_entry_count = table.block_count * column_count;
  for (std::int64_t i = 0; i < column_entry_count; ++i) {
    const std::byte* at = bytes.data() + i * kColumnEntrySize;
    table.columns.push_back({.size = load<std::uint64_t>(at, 0),
                             .hash = load<std::uint64_t>(at, 1),
                             .content_hash = load<std::uint64_t>(at, 2)});
    if (table.columns.back().size % std::uint64_t{kAlignment} != 0) return std::nullopt;
  }
  bytes = bytes.subspan(static_cast<std::size_t>(column_entry_count * kColumnEntrySize));
  const std::span<const std::byte> all = bytes;
  std::optional<SequenceTable> sequences = internal::take_table(bytes, entry.sequence_count);
  if (!sequences || !has_rare(sequences->columns(), has_costs)) return std::nullopt;
  if (std::ssize(bytes) >= kAlignment || !are_zeros(bytes)) return std::nullopt;
  table.sequences = *std::move(sequences);
  const std::uint64_t content_hash = content_hash_of(table, all.first(all.size() - bytes.size()));
  if (content_hash != entry.content_hash) return std::nullopt;
  return table;
}

ChunkEntry Directory::chunk(std::int64_t chunk) const {
  ChunkEntry entry{.blocks_size = lists_[blocks_size_list][chunk],
                   .table_size = lists_[table_size_list][chunk],
                   .sequence_count = lists_[sequences_list][chunk],
                   .block_count = lists_[blocks_list][chunk],
                   .sample_count = lists_[samples_list][chunk],
                   .table_hash = table_hashes_[static_cast<std::size_t>(chunk)],
                   .content_hash = content_hashes_[static_cast<std::size_t>(chunk)]};
  for (const PackedInts& contents : contents_) entry.contents.push_back(contents[chunk]);
  for (const PackedInts& samples : samples_) entry.samples.push_back(samples[chunk]);
  return entry;
}

std::int64_t Directory::content(std::int64_t chunk) const noexcept {
  std::int64_t content = 0;
  for (const PackedInts& contents : contents_) content += contents[chunk];
  return content;
}

std::int64_t Directory::memory_bytes() const noexcept {
  std::int64_t size = offsets_.size_bytes() + contents_before_.size_bytes();
  for (const PackedInts& list : lists_) size += list.size_bytes();
  for (const PackedInts& contents : contents_) size += contents.size_bytes();
  for (const PackedInts& samples : samples_) size += samples.size_bytes();
  return size + static_cast<std::int64_t>((table_hashes_.capacity() + content_hashes_.capacity()) *
                                          sizeof(std::uint64_t));
}

bool Directory::take_lists(std::span<const std::byte>& bytes, std::int64_t chunk_count) {
  const auto take = [&](PackedInts& list) {
    std::optional<PackedInts> taken = internal::take_ints(bytes, chunk_count);
    if (!taken || has_negative(*taken)) return false;
    list = *std::move(taken);
    return true;
  };
  for (PackedInts& list : lists_) {
    if (!take(list)) return false;
  }
  contents_.resize(static_cast<std::size_t>(note_.column_count()));
  samples_.resize(contents_.size());
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    if (!take(contents_[i]) || !take(samples_[i])) return false;
  }
  return true;
}

// Computes the offsets of consecutive chunks, and checks that their numbers are possible.
bool Directory::find_offsets(std::int64_t end_offset) {
  PackedInts::Builder offsets;
  PackedInts::Builder contents;
  std::int64_t offset = kHeadSize;
  std::int64_t content = 0;
  for (std::int64_t i = 0; i < lists_[sequences_list].size(); ++i) {
    offsets.push_back(offset);
    contents.push_back(content);
    const std::int64_t sequences = lists_[sequences_list][i];
    const std::int64_t blocks = lists_[blocks_list][i];
    if (sequences < 1 || blocks < 1 || blocks > sequences) return false;
    for (const std::int64_t size : {lists_[blocks_size_list][i], lists_[table_size_list][i]}) {
      if (size % kAlignment != 0 || size > end_offset - offset) return false;
      offset += size;
    }
    for (const PackedInts& column : contents_) {
      // The content of each sequence includes a length.
      if (sequences > column[i] / kLengthSize) return false;
      content = saturated_sum(content, column[i]);
    }
    if (content == std::numeric_limits<std::int64_t>::max()) return false;
  }
  offsets_ = offsets.finish();
  contents_before_ = contents.finish();
  return offset == end_offset;
}

std::optional<Directory> Directory::parse(std::span<const std::byte> bytes, std::int64_t offset) {
  Directory directory;
  const std::optional<std::int64_t> note_size = take_count(bytes);
  if (!note_size || *note_size > std::ssize(bytes)) return std::nullopt;
  const auto size = static_cast<std::size_t>(*note_size);
  std::optional<ContainerNote> note = note_of({reinterpret_cast<const char*>(bytes.data()), size});
  if (!note) return std::nullopt;
  directory.note_ = *std::move(note);
  bytes = bytes.subspan(size);
  const std::optional<std::int64_t> chunk_count = take_count(bytes);
  // Each chunk has two hashes in later lists. So the bytes bound the length of every list.
  if (!chunk_count || *chunk_count > std::ssize(bytes) / (2 * kWord)) return std::nullopt;
  const bool is_whole = directory.take_lists(bytes, *chunk_count) &&
                        take_hashes(bytes, *chunk_count, directory.table_hashes_) &&
                        take_hashes(bytes, *chunk_count, directory.content_hashes_) &&
                        bytes.empty() && directory.find_offsets(offset);
  if (!is_whole) return std::nullopt;
  return directory;
}

std::string directory_bytes(const ContainerNote& note, std::span<const ChunkEntry> chunks) {
  std::string bytes;
  const std::string json = to_json(note);
  append_word(json.size(), bytes);
  bytes += json;
  append_word(chunks.size(), bytes);
  const auto append_list = [&](const auto& number_of) {
    PackedInts::Builder list;
    for (const ChunkEntry& chunk : chunks) list.push_back(number_of(chunk));
    internal::append_ints(list.finish(), bytes);
  };
  append_list([](const ChunkEntry& chunk) { return chunk.blocks_size; });
  append_list([](const ChunkEntry& chunk) { return chunk.table_size; });
  append_list([](const ChunkEntry& chunk) { return chunk.sequence_count; });
  append_list([](const ChunkEntry& chunk) { return chunk.block_count; });
  append_list([](const ChunkEntry& chunk) { return chunk.sample_count; });
  for (std::size_t i = 0; i < static_cast<std::size_t>(note.column_count()); ++i) {
    append_list([&](const ChunkEntry& chunk) { return chunk.contents[i]; });
    append_list([&](const ChunkEntry& chunk) { return chunk.samples[i]; });
  }
  for (const ChunkEntry& chunk : chunks) append_word(chunk.table_hash, bytes);
  for (const ChunkEntry& chunk : chunks) append_word(chunk.content_hash, bytes);
  return bytes;
}

std::string file_end(const ContainerNote& note, std::span<const ChunkEntry> chunks,
                     std::int64_t offset) {
  std::string bytes = directory_bytes(note, chunks);
  const Foot foot{.directory_offset = static_cast<std::uint64_t>(offset),
                  .directory_size = bytes.size(),
                  .directory_hash = hash_of(bytes_of(bytes))};
  return bytes + to_bytes(foot);
}

}  // namespace sheaf::container
