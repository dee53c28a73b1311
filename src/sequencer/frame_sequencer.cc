#include "sequencer/frame_sequencer.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sheaf/extend/packed_ints.h"

#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

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

namespace {

/// Where the frames of each sequence of a chunk begin.
class Frames {
 public:
  explicit Frames(const SampleCounts& counts) : constant_(counts.constant()) {
    if (constant_) return;
    firsts_.reserve(static_cast<std::size_t>(counts.size()) + 1);
    firsts_.push_back(0);
    for (std::int64_t i = 0; i < counts.size(); ++i) {
      firsts_.push_back(firsts_.back() + counts[i]);
    }
  }

  /// Replace the number of a frame by that of its sequence. Returns which sample the frame is.
  [[nodiscard]] SampleRange replace(std::int64_t& sequence) const {
    const std::int64_t frame = sequence;
    if (constant_) {
      sequence = frame / *constant_;
      return {frame % *constant_, 1};
    }
    const auto after = std::ranges::upper_bound(firsts_, frame);
    sequence = (after - firsts_.begin()) - 1;
    return {frame - *(after - 1), 1};
  }

 private:
  std::optional<std::int64_t> constant_;  // samples of each sequence
  std::vector<std::int64_t> firsts_;      // else: the first frame of each, and the end
};

bool is_chunk(const ChunkRange& range) { return range == ChunkRange{range.chunk}; }

}  // namespace

/// The cursor of the other sequencer, and the window of its place in sequences.
class FrameSequencer::Cursor final : public OrderCursor {
 public:
  Cursor(const Counts& counts, const Sequencer& frames)
      : counts_(counts), frames_(frames), inner_(frames.make_cursor()) {}

  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);
  [[nodiscard]] const LastChange& last_change() const noexcept { return last_change_; }

 private:
  static constexpr std::size_t kKnownMin = 4;

  [[nodiscard]] const Frames& frames_of(ChunkIndex chunk);
  [[nodiscard]] ChunkRange sequences_of(const ChunkRange& frames);
  void hold_window_of(const Place& place);
  [[nodiscard]] WindowChange change(const WindowChange& of_frames);
  void set_passed(std::vector<ChunkRange>& passed);
  void forget_frames();

  const Counts& counts_;
  const Sequencer& frames_;
  const std::unique_ptr<OrderCursor> inner_;
  std::map<ChunkIndex, Frames> known_;  // cache: of chunks that the window has, and the last one
  ChunkIndex last_chunk_{};             // asked for
  std::size_t forget_at_ = kKnownMin;

  // The window of held_at_, and how many ranges of frames each range of sequences stands for.
  std::map<ChunkRange, std::int64_t> held_;
  std::optional<Place> held_at_;
  LastChange last_change_;
};

std::optional<Step> FrameSequencer::Cursor::step(const Place& from, const StepRoom& room) {
  hold_window_of(from);
  std::optional<Step> step = frames_.step(from, *inner_, room);
  if (!step) return step;
  const WindowChange of_frames = frames_.window_change(from, step->next, *inner_);
  held_at_.reset();  // until the step is whole
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
  last_change_ = {.from = from, .to = step->next, .change = change(of_frames)};
  set_passed(step->passed);
  forget_frames();
  held_at_ = step->next;
  return step;
}

void FrameSequencer::Cursor::hold_window_of(const Place& place) {
  if (held_at_ == place) return;
  held_at_.reset();
  held_.clear();
  for (const ChunkRange& frames : frames_.window_change({}, place, *inner_).load) {
    ++held_[sequences_of(frames)];
  }
  held_at_ = place;
}

// Several ranges of frames may be of one range of sequences. That enters with the first of them and
// leaves with the last.
WindowChange FrameSequencer::Cursor::change(const WindowChange& of_frames) {
  std::map<ChunkRange, bool> was_held;
  const auto count = [&](const ChunkRange& frames, std::int64_t more) {
    const ChunkRange range = sequences_of(frames);
    std::int64_t& number = held_[range];
    was_held.try_emplace(range, number > 0);
    number += more;
  };
  for (const ChunkRange& frames : of_frames.load) count(frames, 1);
  for (const ChunkRange& frames : of_frames.release) count(frames, -1);
  WindowChange changed;
  for (const auto& [range, was] : was_held) {
    const auto held = held_.find(range);
    const bool is = held->second > 0;
    if (!is) held_.erase(held);
    if (is && !was) changed.load.push_back(range);
    if (was && !is) changed.release.push_back(range);
  }
  return changed;
}

// What the window has is not passed.
void FrameSequencer::Cursor::set_passed(std::vector<ChunkRange>& passed) {
  for (ChunkRange& range : passed) range = sequences_of(range);
  make_set(passed);
  const std::vector<ChunkRange>& released = last_change_.change.release;
  std::erase_if(passed, [&](const ChunkRange& range) {
    return held_.contains(range) || std::ranges::binary_search(released, range);
  });
}

// Of chunks that the window does not have, the last one is kept: the next step may begin there.
// Forgetting waits until half of what is known may be of no use, so that steps stay cheap.
void FrameSequencer::Cursor::forget_frames() {
  if (known_.size() < forget_at_) return;
  std::erase_if(known_, [&](const auto& entry) {
    const auto held = held_.lower_bound({entry.first, 0, 0});
    const bool is_held = held != held_.end() && held->first.chunk == entry.first;
    return !is_held && entry.first != last_chunk_;
  });
  forget_at_ = 2 * known_.size() + kKnownMin;
}

std::vector<ChunkRange> FrameSequencer::Cursor::window_at(const Place& place) {
  hold_window_of(place);
  std::vector<ChunkRange> window;
  for (const auto& [range, count] : held_) window.push_back(range);
  return window;
}

std::optional<Step> FrameSequencer::Cursor::sequence_at(std::int64_t sweep, std::int64_t number) {
  std::optional<Step> step = frames_.sequence_at(sweep, number, *inner_);
  if (!step) return step;
  for (SequenceRef& ref : step->sequences) {
    step->slices.push_back(frames_of(ref.chunk).replace(ref.sequence));
  }
  forget_frames();
  return step;
}

ChunkRange FrameSequencer::Cursor::sequences_of(const ChunkRange& frames) {
  if (is_chunk(frames)) return frames;
  const Frames& of_chunk = frames_of(frames.chunk);
  std::int64_t first = frames.first;
  std::int64_t last = frames.first + frames.count - 1;
  static_cast<void>(of_chunk.replace(first));
  static_cast<void>(of_chunk.replace(last));
  return {frames.chunk, first, last - first + 1};
}

const Frames& FrameSequencer::Cursor::frames_of(ChunkIndex chunk) {
  last_chunk_ = chunk;
  const auto found = known_.find(chunk);
  if (found != known_.end()) return found->second;
  return known_.emplace(chunk, Frames(counts_.sample_counts(chunk))).first->second;
}

std::unique_ptr<OrderCursor> FrameSequencer::make_cursor() const {
  return std::make_unique<Cursor>(*counts_, *frames_);
}

std::optional<Step> FrameSequencer::step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const {
  return cursor_as<Cursor>(cursor).step(from, room);
}

WindowChange FrameSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const {
  auto& own = cursor_as<Cursor>(cursor);
  if (own.last_change().is_between(from, to)) return own.last_change().change;
  std::vector<ChunkRange> before;
  if (from) before = Cursor(*counts_, *frames_).window_at(*from);
  return change_between(std::move(before), own.window_at(to));
}

std::optional<Step> FrameSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const {
  return cursor_as<Cursor>(cursor).sequence_at(sweep, number);
}

}  // namespace sheaf::internal
