// The chunks of a data set of documents.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/index.h"

#include "format/megatron/megatron_list.h"

namespace sheaf::megatron {

/// The location of a chunk.
struct ChunkLocation {
  std::int64_t first_document = 0;
  std::int64_t first_token = 0;  // number among all tokens
};

/// The facts about the files that locate documents: the list, its header, and the size of the file
/// of the tokens.
struct ListParts {
  const ByteSource& list;
  ListHeader header;
  std::int64_t tokens_size_bytes = 0;
};

/// Reads the list once, checks all numbers, and cuts documents into chunks of at most
/// `chunk_size_bytes`, or of one larger document. Returns the location of each chunk, and then the
/// end of the data.
///
/// Throws: DataError, IoError.
[[nodiscard]] std::vector<ChunkLocation> scan_list(const ListParts& parts,
                                                   std::int64_t chunk_size_bytes,
                                                   std::int64_t read_size_bytes);

/// Documents are sequences. A table is made from the list on demand.
///
/// Cost:    16 bytes for each chunk.
/// Threads: as Index.
class MegatronIndex final : public Index {
 public:
  /// Lifetime: the list must outlive the index.
  MegatronIndex(const ListParts& parts, ElementType dtype, std::vector<ChunkLocation> locations);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Returns the number of the first document of a chunk.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] std::int64_t first_document(ChunkIndex chunk) const noexcept {
    return locations_[static_cast<std::size_t>(chunk)].first_document;
  }

  /// Returns the end of the last document in the file of the tokens.
  [[nodiscard]] std::int64_t tokens_end() const noexcept {
    return locations_.back().first_token * parts_.header.type.size_bytes;
  }

  /// Reads documents from the list.
  ///
  /// Pre:    the documents exist.
  /// Throws: IoError.
  [[nodiscard]] Documents documents(std::int64_t first, std::int64_t count) const {
    return read_documents(parts_.list, parts_.header, first, count, parts_.tokens_size_bytes);
  }

 private:
  const ListParts parts_;
  const ElementType dtype_;
  const std::vector<ChunkLocation> locations_;
};

}  // namespace sheaf::megatron
