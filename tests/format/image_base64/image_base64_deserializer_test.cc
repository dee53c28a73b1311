#include "format/image_base64/image_base64_deserializer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/checked.h"

#include "base/base64.h"
#include "conformance/read_all.h"
#include "format/image_base64/image_base64_test_files.h"
#include "image/made_images.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::image_base64 {
namespace {

std::string lines(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += "image" + std::to_string(i) + "\t" + std::to_string(i % 10) + "\t" + kAbc + "\n";
  }
  return text;
}

TEST(ImageBase64Deserializer, ReadsTheFirstChunkWithoutScanningTheFile) {
  const auto source = std::make_shared<testing::TestSource>(lines(100'000));
  FormatOptions options;
  options.chunk_size_bytes = 10'000;
  options.read_size_bytes = 4096;
  const ImageBase64Deserializer data(source, options);
  Diagnostics diagnostics;
  EXPECT_GT(data.read({.chunk = {}}, diagnostics).sequence_count(), 100);
  EXPECT_LT(source->read_count(), 20);
}

TEST(ImageBase64Deserializer, TheSequencesAgreeWithTheIndex) {
  for (const char* views : {"1", "10"}) {
    std::shared_ptr<const Deserializer> data =
        open_lines(lines(5) + "\nwrong\n", with_extra({{"image_base64.views", views}}));
    EXPECT_EQ(conformance::read_all(*checked(data)).sequences.size(), views[1] == '0' ? 60U : 6U);
  }
}

TEST(ImageBase64Deserializer, AFileWithoutLinesIsRefused) {
  EXPECT_EQ(error_of<DataError>([] { open_lines(""); }),
            "t.b64:1:1: error: expected at least one line, found an empty file "
            "[image_base64-no-line]");
  for (const char* text : {"\n", " \r\n\t", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(error_of<DataError>([&] { open_lines(text); }),
              "t.b64:1:1: error: expected at least one line, found only blank lines "
              "[image_base64-no-line]")
        << text;
  }
}

TEST(ImageBase64Deserializer, LocationsOfValuesAreTheirColumns) {
  const auto data = open_lines("\na\t7\t" + kAbc + "\n\nbb\t12\t" + kOne + "\n");
  const Diagnostic image = data->location_of(ChunkIndex{}, 1, 0);
  EXPECT_EQ(image.path, "t.b64");
  EXPECT_EQ(image.line, 4);
  EXPECT_EQ(image.column, 7);
  EXPECT_EQ(image.sequence_key, "bb");
  EXPECT_EQ(image.byte_offset, Diagnostic::kNoOffset);
  EXPECT_EQ(data->location_of(ChunkIndex{}, 1, 1).column, 4);
  EXPECT_EQ(data->location_of(ChunkIndex{}, 0, 0).column, 5);
}

TEST(ImageBase64Deserializer, LocationsOfViewsAreTheirLine) {
  const auto data =
      open_lines("7\t" + kAbc + "\n8\t" + kOne + "\n", with_extra({{"image_base64.views", "10"}}));
  EXPECT_EQ(data->location_of(ChunkIndex{}, 9, 0).line, 1);
  EXPECT_EQ(data->location_of(ChunkIndex{}, 10, 0).line, 2);
  EXPECT_EQ(data->location_of(ChunkIndex{}, 10, 0).sequence_key, "1");
  EXPECT_EQ(data->location_of(ChunkIndex{}, 19, 2).column, 1) << "views are in no column";
}

TEST(ImageBase64Deserializer, TheFingerprintDependsOnDataAndOptions) {
  const std::string text = "1\t1\tQUJD\n";
  const auto print = [&](const FormatOptions& options) {
    return open_lines(text, options)->fingerprint();
  };
  EXPECT_EQ(print({}), print({}));
  EXPECT_NE(print({.chunk_size_bytes = 7}), print({}));
  EXPECT_NE(print(as_cntk()), print({}));
  EXPECT_NE(print(with_keys(KeyType::numeric)), print({}));
  EXPECT_EQ(print(with_keys(KeyType::text)), print({}));
  EXPECT_NE(print(with_extra({{"image_base64.views", "10"}})), print({}));
  EXPECT_NE(print(with_extra({{"image_base64.classes", "9"}})), print({}));
  EXPECT_NE(print(with_extra({{"image_base64.headers", "read"}})), print({}));
  EXPECT_NE(open_lines("1\t1\tQUJE\n")->fingerprint(), print({}));
}

TEST(ImageBase64Deserializer, AnIndexFileIsUsedForTheSameOptions) {
  const TestFolder folder;
  folder.write("a.b64", lines(1000));
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const auto count = [&] {
    const ImageBase64Deserializer data(open_file(folder.path("a.b64")), options);
    std::int64_t sum = 0;
    for (ChunkIndex i{}; const auto chunk = data.index().chunk(i); i = next(i)) {
      sum += chunk->sequence_count;
    }
    return sum;
  };
  EXPECT_EQ(count(), 1000);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(count(), 1000);
  options.extra = {{"image_base64.views", "10"}};
  EXPECT_THROW((void)count(), ConfigError);
}

// Returns the costs of all sequences of a file.
std::vector<std::int64_t> costs_in(const std::string& path, const FormatOptions& options) {
  const ImageBase64Deserializer data(open_file(path), options);
  std::vector<std::int64_t> costs;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    const SampleCounts of_chunk = *data.index().costs(i);
    for (std::int64_t k = 0; k < of_chunk.size(); ++k) costs.push_back(of_chunk[k]);
  }
  return costs;
}

TEST(ImageBase64Deserializer, AnIndexFileKeepsThePixels) {
  const TestFolder folder;
  std::string jpeg;
  const std::string bytes = internal::jpeg_with_header(100);
  internal::append_base64(std::as_bytes(std::span(bytes)), jpeg);
  folder.write("a.b64", "1\t" + jpeg + "\n2\tQUJD\n3\t" + jpeg + "\n");
  FormatOptions options = with_extra({{"image_base64.headers", "read"}});
  options.index.mode = IndexMode::rebuild;
  const std::vector<std::int64_t> expected = {35, 0, 35};
  EXPECT_EQ(costs_in(folder.path("a.b64"), options), expected);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(costs_in(folder.path("a.b64"), options), expected);
  options.extra = {};
  EXPECT_THROW((void)costs_in(folder.path("a.b64"), options), ConfigError) << "it has pixels";
}

TEST(ImageBase64Deserializer, DetectsChangesSinceIndexing) {
  const TestFolder folder;
  const std::string path = folder.path("a.b64");
  folder.write("a.b64", "a\t1\tQUJD\nb\t1\tQUJD\n");
  const ImageBase64Deserializer data(open_file(path), {});
  ASSERT_TRUE(data.index().chunk(ChunkIndex{}));
  for (const char* changed :
       {"a\t1\tQUJD\nc\t1\tQUJD\n", "a\t1\tQUJDb\t1\tQUJD\n\n", "a\t1\tQUJD\n\n\t1\tQUJD\n"}) {
    folder.write("a.b64", changed);
    Diagnostics diagnostics;
    EXPECT_THROW((void)data.read({.chunk = {}}, diagnostics), IoError) << changed;
  }
  folder.write("a.b64", "x\t1\tQUJD\nb\t1\tQUJD\n");
  EXPECT_THROW((void)data.location_of(ChunkIndex{}, 0, 0), IoError);
  EXPECT_EQ(data.location_of(ChunkIndex{}, 1, 0).sequence_key, "b");
}

TEST(ImageBase64Deserializer, ReadingOneViewIsNotFastAccess) {
  const TestFolder folder;
  folder.write("a.b64", lines(3));
  const auto source = open_file(folder.path("a.b64"));
  EXPECT_EQ(ImageBase64Deserializer(source, {}).has_fast_random_access(),
            source->has_fast_random_access());
  EXPECT_FALSE(ImageBase64Deserializer(source, with_extra({{"image_base64.views", "10"}}))
                   .has_fast_random_access());
}

}  // namespace
}  // namespace sheaf::image_base64
