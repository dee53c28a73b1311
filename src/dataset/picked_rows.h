// Some sequences of a data set, in any order.

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
#include "dataset/member_places.h"

namespace sheaf::internal {

/// A sequence that is wanted: number `row` of the result.
struct WantedRow {
  SequenceNumber place;
  std::int64_t row = 0;
};

/// A wrong place of a row, or one worth a warning.
struct FoundPlace {
  std::int64_t row = 0;
  std::int64_t number = 0;  // among the places of its sequence
  SequenceNumber place;
  Diagnostic diagnostic;  // severity and offset alone, where it is not described
  bool is_described = false;
};

/// Where a row is: a chunk, and its number there; no chunk, where it is absent.
struct RowSource {
  const Chunk* chunk = nullptr;
  std::int64_t sequence = 0;
  std::int64_t samples_max = SampleRange::kAll;  // further samples are left out
};

/// The columns of some sequences of chunks that have the same streams. Rows of `holes` have
/// nothing.
///
/// Cost: two passes over the rows, and memory of just the size that is needed.
[[nodiscard]] std::vector<Column> gather_columns(std::span<const Stream> streams,
                                                 std::span<const RowSource> rows,
                                                 std::span<const std::int64_t> holes);

/// Reads sequences of a data set, those that lie near each other together, and puts them in the
/// order that is wanted.
class PickedRows {
 public:
  /// Read `wanted`, from `held` where that is not null; rows that nobody wants are absent.
  ///
  /// Throws: IoError.
  PickedRows(const Deserializer& data, HeldUnits* held, std::vector<WantedRow> wanted,
             std::int64_t row_count);

  /// Rows that are holes.
  [[nodiscard]] const std::vector<std::int64_t>& holes() const noexcept { return holes_; }

  /// In the order in which they were read.
  [[nodiscard]] std::vector<FoundPlace>& found() noexcept { return found_; }

  /// Returns how many samples the longest stream of a row has; nothing where the row is absent, or
  /// is a hole.
  [[nodiscard]] std::optional<std::int64_t> sample_count(std::int64_t row) const;

  /// Returns how many samples other data sets have in the row, as the row says: see
  /// Chunk::described_count().
  [[nodiscard]] std::optional<std::int64_t> described_count(std::int64_t row) const;

  /// Leaves out the samples of a row from number `sample_count` on.
  void cut(std::int64_t row, std::int64_t sample_count);

  /// The columns of its streams, where `holes` have nothing.
  ///
  /// Pre:  `holes` has holes(), ascending.
  /// Cost: a copy of the values; none where all rows are one range of the data, and none is cut.
  [[nodiscard]] std::vector<Column> columns(std::span<const std::int64_t> holes) const;

  /// The text of a row's key; empty where it has none.
  [[nodiscard]] std::string_view key_text(std::int64_t row) const noexcept;

 private:
  void read(std::span<const WantedRow> wanted);
  void take(const std::shared_ptr<const HeldUnit>& unit, std::span<const WantedRow> wanted);
  void add_row(const Chunk& part, std::int64_t row, std::int64_t sequence);
  void add_places(std::span<const WantedRow> wanted, const Diagnostics& diagnostics);
  [[nodiscard]] bool is_one_range(std::span<const std::int64_t> holes) const;

  const Deserializer& data_;
  std::vector<std::shared_ptr<const Chunk>> parts_;
  std::vector<RowSource> sources_;  // [row]
  bool is_cut_ = false;             // whether any row is
  std::vector<std::int64_t> holes_;
  std::vector<FoundPlace> found_;
};

}  // namespace sheaf::internal
