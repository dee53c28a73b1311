#include "format/audio/mp3_frames.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

using testing::TestSource;

// MPEG-1, layer 3, 128 kbit/s, 44,100 samples a second, two channels: 417 bytes.
constexpr std::string_view kStereo = "\xFF\xFB\x90\x00";
constexpr std::int64_t kStereoBytes = 417;

std::string frame(std::string_view header = std::string_view(kStereo.data(), 4)) {
  std::string bytes(header);
  bytes.resize(static_cast<std::size_t>(mp3_header(header)->size_bytes), '.');
  return bytes;
}

std::string number(std::int64_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

/// Returns a frame that tells the number of following frames and the bytes of all frames.
std::string xing(std::int64_t frame_count, std::int64_t size_bytes, char flags = 3) {
  std::string bytes = frame();
  bytes.replace(4, 32, 32, '\0');
  const std::string numbers = (flags & 1 ? number(frame_count) : "") + number(size_bytes);
  return bytes.replace(36, 8 + numbers.size(), std::string("Xing\0\0\0", 7) + flags + numbers);
}

/// Returns "begin end front samples told", or "code offset found".
std::string found(const std::string& bytes) {
  const TestSource source("ab" + bytes + "c");
  const SoundRange location{.begin_bytes = 2, .end_bytes = 2 + std::ssize(bytes)};
  const auto frames = find_mp3_frames(source, location);
  const auto text_of = [](const RiffFault& fault) {
    return std::string(fault.kind->code) + ' ' + std::to_string(fault.byte_offset - 2) + ' ' +
           fault.found;
  };
  if (const auto* const fault = std::get_if<RiffFault>(&frames)) return text_of(*fault);
  const auto& all = std::get<Mp3Frames>(frames);
  if (const auto fault = check_mp3_frames(source, all, location.end_bytes)) {
    return "checked: " + text_of(*fault);
  }
  const auto told = [](const std::optional<std::int64_t>& value) {
    return value ? ' ' + std::to_string(*value) : " -";
  };
  return std::to_string(all.location.begin_bytes - 2) + ' ' +
         std::to_string(all.location.end_bytes - 2) + ' ' + std::to_string(all.front.size()) +
         told(all.sample_count) + told(all.told_count);
}

TEST(Mp3Frames, AHeaderGivesTheSizeOfItsFrame) {
  struct Case {
    const char* bytes;
    unsigned version;
    unsigned layer;
    std::int64_t rate;
    std::int64_t channels;
    std::int64_t size;
    std::int64_t samples;
  };
  const Case cases[] = {
      {"\xFF\xFB\x90\x40", 1, 3, 44100, 2, 417, 1152},   // 144 * 128000 / 44100
      {"\xFF\xFB\x92\xC0", 1, 3, 44100, 1, 418, 1152},   // padded
      {"\xFF\xFA\xE4\x40", 1, 3, 48000, 2, 960, 1152},   // 320 kilobits, with a checksum
      {"\xFF\xF3\x88\xC0", 2, 3, 16000, 1, 288, 576},    // 72 * 64000 / 16000
      {"\xFF\xE3\x88\xC0", 2, 3, 8000, 1, 576, 576},     // MPEG-2.5
      {"\xFF\xFD\xE8\x40", 1, 2, 32000, 2, 1728, 1152},  // 144 * 384000 / 32000
      {"\xFF\xF5\xE4\x40", 2, 2, 24000, 2, 960, 1152},   // in layer 2, MPEG-2 has as many samples
      {"\xFF\xFF\xE6\x40", 1, 1, 48000, 2, 452, 384},    // (12 * 448000 / 48000 + 1) * 4
      {"\xFF\xF7\x10\x40", 2, 1, 22050, 2, 68, 384},     // 12 * 32000 / 22050 is 17
  };
  for (const Case& each : cases) {
    const auto header = mp3_header(std::string_view(each.bytes, 4));
    ASSERT_TRUE(header) << each.size;
    EXPECT_EQ(header->version, each.version) << each.size;
    EXPECT_EQ(header->layer, each.layer) << each.size;
    EXPECT_EQ(header->rate, each.rate) << each.size;
    EXPECT_EQ(header->channel_count, each.channels) << each.size;
    EXPECT_EQ(header->size_bytes, each.size);
    EXPECT_EQ(header->sample_count(), each.samples) << each.size;
  }
}

TEST(Mp3Frames, InvalidHeadersAreRejected) {
  for (const std::string_view bytes : {
           std::string_view("\xFE\xFB\x90\x00", 4),  // no sync
           std::string_view("\xFF\xDB\x90\x00", 4),  // no sync
           std::string_view("\xFF\xEB\x90\x00", 4),  // no version
           std::string_view("\xFF\xF9\x90\x00", 4),  // no layer
           std::string_view("\xFF\xFB\x00\x00", 4),  // free format
           std::string_view("\xFF\xFB\xF0\x00", 4),  // no bit rate
           std::string_view("\xFF\xFB\x9C\x00", 4),  // no rate
           std::string_view("\xFF\xFB\x90", 3),      // cut
           std::string_view(),
       }) {
    EXPECT_FALSE(mp3_header(bytes)) << bytes.size();
  }
}

TEST(Mp3Frames, FramesWithoutALengthHeaderAreCounted) {
  // Before the frame stand a frame that tells the number of frames and a silent frame. Each has 104
  // bytes, or 72 for one channel.
  EXPECT_EQ(found(frame()), "0 417 208 1152 -");
  EXPECT_EQ(found(frame() + frame() + frame()), "0 1251 208 3456 -");
  const std::string mono = frame(std::string_view("\xFF\xF3\x88\xC0", 4));
  EXPECT_EQ(found(mono + mono), "0 576 144 1152 -");
  // Layer 2 has no frames before it.
  const std::string layer2 = frame(std::string_view("\xFF\xFD\xE8\x40", 4));
  EXPECT_EQ(found(layer2 + layer2), "0 3456 0 2304 -");
}

TEST(Mp3Frames, TheFrontStatesTheNumberOfFramesAndBytes) {
  const TestSource source(frame() + frame());
  const auto frames = find_mp3_frames(source, {.begin_bytes = 0, .end_bytes = 2 * kStereoBytes});
  const std::string& front = std::get<Mp3Frames>(frames).front;
  const auto header = mp3_header(front);
  ASSERT_TRUE(header);
  ASSERT_EQ(std::ssize(front), 2 * header->size_bytes);
  EXPECT_EQ(header->channel_count, 2);
  EXPECT_EQ(front.substr(4, 32), std::string(32, '\0'));
  EXPECT_EQ(front.substr(36, 4), "Info");
  EXPECT_EQ(front.substr(40, 12), number(3) + number(3) + number(2 * kStereoBytes + 208));
  EXPECT_EQ(front.substr(52, 4), "LAME");
  EXPECT_EQ(front.substr(52 + 21, 3), number((1152 - 529) << 12 | 529).substr(1));
  EXPECT_EQ(front.substr(104, 4), front.substr(0, 4));
  EXPECT_EQ(front.substr(108), std::string(100, '\0'));
}

TEST(Mp3Frames, APlausibleLengthHeaderIsTrusted) {
  const std::string two = frame() + frame();
  EXPECT_EQ(found(xing(2, 3 * kStereoBytes) + two), "0 1251 0 - 2");
  EXPECT_EQ(found(xing(2, 3 * kStereoBytes + 6) + two), "0 1251 0 - 2");  // a 200th off
  EXPECT_EQ(found(xing(3, 3 * kStereoBytes) + two), "0 1251 0 - 3");      // counts itself, too
  // The front is the same frame with the right number of bytes.
  EXPECT_EQ(found(xing(2, 3 * kStereoBytes + 7) + two), "417 1251 417 - -");
  EXPECT_EQ(found(xing(2, 3 * kStereoBytes - 7) + two), "417 1251 417 - -");
  // The frame tells only the number of frames.
  EXPECT_EQ(found(xing(0, 3 * kStereoBytes, 2) + two), "417 1251 208 2304 -");
}

TEST(Mp3Frames, AWrongNumberOfFramesIsAnError) {
  const std::string two = frame() + frame();
  EXPECT_EQ(found(xing(1, 3 * kStereoBytes) + two),
            "checked: sound-length 0 2 frames, where the first one tells 1");
  EXPECT_EQ(found(xing(4, 3 * kStereoBytes) + two), "checked: sound-cut 0 2 of 4 frames");
  EXPECT_EQ(found(xing(1, 100) + two), "sound-length 0 2 frames, where the first one tells 1");
  EXPECT_EQ(found(xing(4, 5 * kStereoBytes) + two), "sound-cut 0 2 of 4 frames");
}

TEST(Mp3Frames, TagsBeforeAndAfterTheFramesAreSkipped) {
  const std::string tag("ID3\3\0\0\0\0\0\7 a tag ", 17);
  EXPECT_EQ(found(tag + frame()), "17 434 208 1152 -");
  EXPECT_EQ(found(tag + tag + std::string(99, '\0') + frame()), "133 550 208 1152 -");
  const std::string footed("ID3\4\0\x10\0\0\0\1a0123456789", 21);
  EXPECT_EQ(found(footed + frame()), "21 438 208 1152 -");
  for (const std::string& behind :
       std::vector<std::string>{"TAG and more", "APETAGEX...", "LYRICSBEGIN...", "ID3...", ""}) {
    EXPECT_EQ(found(frame() + behind), "0 417 208 1152 -") << behind;
  }
  for (const std::size_t zeros : {1U, 3U, 999U, 1000U, 1001U, 5000U}) {
    EXPECT_EQ(found(frame() + std::string(zeros, '\0')), "0 417 208 1152 -") << zeros;
  }
  // Leading zeros belong to a tag, up to 64 KiB.
  EXPECT_EQ(found('\0' + frame()).substr(0, 15), "sound-header 0 ");
  EXPECT_EQ(found(tag + std::string(65'536, '\0') + frame()), "65553 65970 208 1152 -");
  EXPECT_EQ(found(tag + std::string(65'537, '\0') + frame()).substr(0, 19), "sound-header 65553 ");
}

TEST(Mp3Frames, BytesThatAreNotAFrameAreAnErrorWithTheirOffset) {
  EXPECT_EQ(found("junk" + frame()), "sound-header 0 \"junk\", where a frame begins");
  EXPECT_EQ(found(""), "sound-header 0 the end of the data, where a frame begins");
  EXPECT_EQ(found("ID3\3"), "sound-header 0 \"ID3\\x03\", where a frame begins");
  EXPECT_EQ(found(std::string("ID3\3\0\0\x7F\x7F\x7F\x7F", 10)),
            "sound-header 10 the end of the data, where a frame begins");
  EXPECT_EQ(found(frame() + "junk" + frame()), "sound-data 417 \"junk\", where a frame begins");
  EXPECT_EQ(found(frame() + "x"), "sound-data 417 \"x\", where a frame begins");
  EXPECT_EQ(found(frame() + std::string(2000, '\0') + "x").substr(0, 15), "sound-data 417 ");
  EXPECT_EQ(found(frame() + frame(std::string_view("\xFF\xFB\x94\x00", 4))),
            "sound-data 417 a frame of another rate or layer than the first");
  const std::string two = frame() + frame();
  for (const std::int64_t cut : {1, 100, 413}) {
    EXPECT_EQ(found(two.substr(0, two.size() - static_cast<std::size_t>(cut))),
              "sound-cut 417 " + std::to_string(kStereoBytes - cut) +
                  " of the 417 bytes of the last frame");
  }
}

TEST(Mp3Frames, LongRecordingsAreScannedInWindows) {
  std::string all;
  while (all.size() < 1'000'000) all += frame();
  EXPECT_EQ(found(all), "0 " + std::to_string(all.size()) + " 208 " +
                            std::to_string(all.size() / 417 * 1152) + " -");
  const TestSource source(all);
  EXPECT_TRUE(std::holds_alternative<Mp3Frames>(
      find_mp3_frames(source, {.begin_bytes = 0, .end_bytes = source.size()})));
  EXPECT_LE(source.read_size_max(), 262'144);
  EXPECT_LT(source.read_bytes(), source.size() + 10'000);
}

TEST(Mp3Frames, SourceErrorsPropagate) {
  TestSource source(frame() + frame());
  source.cut(500);
  EXPECT_EQ(
      testing::error_of<IoError>([&] {
        static_cast<void>(find_mp3_frames(source, {.begin_bytes = 0, .end_bytes = source.size()}));
      }),
      "memory: cut short since it was opened");
}

}  // namespace
}  // namespace sheaf::internal
