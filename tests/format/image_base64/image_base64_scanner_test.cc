#include "format/image_base64/image_base64_scanner.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "format/image_base64/image_base64_options.h"
#include "format/image_base64/image_base64_test_files.h"
#include "image/made_images.h"

namespace sheaf::image_base64 {
namespace {

using std::string_literals::operator""s;

/// Returns the result of scanning a text, chunk by chunk.
std::vector<internal::ScannedChunk> scanned(const std::string& text,
                                            const FormatOptions& options = {}) {
  const auto source = memory_source(text, "t.b64");
  const LineForm form = form_of(*source, options);
  const Schema schema = schema_of(options, form, streams_of(options));
  const auto scanner = make_scanner(
      *source, schema,
      {.begin = form.begin, .end = source->size(), .chunk_size_bytes = schema.chunk_size_bytes});
  std::vector<internal::ScannedChunk> chunks;
  while (std::optional<internal::ScannedChunk> chunk = scanner->next()) {
    chunks.push_back(*std::move(chunk));
  }
  return chunks;
}

TEST(ImageBase64Scanner, EachNonBlankLineIsASequence) {
  const auto chunks = scanned("\n7\tQUJD\r\n \t\n8\tQUJD\nno columns");
  ASSERT_EQ(chunks.size(), 1U);
  const internal::ScannedChunk& chunk = chunks.front();
  EXPECT_EQ(chunk.info.offset_bytes, 1);
  EXPECT_EQ(chunk.info.first_line, 2);
  EXPECT_EQ(chunk.info.sample_count, 3);
  ASSERT_EQ(chunk.sequences.size(), 3);
  EXPECT_EQ(chunk.sequences.key(0).low, 1U);
  EXPECT_EQ(chunk.sequences.key(1).low, 3U);
  EXPECT_EQ(chunk.sequences.key(2).low, 4U);
  EXPECT_EQ(chunk.sequences.offset_bytes(1), 11);
  EXPECT_EQ(chunk.sequences.first_line(2), 3);
}

TEST(ImageBase64Scanner, AChunkEndsBeforeTheLineThatWouldExceedIt) {
  const std::string line = "1\tQUJD\n";  // 7 bytes
  const auto counts = [&](std::int64_t size) {
    std::vector<std::int64_t> all;
    for (const auto& chunk : scanned(line + line + line, {.chunk_size_bytes = size})) {
      all.push_back(chunk.sequences.size());
    }
    return all;
  };
  EXPECT_EQ(counts(6), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(counts(13), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(counts(14), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(counts(21), (std::vector<std::int64_t>{3}));
}

TEST(ImageBase64Scanner, TheMemoryCountsImagesAndAllViews) {
  const std::string text = "1\t" + std::string(40'000, 'Q') + "\n";
  const std::int64_t one = scanned(text).front().info.decoded_size_bytes;
  EXPECT_GE(one, 30'000);
  EXPECT_LT(one, 30'500);
  const std::int64_t ten =
      scanned(text, with_extra({{"image_base64.views", "10"}})).front().info.decoded_size_bytes;
  EXPECT_GT(ten, one);
  EXPECT_LT(ten, one + 2000) << "the bytes of the image are shared";
  FormatOptions labels;
  labels.streams = {{.name = "label"}};
  EXPECT_LT(scanned(text, labels).front().info.decoded_size_bytes, 200);
}

std::string base64_of(const std::string& bytes) {
  std::string text;
  internal::append_base64(std::as_bytes(std::span(bytes)), text);
  return text;
}

/// Returns the pixel count of a file with one line that has this base64 text.
std::int64_t pixels_of(const std::string& base64) {
  const auto chunks =
      scanned("1\t" + base64 + "\n", with_extra({{"image_base64.headers", "read"}}));
  return (*chunks.front().sequences.costs())[0];
}

// First 4 KiB are decoded, then 64 KiB, then 16 MiB. Tests one below, at and above each size, for
// each number of bytes in the last group.
TEST(ImageBase64Scanner, ASequenceCostsThePixelsOfItsHeader) {
  constexpr std::int64_t kMost = std::int64_t{16} << 20;
  for (const std::int64_t border : {std::int64_t{4096}, std::int64_t{65'536}, kMost}) {
    for (const std::int64_t size : {border - 1, border, border + 1}) {
      const std::string jpeg = internal::jpeg_with_header(size);
      EXPECT_EQ(pixels_of(base64_of(jpeg)), size > kMost ? 0 : 35) << size;
    }
  }
  for (std::size_t behind = 0; behind < 7; ++behind) {
    EXPECT_EQ(pixels_of(base64_of(internal::jpeg_with_header(4090) + std::string(behind, 'x'))),
              35);
  }
}

TEST(ImageBase64Scanner, OnlyTheHeaderIsDecoded) {
  const std::string text = base64_of(internal::jpeg_with_header(100) + std::string(9000, 'x'));
  constexpr std::size_t kDecoded = 5464;  // characters, which decode to 4098 bytes
  for (const std::size_t location : {kDecoded - 1, kDecoded, kDecoded + 1}) {
    std::string wrong = text;
    wrong[location] = '!';
    EXPECT_EQ(pixels_of(wrong), location < kDecoded ? 0 : 35) << location;
  }
  EXPECT_EQ(pixels_of(text.substr(0, text.size() - 1)), 35) << "the last group is cut";
}

TEST(ImageBase64Scanner, ADamagedHeaderCostsNothing) {
  const std::string text = base64_of(internal::jpeg_with_header(100));
  for (const std::string& wrong : {std::string(), "Q"s, "QQ"s, "QUJD"s, "="s, text.substr(0, 60),
                                   text.substr(0, 61), "!" + text, text.substr(0, 8) + "=="s}) {
    EXPECT_EQ(pixels_of(wrong), 0) << wrong;
  }
  const FormatOptions options = with_extra({{"image_base64.headers", "read"}});
  EXPECT_EQ((*scanned("1\t" + text + "\nno columns\n", options).front().sequences.costs())[1], 0);
  EXPECT_FALSE(scanned("1\t" + text + "\n").front().sequences.costs());
}

TEST(ImageBase64Scanner, BlocksBeginAtNonBlankLines) {
  const std::string text = "1\tQUJD\n\n \n2\tQUJD\n";
  const auto source = memory_source(text, "t.b64");
  const Schema schema = schema_of({}, form_of(*source, {}), streams_of({}));
  EXPECT_EQ(find_start(*source, schema, 1, 18), 10);
  EXPECT_EQ(find_start(*source, schema, 10, 18), 10);
  EXPECT_EQ(find_start(*source, schema, 11, 18), 18);
  EXPECT_EQ(find_start(*source, schema, 1, 10), 10) << "none begins before there";
  const internal::ScannedBlock block =
      scan_block(*source, schema, {.begin = 10, .end = source->size()});
  EXPECT_EQ(block.sequences.size(), 1U);
  EXPECT_EQ(block.row_count, 1);
}

}  // namespace
}  // namespace sheaf::image_base64
