#include "format/kaldi/kaldi_segments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio_errors.h"

namespace sheaf::kaldi {
namespace {

constexpr std::size_t kFieldsMin = 4;
constexpr std::size_t kFieldsMax = 5;
using Part = SegmentLine::Part;

bool parse_whole(std::string_view text, auto& number) noexcept {
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && next == end;
}

bool parse_time(std::string_view text, double& time) noexcept {
  return parse_whole(text, time) && std::isfinite(time);
}

// Returns the number of the sample at a time, capped at a number that no recording reaches.
std::int64_t sample_at(double time, std::int64_t rate) noexcept {
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::min(time * static_cast<double>(rate) + 0.5, kMost));
}

}  // namespace

SegmentLine parse_segment(std::string_view line) noexcept {
  SegmentLine found;
  std::array<Part, kFieldsMax> parts;
  std::size_t count = 0;
  std::size_t at = line.find_first_not_of(kSpace);
  const std::size_t begin = at == std::string_view::npos ? line.size() : at;
  std::size_t end = begin;
  for (; at != std::string_view::npos; at = line.find_first_not_of(kSpace, end)) {
    end = std::min(line.find_first_of(kSpace, at), line.size());
    if (count < kFieldsMax) parts[count] = {.begin = at, .size = end - at};
    ++count;
  }
  const auto text = [&](std::size_t number) {
    return line.substr(parts[number].begin, parts[number].size);
  };
  const auto fail = [&](const internal::ErrorKind& kind, Part part) {
    found.fault = &kind;
    found.fault_part = part;
    return found;
  };
  if (count > 0) found.key = text(0);
  if (count < kFieldsMin || count > kFieldsMax) {
    return fail(kSegmentFields, {.begin = begin, .size = end - begin});
  }
  found.recording = text(1);
  found.recording_part = parts[1];
  found.start_part = parts[2];
  found.end_part = parts[3];
  Segment& segment = found.segment;
  if (!parse_time(text(2), segment.start) || segment.start < 0) return fail(kSegmentTime, parts[2]);
  if (!parse_time(text(3), segment.end)) return fail(kSegmentTime, parts[3]);
  if (segment.end != -1 && segment.end <= segment.start) return fail(kSegmentOrder, parts[3]);
  if (count == kFieldsMin) return found;
  found.channel_part = parts[4];
  if (!parse_whole(text(4), segment.channel) || segment.channel < 0) {
    return fail(kSegmentChannel, parts[4]);
  }
  return found;
}

std::variant<SampleRange, SegmentFault> samples_of(const Segment& segment, std::int64_t rate,
                                                   std::int64_t sample_count) {
  constexpr double kBehindMax = 0.5;  // seconds
  constexpr double kLeast = 0.1;
  const auto found = [&](double time) {
    return formatted("{}, where the recording has {} samples at {} a second", time, sample_count,
                     rate);
  };
  const std::int64_t first = sample_at(segment.start, rate);
  if (first >= sample_count) {
    return SegmentFault{&kSegmentStart, &SegmentLine::start_part, found(segment.start)};
  }
  std::int64_t end = segment.end == -1 ? sample_count : sample_at(segment.end, rate);
  if (end - sample_count > sample_at(kBehindMax, rate)) {
    return SegmentFault{&kSegmentEnd, &SegmentLine::end_part, found(segment.end)};
  }
  end = std::min(end, sample_count);
  if (end - first < sample_at(kLeast, rate)) {
    return SegmentFault{&kSegmentShort, &SegmentLine::end_part,
                        formatted("{} samples at {} a second", end - first, rate)};
  }
  return SampleRange{.first = first, .count = end - first};
}

}  // namespace sheaf::kaldi
