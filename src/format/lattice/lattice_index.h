// The lattices in tables of contents: their keys, sizes and locations.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/packed_ints.h"

#include "format/lattice/lattice_options.h"

namespace sheaf::lattice {

/// The chunks of one table of contents, or of the tables of a list, one after the other.
///
/// The lattices that are read follow each other in an imaginary source. The location of a lattice
/// is an archive, counted from 0 in the order of the tables, and an offset in the archive. An
/// archive that is named again after another one gets another number.
///
/// Cost:    about 12 bytes and the key for each lattice, and an open file for each archive.
/// Threads: as Index.
class LatticeIndex final : public Index {
 public:
  /// Scans the tables, and opens the archives.
  ///
  /// Lifetime: `files` must outlive the index.
  /// Throws:   DataError if a line is wrong, or if an archive does not exist; IoError.
  LatticeIndex(const std::shared_ptr<const ByteSource>& file, const ReadOptions& options,
               FileSystem& files);
  ~LatticeIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return chunks_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return chunks_.sequences(chunk);
  }
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return std::string(archive(source).name());
  }
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Pre:      there is such an archive.
  /// Lifetime: that of the index.
  [[nodiscard]] const ByteSource& archive(std::int64_t source) const {
    return *archives_[static_cast<std::size_t>(source)];
  }

  /// Returns the text of a key, or an empty text if keys are numbers.
  ///
  /// Pre: the chunk exists, and 0 <= sequence < its sequence_count.
  [[nodiscard]] std::string_view key_text(ChunkIndex chunk, std::int64_t sequence) const;

  /// Returns whether small reads anywhere in the archives are fast.
  [[nodiscard]] bool has_fast_random_access() const;

  /// Returns a text that is the same for the same tables and archives.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::string fingerprint() const;

  /// Calls `visit` with the path of each archive, and of each table that a list names.
  void visit_paths(const std::function<void(const std::string& path)>& visit) const;

  /// Returns the warnings about the tables.
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const noexcept { return warnings_; }

 private:
  class Scan;

  /// The texts of the keys of a chunk, back to back.
  struct KeyTexts {
    std::string text;
    PackedInts ends;
  };

  MemoryIndex chunks_;
  std::vector<KeyTexts> key_texts_;  // of each chunk; empty if keys are numbers
  std::vector<std::shared_ptr<const ByteSource>> archives_;
  std::vector<std::string> paths_;  // of the files that are named in the tables
  std::vector<std::string> toc_fingerprints_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace sheaf::lattice
