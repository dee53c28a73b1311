#include "format/kaldi/kaldi_audio_range.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"

#include "format/audio/sound_bytes.h"
#include "format/kaldi/kaldi_audio_test_files.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::RiffBytes;
using sheaf::testing::write_file;
using testing::audio_options;
using testing::counting;
using testing::recording;
using testing::told;

std::unique_ptr<Deserializer> opened_audio(FileSystem& files, const std::string& path,
                                           const FormatOptions& options) {
  return open_kaldi({.source = files.open(path), .options = options, .context = {&files}});
}

/// Returns all values of a data set of one chunk.
std::vector<float> values_of(const Deserializer& data) {
  Diagnostics diagnostics;
  const Chunk chunk = data.read(
      {.chunk = {}, .first = 0, .count = data.index().chunk({})->sequence_count}, diagnostics);
  std::vector<float> values;
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    const SequenceView view = chunk.view(0, i);
    const auto count = view.sample_count * data.streams()[0].sample_shape.size();
    const std::size_t begin = values.size();
    values.resize(begin + static_cast<std::size_t>(count));
    std::memcpy(values.data() + begin, view.values,
                static_cast<std::size_t>(count) * sizeof(float));
  }
  EXPECT_TRUE(diagnostics.empty());
  return values;
}

// Objects of up to 4 MiB are read whole. Samples are converted 256 KiB at a time.
TEST(KaldiAudioRange, RecordingsOfAnySizeAreRead) {
  const std::unique_ptr<FileSystem> files = memory_files();
  constexpr int kWhole = (4 << 20) / 2 - 22;  // samples of a recording of 4 MiB
  for (const int count : {1, (128 << 10) - 1, (128 << 10) + 1, kWhole - 1, kWhole, kWhole + 1}) {
    write_file(*files, "r.wav", recording(counting(0, count)));
    write_file(*files, "x.scp", "r r.wav\n");
    const std::vector<float> values = values_of(*opened_audio(*files, "x.scp", audio_options()));
    ASSERT_EQ(std::ssize(values), count);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<std::int16_t>(i)) << count;
    }
  }
}

TEST(KaldiAudioRange, FloatsAreReadDirectly) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string data;
  for (int i = 0; i < 3000; ++i) {
    const float value = static_cast<float>(i) / 4096;
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  write_file(*files, "r.wav",
             RiffBytes{.format = 3, .channels = 2, .rate = 100, .bits = 32, .data = data}.bytes());
  write_file(*files, "x.scp", "r r.wav\n");
  write_file(*files, "g", "a r 10 12\nb r 0 0.1\n");
  FormatOptions options;
  options.extra["kaldi.segments"] = "g";
  const std::vector<float> values = values_of(*opened_audio(*files, "x.scp", options));
  ASSERT_EQ(values.size(), 2U * 210);
  for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(values[i], static_cast<float>(2000 + i) / 4096);
  for (std::size_t i = 0; i < 20; ++i) ASSERT_EQ(values[400 + i], static_cast<float>(i) / 4096);
}

TEST(KaldiAudioRange, ASelectedChannelIsThatOfTheFile) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string data;
  for (int i = 0; i < 200'000; ++i) data += testing::numbers16({i % 1000, -(i % 999)});
  write_file(*files, "r.wav", RiffBytes{.channels = 2, .rate = 1000, .data = data}.bytes());
  write_file(*files, "x.scp", "r r.wav\n");
  write_file(*files, "g", "a r 1 -1 1\n");
  const std::vector<float> values = values_of(*opened_audio(*files, "x.scp", audio_options("g")));
  ASSERT_EQ(values.size(), 199'000U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], -static_cast<float>((i + 1000) % 999)) << i;
  }
}

// One channel is extracted from 16384 samples at a time.
TEST(KaldiAudioRange, RecordingsAreDecoded) {
  const sheaf::testing::SoundBytes flac = {
      .sample_count = 40'000, .channel_count = 2, .rate = 1000};
  SHEAF_NEED_SOUND(flac);
  const std::vector<float> all = flac.values();
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.flac", flac.bytes());
  write_file(*files, "x.scp", "r flac -c -d -s r.flac |\n");
  EXPECT_EQ(values_of(*opened_audio(*files, "x.scp", {})), all);
  FormatOptions options;
  options.extra["kaldi.segments"] = "g";
  write_file(*files, "g", "a r 30 31.5\nb r 1 2\n");
  std::vector<float> expected(all.begin() + 60'000, all.begin() + 63'000);
  expected.insert(expected.end(), all.begin() + 2000, all.begin() + 4000);
  EXPECT_EQ(values_of(*opened_audio(*files, "x.scp", options)), expected);
  write_file(*files, "g", "a r 1 -1 1\n");
  const std::vector<float> picked = values_of(*opened_audio(*files, "x.scp", options));
  ASSERT_EQ(picked.size(), 39'000U);
  for (std::size_t i = 0; i < picked.size(); ++i) ASSERT_EQ(picked[i], all[2 * i + 2001]) << i;
}

// For a lossy recording, a decoder that continues gives other values than a decoder that seeks.
TEST(KaldiAudioRange, DecodedSegmentsDoNotDependOnTheirNeighbours) {
  for (const int kind : {sheaf::testing::kVorbis, sheaf::testing::kOpus, sheaf::testing::kMp3}) {
    const sheaf::testing::SoundBytes lossy = {.kind = kind, .sample_count = 80'000, .rate = 8000};
    SHEAF_NEED_SOUND(lossy);
    const std::unique_ptr<FileSystem> files = memory_files();
    write_file(*files, "r.mp3", lossy.bytes());
    write_file(*files, "x.scp", "r r.mp3\n");
    FormatOptions options;
    options.extra["kaldi.segments"] = "g";
    write_file(*files, "g", "b r 2 3\n");
    const std::vector<float> alone = values_of(*opened_audio(*files, "x.scp", options));
    write_file(*files, "g", "a r 1 2\nb r 2 3\n");
    std::vector<float> both = values_of(*opened_audio(*files, "x.scp", options));
    both.erase(both.begin(), both.begin() + 8000);
    EXPECT_TRUE(both == alone) << kind;
  }
}

TEST(KaldiAudioRange, ADecodedRecordingThatEndsEarlyIsAHole) {
  const sheaf::testing::SoundBytes flac = {.sample_count = 40'000};
  SHEAF_NEED_SOUND(flac);
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.flac", flac.bytes());
  write_file(*files, "b.flac", flac.bytes().substr(0, 50'000));
  write_file(*files, "x.scp", "b flac -dc b.flac |\nc none\n");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.scp", {}, &codes), "b hole\nc hole\n");
  ASSERT_EQ(codes.size(), 2U);
  EXPECT_EQ(codes[0].substr(0, 13), "byte 0 sound-") << codes[0];
}

TEST(KaldiAudioRange, HolesLeaveNoGapBetweenValues) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", recording({1, 2}));
  write_file(*files, "slow.wav", recording({3, 4, 5}, 1, 8000));
  write_file(*files, "b.wav", recording({6}));
  write_file(*files, "x.scp", "a a.wav\ns slow.wav\nb b.wav\n");
  EXPECT_EQ(told(*files, "x.scp", audio_options()), "a: 1|2\ns hole\nb: 6\n");
}

TEST(KaldiAudioRange, ARecordingThatChangedIsAHole) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", recording({1, 2}));
  write_file(*files, "b.wav", recording({3, 4}));
  write_file(*files, "x.scp", "a a.wav\nb b.wav\n");
  const auto data = opened_audio(*files, "x.scp", audio_options());
  const auto other = memory_files();
  FormatOptions options = audio_options();
  options.index.mode = IndexMode::rebuild;
  static_cast<void>(opened_audio(*files, "x.scp", options));  // writes an index file
  write_file(*files, "b.wav", recording({3, 4, 5}));
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.scp", audio_options(), &codes), "a: 1|2\nb hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 0 kaldi-changed"});
}

}  // namespace
}  // namespace sheaf::kaldi
