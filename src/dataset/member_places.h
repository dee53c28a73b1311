// What all that is made of members asks of them: where a sequence is, as messages say it, and what
// holds for all of them together.

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

/// One sequence of a data set.
struct SequenceNumber {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // within the chunk
};

/// What a sequence takes.
struct SequenceSizes {
  std::int64_t source_bytes = 0;
  std::int64_t decoded_bytes = 0;  // about: its share of the chunk's, by bytes of the source
  std::int64_t cost = 0;           // as Index::costs(), of data that declare costs
};
[[nodiscard]] SequenceSizes sizes_of(const ChunkInfo& chunk, const SequenceTable& table,
                                     std::int64_t sequence) noexcept;

/// Returns whether all members are read in parts (Counts::reads_parts()).
[[nodiscard]] bool all_read_parts(std::span<const NamedData> members);

/// What the costs of several data sets measure, put one after the other or joined: what those
/// declare that declare any. `must_all` says whether each of them has to.
[[nodiscard]] CostMeasure common_measure(std::span<const NamedData> members, bool must_all);

/// A data set that can tell which of its files a chunk is in.
class FilesInside {
 public:
  virtual ~FilesInside() = default;

  /// The file, and the chunk's number in there.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] virtual NamedData file_of(ChunkIndex& chunk) const = 0;
};

/// Sequences counted through all chunks of a data set.
class SequenceNumbers {
 public:
  /// Count the next chunk.
  void add_chunk(std::int64_t sequence_count) { ends_.push_back(size() + sequence_count); }

  [[nodiscard]] std::int64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(ends_); }

  /// Pre: 0 <= number < size().
  [[nodiscard]] SequenceNumber locate(std::int64_t number) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept {
    return static_cast<std::int64_t>(ends_.capacity() * sizeof(std::int64_t));
  }

 private:
  std::vector<std::int64_t> ends_;  // [chunk]: number of the first sequence behind it
};

/// A diagnostic that has path, line, offset and key of a sequence. Where keys are texts, it is read
/// for the text.
///
/// Throws: what the index throws; IoError.
[[nodiscard]] Diagnostic place_of(const NamedData& member, SequenceNumber place);

/// "train.ctf:17"; "train.cbf: byte 4711" where there are no lines.
[[nodiscard]] std::string place_text(const Diagnostic& place);

/// As Deserializer::warnings(), of one member after the other.
[[nodiscard]] std::vector<Diagnostic> warnings_of(std::span<const NamedData> members);

}  // namespace sheaf::internal
