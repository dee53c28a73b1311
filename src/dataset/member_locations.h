// Functions for data sets made of members: they locate a sequence for messages, and combine
// properties of all members.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A sequence of a data set.
struct SequenceNumber {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // within the chunk
};

/// The sizes of a sequence.
struct MemberSizes {
  std::int64_t source_bytes = 0;
  std::int64_t decoded_bytes = 0;  // approximate: share of the chunk, by bytes of the source
  std::int64_t cost = 0;           // as Index::costs(), if the data declare costs
};
[[nodiscard]] MemberSizes sizes_of(const ChunkInfo& chunk, const SequenceTable& table,
                                   std::int64_t sequence) noexcept;

/// Returns whether all members are read in parts (Counts::reads_parts()).
[[nodiscard]] bool all_read_parts(std::span<const NamedData> members);

/// Returns whether an order may cut the sequences of all members (Counts::can_be_cut()).
[[nodiscard]] bool all_can_be_cut(std::span<const NamedData> members) noexcept;

/// Returns the measure of the costs of several data sets that are concatenated or joined. This is
/// the measure of the data sets that declare costs. `must_all` says whether every data set has to
/// declare costs.
[[nodiscard]] CostMeasure common_measure(std::span<const NamedData> members, bool must_all);

/// A data set that can tell which of its files a chunk is in.
class FilesInside {
 public:
  virtual ~FilesInside() = default;

  /// Returns the file of a chunk, and sets `chunk` to its number in that file.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] virtual NamedData file_of(ChunkIndex& chunk) const = 0;
};

/// Numbers the sequences of a data set through all its chunks.
class SequenceNumbers {
 public:
  /// Adds the next chunk.
  void add_chunk(std::int64_t sequence_count) { ends_.push_back(size() + sequence_count); }

  [[nodiscard]] std::int64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(ends_); }

  /// Pre: 0 <= number < size().
  [[nodiscard]] SequenceNumber locate(std::int64_t number) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept {
    return static_cast<std::int64_t>(ends_.capacity() * sizeof(std::int64_t));
  }

 private:
  std::vector<std::int64_t> ends_;  // [chunk]: number of sequences up to its end
};

/// Returns a diagnostic with path, line, offset and key of a sequence. If keys are texts, reads the
/// sequence to get the text.
///
/// Throws: the exceptions of the index; IoError.
[[nodiscard]] Diagnostic location_of(const NamedData& member, SequenceNumber location);

/// Returns a text such as "train.ctf:17", or "train.cbf: byte 4711" if there are no lines.
[[nodiscard]] std::string location_text(const Diagnostic& location);

/// Returns Deserializer::warnings() of all members, one after the other.
[[nodiscard]] std::vector<Diagnostic> warnings_of(std::span<const NamedData> members);

}  // namespace sheaf::internal
