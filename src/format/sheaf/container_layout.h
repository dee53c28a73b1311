// The parts of a container around its columns: head, tables, directory and foot.
//
// docs/formats/sheaf.md describes the layout, byte by byte.

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

/// Returns the bytes of padding after so many bytes.
[[nodiscard]] constexpr std::int64_t padding_of(std::int64_t size_bytes) noexcept {
  return (kAlignment - size_bytes % kAlignment) % kAlignment;
}

[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::uint64_t hash_of(std::span<const std::uint64_t> words) noexcept;

/// Version 1 has no costs of sequences. In version 2, the note names what costs measure, and each
/// table has costs.
inline constexpr std::uint64_t kVersion = 1;
inline constexpr std::uint64_t kVersionWithCosts = 2;

/// Returns the first bytes of a file.
[[nodiscard]] std::string file_head(std::uint64_t version);

/// Returns whether the first kHeadSize bytes are those of a container.
[[nodiscard]] bool has_head_mark(std::span<const std::byte> head) noexcept;
[[nodiscard]] std::uint64_t version_of(std::span<const std::byte> head) noexcept;

/// Returns whether zeros follow the version, as in versions 1 and 2.
[[nodiscard]] bool has_head_zeros(std::span<const std::byte> head) noexcept;

/// The offset, the size and the hash of the directory.
struct Foot {
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_hash = 0;
};

[[nodiscard]] std::string to_bytes(const Foot& foot);

/// Returns whether the bytes, kFootSize of them, end like a foot.
[[nodiscard]] bool has_foot_mark(std::span<const std::byte> bytes) noexcept;

/// Returns the foot, or nothing if its hash is wrong.
[[nodiscard]] std::optional<Foot> foot_of(std::span<const std::byte> bytes) noexcept;

/// One column of one block.
struct StoredColumn {
  std::uint64_t size = 0;
  std::uint64_t hash = 0;          // of the stored bytes
  std::uint64_t content_hash = 0;  // of the decoded values
};

/// The table of a chunk.
struct ChunkTable {
  std::int64_t block_count = 0;
  std::vector<StoredColumn> columns = {};  // [block][column]
  SequenceTable sequences = {};

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

struct TableBytes {
  std::string bytes;               // padded
  std::uint64_t content_hash = 0;  // of the chunk
};

[[nodiscard]] TableBytes to_bytes(const ChunkTable& table);

/// The entry of one chunk in the directory.
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

/// Returns the table of a chunk. Returns nothing if the bytes are not a table, or belong to another
/// chunk. The sizes of columns are multiples of kAlignment. The table has costs, none negative, if
/// `has_costs`, and otherwise no costs.
[[nodiscard]] std::optional<ChunkTable> table_of(std::span<const std::byte> bytes,
                                                 const ChunkEntry& entry, bool has_costs);

/// The chunks of a file, packed.
class Directory {
 public:
  [[nodiscard]] const ContainerNote& note() const noexcept { return note_; }
  [[nodiscard]] std::int64_t chunk_count() const noexcept { return offsets_.size(); }
  [[nodiscard]] std::int64_t column_count() const noexcept { return std::ssize(contents_); }

  /// Pre: 0 <= chunk < chunk_count(). The same holds for the next functions.
  [[nodiscard]] ChunkEntry chunk(std::int64_t chunk) const;

  /// Returns the offset of a chunk's first block in the file.
  [[nodiscard]] std::int64_t offset(std::int64_t chunk) const noexcept { return offsets_[chunk]; }

  /// Return the content of all chunks before a chunk, and the content of the chunk itself.
  [[nodiscard]] std::int64_t content_before(std::int64_t chunk) const noexcept {
    return contents_before_[chunk];
  }
  [[nodiscard]] std::int64_t content(std::int64_t chunk) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  /// Returns the directory at `offset` of a file, or nothing if the bytes are not such a directory.
  [[nodiscard]] static std::optional<Directory> parse(std::span<const std::byte> bytes,
                                                      std::int64_t offset);

 private:
  /// Lists with one number for each chunk, in file order.
  enum List : std::uint8_t {
    blocks_size_list,
    table_size_list,
    sequences_list,
    blocks_list,
    samples_list,
    list_count
  };

  [[nodiscard]] bool take_lists(std::span<const std::byte>& bytes, std::int64_t chunk_count);
  [[nodiscard]] bool find_offsets(std::int64_t end_offset);

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
