#include "sequencer/frame_sequencer.h"

#include <algorithm>
#include <utility>

#include "sheaf/extend/packed_ints.h"

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
    step->slices.push_back(frames->replace(ref.sequence));
  }
  if (from != next_) held_.clear();
  next_ = step->next;
  hold(*step);
  return step;
}

// Ranges of frames become those of the sequences that these are of. One may stand for several: it
// is loaded with the first of them, and released with the last. Whole chunks stay what they are.
void FrameSequencer::hold(Step& step) const {
  std::vector<ChunkRange> load;
  for (const ChunkRange& frames : step.load) {
    const bool is_chunk = frames.count == ChunkRange::kAll;
    const ChunkRange range = is_chunk ? frames : sequences_of(frames);
    if (is_chunk || ++held_[range] == 1) load.push_back(range);
  }
  std::vector<ChunkRange> release;
  for (const ChunkRange& frames : step.release) {
    const bool is_chunk = frames.count == ChunkRange::kAll;
    const ChunkRange range = is_chunk ? frames : sequences_of(frames);
    const auto held = held_.find(range);
    if (held != held_.end() && --held->second > 0) continue;
    if (held != held_.end()) held_.erase(held);
    release.push_back(range);
    const auto other = held_.lower_bound({range.chunk, 0, 0});
    if (other == held_.end() || other->first.chunk != range.chunk) cache_.erase(range.chunk);
  }
  step.load = std::move(load);
  step.release = std::move(release);
}

ChunkRange FrameSequencer::sequences_of(const ChunkRange& frames) const {
  const Frames& of_chunk = frames_of(frames.chunk);
  std::int64_t first = frames.first;
  std::int64_t last = frames.first + frames.count - 1;
  static_cast<void>(of_chunk.replace(first));
  static_cast<void>(of_chunk.replace(last));
  return {frames.chunk, first, last - first + 1};
}

// What it needs of a chunk is not kept: no step will say when to let it go.
std::optional<Step> FrameSequencer::sequence_at(std::int64_t sweep, std::int64_t number) const {
  std::optional<Step> step = frames_->sequence_at(sweep, number);
  if (!step) return step;
  for (SequenceRef& ref : step->sequences) {
    const auto found = cache_.find(ref.chunk);
    step->slices.push_back(found != cache_.end()
                               ? found->second.replace(ref.sequence)
                               : Frames(counts_->sample_counts(ref.chunk)).replace(ref.sequence));
  }
  return step;
}

FrameSequencer::Frames::Frames(const SampleCounts& counts) : constant(counts.constant()) {
  if (constant) return;
  firsts.reserve(static_cast<std::size_t>(counts.size()) + 1);
  firsts.push_back(0);
  for (std::int64_t i = 0; i < counts.size(); ++i) firsts.push_back(firsts.back() + counts[i]);
}

SampleRange FrameSequencer::Frames::replace(std::int64_t& sequence) const {
  const std::int64_t frame = sequence;
  if (constant) {
    sequence = frame / *constant;
    return {frame % *constant, 1};
  }
  const auto after = std::upper_bound(firsts.begin(), firsts.end(), frame);
  sequence = (after - firsts.begin()) - 1;
  return {frame - *(after - 1), 1};
}

const FrameSequencer::Frames& FrameSequencer::frames_of(ChunkIndex chunk) const {
  const auto found = cache_.find(chunk);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(chunk, Frames(counts_->sample_counts(chunk))).first->second;
}

}  // namespace sheaf::internal
