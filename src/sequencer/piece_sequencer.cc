#include "sequencer/piece_sequencer.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sheaf/extend/packed_ints.h"

#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

namespace sheaf::internal {

namespace {

/// Appends a number for each piece of a chunk.
template <typename NumberOf>
std::shared_ptr<const PackedInts> packed_pieces(const PieceRule& rule, const SampleCounts& samples,
                                                const NumberOf& number_of) {
  PackedInts::Builder numbers;
  for (std::int64_t i = 0; i < samples.size(); ++i) {
    const std::int64_t count = rule.count(samples[i]);
    for (std::int64_t piece = 0; piece < count; ++piece) numbers.push_back(number_of(i, piece));
  }
  return std::make_shared<const PackedInts>(numbers.finish());
}

void cut_units(ChunkCounts& counts) {
  counts.unit_count = std::clamp<std::int64_t>(counts.unit_count, 1,
                                               std::max<std::int64_t>(1, counts.sequence_count));
}

}  // namespace

/// The lengths of a chunk in which sequences may be longer than `row_samples`.
struct PieceCounts::Lengths {
  Lengths(const PieceRule& rule, const ChunkCounts& whole, SampleCounts samples)
      : counts(whole), of_sequences(std::move(samples)) {
    counts.sequence_count = counts.sample_count = 0;
    for (std::int64_t i = 0; i < of_sequences.size(); ++i) {
      counts.sequence_count += rule.count(of_sequences[i]);
      counts.sample_count += rule.kept_samples(of_sequences[i]);
    }
    cut_units(counts);
    if (counts.sequence_count == whole.sequence_count &&
        counts.sample_count == whole.sample_count) {
      return;
    }
    of_pieces = packed_pieces(rule, of_sequences, [&](std::int64_t i, std::int64_t piece) {
      return std::min(of_sequences[i], rule.samples(of_sequences[i], piece).count);
    });
  }

  ChunkCounts counts;
  SampleCounts of_sequences;
  std::shared_ptr<const PackedInts> of_pieces;  // null if all sequences are whole
};

std::optional<ChunkCounts> PieceCounts::chunk_counts(ChunkIndex chunk) const {
  std::optional<ChunkCounts> counts = counts_->chunk_counts(chunk);
  if (!counts) return counts;
  if (rule_.is_frames()) {
    counts->sequence_count = counts->sample_count;
    cut_units(*counts);
    return counts;
  }
  // No sequence of so small a chunk is longer than `row_samples`.
  if (rule_.is_whole(counts->sample_count)) return counts;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(chunk);
    if (known != known_.end()) return known->second;
  }
  return lengths(chunk, *counts)->counts;
}

SampleCounts PieceCounts::sample_counts(ChunkIndex chunk) const {
  const std::optional<ChunkCounts> counts = counts_->chunk_counts(chunk);
  if (rule_.is_frames()) {
    return SampleCounts(std::make_shared<const PackedInts>(PackedInts::Line{1, 0},
                                                           counts ? counts->sample_count : 0));
  }
  if (!counts || rule_.is_whole(counts->sample_count)) return counts_->sample_counts(chunk);
  const std::shared_ptr<const Lengths> found = lengths(chunk, *counts);
  return found->of_pieces != nullptr ? SampleCounts(found->of_pieces) : found->of_sequences;
}

CostMeasure PieceCounts::cost_measure() const {
  return rule_.cuts() ? CostMeasure{} : counts_->cost_measure();
}

std::optional<SampleCounts> PieceCounts::costs(ChunkIndex chunk) const {
  std::optional<SampleCounts> costs;
  if (!rule_.cuts()) costs = counts_->costs(chunk);
  const std::optional<ChunkCounts> counts = counts_->chunk_counts(chunk);
  if (!costs || !counts || rule_.is_whole(counts->sample_count)) return costs;
  const std::shared_ptr<const Lengths> found = lengths(chunk, *counts);
  if (found->of_pieces == nullptr) return costs;
  return SampleCounts(packed_pieces(rule_, found->of_sequences,
                                    [&](std::int64_t i, std::int64_t) { return (*costs)[i]; }));
}

std::shared_ptr<const PieceCounts::Lengths> PieceCounts::lengths(ChunkIndex chunk,
                                                                 const ChunkCounts& whole) const {
  {
    const std::scoped_lock lock(mutex_);
    if (last_ != nullptr && last_chunk_ == chunk) return last_;
  }
  auto found = std::make_shared<const Lengths>(rule_, whole, counts_->sample_counts(chunk));
  const std::scoped_lock lock(mutex_);
  known_.emplace(chunk, found->counts);
  last_chunk_ = chunk;
  last_ = found;
  return found;
}

std::map<std::string, std::string> PieceSequencer::options() const {
  std::map<std::string, std::string> texts = pieces_->options();
  texts.insert(rule_.option_text());
  return texts;
}

namespace {

bool is_chunk(const ChunkRange& range) { return range == ChunkRange{range.chunk}; }

}  // namespace

/// The cursor of the inner sequencer, and the window of its place as ranges of sequences.
class PieceSequencer::Cursor final : public OrderCursor {
 public:
  Cursor(const Counts& counts, const PieceRule& rule, const Sequencer& pieces)
      : counts_(counts), rule_(rule), pieces_(pieces), inner_(pieces.make_cursor()) {}

  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);
  [[nodiscard]] const LastChange& last_change() const noexcept { return last_change_; }

 private:
  static constexpr std::size_t kKnownMin = 4;

  [[nodiscard]] const Pieces& pieces_of(ChunkIndex chunk);
  [[nodiscard]] ChunkRange sequences_of(const ChunkRange& pieces);
  void hold_window_of(const Place& place);
  [[nodiscard]] WindowChange change(const WindowChange& of_pieces);
  void set_passed(std::vector<ChunkRange>& passed);
  void forget_pieces();

  const Counts& counts_;
  const PieceRule rule_;
  const Sequencer& pieces_;
  const std::unique_ptr<OrderCursor> inner_;
  std::map<ChunkIndex, Pieces> known_;  // cache: chunks of the window, and last_chunk_
  ChunkIndex last_chunk_{};             // the chunk asked for last
  std::size_t forget_at_ = kKnownMin;

  // The window of held_at_. Each range of sequences has the number of ranges of pieces that it
  // stands for.
  std::map<ChunkRange, std::int64_t> held_;
  std::optional<Place> held_at_;
  LastChange last_change_;
};

std::optional<Step> PieceSequencer::Cursor::step(const Place& from, const StepRoom& room) {
  hold_window_of(from);
  std::optional<Step> step = pieces_.step(from, *inner_, room);
  if (!step) return step;
  const WindowChange of_pieces = pieces_.window_change(from, step->next, *inner_);
  held_at_.reset();  // empty until the step is complete
  const bool has_slices = rule_.cuts();
  if (has_slices) step->slices.reserve(step->sequences.size());
  const Pieces* pieces = nullptr;
  ChunkIndex chunk{};
  for (SequenceRef& ref : step->sequences) {
    if (pieces == nullptr || ref.chunk != chunk) {
      pieces = &pieces_of(ref.chunk);
      chunk = ref.chunk;
    }
    const SampleRange slice = pieces->replace(ref.sequence);
    if (has_slices) step->slices.push_back(slice);
  }
  step->needs_equal_streams = has_slices && !rule_.is_frames();
  last_change_ = {.from = from, .to = step->next, .change = change(of_pieces)};
  set_passed(step->passed);
  forget_pieces();
  held_at_ = step->next;
  return step;
}

void PieceSequencer::Cursor::hold_window_of(const Place& place) {
  if (held_at_ == place) return;
  held_at_.reset();
  held_.clear();
  for (const ChunkRange& pieces : pieces_.window_change({}, place, *inner_).load) {
    ++held_[sequences_of(pieces)];
  }
  held_at_ = place;
}

// Several ranges of pieces may lie in one range of sequences. That range enters with the first of
// them and leaves with the last.
WindowChange PieceSequencer::Cursor::change(const WindowChange& of_pieces) {
  std::map<ChunkRange, bool> was_held;
  const auto count = [&](const ChunkRange& pieces, std::int64_t more) {
    const ChunkRange range = sequences_of(pieces);
    std::int64_t& number = held_[range];
    was_held.try_emplace(range, number > 0);
    number += more;
  };
  for (const ChunkRange& pieces : of_pieces.load) count(pieces, 1);
  for (const ChunkRange& pieces : of_pieces.release) count(pieces, -1);
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

// Removes ranges of the window from `passed`.
void PieceSequencer::Cursor::set_passed(std::vector<ChunkRange>& passed) {
  for (ChunkRange& range : passed) range = sequences_of(range);
  make_set(passed);
  const std::vector<ChunkRange>& released = last_change_.change.release;
  std::erase_if(passed, [&](const ChunkRange& range) {
    return held_.contains(range) || std::ranges::binary_search(released, range);
  });
}

// Among the chunks outside the window, the last one is kept, since the next step may begin there.
// Chunks are dropped only when half of the known ones may be useless, so that steps stay cheap.
void PieceSequencer::Cursor::forget_pieces() {
  if (known_.size() < forget_at_) return;
  std::erase_if(known_, [&](const auto& entry) {
    const auto held = held_.lower_bound({entry.first, 0, 0});
    const bool is_held = held != held_.end() && held->first.chunk == entry.first;
    return !is_held && entry.first != last_chunk_;
  });
  forget_at_ = 2 * known_.size() + kKnownMin;
}

std::vector<ChunkRange> PieceSequencer::Cursor::window_at(const Place& place) {
  hold_window_of(place);
  std::vector<ChunkRange> window;
  for (const auto& [range, count] : held_) window.push_back(range);
  return window;
}

std::optional<Step> PieceSequencer::Cursor::sequence_at(std::int64_t sweep, std::int64_t number) {
  std::optional<Step> step = pieces_.sequence_at(sweep, number, *inner_);
  if (!step) return step;
  for (SequenceRef& ref : step->sequences) {
    const SampleRange slice = pieces_of(ref.chunk).replace(ref.sequence);
    if (rule_.cuts()) step->slices.push_back(slice);
  }
  step->needs_equal_streams = rule_.cuts() && !rule_.is_frames();
  forget_pieces();
  return step;
}

ChunkRange PieceSequencer::Cursor::sequences_of(const ChunkRange& pieces) {
  if (is_chunk(pieces)) return pieces;
  const Pieces& of_chunk = pieces_of(pieces.chunk);
  std::int64_t first = pieces.first;
  std::int64_t last = pieces.first + pieces.count - 1;
  static_cast<void>(of_chunk.replace(first));
  static_cast<void>(of_chunk.replace(last));
  return {pieces.chunk, first, last - first + 1};
}

const Pieces& PieceSequencer::Cursor::pieces_of(ChunkIndex chunk) {
  last_chunk_ = chunk;
  const auto found = known_.find(chunk);
  if (found != known_.end()) return found->second;
  return known_.emplace(chunk, Pieces(rule_, counts_.sample_counts(chunk))).first->second;
}

std::unique_ptr<OrderCursor> PieceSequencer::make_cursor() const {
  return std::make_unique<Cursor>(*counts_, rule_, *pieces_);
}

std::optional<Step> PieceSequencer::step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const {
  return cursor_as<Cursor>(cursor).step(from, room);
}

WindowChange PieceSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const {
  auto& own = cursor_as<Cursor>(cursor);
  if (own.last_change().is_between(from, to)) return own.last_change().change;
  std::vector<ChunkRange> before;
  if (from) before = Cursor(*counts_, rule_, *pieces_).window_at(*from);
  return change_between(std::move(before), own.window_at(to));
}

std::optional<Step> PieceSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const {
  return cursor_as<Cursor>(cursor).sequence_at(sweep, number);
}

}  // namespace sheaf::internal
