/// \file
/// Counts the errors of a run, and limits them.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/types.h"

#include "base/ledger.h"

namespace sheaf::internal {

/// An error or a warning about a sequence of a step.
struct SequenceError {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;                          // number within the chunk
  std::int64_t number = 0;                            // from 0, among those of its sequence
  std::int64_t frame = -1;                            // -1: the sequence is not split into frames
  std::int64_t byte_offset = 0;                       // from the start of the file
  Severity severity = Severity::error;                // errors_max never tolerates a fatal error
  std::shared_ptr<const Diagnostic> diagnostic = {};  // null if not described by the read
};

/// Counts distinct errors in the order of delivery. An error that comes again in another sweep
/// counts once. If each frame is a sequence, an utterance with errors counts once more for each
/// further frame. Keeps the first distinct warnings, without counting them.
///
/// Memory: a bit for each sequence of a chunk with errors, and for each frame of an utterance with
///         errors if each frame is a sequence.
class ErrorAccount {
 public:
  /// Reads a sequence again to describe an error or a warning. Returns nothing if that fails. May
  /// throw what an interruption throws.
  using Describe = std::function<std::optional<Diagnostic>(const SequenceError& error)>;

  /// `memory` counts the bits of sequences and frames. By default, nothing counts them.
  ErrorAccount(std::int64_t errors_max, Describe describe, Ledger::Token memory = {});

  /// Describes the errors and warnings of a step that add() will probably describe. An interruption
  /// counts nothing, and descriptions found so far stay in `errors`, so the call can be repeated.
  ///
  /// Throws: what Describe throws.
  void describe(std::span<SequenceError> errors) const;

  /// Counts all errors and warnings of a step. Those of one sequence are together, in the order of
  /// their numbers.
  ///
  /// Throws: DataError at a fatal error, or when there are too many errors.
  void add(std::span<SequenceError> errors);

  /// Returns how many distinct errors were counted.
  [[nodiscard]] std::int64_t error_count() const noexcept { return error_count_; }

  /// Returns the descriptions of the first errors, and of the error that ended the run.
  [[nodiscard]] std::span<const Diagnostic> described() const noexcept { return described_; }

  /// Returns the first distinct warnings.
  [[nodiscard]] std::span<const Diagnostic> warnings() const noexcept { return warnings_; }

 private:
  void describe(SequenceError& error) const;
  [[nodiscard]] Diagnostic description(SequenceError& error) const;

  void add_warning(SequenceError& error);
  [[nodiscard]] bool set_bit(std::vector<bool>& bits, std::int64_t number);
  [[nodiscard]] bool see(const SequenceError& error);
  [[nodiscard]] bool see_frame(const SequenceError& error);
  [[nodiscard]] bool was_seen(const SequenceError& error) const;

  using Identity = std::tuple<ChunkIndex, std::int64_t, std::int64_t>;

  std::int64_t errors_max_;
  Describe describe_;
  std::int64_t error_count_ = 0;
  std::unordered_map<ChunkIndex, std::vector<bool>> seen_;  // [sequence]: had errors
  // [frame]: was left out, for sequences that are split into frames
  std::map<std::pair<ChunkIndex, std::int64_t>, std::vector<bool>> seen_frames_;
  std::set<Identity> seen_warnings_;  // the kept warnings
  std::vector<Diagnostic> described_;
  std::vector<Diagnostic> warnings_;
  Ledger::Token memory_;  // of seen_ and seen_frames_
};

}  // namespace sheaf::internal
