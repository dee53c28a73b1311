#include "format/kaldi/kaldi_segments.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

namespace sheaf::kaldi {
namespace {

struct SegmentCase {
  std::string_view line;
  std::string_view told;
};

/// Returns "key|recording|start-end" with the channel, or the code of the error and the wrong part.
std::string segment_told(std::string_view line) {
  const SegmentLine found = parse_segment(line);
  if (found.fault != nullptr) {
    return std::string(found.fault->code) + ": " +
           std::string(line.substr(found.fault_part.begin, found.fault_part.size));
  }
  std::string text = std::string(found.key) + "|" + std::string(found.recording) + "|" +
                     std::to_string(found.segment.start) + "-" + std::to_string(found.segment.end);
  if (found.segment.channel >= 0) text += "#" + std::to_string(found.segment.channel);
  return text;
}

TEST(KaldiSegments, ALineHasFourOrFiveFields) {
  const SegmentCase cases[] = {
      {"u r 0 1", "u|r|0.000000-1.000000"},
      {" u\tr  0.5 1.25 \r", "u|r|0.500000-1.250000"},
      {"u r 1e1 -1", "u|r|10.000000--1.000000"},
      {"u r 0 -1.0 1", "u|r|0.000000--1.000000#1"},
      {"u r 0 1 0", "u|r|0.000000-1.000000#0"},
      {"", "kaldi-segment: "},
      {"u", "kaldi-segment: u"},
      {"u r 0", "kaldi-segment: u r 0"},
      {"u r 0 1 0 x", "kaldi-segment: u r 0 1 0 x"},
      {"u r 0 1 0 x y z", "kaldi-segment: u r 0 1 0 x y z"},
      {"u r x 1", "kaldi-segment-time: x"},
      {"u r 1s 2", "kaldi-segment-time: 1s"},
      {"u r -1 1", "kaldi-segment-time: -1"},
      {"u r nan 1", "kaldi-segment-time: nan"},
      {"u r 0 inf", "kaldi-segment-time: inf"},
      {"u r 0 1e999", "kaldi-segment-time: 1e999"},
      {"u r 1 1", "kaldi-segment-time: 1"},
      {"u r 2 1", "kaldi-segment-time: 1"},
      {"u r 0 -2", "kaldi-segment-time: -2"},
      {"u r 0 0", "kaldi-segment-time: 0"},
      {"u r 0 1 A", "kaldi-segment-channel: A"},
      {"u r 0 1 -1", "kaldi-segment-channel: -1"},
      {"u r 0 1 9999999999", "kaldi-segment-channel: 9999999999"},
  };
  for (const SegmentCase& c : cases) EXPECT_EQ(segment_told(c.line), c.told) << c.line;
}

/// Returns "first+count", or the code of the error.
std::string samples_told(double start, double end, std::int64_t rate, std::int64_t count) {
  const auto found = samples_of({.start = start, .end = end}, rate, count);
  if (const auto* const fault = std::get_if<SegmentFault>(&found)) {
    return std::string(fault->kind->code);
  }
  const auto& range = std::get<SampleRange>(found);
  return std::to_string(range.first) + "+" + std::to_string(range.count);
}

TEST(KaldiSegments, TimesAreRoundedToSamples) {
  EXPECT_EQ(samples_told(0.00004, 1, 10'000, 20'000), "0+10000");
  EXPECT_EQ(samples_told(0.00005, 1, 10'000, 20'000), "1+9999") << "half a sample is rounded up";
  EXPECT_EQ(samples_told(0.5, -1, 10'000, 20'000), "5000+15000") << "to the end";
  EXPECT_EQ(samples_told(0, 2, 10'000, 20'000), "0+20000");
}

TEST(KaldiSegments, EndsMayExceedTheRecordingByHalfASecond) {
  EXPECT_EQ(samples_told(0, 2.5, 10'000, 20'000), "0+20000");
  EXPECT_EQ(samples_told(0, 2.5001, 10'000, 20'000), "kaldi-segment-end");
  EXPECT_EQ(samples_told(0, 1e300, 10'000, 20'000), "kaldi-segment-end");
}

TEST(KaldiSegments, StartsMustLieWithinTheRecording) {
  EXPECT_EQ(samples_told(1.8999, -1, 10'000, 20'000), "18999+1001");
  EXPECT_EQ(samples_told(2, -1, 10'000, 20'000), "kaldi-segment-start");
  EXPECT_EQ(samples_told(1e300, 2e300, 10'000, 20'000), "kaldi-segment-start");
}

TEST(KaldiSegments, SegmentsLastAtLeastATenthOfASecond) {
  EXPECT_EQ(samples_told(0, 0.0999, 10'000, 20'000), "kaldi-segment-short");
  EXPECT_EQ(samples_told(0, 0.1, 10'000, 20'000), "0+1000");
  EXPECT_EQ(samples_told(1.95, 2.2, 10'000, 20'000), "kaldi-segment-short") << "by its end";
}

TEST(KaldiSegments, ErrorsNameTheFieldAtFault) {
  const std::string_view line = "u r 3 4";
  const SegmentLine parsed = parse_segment(line);
  const auto found = samples_of(parsed.segment, 10, 20);
  const auto& fault = std::get<SegmentFault>(found);
  EXPECT_EQ((parsed.*fault.part).begin, 4U);
  EXPECT_EQ(fault.found, "3, where the recording has 20 samples at 10 a second");
}

}  // namespace
}  // namespace sheaf::kaldi
