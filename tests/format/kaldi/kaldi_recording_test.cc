#include "format/kaldi/kaldi_recording.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/audio/sound_bytes.h"
#include "format/kaldi/kaldi_audio_test_files.h"

namespace sheaf::kaldi {
namespace {

using testing::image;
using testing::matrix;
using testing::recording;

/// Returns "channels x samples at rate, from byte, of size", or the code and the byte offset of the
/// error.
std::string recording_told(const std::string& bytes, const RecordingLocation& location) {
  const std::unique_ptr<FileSystem> files = memory_files();
  sheaf::testing::write_file(*files, "x", bytes);
  const auto source = files->open("x");
  const auto begin = static_cast<std::size_t>(location.begin_bytes);
  const auto head = std::as_bytes(std::span(bytes)).subspan(begin);
  const OpenedRecording opened =
      open_recording(*source, location, head.first(std::min<std::size_t>(head.size(), 512)));
  if (const auto* const fault = std::get_if<internal::RiffFault>(&opened)) {
    return std::string(fault->kind->code) + " " + std::to_string(fault->byte_offset);
  }
  const auto& found = std::get<Recording>(opened);
  return std::to_string(found.channel_count) + "x" + std::to_string(found.sample_count) + " at " +
         std::to_string(found.rate) + ", from " + std::to_string(found.riff.data_bytes) + ", of " +
         std::to_string(found.size_bytes);
}

TEST(KaldiRecording, AnEntryEndsWithItsRiff) {
  const std::string riff = recording({1, 2, 3, 4}, 2, 8000);
  EXPECT_EQ(recording_told("k " + riff + "next", {.begin_bytes = 2}),
            "2x2 at 8000, from 46, of 52");
  EXPECT_EQ(recording_told(riff, {.is_whole_file = true}), "2x2 at 8000, from 44, of 52");
  EXPECT_EQ(recording_told(riff + "more", {.is_whole_file = true}), "2x2 at 8000, from 44, of 56");
}

TEST(KaldiRecording, AnImageEndsAtItsStatedSize) {
  const std::string riff = recording({1, 2, 3});
  EXPECT_EQ(recording_told("k " + image(riff) + "next", {.begin_bytes = 2}),
            "1x3 at 16000, from 56, of 60");
  const std::string open =
      sheaf::testing::RiffBytes{
          .data = testing::numbers16({1, 2, 3}), .riff_size = 0, .data_size = 0xFFFFFFFF}
          .bytes();
  EXPECT_EQ(recording_told(image(open) + "next", {}), "1x3 at 16000, from 54, of 60");
  EXPECT_EQ(recording_told(image(riff).substr(0, 40), {}), "kaldi-cut 40");
  EXPECT_EQ(recording_told("AUDIO\x09 123456789", {}), "kaldi-audio-size 5");
  EXPECT_EQ(recording_told(std::string("AUDIO\0", 6) + riff, {}), "kaldi-audio-size 5");
  EXPECT_EQ(recording_told("AUDIO", {}), "kaldi-cut 5");
  EXPECT_EQ(recording_told("AUDIO\4\1\1\1", {}), "kaldi-cut 9");
  EXPECT_EQ(recording_told("AUDIO\x08\xff\xff\xff\xff\xff\xff\xff\xff", {}), "kaldi-cut 14");
}

TEST(KaldiRecording, OpenEndedSizesNeedAFileOfTheirOwn) {
  const std::string open =
      sheaf::testing::RiffBytes{
          .data = testing::numbers16({1, 2}), .riff_size = 0xFFFFFFFF, .data_size = 0xFFFFFFFF}
          .bytes();
  EXPECT_EQ(recording_told(open, {.is_whole_file = true}), "1x2 at 16000, from 44, of 48");
  EXPECT_EQ(recording_told(open, {}), "kaldi-wave-size 4");
  const std::string open_data =
      sheaf::testing::RiffBytes{.data = testing::numbers16({1, 2}), .data_size = 0xFFFFFFFF}
          .bytes();
  EXPECT_EQ(recording_told(open_data, {}), "wav-open 40");
}

TEST(KaldiRecording, OtherObjectsAreErrors) {
  EXPECT_EQ(recording_told("k " + matrix({1, 2}, 2), {.begin_bytes = 2}), "kaldi-other-kind 2");
  EXPECT_EQ(recording_told("PKL1234", {}), "kaldi-pickle 0");
  EXPECT_EQ(recording_told("fLaC1234", {}), "kaldi-flac 0");
  EXPECT_EQ(recording_told("XYZ", {.is_whole_file = true}), "kaldi-object 0");
  const std::string riff = recording({1, 2});
  EXPECT_EQ(recording_told(riff.substr(0, 46), {.is_whole_file = true}), "wav-cut 46");
  EXPECT_EQ(recording_told(riff.substr(0, 46), {}), "kaldi-cut 46");
}

TEST(KaldiRecording, CommandsDecodeOnlyTheirOwnFiles) {
  const std::string riff = recording({1, 2, 3, 4}, 2);
  RecordingLocation location = {.is_whole_file = true, .decoder = Decoder::sox};
  EXPECT_EQ(recording_told(riff, location), "2x2 at 16000, from 44, of 52");
  location.decoder = Decoder::flac;
  EXPECT_EQ(recording_told(riff, location), "kaldi-decoder 0");
  location.decoder = Decoder::sph2pipe;
  EXPECT_EQ(recording_told(riff, location), "kaldi-decoder 0");
  location.decoder = Decoder::sox;
  location.channel = 2;
  EXPECT_EQ(recording_told(riff, location), "2x2 at 16000, from 44, of 52");
  location.channel = 3;
  EXPECT_EQ(recording_told(riff, location), "kaldi-channel 0");
}

TEST(KaldiRecording, OtherFilesAreDecoded) {
  using sheaf::testing::SoundBytes;
  const SoundBytes flac = {
      .kind = sheaf::testing::kFlac16, .sample_count = 500, .channel_count = 2};
  const SoundBytes sphere = {.kind = sheaf::testing::kSphere16, .sample_count = 300, .rate = 8000};
  SHEAF_NEED_SOUND(flac);
  SHEAF_NEED_SOUND(sphere);
  const std::string told_flac = "2x500 at 16000, from 0, of 2000";
  RecordingLocation location = {.is_whole_file = true};
  EXPECT_EQ(recording_told(flac.bytes(), location), told_flac);
  EXPECT_EQ(recording_told(sphere.bytes(), location), "1x300 at 8000, from 0, of 600");
  location.decoder = Decoder::flac;
  EXPECT_EQ(recording_told(flac.bytes(), location), told_flac);
  EXPECT_EQ(recording_told(sphere.bytes(), location), "kaldi-decoder 0");
  location.decoder = Decoder::sph2pipe;
  location.channel = 1;
  EXPECT_EQ(recording_told(sphere.bytes(), location), "1x300 at 8000, from 0, of 600");
  EXPECT_EQ(recording_told(flac.bytes(), location), "kaldi-decoder 0");
  EXPECT_EQ(recording_told("k " + image(flac.bytes()) + "next", {.begin_bytes = 2}), told_flac);
  EXPECT_EQ(recording_told("k " + flac.bytes(), {.begin_bytes = 2}), "kaldi-flac 2")
      << "the end is unknown";
}

// Memory is allocated for the number of samples in the header.
TEST(KaldiRecording, AHeaderMayNotClaimMissingSamples) {
  const sheaf::testing::SoundBytes flac;
  SHEAF_NEED_SOUND(flac);
  const std::string many = sheaf::testing::with_flac_length(flac.bytes(), 1'000'000);
  EXPECT_EQ(recording_told(many, {.is_whole_file = true}).substr(0, 6), "sound-");
}

TEST(KaldiRecording, FirstBytesIdentifyARecording) {
  const auto begins = [](std::string_view bytes, bool is_whole_file) {
    return begins_recording(std::as_bytes(std::span(bytes)), is_whole_file);
  };
  for (const std::string_view bytes : {"RIFF", "RIFX", "AUDIO\4", "fLaC"}) {
    EXPECT_TRUE(begins(bytes, false)) << bytes;
    EXPECT_TRUE(begins(bytes, true)) << bytes;
  }
  EXPECT_TRUE(begins("NIST_1A\n", true));
  EXPECT_FALSE(begins("NIST_1A\n", false));
  EXPECT_FALSE(begins("", true));
  EXPECT_FALSE(begins("RIF", true));
  EXPECT_FALSE(begins(" [ 1 2 ]", false));
}

}  // namespace
}  // namespace sheaf::kaldi
