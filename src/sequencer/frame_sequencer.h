/// \file
/// Samples in the place of sequences.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

namespace sheaf::internal {

/// Counts of a data set whose sequences are the samples of another's.
class FrameCounts final : public Counts {
 public:
  explicit FrameCounts(std::shared_ptr<const Counts> counts) : counts_(std::move(counts)) {}

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override;
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override;

 private:
  std::shared_ptr<const Counts> counts_;
};

/// Delivers single samples, in the order that another sequencer gives them as sequences of
/// FrameCounts. In a place, sequences are samples.
///
/// Memory: 8 bytes for each sequence of the chunks in the window, where their lengths differ.
class FrameSequencer final : public Sequencer {
 public:
  /// Pre: `frames` orders the FrameCounts of `counts`.
  FrameSequencer(std::shared_ptr<const Counts> counts, std::unique_ptr<Sequencer> frames)
      : counts_(std::move(counts)), frames_(std::move(frames)) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override {
    return frames_->algorithm();
  }
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override {
    return frames_->window_chunks();
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return frames_->memory_bytes(); }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;

  /// The ranges of sequences that the other sequencer's frames are of. Whole chunks stay what they
  /// are.
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override {
    return frames_->place_of(sample);
  }

  /// Cost: that of the other sequencer; where lengths differ, the sequences of the chunk.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  class Cursor;

  std::shared_ptr<const Counts> counts_;
  std::unique_ptr<Sequencer> frames_;
};

}  // namespace sheaf::internal
