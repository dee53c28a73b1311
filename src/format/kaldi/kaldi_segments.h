// Segments: utterances as parts of recordings.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/error_kind.h"

namespace sheaf::kaldi {

/// A part of a recording.
struct Segment {
  static constexpr int kAllChannels = -1;

  double start = 0;  // in seconds
  double end = -1;   // in seconds; -1: the end of the recording
  int channel = kAllChannels;
};

/// A line of a segments file. Parts are bytes, counted from the start of the line.
///
/// Lifetime: that of the line.
struct SegmentLine {
  /// A field, or another part of the line.
  struct Part {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string_view key;
  std::string_view recording;
  Segment segment;
  Part recording_part;
  Part start_part;
  Part end_part;
  Part channel_part;

  const internal::ErrorKind* fault = nullptr;  // the error in the line
  Part fault_part;
};

/// Parses a line, without its LF: `key recording start end [channel]`.
///
/// Errors: another number of fields, times that are not numbers, a start below 0, an end that is
///         neither -1 nor after the start, a channel that is not a number from 0 up.
/// Source: docs/formats/kaldi.md.
[[nodiscard]] SegmentLine parse_segment(std::string_view line) noexcept;

/// Consecutive samples of a recording.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The reason why a segment is left out.
struct SegmentFault {
  const internal::ErrorKind* kind = nullptr;
  SegmentLine::Part SegmentLine::*part = nullptr;  // the wrong part of the line
  std::string found;
};

/// Returns the samples of a segment. A time t is the sample int(t * rate + 0.5). An end up to half
/// a second after the recording becomes the end of the recording.
///
/// Pre:    parse_segment() returned the segment; rate > 0.
/// Errors: a start after the last sample, an end further after the recording, less than a tenth of
///         a second.
[[nodiscard]] std::variant<SampleRange, SegmentFault> samples_of(const Segment& segment,
                                                                 std::int64_t rate,
                                                                 std::int64_t sample_count);

}  // namespace sheaf::kaldi
