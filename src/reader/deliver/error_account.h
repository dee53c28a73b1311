/// \file
/// How much wrong data a run has met, and how much it may.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A wrong place in a sequence of a step, or one worth a warning.
struct WrongPlace {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;                          // number within the chunk
  std::int64_t number = 0;                            // among the places of its sequence, from 0
  std::int64_t byte_offset = 0;                       // from the start of the file
  Severity severity = Severity::error;                // errors_max tolerates no fatal one
  std::shared_ptr<const Diagnostic> diagnostic = {};  // null: the read described enough others
};

/// Counts distinct wrong places in the order of delivery. A place that another sweep meets again
/// counts once. Keeps the first distinct warnings, and counts none.
class ErrorAccount {
 public:
  /// Finds the description of a place that has none, by reading its sequence again; nothing where
  /// that fails. May throw what an interruption throws.
  using Describe = std::function<std::optional<Diagnostic>(const WrongPlace& place)>;

  ErrorAccount(std::int64_t errors_max, Describe describe);

  /// Describe those places of a step that add() would describe, as far as that can be told before.
  /// Where that is interrupted nothing is counted, and descriptions that were found stay in
  /// `places`, so it can be called again.
  ///
  /// Throws: what Describe throws.
  void describe(std::span<WrongPlace> places) const;

  /// Count the places of a step, those of a sequence together, in the order of their numbers, and
  /// all of them.
  ///
  /// Throws: DataError at the place that is one too many, or fatal.
  void add(std::span<WrongPlace> places);

  /// Distinct places.
  [[nodiscard]] std::int64_t place_count() const noexcept { return place_count_; }

  /// The descriptions of the first places, and of the one that ended the run.
  [[nodiscard]] std::span<const Diagnostic> described() const noexcept { return described_; }

  /// The first distinct warnings.
  [[nodiscard]] std::span<const Diagnostic> warnings() const noexcept { return warnings_; }

 private:
  void describe(WrongPlace& place) const;
  [[nodiscard]] Diagnostic description(WrongPlace& place) const;

  void add_warning(WrongPlace& place);
  [[nodiscard]] bool see(const WrongPlace& place);
  [[nodiscard]] bool was_seen(const WrongPlace& place) const;

  using Identity = std::tuple<ChunkIndex, std::int64_t, std::int64_t>;

  std::int64_t errors_max_;
  Describe describe_;
  std::int64_t place_count_ = 0;
  std::unordered_map<ChunkIndex, std::vector<bool>> seen_;  // [sequence]: whether it had places
  std::set<Identity> seen_warnings_;                        // those that are kept
  std::vector<Diagnostic> described_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace sheaf::internal
