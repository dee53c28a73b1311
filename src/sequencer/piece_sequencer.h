/// \file
/// Pieces of sequences in the place of sequences.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/pieces.h"

namespace sheaf::internal {

/// Counts of a data set whose sequences are the pieces of another's.
///
/// Memory: about 60 bytes for each chunk with more samples than a row, and the lengths of the
///         pieces of one chunk. Nothing for frames.
class PieceCounts final : public Counts {
 public:
  PieceCounts(std::shared_ptr<const Counts> counts, const PieceRule& rule)
      : counts_(std::move(counts)), rule_(rule) {}

  /// Cost: where a chunk has more samples than a row, looks at the lengths of its sequences, once.
  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override;
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override;

  [[nodiscard]] bool reads_parts() const noexcept override { return counts_->reads_parts(); }

  [[nodiscard]] const Mixture* mixture() const noexcept override { return counts_->mixture(); }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override {
    return counts_->member_ends();
  }

  /// Costs belong to whole sequences.
  [[nodiscard]] CostMeasure cost_measure() const override;
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const override;

 private:
  struct Lengths;

  [[nodiscard]] std::shared_ptr<const Lengths> lengths(ChunkIndex chunk,
                                                       const ChunkCounts& whole) const;

  std::shared_ptr<const Counts> counts_;
  PieceRule rule_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ChunkIndex, ChunkCounts> known_;  // cache, as is the last one
  mutable ChunkIndex last_chunk_{};
  mutable std::shared_ptr<const Lengths> last_;  // null until a chunk is asked for
};

/// Delivers pieces of sequences, in the order that another sequencer gives them as sequences of
/// PieceCounts. In a place, sequences are pieces.
///
/// Memory: 8 bytes for each sequence of those chunks in the window whose sequences have different
///         numbers of pieces.
class PieceSequencer final : public Sequencer {
 public:
  /// Pre: `pieces` orders the PieceCounts of `counts` by the same rule.
  PieceSequencer(std::shared_ptr<const Counts> counts, const PieceRule& rule,
                 std::unique_ptr<Sequencer> pieces)
      : counts_(std::move(counts)), rule_(rule), pieces_(std::move(pieces)) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override {
    return pieces_->algorithm();
  }
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override {
    return pieces_->window_chunks();
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return pieces_->memory_bytes(); }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;

  /// The ranges of sequences that the other sequencer's pieces are of. Whole chunks stay what they
  /// are.
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override {
    return pieces_->place_of(sample);
  }

  /// Cost: that of the other sequencer; where lengths differ, the sequences of the chunk.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  class Cursor;

  std::shared_ptr<const Counts> counts_;
  PieceRule rule_;
  std::unique_ptr<Sequencer> pieces_;
};

}  // namespace sheaf::internal
