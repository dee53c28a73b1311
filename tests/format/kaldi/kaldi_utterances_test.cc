#include "format/kaldi/kaldi_utterances.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_audio_test_files.h"

namespace sheaf::kaldi {
namespace {

using testing::audio_options;
using testing::counting;
using testing::recording;

std::string part_told(const std::variant<UtterancePart, internal::RiffFault>& part) {
  if (const auto* const fault = std::get_if<internal::RiffFault>(&part)) {
    return std::string(fault->kind->code);
  }
  const auto& found = std::get<UtterancePart>(part);
  return std::to_string(found.samples.first) + "+" + std::to_string(found.samples.count) + " x" +
         std::to_string(found.channel_count) + " #" + std::to_string(found.channel);
}

TEST(KaldiUtterances, APartHasSamplesAndChannels) {
  Recording stereo{.channel_count = 2, .rate = 10, .sample_count = 30};
  Utterance whole;
  EXPECT_EQ(part_told(part_of(whole, stereo)), "0+30 x2 #-1");
  whole.location.channel = 2;
  EXPECT_EQ(part_told(part_of(whole, stereo)), "0+30 x1 #1");
  Utterance cut{.line = "u r 1 2 1"};
  cut.segment = Segment{.start = 1, .end = 2};
  EXPECT_EQ(part_told(part_of(cut, stereo)), "10+10 x2 #-1");
  cut.segment->channel = 1;
  EXPECT_EQ(part_told(part_of(cut, stereo)), "10+10 x1 #1");
  cut.location.channel = 1;
  EXPECT_EQ(part_told(part_of(cut, stereo)), "kaldi-segment-channel") << "one channel is left";
  EXPECT_EQ(cut.fault_begin, 8U);
  stereo.sample_count = 0;
  EXPECT_EQ(part_told(part_of(whole, stereo)), "kaldi-no-samples");
  stereo.sample_count = (std::int64_t{1} << 31) - 1;
  EXPECT_EQ(part_told(part_of(whole, stereo)), "0+2147483647 x1 #1");
  ++stereo.sample_count;
  EXPECT_EQ(part_told(part_of(whole, stereo)), "kaldi-long");
}

TEST(KaldiUtterances, SegmentsOfOneRecordingShareARead) {
  const std::unique_ptr<FileSystem> files = memory_files();
  sheaf::testing::write_file(*files, "r.wav", recording(counting(0, 20), 1, 10));
  sheaf::testing::write_file(*files, "x.scp", "r r.wav\ns r.wav\n");
  sheaf::testing::write_file(*files, "g", "a r 0 1\nb r 1 2\nc none 0 1\nd r 0 1\ne s 0 1\n");
  const FormatOptions options = audio_options("g");
  const auto entries = audio_entries(
      files->open("x.scp"), false,
      audio_options_of(options, read_options_of(options, "x.scp", false)), {.files = files.get()});
  std::vector<EntryLocation> locations;
  for (const std::int64_t offset : {0, 8, 16, 27, 35})
    locations.push_back({.offset_bytes = offset});
  std::vector<Utterance> utterances = entries->utterances(locations, 43);
  std::vector<std::size_t> numbers;
  std::vector<const void*> recordings;
  open_utterances(utterances, *entries, {.read_size_bytes = 1 << 20},
                  [&](std::size_t number, const OpenedUtterance& opened) {
                    numbers.push_back(number);
                    recordings.push_back(opened.bytes.data());
                    EXPECT_EQ(std::get<Recording>(opened.recording).sample_count, 20);
                    EXPECT_EQ(form_of(utterances[number], opened.recording).rate, 10);
                  });
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(recordings[0], recordings[1]);
  EXPECT_EQ(recordings[2], recordings[3]) << "of one file, whatever its keys";
  EXPECT_EQ(utterances[2].fault->code, "kaldi-segment-recording");
}

}  // namespace
}  // namespace sheaf::kaldi
