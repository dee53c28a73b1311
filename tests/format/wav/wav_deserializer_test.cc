#include "format/wav/wav_deserializer.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "format/audio/sound_bytes.h"
#include "format/wav/wav_test_files.h"

namespace sheaf::wav {
namespace {

using testing::mono;
using testing::numbers16;
using testing::RiffBytes;
using testing::SoundBytes;
using testing::told;
using testing::WavFilesInMemory;

TEST(WavDeserializer, EachFileIsASequenceInFileOrder) {
  WavFilesInMemory files = {{"d/b.wav", mono({1, -2, 3})}, {"a.WAV", mono({32767, -32768})}};
  const auto data = files.open();
  EXPECT_EQ(told(*data), "b [1] [-2] [3]\na [32767] [-32768]\n");
  EXPECT_EQ(to_string(data->streams()[0]), "audio: dense f32 [1]");
}

TEST(WavDeserializer, ChannelsAreInterleavedInASample) {
  WavFilesInMemory files = {
      {"a.wav", RiffBytes{.channels = 2, .data = numbers16({1, 2, 3, 4})}.bytes()}};
  EXPECT_EQ(told(*files.open()), "a [1 2] [3 4]\n");
  FormatOptions options;
  options.streams = {{.name = "speech", .sample_shape = Shape{2, 1}}};
  EXPECT_EQ(files.open(options)->streams()[0].sample_shape, (Shape{2, 1}));
}

TEST(WavDeserializer, FilesMayHaveDifferentEncodings) {
  WavFilesInMemory files = {
      {"a.wav", mono({256, -512})},
      {"b.wav", RiffBytes{.bits = 8, .data = std::string("\x81\x7E", 2)}.bytes()},
      {"c.wav", RiffBytes{.is_big_endian = true, .data = std::string("\1\0\xFE\0", 4)}.bytes()},
      {"d.wav", RiffBytes{.bits = 24, .data = std::string("\0\0\1\0\0\xFE", 6)}.bytes()}};
  EXPECT_EQ(told(*files.open()),
            "a [256] [-512]\nb [256] [-512]\nc [256] [-512]\nd [256] [-512]\n");
}

TEST(WavDeserializer, FilesWithErrorsAreHoles) {
  WavFilesInMemory files = {{"cut.wav", mono({1, 2, 3}).substr(0, 48)},
                            {"text.wav", "a text, and no recording"},
                            {"good.wav", mono({7})},
                            {"none.wav", mono({})}};
  EXPECT_EQ(
      told(*files.open()),
      "cut hole\ntext hole\ngood [7]\nnone hole\n"
      "cut.wav: byte 48: error: stream \"audio\": expected all bytes of the chunk, found the end "
      "of "
      "the file after 4 of 6 bytes of samples [wav-cut]\n"
      "text.wav: byte 0: error: stream \"audio\": expected RIFF or RIFX, a size, and WAVE, found "
      "\"a te\" [wav-riff]\n"
      "none.wav: byte 44: error: stream \"audio\": expected at least one sample, found none "
      "[wav-empty]\n");
}

TEST(WavDeserializer, OtherChannelsAndRatesAreHoles) {
  WavFilesInMemory files = {{"a.wav", mono({1})},
                            {"b.wav", RiffBytes{.channels = 2, .data = numbers16({1, 2})}.bytes()},
                            {"c.wav", mono({1}, 8000)}};
  EXPECT_EQ(
      told(*files.open()),
      "a [1]\nb hole\nc hole\n"
      "b.wav: byte 22: error: stream \"audio\": expected the channels of the stream, found 2, "
      "where a.wav has 1 [wav-other-channels]\n"
      "c.wav: byte 24: error: stream \"audio\": expected the sample rate of all files, found "
      "8000, where a.wav has 16000 [wav-other-rate]\n");
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{2}}};
  EXPECT_EQ(told(*files.open(options)),
            "a hole\nb [1 2]\nc hole\n"
            "a.wav: byte 22: error: stream \"x\": expected the channels of the stream, found 1, "
            "where the stream has 2 [wav-other-channels]\n"
            "c.wav: byte 22: error: stream \"x\": expected the channels of the stream, found 1, "
            "where the stream has 2 [wav-other-channels]\n");
  options = {.extra = {{"wav.rate", "8000"}}};
  EXPECT_EQ(told(*files.open(options)).substr(0, 20), "a hole\nb hole\nc [1]\n");
}

/// Returns the result of told() for a recording of SoundBytes.
std::string told_sound(const std::string& key, std::int64_t sample_count) {
  std::string text = key;
  for (std::int64_t i = 0; i < sample_count; ++i) {
    text += " [" + std::to_string(SoundBytes::number(i)) + ']';
  }
  return text + '\n';
}

TEST(WavDeserializer, RecordingsOfLibsndfileMixWithWavFiles) {
  const SoundBytes flac = {.sample_count = 20};
  const SoundBytes sphere = {.kind = testing::kSphere16, .sample_count = 10};
  SHEAF_NEED_SOUND(flac);
  WavFilesInMemory files = {{"a.flac", flac.bytes()},
                            {"b.wav", mono({1, -2})},
                            {"c.sph", sphere.bytes()},
                            {"d.wav", mono({3})}};
  const auto data = files.open();
  EXPECT_EQ(told(*data), told_sound("a", 20) + "b [1] [-2]\n" + told_sound("c", 10) + "d [3]\n");
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->sample_count(0), 20);
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[0], 2);  // 1.25 ms
  EXPECT_EQ(data->index().chunk(ChunkIndex{})->size_bytes, 2 * (20 + 2 + 10 + 1));
}

TEST(WavDeserializer, UndecodableRecordingsAreHoles) {
  const SoundBytes flac = {.sample_count = 20};
  const SoundBytes stereo = {.sample_count = 20, .channel_count = 2};
  const SoundBytes slow = {.sample_count = 20, .rate = 8000};
  SHEAF_NEED_SOUND(flac);
  const std::string bytes = flac.bytes();
  WavFilesInMemory files = {{"a.wav", mono({1})},
                            {"long.flac", testing::with_flac_length(bytes, 21)},
                            {"b.flac", bytes},
                            {"stereo.flac", stereo.bytes()},
                            {"slow.flac", slow.bytes()},
                            {"none.flac", testing::with_flac_length(bytes, 0)},
                            {"unlikely.flac", testing::with_flac_length(bytes, bytes.size() * 65)},
                            {"junk.mp3", "junk in front of an MP3"},
                            {"c.wav", mono({2})}};
  EXPECT_EQ(told(*files.open()),
            "a [1]\nlong hole\n" + told_sound("b", 20) +
                "stereo hole\nslow hole\nnone hole\nunlikely hole\njunk hole\nc [2]\n"
                "long.flac: byte 0: error: stream \"audio\": expected as many "
                "samples as the header says, found 20 of 21 samples [sound-cut]\n"
                "stereo.flac: byte 0: error: stream \"audio\": expected the "
                "channels of the stream, found 2, where a.wav has 1 [wav-other-channels]\n"
                "slow.flac: byte 0: error: stream \"audio\": expected the sample "
                "rate of all files, found 8000, where a.wav has 16000 [wav-other-rate]\n"
                "none.flac: byte 0: error: stream \"audio\": expected a header that "
                "tells the number of samples, found none [sound-length]\n"
                "unlikely.flac: byte 0: error: stream \"audio\": expected as "
                "many samples as the header says, found 20 of " +
                std::to_string(bytes.size() * 65) +
                " samples [sound-cut]\n"
                "junk.mp3: byte 0: error: stream \"audio\": expected a header that "
                "libsndfile reads, found \"junk\" [sound-header]\n");
}

TEST(WavDeserializer, AHoleFoundWhileDecodingLeavesNoGap) {
  const SoundBytes flac = {.sample_count = 200};
  SHEAF_NEED_SOUND(flac);
  std::string damaged = flac.bytes();
  damaged[damaged.size() - 50] = static_cast<char>(damaged[damaged.size() - 50] ^ 0x55);
  WavFilesInMemory files = {
      {"x.flac", damaged}, {"a.flac", flac.bytes()}, {"y.flac", damaged}, {"b.wav", mono({7, 8})}};
  const std::string text = told(*files.open());
  EXPECT_EQ(text.substr(0, text.find("x.flac")),
            "x hole\n" + told_sound("a", 200) + "y hole\nb [7] [8]\n");
}

TEST(WavDeserializer, ManyFilesGiveTheSameForAnyNumberOfThreads) {
  WavFilesInMemory files = {};
  for (int i = 0; i < 129; ++i) {
    files.add("f" + std::to_string(i) + ".wav", i % 7 == 0 ? "RIFF" : mono({i, -i}));
  }
  const auto plain = files.open({.chunk_size_bytes = 100});
  const std::unique_ptr<Executor> threads = thread_pool(3);
  const auto parallel = files.open({.chunk_size_bytes = 100}, threads.get());
  EXPECT_EQ(told(*parallel), told(*plain));
  EXPECT_EQ(parallel->fingerprint(), plain->fingerprint());
}

TEST(WavDeserializer, TheFingerprintDependsOnFilesAndOptions) {
  WavFilesInMemory files = {{"a.wav", mono({1})}, {"b.wav", mono({2})}};
  const std::string expected = files.open()->fingerprint();
  EXPECT_EQ(files.open()->fingerprint(), expected);
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"wav.rate", "16000"}, {"wav.keys", "path"}, {"wav.scale", "unit"}}) {
    EXPECT_NE(files.open({.extra = {{name, value}}})->fingerprint(), expected) << name;
  }
  EXPECT_NE(files.open({.chunk_size_bytes = 1})->fingerprint(), expected);
  WavFilesInMemory others = {{"a.wav", mono({1})}, {"b.wav", mono({3})}};
  EXPECT_NE(others.open()->fingerprint(), expected);
}

TEST(WavDeserializer, AMissingFileIsAnIoError) {
  WavFilesInMemory files = {{"a.wav", mono({1})}};
  OpenRequest request;
  request.context = {.files = &files.file_system()};
  request.paths = {"a.wav", "b.wav"};
  EXPECT_THROW(WavDeserializer{request}, IoError);
}

}  // namespace
}  // namespace sheaf::wav
