#include "format/image_base64/image_base64_serializer.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "conformance/read_all.h"
#include "format/image_base64/image_base64_test_files.h"
#include "support/written_by.h"

namespace sheaf::image_base64 {
namespace {

using Extra = std::map<std::string, std::string>;
using conformance::read_all;

Stream image_stream() {
  return {
      .name = "image", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
}

Stream ids_stream() {
  return {.name = "label", .element_type = ElementType::i64, .sample_shape = Shape{1}};
}

/// Writes all sequences of the data.
std::string written(const Deserializer& data, const Extra& extra = {}) {
  return testing::written_by<ImageBase64Serializer>(data, "out.b64", extra);
}

/// One made-up sequence with its key, streams and values.
struct MadeUp {
  std::string key = "a";
  std::vector<Stream> streams = {image_stream(), ids_stream()};
  SequenceView image = {};
  SequenceView label = {};

  MadeUp() {
    static const std::string bytes = "image";
    static const std::int64_t id = 7;
    image.values = reinterpret_cast<const std::byte*>(bytes.data());
    image.value_count = std::ssize(bytes);
    image.sample_count = 1;
    label.values = reinterpret_cast<const std::byte*>(&id);
    label.value_count = label.sample_count = 1;
  }
};

std::string written(const MadeUp& made_up, int times = 1) {
  std::string bytes;
  ImageBase64Serializer serializer(
      {.sink = memory_sink(bytes, "out.b64"), .streams = made_up.streams});
  const SequenceKey key = key_of_text(made_up.key);
  const std::string_view text = made_up.key;
  const std::vector<std::span<const SequenceView>> views = {std::span(&made_up.image, 1),
                                                            std::span(&made_up.label, 1)};
  for (int i = 0; i < times; ++i) {
    serializer.append(serializer.encode(
        {.keys = std::span(&key, 1), .key_texts = std::span(&text, 1), .views = views}));
  }
  serializer.finish();
  return bytes;
}

std::string code_of(const MadeUp& made_up, int times = 1) {
  const std::string text = error_of<DataError>([&] { written(made_up, times); });
  const std::size_t begin = text.rfind('[');
  return begin == std::string::npos ? text : text.substr(begin);
}

TEST(ImageBase64Serializer, WrittenDataRoundTrip) {
  const std::string text = "a\t7\t" + kAbc + "\nb c\t0\t" + kOne + "\nd\t12\t" + kTwo + "\n";
  EXPECT_EQ(written(*open_lines(text)), text);
  FormatOptions one_hot;
  one_hot.streams = {{.name = "x",
                      .alias = "label",
                      .storage = Storage::sparse,
                      .sample_shape = Shape{13},
                      .dtype = ElementType::f64},
                     {.name = "y", .alias = "image"}};
  EXPECT_EQ(written(*open_lines(text, one_hot)), text) << "streams have any name and order";
}

TEST(ImageBase64Serializer, NumericKeysAreWrittenAsTexts) {
  const std::string text = "7\t1\t" + kAbc + "\n3\t1\t" + kAbc + "\n";
  EXPECT_EQ(written(*open_lines(text, with_keys(KeyType::numeric))), text);
}

TEST(ImageBase64Serializer, KeysMayBeOmittedIfTheyCountLines) {
  const std::string text = "1\t" + kAbc + "\n2\t" + kOne + "\n";
  const Extra none = {{"image_base64.keys", "none"}};
  EXPECT_EQ(written(*open_lines(text), none), text);
  EXPECT_EQ(written(*open_lines(text)), "0\t1\t" + kAbc + "\n1\t2\t" + kOne + "\n");
  EXPECT_NE(error_of<DataError>([&] {
              written(*open_lines("\n" + text), none);
            }).find("[image_base64-written-key]"),
            std::string::npos)
      << "the first key is 1";
}

TEST(ImageBase64Serializer, StreamsAreAnImageAndALabel) {
  const auto error = [](const std::vector<Stream>& streams) {
    MadeUp made_up;
    made_up.streams = streams;
    return error_of<ConfigError>([&] { written(made_up); });
  };
  EXPECT_EQ(error({image_stream()}),
            "streams: image_base64 needs a stream of labels: dense class ids of shape [1], or "
            "sparse samples with a single 1");
  EXPECT_EQ(error({ids_stream()}),
            "streams: image_base64 needs a stream of images, which are opaque bytes");
  Stream view = ids_stream();
  view.name = "view";
  EXPECT_EQ(error({image_stream(), ids_stream(), view}),
            "stream \"view\": image_base64 holds one stream of images and one of labels, so there "
            "is no place for view: dense i64 [1]");
  Stream wide = ids_stream();
  wide.sample_shape = Shape{2};
  EXPECT_NE(error({image_stream(), wide}), "");
}

TEST(ImageBase64Serializer, UnsupportedKeysAreRefused) {
  MadeUp made_up;
  EXPECT_EQ(written(made_up), "a\t7\taW1hZ2U=\n");
  EXPECT_EQ(code_of(made_up, 2), "[image_base64-written-repeated]");
  for (const char* key : {"", "a\tb", "a\n",
                          "\xEF\xBB\xBF"
                          "a"}) {
    made_up.key = key;
    EXPECT_EQ(code_of(made_up), "[image_base64-written-key]") << key;
  }
  for (const char* key : {" ", "a b", "\r", "\xEF\xBB"}) {
    made_up.key = key;
    EXPECT_EQ(read_all(*open_lines(written(made_up))).sequences.at(0).key_text, key);
  }
}

TEST(ImageBase64Serializer, LabelsAreClassIds) {
  MadeUp made_up;
  const auto code = [&](std::int64_t id) {
    made_up.label.values = reinterpret_cast<const std::byte*>(&id);
    return code_of(made_up);
  };
  EXPECT_EQ(code(-1), "[image_base64-written-label]");
  EXPECT_EQ(code(0), "");
  EXPECT_EQ(code(2147483647), "");
  EXPECT_EQ(code(2147483648), "[image_base64-written-label]");
  made_up.streams[1].element_type = ElementType::f64;
  const double half = 1.5;
  made_up.label.values = reinterpret_cast<const std::byte*>(&half);
  EXPECT_EQ(code_of(made_up), "[image_base64-written-label]");
}

TEST(ImageBase64Serializer, SparseLabelsHaveASingleOne) {
  MadeUp made_up;
  made_up.streams[1].storage = Storage::sparse;
  made_up.streams[1].element_type = ElementType::f32;
  const float values[] = {1.0F, 1.0F};
  const std::int32_t indices[] = {4, 5};
  made_up.label.values = reinterpret_cast<const std::byte*>(values);
  made_up.label.indices = reinterpret_cast<const std::byte*>(indices);
  EXPECT_EQ(written(made_up), "a\t4\taW1hZ2U=\n");
  for (const std::int64_t count : {0, 2}) {
    made_up.label.value_count = count;
    EXPECT_EQ(code_of(made_up), "[image_base64-written-label]") << count;
  }
  const float two = 2.0F;
  made_up.label.values = reinterpret_cast<const std::byte*>(&two);
  made_up.label.value_count = 1;
  EXPECT_EQ(code_of(made_up), "[image_base64-written-label]");
}

TEST(ImageBase64Serializer, EachStreamHasOneSample) {
  for (const std::int64_t count : {0, 2}) {
    MadeUp made_up;
    made_up.image.sample_count = count;
    EXPECT_EQ(code_of(made_up), "[image_base64-written-count]");
    made_up = {};
    made_up.label.sample_count = count;
    EXPECT_EQ(code_of(made_up), "[image_base64-written-count]");
  }
  MadeUp absent;
  absent.image.is_present = false;
  EXPECT_EQ(code_of(absent), "[image_base64-written-count]");
  MadeUp empty;
  empty.image.value_count = 0;
  EXPECT_EQ(code_of(empty), "[image_base64-written-image]");
}

TEST(ImageBase64Serializer, AFileHasAtLeastOneSequence) {
  EXPECT_EQ(code_of({}, 0), "[image_base64-written-nothing]");
}

TEST(ImageBase64Serializer, OptionsAreChecked) {
  EXPECT_NE(error_of<ConfigError>([] {
              written(*open_lines("1\tQUJD\n"), {{"image_base64.keys", "some"}});
            }),
            "");
}

}  // namespace
}  // namespace sheaf::image_base64
