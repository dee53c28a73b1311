#include "sequencer/frame_sequencer.h"

#include <algorithm>
#include <utility>

#include "sheaf/packed_ints.h"

namespace sheaf::internal {

std::optional<ChunkCounts> FrameCounts::chunk_counts(ChunkIndex chunk) const {
  std::optional<ChunkCounts> counts = counts_->chunk_counts(chunk);
  if (!counts) return counts;
  counts->sequence_count = counts->sample_count;
  counts->unit_count = std::clamp<std::int64_t>(counts->unit_count, 1,
                                                std::max<std::int64_t>(1, counts->sample_count));
  return counts;
}

SampleCounts FrameCounts::sample_counts(ChunkIndex chunk) const {
  const std::optional<ChunkCounts> counts = chunk_counts(chunk);
  const std::int64_t size = counts ? counts->sequence_count : 0;
  return SampleCounts(std::make_shared<const PackedInts>(PackedInts::Line{1, 0}, size));
}

std::map<std::string, std::string> FrameSequencer::options() const {
  std::map<std::string, std::string> texts = frames_->options();
  texts["split_frames"] = "true";
  return texts;
}

std::optional<Step> FrameSequencer::step(const Place& from) const {
  std::optional<Step> step = frames_->step(from);
  if (!step) return step;
  step->slices.reserve(step->sequences.size());
  const Frames* frames = nullptr;
  ChunkIndex chunk{};
  for (SequenceRef& ref : step->sequences) {
    if (frames == nullptr || ref.chunk != chunk) {
      frames = &frames_of(ref.chunk);
      chunk = ref.chunk;
    }
    const std::int64_t frame = ref.sequence;
    if (frames->constant) {
      ref.sequence = frame / *frames->constant;
      step->slices.push_back({frame % *frames->constant, 1});
    } else {
      const auto after = std::upper_bound(frames->firsts.begin(), frames->firsts.end(), frame);
      ref.sequence = (after - frames->firsts.begin()) - 1;
      step->slices.push_back({frame - *(after - 1), 1});
    }
  }
  for (const ChunkRange& released : step->release) cache_.erase(released.chunk);
  return step;
}

const FrameSequencer::Frames& FrameSequencer::frames_of(ChunkIndex chunk) const {
  const auto found = cache_.find(chunk);
  if (found != cache_.end()) return found->second;
  Frames frames;
  const SampleCounts counts = counts_->sample_counts(chunk);
  frames.constant = counts.constant();
  if (!frames.constant) {
    frames.firsts.reserve(static_cast<std::size_t>(counts.size()) + 1);
    frames.firsts.push_back(0);
    for (std::int64_t i = 0; i < counts.size(); ++i) {
      frames.firsts.push_back(frames.firsts.back() + counts[i]);
    }
  }
  return cache_.emplace(chunk, std::move(frames)).first->second;
}

}  // namespace sheaf::internal
