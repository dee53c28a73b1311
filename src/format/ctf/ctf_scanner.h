// From rows of CTF to chunks of sequences, without their values.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/diagnostic.h"
#include "sheaf/index.h"

#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// What a chunk holds of one stream, by the tokens: good and bad samples alike.
struct StreamCounts {
  std::int64_t sample_count = 0;
  std::int64_t pair_count = 0;  // of sparse streams: colons in their samples
};

/// What is kept of a chunk besides its sequences.
struct ChunkNotes {
  std::vector<StreamCounts> streams;
  std::vector<std::uint64_t> unit_hashes;  // XXH3 of the bytes of each unit; empty: not known
  std::vector<std::int64_t> repeated;      // numbers of sequences whose key is an earlier one's
};

struct ScannedChunk {
  ChunkInfo info;
  SequenceTable sequences;
  ChunkNotes notes;
};

/// Puts sequences together to chunks. A chunk is closed when the next sequence would make it longer
/// than the options ask; a single longer one has its own.
class ChunkBuilder {
 public:
  struct Sequence {
    SequenceKey key;
    std::int64_t offset = 0;  // in the source
    std::int64_t end = 0;
    std::int64_t line = 0;
    std::int64_t sample_count = 0;
    std::int64_t key_text_size = 0;
  };

  ChunkBuilder(const Schema& schema, std::int64_t chunk_size_bytes);

  /// Append a sequence with what it holds of each stream. Returns the chunk before it where it
  /// begins the next one.
  std::optional<ScannedChunk> add(const Sequence& sequence,
                                  const std::vector<StreamCounts>& streams);

  /// The chunk under way; nothing where it is empty.
  std::optional<ScannedChunk> finish();

 private:
  [[nodiscard]] std::int64_t decoded_size_bytes() const;

  const Schema& schema_;
  std::int64_t chunk_size_bytes_;
  ChunkInfo chunk_;
  std::int64_t key_texts_size_ = 0;  // in memory
  SequenceTable::Builder table_;
  std::vector<StreamCounts> streams_;
};

/// What a scan notes besides: each becomes a warning.
class ScanNotes {
 public:
  explicit ScanNotes(const ByteSource& source) : source_(source) {}

  void unknown_stream(const Row& row, const char* bar, const char* name_end);
  void ignored_id(const Row& row, const Head& head);
  void dropped_sequence(std::int64_t offset, std::int64_t line, const Stream& defining);

  /// So far, in the order of the file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  static constexpr std::size_t kNamesMax = 100;  // that are told of

  const ByteSource& source_;
  std::unordered_map<std::string, std::size_t> names_;  // to its warning
  std::string last_name_;                               // mostly the next one, too
  std::vector<Diagnostic> warnings_;
  std::optional<Diagnostic> dropped_;
  std::int64_t dropped_count_ = 0;
  bool has_ignored_id_ = false;
};

/// A part of a file to scan.
struct ScanPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_line = 1;
  std::int64_t first_column = 1;  // where in its line the first row begins
  std::int64_t chunk_size_bytes = 0;
};

/// Goes over a part of a file once.
class Scanner {
 public:
  virtual ~Scanner() = default;

  /// The next chunk; nothing at the end.
  ///
  /// Throws: IoError, DataError.
  virtual std::optional<ScannedChunk> next() = 0;

  [[nodiscard]] virtual const ScanNotes& notes() const noexcept = 0;
};

/// The scanner for what the schema asks for.
///
/// Lifetime: `source` and `schema` must outlive it.
[[nodiscard]] std::unique_ptr<Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                    KeyMode mode, const ScanPart& part);

}  // namespace sheaf::ctf
