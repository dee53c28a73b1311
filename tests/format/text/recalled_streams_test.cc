#include "format/text/recalled_streams.h"

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

TEST(RecalledStreams, AreInferredOnceIfAnIndexFileKeepsThem) {
  const TestFolder folder;
  folder.write("a", "5\n3\n");
  const auto source = open_file(folder.path("a"));
  const TextSchema schema = line_schema(4);
  int found = 0;
  const auto look = [&](IndexMode mode, std::string_view how) {
    return recall_or_find_streams(*source, source->fingerprint(), {.mode = mode}, system_files(),
                                  how, [&] {
                                    ++found;
                                    return FoundStreams{std::string(how), {{.name = "x"}}};
                                  });
  };
  const FoundStreams first = look(IndexMode::automatic, "all");
  EXPECT_EQ(found, 1);
  EXPECT_THROW((void)look(IndexMode::require, "all"), ConfigError);
  ScannedIndex::Parts parts = line_index(source, schema, {.mode = IndexMode::rebuild});
  parts.found = first;
  EXPECT_FALSE(ScannedIndex(std::move(parts)).chunk(ChunkIndex{2})) << "it is scanned";
  EXPECT_EQ(look(IndexMode::require, "all"), first);
  EXPECT_EQ(look(IndexMode::automatic, "all"), first);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(look(IndexMode::off, "all"), first);
  EXPECT_EQ(look(IndexMode::automatic, "some").how, "some");
  EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace sheaf::internal
