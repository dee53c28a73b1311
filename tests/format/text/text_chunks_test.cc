#include "format/text/text_chunks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

TEST(TextChunks, AChangedFileIsAnIoError) {
  EXPECT_THROW(
      {
        try {
          throw_changed_since_indexed("a.txt", 7);
        } catch (const IoError& error) {
          EXPECT_EQ(std::string(error.what()),
                    "a.txt: near line 7: not what was there when it was indexed; the file has "
                    "changed since, at this line or before: index it anew (sheaf index a.txt)");
          throw;
        }
      },
      IoError);
}

TEST(TextChunks, RescansAChunkAndDetectsChanges) {
  const TextSchema schema = line_schema(4);
  const TextChunks text(line_index(memory_source("5\n3\n8\n1\n", "text"), schema, {}));
  const std::unique_ptr<Scanner> scanner = text.scan();
  static_cast<void>(scanner->next());
  ChunkInfo second = scanner->next()->info;
  EXPECT_EQ(text.find_again(second, 2).key(1).low, 1U);
  second.sequence_count = 3;
  EXPECT_THROW(static_cast<void>(text.find_again(second, 2)), IoError);
}

TEST(TextChunks, AllThreadsAreUsedWhileEnoughIsLeft) {
  TextSchema schema = line_schema(4);
  schema.read_size_bytes = 1;  // a block has 2 bytes
  std::string text;
  for (int i = 0; i < 50; ++i) text += "7\n";
  ScannedIndex::Parts parts = line_index(memory_source(text, "text"), schema, {});
  EXPECT_FALSE(TextChunks(parts).is_worth_all_threads({}, 4)) << "it has no blocks";
  parts.blocks.emplace().schema = &schema;
  const auto is_worth = [&](std::int64_t known_bytes, int thread_count) {
    return TextChunks(parts).is_worth_all_threads(ChunkInfo{.size_bytes = known_bytes},
                                                  thread_count);
  };
  EXPECT_TRUE(TextChunks(parts).is_worth_all_threads({}, 1));
  EXPECT_TRUE(is_worth(50, 1));
  EXPECT_FALSE(is_worth(51, 1));
  EXPECT_TRUE(is_worth(75, 4));
  EXPECT_FALSE(is_worth(76, 4));
  parts.rows.end = 3;
  EXPECT_FALSE(TextChunks(parts).is_worth_all_threads({}, 4)) << "it is too small";
  parts.rows.end = 4;
  EXPECT_TRUE(TextChunks(parts).is_worth_all_threads({}, 4));
}

}  // namespace
}  // namespace sheaf::internal
