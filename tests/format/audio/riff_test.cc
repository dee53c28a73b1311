#include "format/audio/riff.h"

#include <variant>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/audio/riff_bytes.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

using testing::RiffBytes;
using testing::TestSource;
using Found = std::variant<RiffAudio, RiffFault>;

Found find(const std::string& bytes, bool is_whole_file = true) {
  const TestSource source(bytes);
  return find_riff_audio(
      source, {.begin_bytes = 0, .end_bytes = source.size(), .is_whole_file = is_whole_file});
}

RiffAudio audio_of(const std::string& bytes, bool is_whole_file = true) {
  const Found found = find(bytes, is_whole_file);
  if (const auto* const fault = std::get_if<RiffFault>(&found)) {
    ADD_FAILURE() << fault->kind->code << " at " << fault->byte_offset << ": " << fault->found;
    return {};
  }
  return std::get<RiffAudio>(found);
}

/// Returns "code offset found", or "good".
std::string fault_of(const std::string& bytes, bool is_whole_file = true) {
  const Found found = find(bytes, is_whole_file);
  const auto* const fault = std::get_if<RiffFault>(&found);
  if (fault == nullptr) return "good";
  return std::string(fault->kind->code) + ' ' + std::to_string(fault->byte_offset) + ' ' +
         fault->found;
}

TEST(Riff, EveryEncodingIsRecognizedInBothByteOrdersAndForms) {
  struct Case {
    std::uint32_t format;
    std::uint32_t bits;
    SampleEncoding encoding;
  };
  const Case cases[] = {{1, 8, SampleEncoding::u8},    {1, 16, SampleEncoding::s16},
                        {1, 24, SampleEncoding::s24},  {1, 32, SampleEncoding::s32},
                        {3, 32, SampleEncoding::f32},  {3, 64, SampleEncoding::f64},
                        {6, 8, SampleEncoding::a_law}, {7, 8, SampleEncoding::mu_law}};
  for (const Case& each : cases) {
    for (const bool is_big_endian : {false, true}) {
      for (const bool is_extensible : {false, true}) {
        const RiffBytes file = {.is_big_endian = is_big_endian,
                                .format = each.format,
                                .channels = 3,
                                .rate = 44100,
                                .bits = each.bits,
                                .is_extensible = is_extensible,
                                .data = std::string(2 * 3 * each.bits / 8, 'x')};
        const RiffAudio expected = {.encoding = each.encoding,
                                    .is_big_endian = is_big_endian,
                                    .channel_count = 3,
                                    .rate = 44100,
                                    .format_bytes = 20,
                                    .data_bytes = is_extensible ? 68 : 44,
                                    .sample_count = 2};
        EXPECT_EQ(audio_of(file.bytes()), expected) << each.format << ' ' << each.bits;
      }
    }
  }
}

TEST(Riff, OtherChunksAreSkippedWithTheirPadding) {
  for (std::size_t size = 0; size < 5; ++size) {
    const RiffBytes file = {
        .before = {{"LIST", std::string(size, 'd')}}, .data = "abcd", .behind = {{"id3 ", "data"}}};
    const RiffAudio audio = audio_of(file.bytes());
    EXPECT_EQ(audio.data_bytes, 52 + static_cast<std::int64_t>(size + size % 2));
    EXPECT_EQ(audio.sample_count, 2);
  }
}

TEST(Riff, TheResultDoesNotDependOnTheSizeOfTheHead) {
  const std::string bytes =
      RiffBytes{.before = {{"LIST", std::string(601, 'd')}}, .data = "abcd"}.bytes();
  const TestSource source(bytes);
  const RiffRange location = {.begin_bytes = 0, .end_bytes = source.size()};
  const auto expected = std::get<RiffAudio>(find_riff_audio(source, location));
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const auto head = std::as_bytes(std::span(bytes)).first(size);
    ASSERT_EQ(std::get<RiffAudio>(find_riff_audio(source, location, head)), expected) << size;
  }
  const TestSource other(bytes);
  static_cast<void>(find_riff_audio(other, location, std::as_bytes(std::span(bytes))));
  EXPECT_EQ(other.read_count(), 0) << "the head has all that is needed";
}

TEST(Riff, OffsetsWithinAnArchiveAreThoseOfTheArchive) {
  const std::string bytes = RiffBytes{.data = "abcd"}.bytes();
  const TestSource source("key " + bytes + "key2 ...");
  const auto audio = std::get<RiffAudio>(find_riff_audio(
      source, {.begin_bytes = 4, .end_bytes = source.size(), .is_whole_file = false}));
  EXPECT_EQ(audio.format_bytes, 24);
  EXPECT_EQ(audio.data_bytes, 48);
  EXPECT_EQ(audio.sample_count, 2);
}

TEST(Riff, OpenEndedSizesNeedAFileOfTheirOwn) {
  for (const std::uint32_t size : {0U, 0x7FFFF000U, 0xFFFFFFFFU}) {
    RiffBytes file = {.data = "abcdef", .riff_size = size, .data_size = size};
    EXPECT_EQ(audio_of(file.bytes()).sample_count, 3) << size;
    EXPECT_EQ(fault_of(file.bytes(), false), "wav-open 4 " + std::to_string(size));
    file.riff_size = 0x7FFFF024;
    EXPECT_EQ(audio_of(file.bytes()).sample_count, size == 0 ? 0 : 3) << size;
    file.riff_size = 36;  // the header of a writer that could not go back to fill in the sizes
    EXPECT_EQ(audio_of(file.bytes()).sample_count, 3) << size;
  }
  // One below and one above these values, the size is an ordinary size.
  for (const std::uint32_t size : {0x7FFFEFFFU, 0x7FFFF001U, 0xFFFFFFFEU}) {
    const RiffBytes file = {.data = "abcdef", .riff_size = 0xFFFFFFFF, .data_size = size};
    EXPECT_EQ(fault_of(file.bytes()), "wav-cut 50 the end of the file after 6 of " +
                                          std::to_string(size) + " bytes of samples");
  }
  const RiffBytes data_alone = {.data = "abcdef", .data_size = 0x7FFFF000};
  EXPECT_EQ(fault_of(data_alone.bytes(), false), "wav-open 40 2147479552");
}

TEST(Riff, AnEmptyDataChunkHasNoSamples) {
  const RiffBytes file = {.behind = {{"LIST", "abcd"}}};
  EXPECT_EQ(audio_of(file.bytes()).sample_count, 0);
  EXPECT_EQ(audio_of(file.bytes(), false).sample_count, 0);
  EXPECT_EQ(audio_of(RiffBytes{}.bytes()).sample_count, 0);
  EXPECT_EQ(audio_of(RiffBytes{}.bytes(), false).sample_count, 0);
}

TEST(Riff, AnErrorHasACodeAnOffsetAndAFinding) {
  struct Case {
    std::string bytes;
    std::string fault;
  };
  const auto without_data = [](RiffBytes file) {
    std::string bytes = file.bytes();
    return bytes.substr(0, bytes.size() - 8);
  };
  std::string other_form = RiffBytes{}.bytes();
  other_form[8] = 'A';
  std::string short_format = RiffBytes{}.bytes();
  short_format[16] = 15;
  const std::string format = RiffBytes{}.format_fields();
  const Case cases[] = {
      {"", "wav-riff 0 the end of the file after 0 bytes"},
      {"RIFF....WAV", "wav-riff 11 the end of the file after 11 bytes"},
      {"RIFF....WAVE", "wav-format 12 the end of the file"},
      {"RF64....WAVE", "wav-riff 0 \"RF64\""},
      {other_form, "wav-riff 8 \"AAVE\""},
      {short_format, "wav-format 16 15 bytes"},
      {without_data({}), "wav-data 36 the end of the file"},
      {without_data({.before = {{"fact", "1234"}}}), "wav-data 48 the end of the file"},
      {RiffBytes{.before = {{"fmt ", format}}}.bytes(), "wav-format 36 a second one"},
      {"RIFF....WAVEdata" + std::string(4, '\0'), "wav-format 12 the data chunk"},
      {RiffBytes{.format = 2, .bits = 4}.bytes(), "wav-encoding 20 format 2 of 4 bits"},
      {RiffBytes{.bits = 12}.bytes(), "wav-encoding 20 format 1 of 12 bits"},
      {RiffBytes{.format = 3, .is_extensible = true}.bytes(),
       "wav-encoding 44 format 3 of 16 bits"},
      {RiffBytes{.format = 0xFFFE}.bytes(),
       "wav-format 16 16 bytes, where an extensible format has 40"},
      {RiffBytes{.channels = 0}.bytes(), "wav-channels 22 0"},
      {RiffBytes{.rate = 0}.bytes(), "wav-rate 24 0"},
      {RiffBytes{.channels = 2, .align = 2}.bytes(),
       "wav-align 32 2 bytes, where channels times bits make 4"},
      {RiffBytes{.data = "abc"}.bytes(), "wav-data-size 40 3 bytes, with samples of 2"},
      {RiffBytes{.data = "abcd"}.bytes().substr(0, 47),
       "wav-cut 47 the end of the file after 3 of 4 bytes of samples"},
      {RiffBytes{.data = "abcd", .riff_size = 39}.bytes(),
       "wav-riff-size 4 39, where the data chunk ends after 40 bytes"},
      {without_data({.before = {{"LIST", "abcd"}}}).substr(0, 46),
       "wav-cut 40 4 bytes of \"LIST\", where 2 are left"},
  };
  for (const Case& each : cases) EXPECT_EQ(fault_of(each.bytes), each.fault);
}

TEST(Riff, AnErrorInTheSamplesKeepsTheFormat) {
  const Found found = find(RiffBytes{.channels = 2, .rate = 8000, .data = "abc"}.bytes());
  EXPECT_EQ(std::get<RiffFault>(found).channel_count, 2);
  EXPECT_EQ(std::get<RiffFault>(found).rate, 8000);
}

TEST(Riff, TheDataChunkMustBeAmongTheFirstChunks) {
  for (const std::int64_t count : {kRiffChunksMax - 1, kRiffChunksMax, kRiffChunksMax + 1}) {
    // The format and the data count as chunks, too.
    RiffBytes file = {.data = "ab"};
    file.before.assign(static_cast<std::size_t>(count - 2), {"junk", ""});
    const std::string at = std::to_string(12 + 24 + 8 * (kRiffChunksMax - 1));
    EXPECT_EQ(fault_of(file.bytes()),
              count <= kRiffChunksMax ? "good" : "wav-chunks " + at + " none");
  }
}

TEST(Riff, ATruncatedFileIsAnErrorOrShorter) {
  const std::string bytes = RiffBytes{.before = {{"LIST", "abc"}}, .data = "abcdefgh"}.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault_of(bytes.substr(0, size)), "good") << size;
  }
}

TEST(Riff, AFailedReadIsAnIoError) {
  const std::string bytes = RiffBytes{.data = "abcd"}.bytes();
  for (int n = 1; n <= 3; ++n) {
    TestSource source(bytes);
    source.fail_read(n);
    EXPECT_THROW(
        static_cast<void>(find_riff_audio(source, {.begin_bytes = 0, .end_bytes = source.size()})),
        IoError);
  }
}

}  // namespace
}  // namespace sheaf::internal
