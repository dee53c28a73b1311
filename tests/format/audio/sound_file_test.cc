#include "format/audio/sound_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/sound_library.h"

#include "format/audio/mp3_frames.h"
#include "format/audio/sound_bytes.h"
#include "support/error_of.h"
#include "support/interrupting.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

using testing::error_of;
using testing::SoundBytes;
using testing::TestSource;
using Opened = std::variant<SoundFile, RiffFault>;

Opened open(const ByteSource& source, SoundCoding coding = SoundCoding::flac) {
  return SoundFile::open(source, {.begin_bytes = 0, .end_bytes = source.size()}, coding);
}

std::string fault_text(const RiffFault& fault) {
  return std::string(fault.kind->code) + ' ' + std::to_string(fault.byte_offset) + ' ' +
         fault.found;
}

std::vector<float> read(SoundFile& file, std::int64_t first, std::int64_t count,
                        SampleScale scale = SampleScale::unit) {
  std::vector<float> values(static_cast<std::size_t>(count * file.audio().channel_count));
  if (const auto fault = file.read(first, scale, values)) ADD_FAILURE() << fault_text(*fault);
  return values;
}

/// Returns "code offset found" if opening or reading fails, or "good".
std::string sound_fault(const std::string& bytes, SoundCoding coding = SoundCoding::flac) {
  const TestSource source(bytes);
  Opened opened = open(source, coding);
  if (const auto* const fault = std::get_if<RiffFault>(&opened)) return fault_text(*fault);
  auto& file = std::get<SoundFile>(opened);
  if (const auto fault = file.holds_all()) return fault_text(*fault);
  std::vector<float> values(
      static_cast<std::size_t>(file.audio().sample_count * file.audio().channel_count));
  const auto fault = file.read(0, SampleScale::unit, values);
  return fault ? fault_text(*fault) : "good";
}

TEST(SoundFile, TheFirstBytesIdentifyTheCoding) {
  const auto told = [](std::string_view text, bool may_be_mp3 = false) {
    const auto coding = sound_coding_of(std::as_bytes(std::span(text)), may_be_mp3);
    return coding ? name_of(*coding) : std::string_view();
  };
  EXPECT_EQ(told("fLaC"), "FLAC");
  EXPECT_EQ(told("OggS"), "Ogg");
  EXPECT_EQ(told("NIST_1A\n"), "SPHERE");
  EXPECT_EQ(told("ID3"), "MP3");
  EXPECT_EQ(told("\xFF\xFB"), "");
  EXPECT_EQ(told("\xFF\xFB", true), "MP3");
  EXPECT_EQ(told("\xFF\xE0", true), "MP3");
  EXPECT_EQ(told("\xFF\xDF", true), "");
  EXPECT_EQ(told("\xFF", true), "");
  EXPECT_EQ(told("fLa", true), "");
  EXPECT_EQ(told("", true), "");
}

TEST(SoundFile, LosslessValuesAreScaledByTheFullScale) {
  struct Case {
    int kind;
    SoundCoding coding;
  };
  for (const Case& each :
       {Case{testing::kFlac16, SoundCoding::flac}, Case{testing::kFlac24, SoundCoding::flac},
        Case{testing::kSphere16, SoundCoding::sphere}}) {
    for (const int channels : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(each.kind) + ' ' + std::to_string(channels));
      const SoundBytes sound = {.kind = each.kind, .channel_count = channels, .rate = 44100};
      SHEAF_NEED_SOUND(sound);
      const TestSource source(sound.bytes());
      Opened opened = open(source, each.coding);
      auto& file = std::get<SoundFile>(opened);
      EXPECT_EQ(file.audio(), (SoundAudio{.coding = each.coding,
                                          .channel_count = channels,
                                          .rate = 44100,
                                          .sample_count = 1000}));
      std::vector<float> expected = sound.values();
      EXPECT_EQ(read(file, 0, 1000), expected);
      for (float& value : expected) value *= 32768;
      EXPECT_EQ(read(file, 0, 1000, SampleScale::int16), expected);
    }
  }
}

TEST(SoundFile, RangesEqualPartsOfTheWholeRecording) {
  // Longer than a FLAC frame, and longer than the number of samples decoded together.
  const SoundBytes sound = {.sample_count = 70'000, .channel_count = 2};
  SHEAF_NEED_SOUND(sound);
  const TestSource source(sound.bytes());
  const std::vector<float> all = sound.values();
  Opened opened = open(source);
  auto& file = std::get<SoundFile>(opened);
  for (const auto& [first, count] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{69'999, 1},
                                                          {0, 1},
                                                          {1, 4095},
                                                          {4096, 1},
                                                          {4097, 0},
                                                          {4097, 65'536},
                                                          {0, 70'000},
                                                          {32'767, 2},
                                                          {70'000, 0}}) {
    SCOPED_TRACE(first);
    const std::vector<float> expected(all.begin() + 2 * first, all.begin() + 2 * (first + count));
    EXPECT_EQ(read(file, first, count), expected);
  }
}

TEST(SoundFile, LossyRecordingsDeliverAllSamples) {
  struct Case {
    int kind;
    SoundCoding coding;
  };
  for (const Case& each :
       {Case{testing::kVorbis, SoundCoding::ogg}, Case{testing::kOpus, SoundCoding::ogg},
        Case{testing::kMp3, SoundCoding::mp3}}) {
    const SoundBytes sound = {.kind = each.kind, .sample_count = 20'001};
    const std::string bytes = sound.bytes();
    if (bytes.empty()) continue;  // libsndfile is missing or older, as other tests report
    SCOPED_TRACE(each.kind);
    const TestSource source(bytes);
    Opened opened = open(source, each.coding);
    ASSERT_TRUE(std::holds_alternative<SoundFile>(opened)) << fault_text(std::get<1>(opened));
    auto& file = std::get<SoundFile>(opened);
    EXPECT_EQ(file.audio().coding, each.coding);
    EXPECT_EQ(file.audio().sample_count, 20'001);
    const std::vector<float> whole = read(file, 0, 20'001);
    // Consecutive reads give the same values as one long read.
    Opened again = open(source, each.coding);
    auto& parts = std::get<SoundFile>(again);
    std::vector<float> found = read(parts, 0, 10'000);
    const std::vector<float> rest = read(parts, 10'000, 10'001);
    found.insert(found.end(), rest.begin(), rest.end());
    EXPECT_EQ(found, whole);
  }
}

TEST(SoundFile, AnMp3WithoutALengthHeaderIsCounted) {
  const SoundBytes sound = {.kind = testing::kMp3, .sample_count = 30'000};
  SHEAF_NEED_SOUND(sound);
  const std::string bytes = sound.bytes();
  const std::int64_t told_bytes = mp3_header(bytes)->size_bytes;  // size of the frame that tells
                                                                  // the number of frames
  const std::string frames = bytes.substr(static_cast<std::size_t>(told_bytes));
  const TestSource source(frames);
  Opened opened = open(source, SoundCoding::mp3);
  ASSERT_TRUE(std::holds_alternative<SoundFile>(opened)) << fault_text(std::get<1>(opened));
  auto& file = std::get<SoundFile>(opened);
  // Whole frames of 576 samples, including the delays of the encoder and the decoder.
  const std::int64_t count = file.audio().sample_count;
  EXPECT_EQ(count % 576, 0);
  EXPECT_GE(count, 30'000 + 529);
  EXPECT_LE(count, 30'000 + 4 * 576);
  // Apart from the delay, the recording is the same.
  const std::vector<float> found = read(file, 0, count);
  const TestSource told(bytes);
  Opened of_told = open(told, SoundCoding::mp3);
  const std::vector<float> expected = read(std::get<SoundFile>(of_told), 0, 30'000);
  constexpr std::size_t kLate = 576 + 529;  // the delays of LAME and of any decoder
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i + kLate], expected[i], 1e-5) << i;
  }
  EXPECT_EQ(sound_fault("junk" + frames, SoundCoding::mp3),
            "sound-header 0 \"junk\", where a frame begins");
  EXPECT_EQ(sound_fault(bytes + "junk" + bytes, SoundCoding::mp3),
            "sound-data " + std::to_string(bytes.size()) + " \"junk\", where a frame begins");
  EXPECT_EQ(sound_fault(frames.substr(0, frames.size() - 1), SoundCoding::mp3).substr(0, 10),
            "sound-cut ");
}

TEST(SoundFile, ARecordingInsideAnArchiveIsRead) {
  const SoundBytes sound = {.sample_count = 5000};
  SHEAF_NEED_SOUND(sound);
  const std::string bytes = sound.bytes();
  for (const std::string& behind : {std::string(), "key2 " + bytes, std::string(100'000, 'x')}) {
    const TestSource source("key1 " + bytes + behind);
    const SoundRange location{.begin_bytes = 5, .end_bytes = 5 + std::ssize(bytes)};
    auto opened = SoundFile::open(source, location, SoundCoding::flac);
    EXPECT_EQ(read(std::get<SoundFile>(opened), 0, 5000), sound.values());
  }
  // An error names the offset where the recording begins.
  const TestSource source("key1 fLaC");
  const auto opened =
      SoundFile::open(source, {.begin_bytes = 5, .end_bytes = 9}, SoundCoding::flac);
  EXPECT_EQ(fault_text(std::get<RiffFault>(opened)).substr(0, 15), "sound-header 5 ");
}

TEST(SoundFile, WrongHeaderLengthsAreErrors) {
  const SoundBytes sound = {.sample_count = 50'000};
  SHEAF_NEED_SOUND(sound);
  const std::string bytes = sound.bytes();
  const std::string size = std::to_string(bytes.size());
  EXPECT_EQ(sound_fault(testing::with_flac_length(bytes, 50'000)), "good");
  EXPECT_EQ(sound_fault(testing::with_flac_length(bytes, 50'001)),
            "sound-cut 0 50000 of 50001 samples");
  EXPECT_EQ(sound_fault(testing::with_flac_length(bytes, 0)), "sound-length 0 none");
  const std::uint64_t most = 8192 * bytes.size() + 8191;
  EXPECT_EQ(sound_fault(testing::with_flac_length(bytes, most + 1)),
            "sound-length 0 " + std::to_string(most + 1) + " samples in " + size + " bytes");
  // 64 samples for each byte are plausible. Beyond that, samples are counted before memory is
  // allocated.
  const TestSource source(testing::with_flac_length(bytes, most));
  Opened opened = open(source);
  auto& file = std::get<SoundFile>(opened);
  EXPECT_EQ(file.audio().sample_count, static_cast<std::int64_t>(most));
  EXPECT_EQ(fault_text(file.holds_all().value()),
            "sound-cut 0 50000 of " + std::to_string(most) + " samples");
}

TEST(SoundFile, OnlyImplausibleLengthsAreCounted) {
  EXPECT_TRUE(SoundFile::is_likely(64, 1));
  EXPECT_FALSE(SoundFile::is_likely(65, 1));
  const SoundBytes sound;
  SHEAF_NEED_SOUND(sound);
  const TestSource source(sound.bytes());
  Opened opened = open(source);
  const std::int64_t before = source.read_count();
  EXPECT_FALSE(std::get<SoundFile>(opened).holds_all());
  EXPECT_EQ(source.read_count(), before);
}

TEST(SoundFile, EveryPrefixIsReadOrRefused) {
  struct Case {
    int kind;
    SoundCoding coding;
  };
  for (const Case& each :
       {Case{testing::kFlac16, SoundCoding::flac}, Case{testing::kSphere16, SoundCoding::sphere},
        Case{testing::kVorbis, SoundCoding::ogg}}) {
    const SoundBytes sound = {.kind = each.kind, .sample_count = 6000};
    SHEAF_NEED_SOUND(sound);
    const std::string bytes = sound.bytes();
    EXPECT_EQ(sound_fault(bytes, each.coding), "good");
    const std::size_t step = bytes.size() / 97 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      EXPECT_EQ(sound_fault(bytes.substr(0, size), each.coding).substr(0, 6), "sound-") << size;
    }
    EXPECT_EQ(sound_fault(bytes.substr(0, bytes.size() - 1), each.coding).substr(0, 6), "sound-");
  }
}

TEST(SoundFile, DamagedDataIsAnError) {
  const SoundBytes sound = {.sample_count = 50'000};
  SHEAF_NEED_SOUND(sound);
  std::string bytes = sound.bytes();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_EQ(sound_fault(bytes).substr(0, 13), "sound-data 0 ");
}

TEST(SoundFile, OtherBytesAreRefused) {
  SHEAF_NEED_SOUND(SoundBytes());
  EXPECT_EQ(sound_fault("").substr(0, 15), "sound-header 0 ");
  EXPECT_EQ(sound_fault("fLaC").substr(0, 15), "sound-header 0 ");
  EXPECT_EQ(sound_fault("fLaC" + std::string(1000, '\0')).substr(0, 15), "sound-header 0 ");
  EXPECT_EQ(sound_fault("OggS" + std::string(1000, 'x'), SoundCoding::ogg).substr(0, 15),
            "sound-header 0 ");
  // libsndfile reads AIFF, but sheaf does not offer the format.
  const SoundBytes aiff = {.kind = testing::kAiff16};
  EXPECT_EQ(sound_fault(aiff.bytes()).substr(0, 15), "sound-header 0 ");
}

TEST(SoundFile, AMissingLibraryIsAnErrorWithInstructions) {
  const std::string before = sound_library();
  set_sound_library("/nowhere/libsndfile.so.1");
  const TestSource source("fLaC");
  const std::string text = error_of<ConfigError>([&] { static_cast<void>(open(source)); });
  set_sound_library(before);
  EXPECT_EQ(text.substr(0, 95),
            "memory: a recording in FLAC needs the library libsndfile, which cannot be loaded "
            "(/nowhere/libs");
  EXPECT_TRUE(text.ends_with("): apt install libsndfile1, or pip install soundfile")) << text;
}

TEST(SoundFile, SourceErrorsPropagate) {
  const SoundBytes sound = {.sample_count = 20'000};
  SHEAF_NEED_SOUND(sound);
  const std::string bytes = sound.bytes();
  std::int64_t failed = 0;
  for (std::int64_t n = 1;; ++n) {
    TestSource source(bytes);
    source.fail_read(n);
    const std::string text = error_of<IoError>([&] {
      Opened opened = open(source);
      static_cast<void>(read(std::get<SoundFile>(opened), 0, 20'000));
    });
    if (source.read_count() < n) break;
    EXPECT_EQ(text, "memory: this read fails") << n;
    ++failed;
  }
  EXPECT_GE(failed, 2);
}

TEST(SoundFile, AnInterruptionPropagates) {
  const SoundBytes sound = {.sample_count = 20'000};
  SHEAF_NEED_SOUND(sound);
  const TestSource source(sound.bytes());
  for (std::int64_t n = 1;; ++n) {
    testing::Interrupting interrupting(n);
    const InterruptionScope scope(interrupting);
    try {
      Opened opened = open(source);
      static_cast<void>(read(std::get<SoundFile>(opened), 0, 20'000));
    } catch (const testing::Interrupted&) {
      continue;
    }
    EXPECT_GE(n, 3);
    break;
  }
}

TEST(SoundFile, ThreadsOpenTheirOwnDecoders) {
  const SoundBytes sound = {.sample_count = 20'000};
  SHEAF_NEED_SOUND(sound);
  const TestSource good(sound.bytes());
  const TestSource bad("fLaC");
  const std::string expected = fault_text(std::get<RiffFault>(open(bad)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(fault_text(std::get<RiffFault>(open(bad))), expected);
        Opened opened = open(good);
        EXPECT_EQ(read(std::get<SoundFile>(opened), 0, 20'000), sound.values());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace sheaf::internal
