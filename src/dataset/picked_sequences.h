// Reads selected sequences of a data set, in any order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

#include "dataset/held_units.h"
#include "dataset/member_locations.h"

namespace sheaf::internal {

/// A selected sequence. It becomes number `row` of the result.
struct WantedSequence {
  SequenceNumber location;
  std::int64_t row = 0;
};

/// A diagnostic of a sequence of the result: an error or a warning.
struct FoundDiagnostic {
  std::int64_t row = 0;
  std::int64_t number = 0;  // among the diagnostics of its sequence
  SequenceNumber location;
  Diagnostic diagnostic;  // only severity and offset, unless described
  bool is_described = false;
};

/// The source of a sequence of the result: a chunk, and the number within the chunk. Null if the
/// sequence is absent.
struct SequenceSource {
  const Chunk* chunk = nullptr;
  std::int64_t sequence = 0;
  std::int64_t samples_max = SampleRange::kAll;  // number of samples to keep
};

/// Returns the columns of selected sequences of chunks with the same streams. The sequences in
/// `holes` are empty.
///
/// Cost: two passes over the sequences, and exactly the memory needed.
[[nodiscard]] std::vector<Column> gather_columns(std::span<const Stream> streams,
                                                 std::span<const SequenceSource> rows,
                                                 std::span<const std::int64_t> holes);

/// Reads selected sequences of a data set, and puts them in the wanted order. Sequences that lie
/// near each other are read together.
class PickedSequences {
 public:
  /// Reads `wanted`, from `held` unless that is null. Sequences of the result that are not in
  /// `wanted` are absent.
  ///
  /// Throws: IoError.
  PickedSequences(const Deserializer& data, HeldUnits* held, std::vector<WantedSequence> wanted,
                  std::int64_t row_count);

  /// Returns the numbers of the holes.
  [[nodiscard]] const std::vector<std::int64_t>& holes() const noexcept { return holes_; }

  /// Returns the diagnostics in the order in which they were read.
  [[nodiscard]] std::vector<FoundDiagnostic>& found() noexcept { return found_; }

  /// Returns the number of samples of the longest stream of a sequence, or nothing if the sequence
  /// is absent or a hole.
  [[nodiscard]] std::optional<std::int64_t> sample_count(std::int64_t row) const;

  /// Returns the number of samples of the other data sets that the sequence states; see
  /// Chunk::described_count().
  [[nodiscard]] std::optional<std::int64_t> described_count(std::int64_t row) const;

  /// Leaves out the samples of a sequence from number `sample_count` on.
  void cut(std::int64_t row, std::int64_t sample_count);

  /// Returns the columns of the streams. The sequences in `holes` are empty.
  ///
  /// Pre:  `holes` has holes(), ascending.
  /// Cost: copies the values, unless the sequences are exactly one range of the data and none is
  ///       cut.
  [[nodiscard]] std::vector<Column> columns(std::span<const std::int64_t> holes) const;

  /// Returns whether the keys of the sequences are texts.
  [[nodiscard]] bool has_key_texts() const noexcept;

  /// Returns the text of a sequence's key, or an empty text if it has none.
  [[nodiscard]] std::string_view key_text(std::int64_t row) const noexcept;

 private:
  void read(std::span<const WantedSequence> wanted);
  void take(const std::shared_ptr<const HeldUnit>& unit, std::span<const WantedSequence> wanted);
  void add_row(const Chunk& part, std::int64_t row, std::int64_t sequence);
  void add_locations(std::span<const WantedSequence> wanted, const Diagnostics& diagnostics);
  [[nodiscard]] bool is_one_range(std::span<const std::int64_t> holes) const;

  const Deserializer& data_;
  std::vector<std::shared_ptr<const Chunk>> parts_;
  std::vector<SequenceSource> sources_;  // [row]
  bool is_cut_ = false;                  // whether any sequence is cut
  std::vector<std::int64_t> holes_;
  std::vector<FoundDiagnostic> found_;
};

}  // namespace sheaf::internal
