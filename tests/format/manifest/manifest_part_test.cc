#include "format/manifest/manifest_part.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::manifest {
namespace {

std::string part_told(const ManifestLine& line, const FileContents& file) {
  const auto part = find_part(line, file);
  if (const auto* const fault = std::get_if<PartFault>(&part)) {
    return std::string(fault->kind->code) + ": " + fault->found;
  }
  const auto& found = std::get<FilePart>(part);
  return std::to_string(found.count) + " at byte " + std::to_string(found.offset_bytes);
}

/// Returns a part of 100 samples of 2 bytes at byte 44, with 10 samples a second.
std::string in_audio(double begin, std::optional<double> duration, LineKind kind = LineKind::nemo) {
  ManifestLine line{.kind = kind};
  line.part = {.begin = begin, .duration = duration};
  return part_told(
      line,
      internal::RiffAudio{.channel_count = 1, .rate = 10, .data_bytes = 44, .sample_count = 100});
}

/// Returns a part of 50 frames of 4 bytes at byte 128. A frame takes 10 ms, at 1000 samples a
/// second.
std::string in_frames(double begin, std::optional<double> duration) {
  ManifestLine line{.kind = LineKind::cut};
  line.part = {.begin = begin, .duration = duration, .frame_shift = 0.01, .rate = 1000};
  return part_told(line, FloatArray{.row_count = 50, .dim = 1, .value_size = 4, .data_bytes = 128});
}

TEST(ManifestPart, TimesAreRoundedToSamples) {
  EXPECT_EQ(in_audio(0, std::nullopt), "100 at byte 44");
  EXPECT_EQ(in_audio(0, 10), "100 at byte 44");
  EXPECT_EQ(in_audio(0, 1.04), "10 at byte 44");
  EXPECT_EQ(in_audio(0, 1.05), "11 at byte 44");
  EXPECT_EQ(in_audio(2.04, 1), "10 at byte 84");
  EXPECT_EQ(in_audio(2.05, std::nullopt), "79 at byte 86");
  // For NeMo, both ends are rounded. For lhotse, the number of samples is rounded.
  EXPECT_EQ(in_audio(0.05, 0.1), "1 at byte 46");
  EXPECT_EQ(in_audio(0.04, 0.11), "2 at byte 44");
  EXPECT_EQ(in_audio(0.04, 0.11, LineKind::cut), "1 at byte 44");
}

TEST(ManifestPart, EndsMayExceedTheFileByHalfASecond) {
  EXPECT_EQ(in_audio(0, 10.5), "100 at byte 44");
  EXPECT_EQ(in_audio(9.9, 0.6), "1 at byte 242");
  EXPECT_EQ(in_audio(0, 10.6), "manifest-range: samples 0 to 106, where the file has 100");
  EXPECT_EQ(in_audio(10, 0.1), "manifest-range: samples 100 to 101, where the file has 100");
  EXPECT_EQ(in_audio(10, std::nullopt),
            "manifest-range: samples 100 to 100, where the file has 100");
  EXPECT_EQ(in_audio(1e308, 1e308).substr(0, 14), "manifest-range");
  EXPECT_EQ(in_audio(1e308, 1e308, LineKind::cut).substr(0, 14), "manifest-range");
}

TEST(ManifestPart, AnEmptyPartIsAnError) {
  EXPECT_EQ(in_audio(1, 0), "manifest-no-samples: none at sample 10");
  EXPECT_EQ(in_audio(1, 0.04), "manifest-no-samples: none at sample 10");
  EXPECT_EQ(part_told({}, internal::RiffAudio{.channel_count = 1, .rate = 10, .sample_count = 0}),
            "manifest-no-samples: none in the file");
  constexpr std::int64_t kMany = (std::int64_t{1} << 32) - 2;
  EXPECT_EQ(part_told({}, internal::RiffAudio{.encoding = internal::SampleEncoding::u8,
                                              .channel_count = 1,
                                              .rate = 10,
                                              .sample_count = kMany}),
            "4294967294 at byte 0");
  EXPECT_EQ(part_told({}, internal::RiffAudio{.encoding = internal::SampleEncoding::u8,
                                              .channel_count = 1,
                                              .rate = 10,
                                              .sample_count = kMany + 1}),
            "manifest-samples: 4294967295");
}

TEST(ManifestPart, FramesAreCountedByTheShift) {
  EXPECT_EQ(in_frames(0, std::nullopt), "50 at byte 128");
  EXPECT_EQ(in_frames(0.1, 0.2), "20 at byte 168");
  EXPECT_EQ(in_frames(0.104, 0.204), "20 at byte 168");
  EXPECT_EQ(in_frames(0.105, 0.205), "21 at byte 172");
  EXPECT_EQ(in_frames(0, 0.53), "50 at byte 128");
  EXPECT_EQ(in_frames(0, 0.54), "manifest-range: samples 0 to 54, where the file has 50");
  EXPECT_EQ(in_frames(0.5, 0.01), "manifest-range: samples 50 to 51, where the file has 50");
}

TEST(ManifestPart, ACompressedMatrixIsReadAsAWhole) {
  ManifestLine line{.kind = LineKind::cut};
  line.part = {.begin = 0.1, .duration = 0.2, .frame_shift = 0.01, .rate = 1000};
  const CompressedMatrix matrix{
      .head = {.rows = 50, .cols = 3, .data_begin = 45, .size_bytes = 195}, .begin_bytes = 100};
  const auto part = find_part(line, matrix);
  const auto& found = std::get<FilePart>(part);
  EXPECT_EQ(found.offset_bytes, 145);
  EXPECT_EQ(found.size_bytes(), 150);
  EXPECT_EQ(found.first_row, 10);
  EXPECT_EQ(found.count, 20);
  EXPECT_EQ(dim_of(line, matrix), 3);
  EXPECT_EQ(rate_of(matrix), 0);
}

TEST(ManifestPart, AChannelMustExist) {
  const internal::RiffAudio audio{.channel_count = 2, .rate = 10, .sample_count = 5};
  ManifestLine line{.channel = 1};
  EXPECT_EQ(part_told(line, audio), "5 at byte 0");
  EXPECT_EQ(dim_of(line, audio), 1);
  line.channel = 2;
  EXPECT_EQ(part_told(line, audio), "manifest-channel: 2 channels, where channel 2 is wanted");
  EXPECT_EQ(dim_of({}, audio), 2);
  EXPECT_EQ(dim_of({}, FloatArray{.dim = 80}), 80);
  EXPECT_EQ(dim_of({}, FileFault{}), 0);
  EXPECT_EQ(rate_of(audio), 10);
  EXPECT_EQ(rate_of(FloatArray{}), 0);
}

}  // namespace
}  // namespace sheaf::manifest
