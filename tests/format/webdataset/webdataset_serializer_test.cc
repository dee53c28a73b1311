#include "format/webdataset/webdataset_serializer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/read_all.h"
#include "format/webdataset/webdataset_test_files.h"
#include "support/written_by.h"

namespace sheaf::webdataset {
namespace {

using Extra = std::map<std::string, std::string>;

const std::string kJpeg = "\xFF\xD8\xFF jpeg";
const std::string kPng = "\x89PNG\r\n\x1A\n png";
const std::string kWebp = std::string("RIFF\4\0\0\0WEBP", 12);

/// Writes all sequences of the data as a shard.
std::string written(const Deserializer& data, const Extra& extra = {}) {
  return testing::written_by<WebdatasetSerializer>(data, "out.tar", extra);
}

std::string names_in(const std::string& archive) {
  const auto source = memory_source(archive, "out.tar");
  internal::TarWalker walker(*source);
  std::string names;
  while (const auto entry = walker.next()) names += entry->entry.name + " ";
  return names;
}

std::string error_of_writing(const std::string& entries, const FormatOptions& options = {},
                             const Extra& extra = {}) {
  return error_of([&] { written(*open_shard(entries, options), extra); });
}

std::unique_ptr<WebdatasetDeserializer> reopened(const std::string& archive,
                                                 const FormatOptions& options = {}) {
  return std::make_unique<WebdatasetDeserializer>(
      OpenRequest{.source = memory_source(archive, "memory"), .options = options});
}

TEST(WebdatasetSerializer, WrittenDataRoundTrip) {
  const std::string entries = tar_entry("a/1.jpeg", kJpeg) + tar_entry("a/1.seg.png", kPng) +
                              tar_entry("a/1.cls", " 7\n") + tar_entry("b.webp", kWebp) +
                              tar_entry("b.seg.png", "") + tar_entry("b.cls", "-1");
  const std::string archive = written(*open_shard(entries));
  EXPECT_EQ(names_in(archive), "a/1.jpg a/1.seg.png a/1.cls b.webp b.seg.png b.cls ");
  EXPECT_EQ(conformance::read_all(*reopened(archive)), conformance::read_all(*open_shard(entries)));
  EXPECT_EQ(written(*reopened(archive)), archive) << "and is written again as the same bytes";
}

TEST(WebdatasetSerializer, FramesAreNumbered) {
  FormatOptions options;
  options.extra = {{"webdataset.frames", "true"}};
  const std::string entries = tar_entry("c.3.jpg", kJpeg) + tar_entry("c.8.png", kPng);
  const std::string archive = written(*open_shard(entries, options), options.extra);
  EXPECT_EQ(names_in(archive), "c.000000.jpg c.000001.png ");
  EXPECT_EQ(conformance::read_all(*reopened(archive, options)),
            conformance::read_all(*open_shard(entries, options)));
  EXPECT_NE(error_of_writing(entries, options).find("[webdataset-written-count]"),
            std::string::npos);
}

TEST(WebdatasetSerializer, OneHotVectorsAreWrittenAsLabels) {
  FormatOptions options;
  options.streams = {
      {.name = "label", .alias = "cls", .storage = Storage::sparse, .sample_shape = Shape{9}}};
  const std::string entries = tar_entry("a.cls", "8") + tar_entry("b.cls", "0");
  const std::string archive = written(*open_shard(entries, options));
  EXPECT_EQ(conformance::read_all(*reopened(archive, options)),
            conformance::read_all(*open_shard(entries, options)));
}

TEST(WebdatasetSerializer, NumericKeysAreWrittenAsTexts) {
  FormatOptions options;
  options.keys = KeyType::numeric;
  EXPECT_EQ(names_in(written(*open_shard(tar_entry("0012.txt", ""), options))), "12.txt ");
}

TEST(WebdatasetSerializer, AbsentStreamsHaveNoEntry) {
  FormatOptions options;
  options.missing_streams = MissingStreams::allow;
  const std::string entries =
      tar_entry("a.txt", "x") + tar_entry("a.cls", "1") + tar_entry("b.cls", "2");
  EXPECT_EQ(names_in(written(*open_shard(entries, options))), "a.txt a.cls b.cls ");
  options.streams = {{.name = "txt"}};
  EXPECT_NE(error_of_writing(entries, options).find("[webdataset-written-nothing]"),
            std::string::npos);
}

TEST(WebdatasetSerializer, AnImageOfAnotherKindIsRefused) {
  EXPECT_NE(error_of_writing(tar_entry("a.jpg", "GIF89a")).find("[webdataset-written-image]"),
            std::string::npos);
  for (const std::string& cut : {kJpeg.substr(0, 2), kPng.substr(0, 7), kWebp.substr(0, 11)}) {
    EXPECT_NE(error_of_writing(tar_entry("a.jpg", cut)), "") << cut;
  }
}

/// Made-up keys and streams.
struct MadeUp {
  std::string key = "a";
  std::string stream = "txt";
};

std::string error_of_made_up(const MadeUp& data, const Extra& extra = {}) {
  std::string bytes;
  CreateRequest request{.sink = memory_sink(bytes, "out.tar")};
  request.streams = {{.name = data.stream,
                      .element_type = ElementType::bytes,
                      .sample_shape = Shape{Shape::kVariable}}};
  request.options.extra = extra;
  return error_of([&] {
    WebdatasetSerializer serializer(std::move(request));
    const SequenceView view{.sample_count = 1};
    const std::vector<SequenceView> views = {view};
    const std::vector<std::span<const SequenceView>> spans = {views};
    const std::vector<SequenceKey> keys = {key_of_text(data.key)};
    const std::vector<std::string_view> texts = {data.key};
    serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
    serializer.finish();
  });
}

TEST(WebdatasetSerializer, KeysMustNameEntries) {
  for (const std::string key : {"a", "a/b", "a.b/c", "/a", "\xC3\xA9", "a b"}) {
    EXPECT_EQ(error_of_made_up({.key = key}), "") << key;
  }
  using std::string_literals::operator""s;
  for (const std::string& key :
       {""s, "a.b"s, "a/b.c"s, "a/"s, "./a"s, ".a"s, "__MACOSX/a"s, "__x__/a"s, "a\0b"s}) {
    EXPECT_NE(error_of_made_up({.key = key}).find("[webdataset-written-key]"), std::string::npos)
        << key;
  }
  const Extra extra = {{"webdataset.dots", "underscore"}};
  EXPECT_EQ(error_of_made_up({.key = "d.e/a.b.c"}, extra), "");
}

TEST(WebdatasetSerializer, StreamNamesMustBeSuffixes) {
  for (const std::string stream : {"txt", "seg_png", "a_b", "a.b", "0", "jpg"}) {
    EXPECT_EQ(error_of_made_up({.stream = stream}), "") << stream;
  }
  for (const std::string stream : {"Txt", "a b", "a/b", "\xC3\xA9", ""}) {
    EXPECT_NE(error_of_made_up({.stream = stream}).find("becomes the suffix"), std::string::npos)
        << stream;
  }
}

TEST(WebdatasetSerializer, UnsupportedStreamsAreRefused) {
  const auto error_with = [](std::vector<Stream> streams) {
    std::string bytes;
    CreateRequest request{.sink = memory_sink(bytes, "out.tar")};
    request.streams = std::move(streams);
    return error_of([&] { const WebdatasetSerializer serializer(std::move(request)); });
  };
  const Shape any{Shape::kVariable};
  const Stream image{.name = "image", .element_type = ElementType::bytes, .sample_shape = any};
  const Stream jpg{.name = "jpg", .element_type = ElementType::bytes, .sample_shape = any};
  const Stream label{.name = "a", .element_type = ElementType::i32, .sample_shape = Shape{1}};
  const Stream other{.name = "b", .element_type = ElementType::i32, .sample_shape = Shape{1}};
  EXPECT_EQ(error_with({image, label}), "");
  EXPECT_NE(error_with({image, jpg}).find("choose one"), std::string::npos);
  EXPECT_NE(error_with({label, other}).find("the suffix cls"), std::string::npos);
  EXPECT_NE(error_with({{.name = "x", .sample_shape = Shape{3}}}).find("opaque bytes, or labels"),
            std::string::npos);
}

TEST(WebdatasetSerializer, RepeatedKeysAreRefused) {
  EXPECT_NE(error_of([&] {
              std::string bytes;
              CreateRequest request{.sink = memory_sink(bytes, "out.tar")};
              request.streams = {
                  {.name = "cls", .element_type = ElementType::i32, .sample_shape = Shape{1}}};
              WebdatasetSerializer serializer(std::move(request));
              const std::int32_t number = 3;
              const SequenceView view{.values = reinterpret_cast<const std::byte*>(&number),
                                      .sample_count = 1,
                                      .value_count = 1};
              const std::vector<SequenceView> views = {view, view};
              const std::vector<std::span<const SequenceView>> spans = {views};
              const std::vector<SequenceKey> keys = {{.low = 5}, {.low = 5}};
              serializer.append(serializer.encode({.keys = keys, .views = spans}));
              serializer.finish();
            }).find("[webdataset-written-repeated]"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::webdataset
