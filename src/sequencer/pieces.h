/// \file
/// The division of sequences into pieces.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/order.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Divides a sequence into pieces, given the number of its samples.
class PieceRule {
 public:
  /// Returns the rule that makes each sample a piece.
  [[nodiscard]] static PieceRule frames() noexcept { return PieceRule(Kind::frames, 1); }

  /// Returns the rule for sequences longer than `row_samples`.
  ///
  /// Pre: row_samples >= 1; long_sequences is not LongSequences::error.
  [[nodiscard]] static PieceRule rows(LongSequences long_sequences,
                                      std::int64_t row_samples) noexcept;

  /// Returns how many pieces a sequence has.
  [[nodiscard]] std::int64_t count(std::int64_t sample_count) const noexcept;

  /// Returns how many samples the pieces of a sequence have together.
  [[nodiscard]] std::int64_t kept_samples(std::int64_t sample_count) const noexcept;

  /// Returns the samples of piece number `piece`. The count is SampleRange::kAll if the piece is a
  /// whole sequence.
  ///
  /// Pre: 0 <= piece < count(sample_count).
  [[nodiscard]] SampleRange samples(std::int64_t sample_count, std::int64_t piece) const noexcept;

  /// Returns whether a sequence is a single piece with all samples. Always false for frames.
  [[nodiscard]] bool is_whole(std::int64_t sample_count) const noexcept {
    return kind_ != Kind::frames && sample_count <= length_;
  }

  [[nodiscard]] bool is_frames() const noexcept { return kind_ == Kind::frames; }

  /// Returns whether every sequence has exactly one piece.
  [[nodiscard]] bool has_one_each() const noexcept { return kind_ == Kind::truncate; }

  /// Returns whether some pieces are parts of sequences.
  [[nodiscard]] bool cuts() const noexcept { return kind_ != Kind::drop; }

  /// Returns the option that positions carry, by name.
  [[nodiscard]] std::pair<std::string, std::string> option_text() const;

 private:
  enum class Kind : std::uint8_t { frames, split, truncate, drop };

  PieceRule(Kind kind, std::int64_t length) noexcept : kind_(kind), length_(length) {}

  Kind kind_;
  std::int64_t length_;  // most samples of a piece
};

/// Returns the rule of the options, or nothing if all sequences are delivered whole.
///
/// Pre: check_order() found nothing wrong.
[[nodiscard]] std::optional<PieceRule> piece_rule(const OrderOptions& options) noexcept;

/// The division of the sequences of a chunk into pieces.
///
/// Memory: 16 bytes for each sequence, if sequences have different numbers of pieces.
class Pieces {
 public:
  Pieces(const PieceRule& rule, const SampleCounts& samples);

  /// Replaces the number of a piece by the number of its sequence. Returns the samples of the
  /// piece, as PieceRule::samples().
  ///
  /// Pre: the chunk has the piece.
  [[nodiscard]] SampleRange replace(std::int64_t& number) const;

 private:
  void note_near();

  PieceRule rule_;
  std::optional<std::int64_t> samples_;  // of each sequence, if all have equally many
  std::int64_t each_ = 1;                // pieces of each sequence, if firsts_ is empty
  bool is_whole_ = false;                // whether each sequence is one piece with all samples
  std::vector<std::int64_t> firsts_;     // first piece of each sequence, and the end of the last

  // For each piece number that is a multiple of 1 << near_log2_: the sequence that has the piece. A
  // binary search of all firsts_ would take ten steps in a chunk of a thousand sequences.
  std::vector<std::int64_t> near_;
  int near_log2_ = 0;

  std::optional<SampleCounts> lengths_;  // of sequences, if they differ and some are cut
};

}  // namespace sheaf::internal
