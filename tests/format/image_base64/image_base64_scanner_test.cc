#include "format/image_base64/image_base64_scanner.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/image_base64/image_base64_options.h"
#include "format/image_base64/image_base64_test_files.h"

namespace sheaf::image_base64 {
namespace {

/// What a scan of a text finds, chunk by chunk.
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

TEST(ImageBase64Scanner, EachLineThatIsNotBlankIsASequence) {
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

TEST(ImageBase64Scanner, AChunkEndsBeforeTheLineThatIsTooMuch) {
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

TEST(ImageBase64Scanner, TheMemoryIsThatOfTheImagesAndOfAllViews) {
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

TEST(ImageBase64Scanner, BlocksBeginAtLinesThatAreNotBlank) {
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
