// Finds the parts of a `.sheaf` file: chunks, tables and columns. The functions follow the bytes
// only as far as needed to find the next part, and check neither hashes nor meaning.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::conformance::container {

inline constexpr std::string_view kHeadMagic = "\x89SHEAF\r\n";
inline constexpr std::string_view kFootMagic =
    "\x89"
    "FAEHS\r\n";
inline constexpr std::int64_t kHeadSize = 64;
inline constexpr std::int64_t kFootSize = 40;

/// A stream as described by the note.
struct FileStream {
  std::string name;
  bool is_sparse = false;
  ElementType type = ElementType::f32;
  ElementType index_type = ElementType::i32;
  std::vector<std::int64_t> shape;
  bool defines_size = false;

  [[nodiscard]] bool is_fixed() const;

  /// Returns the number of values in a sample of a dense stream of fixed shape.
  [[nodiscard]] std::int64_t sample_size() const;
};

/// A column of each block: the keys or one stream.
struct FileColumn {
  bool has_keys = false;
  FileStream stream;
};

/// A chunk as described by the directory.
struct FileChunk {
  std::int64_t at = 0;  // the offset of its blocks
  std::int64_t blocks_size = 0;
  std::int64_t table_at = 0;
  std::int64_t table_size = 0;
  std::int64_t sequences = 0;
  std::int64_t blocks = 0;
  std::int64_t samples = 0;
  std::vector<std::int64_t> contents;        // bytes of each column
  std::vector<std::int64_t> column_samples;  // of each column
  std::uint64_t table_hash = 0;
  std::uint64_t content_hash = 0;
  std::int64_t table_hash_at = 0;  // the offset in the file, as those below
  std::int64_t content_hash_at = 0;

  /// Returns the number of the first sequence of a block.
  [[nodiscard]] std::int64_t first_of(std::int64_t block) const {
    return block * sequences / blocks;
  }
};

struct FileDirectory {
  std::vector<FileColumn> columns;  // columns of each block, in order
  std::vector<FileChunk> chunks;
  bool has_costs = false;  // of sequences

  [[nodiscard]] bool has_text_keys() const { return !columns.empty() && columns.front().has_keys; }
};

/// A column of a block as listed in the table of the chunk.
struct StoredColumn {
  std::int64_t at = 0;
  std::int64_t size = 0;
  std::uint64_t stored_hash = 0;
  std::uint64_t content_hash = 0;
  std::int64_t hashes_at = 0;  // the offset of the two hashes in the file
};

/// The front of a table: the offsets of its columns.
struct FileLocations {
  std::vector<std::vector<StoredColumn>> columns;  // [block][column]
  std::int64_t end = 0;                            // the offset in the file
};

/// The rest of a table.
struct FileSequences {
  std::vector<SequenceKey> keys;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> sample_counts;
  std::vector<std::uint64_t> first_lines;
  bool has_costs = false;
  bool has_sources = false;
  std::string_view bytes;
  std::string_view padding;
};

/// Returns the directory at an offset.
///
/// Throws: Malformed or TooLarge if the bytes cannot be followed; also the functions below.
[[nodiscard]] FileDirectory read_directory(std::string_view file, std::int64_t at,
                                           std::int64_t size);

/// Return the two parts of the table of a chunk.
///
/// Lifetime: as long as the bytes of the file.
[[nodiscard]] FileLocations read_locations(std::string_view file, const FileDirectory& directory,
                                           const FileChunk& chunk);
[[nodiscard]] FileSequences read_sequences(std::string_view file, const FileChunk& chunk,
                                           const FileLocations& locations);

/// Throw Malformed if a part contradicts the page or another part.
void check_directory(const FileDirectory& directory, std::int64_t at);
void check_table(const FileDirectory& directory, const FileChunk& chunk,
                 const FileLocations& locations, const FileSequences& sequences);

/// Returns the hash of the content of a chunk, according to the tables.
[[nodiscard]] std::uint64_t chunk_hash(const FileChunk& chunk, const FileLocations& locations,
                                       const FileSequences& sequences);

/// Returns bytes of a file.
///
/// Throws: Malformed if the file is too short.
[[nodiscard]] std::string_view part_of(std::string_view file, std::int64_t at, std::int64_t size);

/// Returns the columns that a note describes.
///
/// Throws: Malformed.
[[nodiscard]] std::vector<FileColumn> columns_of_note(std::string_view note);

/// Returns whether a note says that sequences have costs.
[[nodiscard]] bool note_has_costs(std::string_view note);

}  // namespace sheaf::conformance::container
