// The parts of a container around its columns: head, tables, directory and foot.
//
// docs/formats/sheaf.md has the layout, byte by byte.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/extend/packed_ints.h"

#include "format/sheaf/container_note.h"

namespace sheaf::container {

/// Arrays, columns, tables and the directory begin at multiples of this size.
inline constexpr std::int64_t kAlignment = 64;
inline constexpr std::int64_t kHeadSize = 64;
inline constexpr std::int64_t kFootSize = 40;
inline constexpr std::int64_t kArrayHeadSize = 24;

/// Returns how many bytes of padding come behind so many bytes.
[[nodiscard]] constexpr std::int64_t padding_of(std::int64_t size_bytes) noexcept {
  return (kAlignment - size_bytes % kAlignment) % kAlignment;
}

[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::uint64_t hash_of(std::span<const std::uint64_t> words) noexcept;

/// Returns the first bytes of every file.
[[nodiscard]] std::string file_head();

/// What the first kHeadSize bytes of a file say.
[[nodiscard]] bool has_head_mark(std::span<const std::byte> head) noexcept;
[[nodiscard]] std::uint64_t version_of(std::span<const std::byte> head) noexcept;

/// Returns whether zeros follow the version, as version 1 has them.
[[nodiscard]] bool has_head_zeros(std::span<const std::byte> head) noexcept;
inline constexpr std::uint64_t kVersion = 1;

/// Where the directory lies, and its hash.
struct Foot {
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_hash = 0;
};

[[nodiscard]] std::string to_bytes(const Foot& foot);

/// Returns whether the bytes, kFootSize of them, end as a foot does.
[[nodiscard]] bool has_foot_mark(std::span<const std::byte> bytes) noexcept;

/// Returns the foot; nothing where its hash is wrong.
[[nodiscard]] std::optional<Foot> foot_of(std::span<const std::byte> bytes) noexcept;

/// One column of one block.
struct ColumnPlace {
  std::uint64_t size = 0;
  std::uint64_t hash = 0;          // of the stored bytes
  std::uint64_t content_hash = 0;  // of what they hold
};

/// What the table of a chunk says.
struct ChunkTable {
  std::int64_t block_count = 0;
  std::vector<ColumnPlace> columns = {};  // [block][column]
  SequenceTable sequences = {};

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

struct TableBytes {
  std::string bytes;               // padded
  std::uint64_t content_hash = 0;  // of the chunk
};

[[nodiscard]] TableBytes to_bytes(const ChunkTable& table);

/// What the directory says of one chunk.
struct ChunkEntry {
  std::int64_t blocks_size = 0;  // bytes
  std::int64_t table_size = 0;
  std::int64_t sequence_count = 0;
  std::int64_t block_count = 0;
  std::int64_t sample_count = 0;
  std::vector<std::int64_t> contents = {};  // [column]: bytes
  std::vector<std::int64_t> samples = {};   // [column]
  std::uint64_t table_hash = 0;
  std::uint64_t content_hash = 0;
};

/// Returns the table of a chunk; nothing where the bytes are no table, or one of another chunk. The
/// sizes of columns are multiples of kAlignment.
[[nodiscard]] std::optional<ChunkTable> table_of(std::span<const std::byte> bytes,
                                                 const ChunkEntry& entry);

/// The chunks of a file, packed.
class Directory {
 public:
  [[nodiscard]] const ContainerNote& note() const noexcept { return note_; }
  [[nodiscard]] std::int64_t chunk_count() const noexcept { return offsets_.size(); }
  [[nodiscard]] std::int64_t column_count() const noexcept { return std::ssize(contents_); }

  /// Pre: 0 <= chunk < chunk_count(), here and below.
  [[nodiscard]] ChunkEntry chunk(std::int64_t chunk) const;

  /// Returns where the first block of a chunk lies in the file.
  [[nodiscard]] std::int64_t offset(std::int64_t chunk) const noexcept { return offsets_[chunk]; }

  /// Returns the content of all chunks before, and of the chunk itself.
  [[nodiscard]] std::int64_t content_before(std::int64_t chunk) const noexcept {
    return contents_before_[chunk];
  }
  [[nodiscard]] std::int64_t content(std::int64_t chunk) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  /// Returns the directory of a file whose directory lies at `offset`; nothing where the bytes are
  /// no such directory.
  [[nodiscard]] static std::optional<Directory> parse(std::span<const std::byte> bytes,
                                                      std::int64_t offset);

 private:
  /// Lists of one number for each chunk, in the order of the file.
  enum List : std::uint8_t {
    blocks_size_list,
    table_size_list,
    sequences_list,
    blocks_list,
    samples_list,
    list_count
  };

  [[nodiscard]] bool take_lists(std::span<const std::byte>& bytes, std::int64_t chunk_count);
  [[nodiscard]] bool place_chunks(std::int64_t end_offset);

  ContainerNote note_;
  std::array<PackedInts, list_count> lists_;
  std::vector<PackedInts> contents_;  // [column][chunk]
  std::vector<PackedInts> samples_;   // [column][chunk]
  std::vector<std::uint64_t> table_hashes_;
  std::vector<std::uint64_t> content_hashes_;
  PackedInts offsets_;
  PackedInts contents_before_;
};

/// Returns the bytes of a directory.
[[nodiscard]] std::string directory_bytes(const ContainerNote& note,
                                          std::span<const ChunkEntry> chunks);

/// Returns the end of a file whose chunks end at `offset`: the directory and the foot.
[[nodiscard]] std::string file_end(const ContainerNote& note, std::span<const ChunkEntry> chunks,
                                   std::int64_t offset);

}  // namespace sheaf::container
