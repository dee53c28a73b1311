#include "format/webdataset/webdataset_deserializer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/checked.h"
#include "sheaf/open.h"

#include "conformance/read_all.h"
#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

std::string pair_of(const std::string& key, const std::string& suffix) {
  return tar_entry(key + "." + suffix, "image of " + key) + tar_entry(key + ".cls", "1");
}

TEST(WebdatasetDeserializer, ShardsOfAPatternAreOneDataSet) {
  const auto files = memory_files();
  write_file(*files, "t-000.tar", pair_of("a", "jpg") + tar_end());
  write_file(*files, "t-001.tar", tar_end());
  write_file(*files, "t-002.tar", pair_of("b", "png") + pair_of("c", "jpg") + tar_end());
  const OpenedData opened = open_path("t-*.tar", {}, {.files = files.get()});
  ASSERT_EQ(opened.data->streams().size(), 2U);
  EXPECT_EQ(opened.data->streams()[0].name, "image");
  EXPECT_EQ(opened.data->streams()[1].name, "cls");
  const auto all = conformance::read_all(*opened.data);
  ASSERT_EQ(all.sequences.size(), 3U);
  EXPECT_EQ(all.sequences[2].key_text, "c");
  EXPECT_TRUE(all.diagnostics.empty());
}

TEST(WebdatasetDeserializer, PathsMayNameEntriesOfShards) {
  const auto files = memory_files();
  write_file(*files, "d.tar", tar_entry("part.ctf", "0 |x 1 2\n") + tar_end());
  const OpenedData entry = open_path("d.tar/part.ctf", {}, {.files = files.get()});
  EXPECT_EQ(entry.data->streams()[0].name, "x");
  const OpenedData whole = open_path("d.tar", {}, {.files = files.get()});
  EXPECT_EQ(whole.data->streams()[0].name, "ctf");
}

TEST(WebdatasetDeserializer, FilesWithoutSequencesAreRefused) {
  EXPECT_EQ(error_of([] { open_shard(tar_entry("README", "x")); }),
            "a.tar: error: expected at least one entry such as 0001.jpg, found none "
            "[webdataset-empty]");
  FormatOptions options;
  options.streams = {{.name = "png"}};
  EXPECT_EQ(error_of([&] { open_shard(pair_of("a", "jpg"), options); }),
            "a.tar: error: stream \"png\": expected entries of the stream, found the suffixes jpg, "
            "cls [webdataset-no-stream]");
  options.streams = {{.name = "jpg", .defines_minibatch_size = true}};
  EXPECT_EQ(open_shard(pair_of("a", "jpg"), options)->streams().size(), 1U);
}

TEST(WebdatasetDeserializer, SkippedEntriesAreWarnings) {
  const auto data = open_shard(pair_of("a", "jpg") + tar_entry("README", "") + tar_entry("x", ""));
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(to_string(data->warnings()[0]),
            "a.tar: warning: expected names with a dot, such as 0001.jpg, found 2 entries without "
            "a dot in their names, which are left out; the first is \"README\" "
            "[webdataset-no-suffix]");
}

TEST(WebdatasetDeserializer, LinksAreWarnings) {
  const auto data =
      open_shard(pair_of("a", "jpg") + tar_header({.name = "b.jpg", .type = '1'}) +
                 pax_header("14 path=c.jpg\n") + tar_header({.name = "s", .type = '2'}) +
                 tar_header({.name = "d/", .type = '5'}));
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(to_string(data->warnings()[0]),
            "a.tar: warning: expected files in place of links, found 2 links, which are left out; "
            "the first is \"b.jpg\" [webdataset-links]");
}

TEST(WebdatasetDeserializer, LocationsOfValuesAreTheirEntries) {
  const auto data = open_shard(pair_of("a", "jpg") + pair_of("b", "jpg"));
  const Diagnostic location = data->location_of(ChunkIndex{}, 1, 0);
  EXPECT_EQ(location.path, "a.tar");
  EXPECT_EQ(location.sequence_key, "b");
  EXPECT_EQ(location.byte_offset, 2048 + 512);
  EXPECT_EQ(data->location_of(ChunkIndex{}, 1, 1).byte_offset, 2048 + 1024 + 512);
}

TEST(WebdatasetDeserializer, TheFingerprintDependsOnDataAndOptions) {
  const std::string entries = pair_of("a", "jpg");
  const auto print = [&](const FormatOptions& options) {
    return open_shard(entries, options)->fingerprint();
  };
  EXPECT_EQ(print({}), print({}));
  FormatOptions other;
  other.extra = {{"webdataset.classes", "5"}};
  EXPECT_NE(print(other), print({}));
  other = {};
  other.streams = {{.name = "jpg"}};
  EXPECT_NE(print(other), print({}));
  EXPECT_NE(open_shard(entries + pair_of("b", "jpg"))->fingerprint(), print({}));
}

TEST(WebdatasetDeserializer, CostsAreBytesOrPixels) {
  FormatOptions options;
  EXPECT_EQ(open_shard(pair_of("a", "jpg"))->index().cost_measure().name, "bytes");
  EXPECT_EQ((*open_shard(pair_of("a", "jpg"))->index().costs(ChunkIndex{}))[0], 1024 + 513);
  options.extra = {{"webdataset.headers", "read"}};
  const auto data = open_shard(pair_of("a", "jpg"), options);
  EXPECT_EQ(data->index().cost_measure().name, "pixels");
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[0], 0) << "no image";
}

TEST(WebdatasetDeserializer, TheSequencesAgreeWithTheIndex) {
  std::shared_ptr<const Deserializer> data =
      open_shard(pair_of("a", "jpg") + tar_entry("b.jpg", "") + pair_of("c", "jpg"));
  EXPECT_EQ(conformance::read_all(*checked(data)).sequences.size(), 3U);
}

TEST(WebdatasetDeserializer, AReplacedShardIsAnError) {
  class Replaced final : public ByteSource {
   public:
    Replaced(std::string before, std::string after)
        : before_(memory_source(std::move(before), "a.tar")),
          after_(memory_source(std::move(after), "a.tar")) {}
    [[nodiscard]] std::string_view name() const noexcept override { return "a.tar"; }
    [[nodiscard]] std::int64_t size() const noexcept override { return before_->size(); }
    void read_at(std::int64_t offset, std::span<std::byte> into) const override {
      (is_replaced ? after_ : before_)->read_at(offset, into);
    }
    bool is_replaced = false;

   private:
    std::shared_ptr<const ByteSource> before_;
    std::shared_ptr<const ByteSource> after_;
  };
  const auto source =
      std::make_shared<Replaced>(pair_of("a", "jpg") + tar_end(), pair_of("b", "jpg") + tar_end());
  const WebdatasetDeserializer data(OpenRequest{.source = source});
  source->is_replaced = true;
  Diagnostics diagnostics;
  EXPECT_EQ(error_of([&] {
              static_cast<void>(data.read({.chunk = ChunkIndex{}, .count = 1}, diagnostics));
            }),
            "a.tar: was changed after it was indexed");
}

}  // namespace
}  // namespace sheaf::webdataset
