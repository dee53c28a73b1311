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
/// Memory: 8 bytes for each sequence of the chunks that were named and not released, where their
///         lengths differ.
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
  [[nodiscard]] std::optional<Step> step(const Place& from) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override {
    return frames_->place_of(sample);
  }

  /// Cost: that of the other sequencer; where lengths differ, the sequences of the chunk.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep,
                                                std::int64_t number) const override;

 private:
  /// Where the frames of each sequence of a chunk begin.
  struct Frames {
    std::optional<std::int64_t> constant;  // samples of each sequence
    std::vector<std::int64_t> firsts;      // else: the first frame of each, and the end

    explicit Frames(const SampleCounts& counts);

    /// Make the sequence out of a frame: the sample that it is of which sequence.
    [[nodiscard]] SampleRange replace(std::int64_t& sequence) const;
  };

  [[nodiscard]] const Frames& frames_of(ChunkIndex chunk) const;
  [[nodiscard]] ChunkRange sequences_of(const ChunkRange& frames) const;
  void hold(Step& step) const;

  std::shared_ptr<const Counts> counts_;
  std::unique_ptr<Sequencer> frames_;
  mutable std::map<ChunkIndex, Frames> cache_;  // of chunks not released

  // What the steps given so far tell to hold, and how many ranges of frames each stands for; and
  // the place behind them.
  mutable std::map<ChunkRange, std::int64_t> held_;
  mutable Place next_;
};

}  // namespace sheaf::internal
