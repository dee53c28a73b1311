/// \file
/// A sequencer of pieces, which are parts of sequences.

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

/// The counts of a data set whose sequences are the pieces of another data set.
///
/// Memory: about 60 bytes for each chunk with more samples than row_samples, and the lengths of the
///         pieces of one chunk. Nothing for frames.
class PieceCounts final : public Counts {
 public:
  PieceCounts(std::shared_ptr<const Counts> counts, const PieceRule& rule)
      : counts_(std::move(counts)), rule_(rule) {}

  /// Cost: reads the lengths of the sequences once, if the chunk has more samples than row_samples.
  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override;
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override;

  [[nodiscard]] bool reads_parts() const noexcept override { return counts_->reads_parts(); }
  [[nodiscard]] bool can_be_cut() const noexcept override { return counts_->can_be_cut(); }

  [[nodiscard]] const Mixture* mixture() const noexcept override { return counts_->mixture(); }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override {
    return counts_->member_ends();
  }

  /// Cut pieces have no costs, since costs belong to whole sequences.
  [[nodiscard]] CostMeasure cost_measure() const override;
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const override;

 private:
  struct Lengths;

  [[nodiscard]] std::shared_ptr<const Lengths> lengths(ChunkIndex chunk,
                                                       const ChunkCounts& whole) const;

  std::shared_ptr<const Counts> counts_;
  PieceRule rule_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ChunkIndex, ChunkCounts> known_;  // cache, as last_
  mutable ChunkIndex last_chunk_{};
  mutable std::shared_ptr<const Lengths> last_;  // null until a chunk is asked for
};

/// Delivers pieces of sequences. An inner sequencer orders the pieces as the sequences of
/// PieceCounts. The sequence numbers of a place count pieces.
///
/// Memory: 8 bytes for each sequence of the chunks in the window whose sequences have different
///         numbers of pieces.
class PieceSequencer final : public Sequencer {
 public:
  /// Pre: `pieces` orders the PieceCounts of `counts`, made with the same rule.
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

  /// Returns the change in ranges of sequences: those that contain the pieces of the inner
  /// sequencer's change. Ranges of whole chunks stay as they are.
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override {
    return pieces_->place_of(sample);
  }

  /// Cost: as of the inner sequencer; plus the sequences of the chunk, if their lengths differ.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  class Cursor;

  std::shared_ptr<const Counts> counts_;
  PieceRule rule_;
  std::unique_ptr<Sequencer> pieces_;
};

}  // namespace sheaf::internal
