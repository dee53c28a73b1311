#include "sequencer/pieces.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "base/text.h"

namespace sheaf::internal {

PieceRule PieceRule::rows(LongSequences long_sequences, std::int64_t row_samples) noexcept {
  assert(long_sequences != LongSequences::error && row_samples >= 1);
  const Kind kind = long_sequences == LongSequences::split      ? Kind::split
                    : long_sequences == LongSequences::truncate ? Kind::truncate
                                                                : Kind::drop;
  return {kind, row_samples};
}

std::int64_t PieceRule::count(std::int64_t sample_count) const noexcept {
  if (kind_ == Kind::frames) return sample_count;
  if (is_whole(sample_count) || kind_ == Kind::truncate) return 1;
  return kind_ == Kind::drop ? 0 : (sample_count - 1) / length_ + 1;
}

std::int64_t PieceRule::kept_samples(std::int64_t sample_count) const noexcept {
  if (kind_ == Kind::frames || kind_ == Kind::split || is_whole(sample_count)) return sample_count;
  return kind_ == Kind::drop ? 0 : length_;
}

SampleRange PieceRule::samples(std::int64_t sample_count, std::int64_t piece) const noexcept {
  if (is_whole(sample_count)) return {0, SampleRange::kAll};
  const std::int64_t first = piece * length_;
  return {first, std::min(length_, sample_count - first)};
}

std::pair<std::string, std::string> PieceRule::option_text() const {
  const std::string_view kind = kind_ == Kind::split      ? "split"
                                : kind_ == Kind::truncate ? "truncate"
                                                          : "drop";
  if (kind_ == Kind::frames) return {"split_frames", "true"};
  return {"long", formatted("{}/{}", kind, length_)};
}

std::optional<PieceRule> piece_rule(const OrderOptions& options) noexcept {
  if (options.split_frames) return PieceRule::frames();
  if (options.long_sequences == LongSequences::error) return std::nullopt;
  return PieceRule::rows(options.long_sequences, *options.row_samples);
}

Pieces::Pieces(const PieceRule& rule, const SampleCounts& samples)
    : rule_(rule), samples_(samples.constant()) {
  const std::int64_t size = samples.size();
  if (samples_) {
    each_ = rule.count(*samples_);
    is_whole_ = rule.is_whole(*samples_);
    return;
  }
  if (!rule.is_frames()) {
    std::int64_t whole = 0;
    while (whole < size && rule.is_whole(samples[whole])) ++whole;
    is_whole_ = whole == size;
    if (is_whole_) return;
    lengths_ = samples;
    if (rule.has_one_each()) return;
  }
  firsts_.reserve(static_cast<std::size_t>(size) + 1);
  firsts_.push_back(0);
  for (std::int64_t i = 0; i < size; ++i) {
    firsts_.push_back(firsts_.back() + rule.count(samples[i]));
  }
  note_near();
}

// Chooses near_log2_ so that near_ is hardly longer than firsts_.
void Pieces::note_near() {
  const std::int64_t last_piece = std::max<std::int64_t>(0, firsts_.back() - 1);
  while ((last_piece >> near_log2_) + 1 > std::ssize(firsts_)) ++near_log2_;
  std::size_t sequence = 0;
  for (std::int64_t i = 0; i <= (last_piece >> near_log2_) + 1; ++i) {
    const std::int64_t piece = i << near_log2_;
    while (sequence + 1 < firsts_.size() && firsts_[sequence + 1] <= piece) ++sequence;
    near_.push_back(static_cast<std::int64_t>(sequence));
  }
}

SampleRange Pieces::replace(std::int64_t& number) const {
  std::int64_t piece = 0;
  if (!firsts_.empty()) {
    const auto near = near_.begin() + (number >> near_log2_);
    const auto after =
        std::upper_bound(firsts_.begin() + near[0] + 1, firsts_.begin() + near[1] + 1, number);
    piece = number - *(after - 1);
    number = (after - firsts_.begin()) - 1;
  } else if (each_ > 1) {
    piece = number % each_;
    number /= each_;
  }
  if (rule_.is_frames()) return {piece, 1};
  if (is_whole_) return {0, SampleRange::kAll};
  return rule_.samples(samples_ ? *samples_ : (*lengths_)[number], piece);
}

}  // namespace sheaf::internal
