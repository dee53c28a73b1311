// The ranges of an utterance are first read and checked. Its frames are written only if all ranges
// are right. At most one error is reported for each line.

#include "format/mlf/mlf_parser.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "format/mlf/mlf_errors.h"

namespace sheaf::mlf {

MlfParser::MlfParser(const ByteSource& source, const Reading& reading,
                     const internal::ScannedIndex& index, const ChunkRange& range,
                     Diagnostics& diagnostics)
    : reading_(reading),
      stream_(reading.schema.streams.front()),
      dim_(reading.options.gives_ids ? kIdCount : stream_.sample_shape.size()),
      range_(source, reading.schema, index, range),
      errors_(source, diagnostics),
      lines_(reading.options),
      plain_(reading.options, reading.states, dim_),
      frames_(stream_, reading.options.marks_boundaries) {
  const std::shared_ptr<const SequenceTable> table = index.sequences(range.chunk);
  const std::int64_t count = std::min(range.count, table->size() - range.first);
  std::int64_t frames = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    frames += std::min(table->sample_count(range.first + i), reading.options.frames_max);
  }
  frames_.reserve(frames, count);
  key_texts_.reserve(static_cast<std::size_t>(count));
}

Chunk MlfParser::parse() {
  bool has_sequence = false;
  while (range_.next_row(row_)) {
    switch (lines_.next(row_)) {
      case Line::none:
        break;
      case Line::stray:
      case Line::name:
        if (std::exchange(has_sequence, false)) end_sequence(false);
        has_sequence = range_.begin_sequence(row_, lines_.key());
        if (has_sequence) begin_sequence();
        break;
      case Line::range:
        if (has_sequence && lines_.has_name()) read_range();
        break;
      case Line::end:
        break;
    }
    if (has_sequence && lines_.is_inside() && lines_.has_name()) read_plain_ranges();
  }
  if (has_sequence) end_sequence(lines_.is_inside());
  range_.end();
  return finish();
}

void MlfParser::begin_sequence() {
  is_bad_ = false;
  knows_frame_ = true;
  next_frame_ = 0;
  runs_.clear();
  if (reading_.options.has_text_keys) key_texts_.push_back(lines_.key_text());
  if (!lines_.has_name()) {
    fail(kName, lines_.begin(), lines_.end(), std::string(kName.expected));
  }
}

void MlfParser::read_range() {
  const Times times = lex_times(lines_.begin(), lines_.end(), reading_.options);
  if (times.wrong != nullptr) {
    knows_frame_ = false;
    std::string expected(times.wrong->expected);
    if (times.wrong == &kLong) {
      expected = formatted("{} {} frames (mlf.frames_max)", expected, reading_.options.frames_max);
    }
    fail(*times.wrong, times.wrong_location, column_end(times.wrong_location, lines_.end()),
         std::move(expected));
    return;
  }
  const bool is_next = check_start(times);
  next_frame_ = times.last;
  knows_frame_ = true;
  if (!is_next) return;
  const std::int64_t id = read_label(times);
  if (id >= 0) add_run(times.last - times.first, id);
}

// Takes plain range lines. An error does not end the utterance, so later errors are reported, too.
void MlfParser::read_plain_ranges() {
  if (!knows_frame_) return;
  const TakenLines taken = plain_.take(range_.ahead(), next_frame_, runs_);
  range_.pass_over(taken.end, taken.row_count);
}

void MlfParser::add_run(std::int64_t count, std::int64_t id) {
  runs_.push_back({static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(id)});
}

// Checks the start of a range. Fills a gap if the options name a label for gaps.
bool MlfParser::check_start(const Times& times) {
  if (!knows_frame_ || times.first == next_frame_) return true;
  if (times.first > next_frame_ && reading_.gap_id >= 0) {
    add_run(times.first - next_frame_, reading_.gap_id);
    return true;
  }
  const ErrorKind& kind = times.first > next_frame_ ? kGap : kOverlap;
  fail(kind, times.start_location, column_end(times.start_location, lines_.end()),
       formatted("{} {}", kind.expected, next_frame_));
  return false;
}

std::int64_t MlfParser::read_label(const Times& times) {
  const bool has_states = reading_.states != nullptr;
  const Label label = lex_label(times.rest, lines_.end(), has_states);
  if (label.wrong != nullptr) {
    fail(*label.wrong, lines_.begin(), lines_.end(), std::string(label.wrong->expected));
    return -1;
  }
  const std::int64_t id = has_states ? reading_.states->find(label.text()) : lex_id(label.text());
  if (id < 0) {
    const ErrorKind& kind = has_states ? kState : kId;
    fail(kind, label.begin, label.end, std::string(kind.expected));
  } else if (id >= dim_) {
    fail(kDim, label.begin, label.end, formatted("{} {}", kDim.expected, dim_));
    return -1;
  }
  return id;
}

void MlfParser::end_sequence(bool is_cut) {
  if (is_cut && lines_.has_name()) fail_sequence(kCut, "the end of the file");
  if (!is_bad_ && next_frame_ == 0) fail_sequence(kEmpty, "none");
  if (is_bad_) {
    holes_.push_back(range_.number());
    frames_.add_hole();
  } else {
    frames_.add(next_frame_, runs_);
  }
}

// CNTK ended the run at a line that it could not parse. A gap only spoiled the utterance. CNTK had
// no limit of frames, so exceeding the limit does not end the run.
Severity MlfParser::severity() const noexcept {
  return reading_.options.is_cntk ? Severity::fatal : Severity::error;
}

// With CNTK, a spoiled utterance is one error, however many gaps it has.
void MlfParser::fail(const ErrorKind& kind, const char* location, const char* end,
                     std::string expected) {
  const bool was_bad = std::exchange(is_bad_, true);
  const bool is_mild = &kind == &kGap || &kind == &kOverlap || &kind == &kLong;
  if (was_bad && is_mild && reading_.options.is_cntk) return;
  const Severity how = is_mild ? Severity::error : severity();
  Diagnostic diagnostic = errors_.at(row_, location, end - location, how);
  std::string found;
  if (errors_.wants_text(how)) found = quoted({location, static_cast<std::size_t>(end - location)});
  errors_.add(range_, key_text(), std::move(diagnostic), kind, &stream_, std::move(expected),
              std::move(found));
}

void MlfParser::fail_sequence(const ErrorKind& kind, std::string found) {
  is_bad_ = true;
  errors_.add(range_, key_text(), errors_.at_sequence(range_, severity()), kind, &stream_,
              std::string(kind.expected), std::move(found));
}

std::string_view MlfParser::key_text() const noexcept {
  return key_texts_.empty() ? std::string_view() : key_texts_.back();
}

Chunk MlfParser::finish() {
  std::vector<Column> columns;
  columns.push_back(frames_.finish());
  Chunk chunk(reading_.schema.streams, range_.sequence_count(), std::move(columns),
              std::move(holes_));
  if (reading_.options.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  range_.check_sample_counts(chunk);
  return chunk;
}

}  // namespace sheaf::mlf
