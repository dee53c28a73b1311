#include "format/mlf/mlf_serializer.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/serializer.h"

#include "format/mlf/mlf_deserializer.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::mlf {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::text_of;
using sheaf::testing::write_file;

using Extra = std::map<std::string, std::string>;

/// An utterance of dense values, or of one-hot samples.
template <typename T>
struct Utterance {
  // This is a constructor because GCC 12 crashes on an aggregate with default members here.
  Utterance(std::string its_key, std::vector<T> its_values,
            std::vector<std::int32_t> its_indices = std::vector<std::int32_t>(),
            std::vector<std::int64_t> its_offsets = std::vector<std::int64_t>())
      : key(std::move(its_key)),
        values(std::move(its_values)),
        indices(std::move(its_indices)),
        offsets(std::move(its_offsets)) {}

  std::string key;
  std::vector<T> values;
  std::vector<std::int32_t> indices;  // of sparse samples
  std::vector<std::int64_t> offsets;  // of sparse samples; empty means one value each
};

const Stream kIds = {.name = "l", .element_type = ElementType::i32, .sample_shape = Shape{1}};
const Stream kOneHots = {.name = "l", .sample_shape = Shape{70'000}, .storage = Storage::sparse};

Stream ids_of_type(ElementType type) {
  Stream stream = kIds;
  stream.element_type = type;
  return stream;
}

Utterance<float> one_hot(std::string key, std::vector<std::int32_t> ids) {
  return {std::move(key), std::vector<float>(ids.size(), 1), std::move(ids)};
}

/// Serializers write to files in memory.
class MlfSerializerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<MlfSerializer> begin(
      const Stream& stream = kIds, const Extra& extra = {},
      std::int64_t frames_max = MlfSerializer::kFramesMax) {
    return std::make_unique<MlfSerializer>(CreateRequest{.sink = files_->create("out.mlf"),
                                                         .streams = {stream},
                                                         .options = {.extra = extra},
                                                         .files = files_.get()},
                                           frames_max);
  }

  template <typename T>
  static void append(MlfSerializer& serializer, std::vector<Utterance<T>> utterances) {
    std::vector<SequenceKey> keys;
    std::vector<std::string_view> texts;
    std::vector<SequenceView> views;
    for (Utterance<T>& each : utterances) {
      keys.push_back(key_of_text(each.key));
      texts.push_back(each.key);
      if (each.offsets.empty()) {
        for (std::size_t i = 0; i <= each.values.size(); ++i) {
          each.offsets.push_back(static_cast<std::int64_t>(i) + 7);  // only differences matter
        }
      }
      const bool is_sparse = !each.indices.empty();
      views.push_back(
          {.values = std::as_bytes(std::span(each.values)).data(),
           .indices = is_sparse ? std::as_bytes(std::span(each.indices)).data() : nullptr,
           .sample_offsets = is_sparse ? each.offsets.data() : nullptr,
           .sample_count = std::ssize(each.offsets) - 1,
           .value_count = std::ssize(each.values)});
    }
    const std::vector<std::span<const SequenceView>> spans = {views};
    serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
  }

  template <typename T>
  [[nodiscard]] std::string written(const std::vector<Utterance<T>>& utterances,
                                    const Stream& stream = kIds, const Extra& extra = {},
                                    std::int64_t frames_max = MlfSerializer::kFramesMax) {
    const auto serializer = begin(stream, extra, frames_max);
    if (!utterances.empty()) append(*serializer, utterances);
    serializer->finish();
    return text_of(*files_->open("out.mlf"));
  }

  template <typename T>
  [[nodiscard]] std::string refused(const std::vector<Utterance<T>>& utterances,
                                    const Stream& stream = kIds, const Extra& extra = {},
                                    std::int64_t frames_max = MlfSerializer::kFramesMax) {
    const std::string told = error_of<DataError>(
        [&] { static_cast<void>(written(utterances, stream, extra, frames_max)); });
    return told.substr(0, told.find('\n'));
  }

  [[nodiscard]] std::string refused_stream(const Stream& stream) {
    return error_of<ConfigError>([&] { static_cast<void>(begin(stream)); });
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

using Ids = std::vector<Utterance<std::int32_t>>;

TEST_F(MlfSerializerTest, ARangeCoversConsecutiveFramesOfOneLabel) {
  EXPECT_EQ(written<std::int32_t>({{"d/a.b", {0, 0, 7, 65535, 65535, 65535}}, {"c", {1}}}),
            "#!MLF!#\n"
            "\"d/a.b.lab\"\n"
            "0 200000 0 0\n"
            "200000 300000 7 7\n"
            "300000 600000 65535 65535\n"
            ".\n"
            "\"c.lab\"\n"
            "0 100000 1 1\n"
            ".\n");
}

TEST_F(MlfSerializerTest, TheBlockSizeDoesNotChangeTheBytes) {
  const auto serializer = begin();
  append(*serializer, Ids{{"a", {1, 2}}});
  append(*serializer, Ids{{"b", {2}}});
  serializer->finish();
  const std::string text = text_of(*files_->open("out.mlf"));
  EXPECT_EQ(text, written<std::int32_t>({{"a", {1, 2}}, {"b", {2}}}));
}

TEST_F(MlfSerializerTest, OneHotSamplesAreWrittenAsIds) {
  EXPECT_EQ(written<float>({one_hot("a", {3, 3, 65535})}, kOneHots),
            written<std::int32_t>({{"a", {3, 3, 65535}}}));
}

TEST_F(MlfSerializerTest, IdsMayHaveAnyNumberType) {
  const std::string text = written<std::int32_t>({{"a", {3, 3, 65535}}});
  EXPECT_EQ(written<float>({{"a", {3, 3, 65535}}}, ids_of_type(ElementType::f32)), text);
  EXPECT_EQ(written<double>({{"a", {3, 3, 65535}}}, ids_of_type(ElementType::f64)), text);
  EXPECT_EQ(written<std::int64_t>({{"a", {3, 3, 65535}}}, ids_of_type(ElementType::i64)), text);
  Stream scalar = kIds;
  scalar.sample_shape = Shape{};
  EXPECT_EQ(written<std::int32_t>({{"a", {3, 3, 65535}}}, scalar), text);
}

TEST_F(MlfSerializerTest, StatesAreWrittenByName) {
  write_file(*files_, "states", "sil[2]\n\nah\n");
  const Extra extra = {{"mlf.states", "states"}};
  EXPECT_EQ(written<std::int32_t>({{"a", {1, 0}}}, kIds, extra),
            "#!MLF!#\n\"a.lab\"\n0 100000 ah\n100000 200000 sil[2]\n.\n");
  EXPECT_EQ(refused<std::int32_t>({{"a", {1, 2}}}, kIds, extra),
            "out.mlf: sequence a: error: stream \"l\": expected ids of the state list, found 2 at "
            "frame 1 [mlf-state]");
}

TEST_F(MlfSerializerTest, UnsupportedStateNamesAreRefusedIfUsed) {
  write_file(*files_, "states", std::string("a b\nc\td\ne\n f\ng\0h\ni\rj\n", 21));
  const Extra extra = {{"mlf.states", "states"}};
  EXPECT_EQ(refused<std::int32_t>({{"a", {2}}}, kIds, extra), "");
  for (const int id : {0, 1, 3, 4, 5}) {
    EXPECT_NE(refused<std::int32_t>({{"a", {2, id}}}, kIds, extra)
                  .find("expected names of states without blanks and bytes of value 0"),
              std::string::npos)
        << id;
  }
}

TEST_F(MlfSerializerTest, TheFramePeriodIsAnOption) {
  EXPECT_EQ(written<std::int32_t>({{"a", {1, 1, 0}}}, kIds, {{"mlf.frame_period", "50000"}}),
            "#!MLF!#\n\"a.lab\"\n0 100000 1 1\n100000 150000 0 0\n.\n");
  for (const char* const wrong : {"0", "-1", "1x", "", "1073741825"}) {
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(begin(kIds, {{"mlf.frame_period", wrong}}));
              }),
              "")
        << wrong;
  }
  static_cast<void>(begin(kIds, {{"mlf.frame_period", "1073741824"}}));
}

TEST_F(MlfSerializerTest, OptionsForReadingAreRefused) {
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(begin(kIds, {{"mlf.as", "ids"}}));
            }),
            "");
  EXPECT_THROW(static_cast<void>(begin(kIds, {{"mlf.states", "missing"}})), IoError);
}

// Ranges of one frame are the hardest, because readers derive the unit of time from the length of a
// range.
TEST_F(MlfSerializerTest, WrittenDataRoundTrip) {
  const std::vector<std::int32_t> ids = {5, 0, 0, 65535, 5, 5};
  for (const char* const period : {"1", "3", "100000", "1073741824"}) {
    const Extra extra = {{"mlf.frame_period", period}};
    static_cast<void>(written<std::int32_t>({{"a/b.c \xC3\xA9\t.", ids}, {"7", {1}}}, kIds, extra));
    FormatOptions options;
    options.extra = extra;
    options.extra["mlf.as"] = "ids";
    const MlfDeserializer data(files_->open("out.mlf"), options, {.files = files_.get()});
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = ChunkIndex{}, .first = 0, .count = 2}, diagnostics);
    EXPECT_EQ(diagnostics.error_count(), 0);
    EXPECT_EQ(chunk.key_text(0), "a/b.c \xC3\xA9\t.");
    EXPECT_EQ(chunk.key_text(1), "7");
    const SequenceView view = chunk.view(0, 0);
    const std::span found(reinterpret_cast<const std::int32_t*>(view.values),
                          static_cast<std::size_t>(view.value_count));
    EXPECT_EQ(std::vector(found.begin(), found.end()), ids) << period;
  }
}

TEST_F(MlfSerializerTest, NumbersThatAreNotIdsAreRefused) {
  EXPECT_EQ(
      refused<std::int32_t>({{"a", {0, 65536}}}),
      "out.mlf: sequence a: error: stream \"l\": expected ids that are whole numbers from 0 to "
      "65535, found 65536 at frame 1 [mlf-id]");
  EXPECT_NE(refused<std::int32_t>({{"a", {-1}}}).find("found -1 at frame 0"), std::string::npos);
  const Stream floats = ids_of_type(ElementType::f32);
  EXPECT_NE(refused<float>({{"a", {1, 0.5F}}}, floats).find("found another number at frame 1"),
            std::string::npos);
  EXPECT_NE(refused<float>({{"a", {std::numeric_limits<float>::quiet_NaN()}}}, floats)
                .find("found another number at frame 0"),
            std::string::npos);
}

TEST_F(MlfSerializerTest, SparseSamplesThatAreNotOneHotAreRefused) {
  const auto refusal = [&](std::vector<float> values, std::vector<std::int64_t> offsets) {
    std::vector<std::int32_t> indices(values.size());
    return refused<float>({{"a", std::move(values), std::move(indices), std::move(offsets)}},
                          kOneHots);
  };
  EXPECT_EQ(refusal({1, 1}, {0, 1, 2}), "");
  EXPECT_EQ(
      refusal({1, 2}, {0, 1, 2}),
      "out.mlf: sequence a: error: stream \"l\": expected one value of 1 in each frame, found "
      "another value at frame 1 [mlf-one-hot]");
  EXPECT_NE(refusal({1, 0.5F}, {0, 1, 2}).find("another value at frame 1"), std::string::npos);
  EXPECT_NE(refusal({1, 0}, {0, 1, 2}).find("another value at frame 1"), std::string::npos);
  EXPECT_NE(refusal({1, 1}, {0, 1, 1, 2}).find("found 0 at frame 1"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {0, 1, 3}).find("found 2 at frame 1"), std::string::npos);
  EXPECT_NE(refused<float>({one_hot("a", {0, 65536})}, kOneHots).find("65536 at frame 1"),
            std::string::npos);
}

TEST_F(MlfSerializerTest, FramesHaveLimits) {
  EXPECT_EQ(refused<std::int32_t>({{"a", {1, 1}}}, kIds, {}, 2), "");
  EXPECT_EQ(refused<std::int32_t>({{"a", {1, 1, 1}}}, kIds, {}, 2),
            "out.mlf: sequence a: error: stream \"l\": expected at most 2147483648 frames, found 3 "
            "[mlf-long]");
  EXPECT_NE(refused<std::int32_t>({{"a", {}}}).find("expected at least one frame, found none"),
            std::string::npos);
  EXPECT_NE(refused<std::int32_t>({}).find("expected at least one utterance, found none"),
            std::string::npos);
  const auto serializer = begin();
  const std::vector<SequenceView> views = {{.is_present = false}};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::vector<SequenceKey> keys = {{.low = 1}};
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(serializer->encode({.keys = keys, .views = spans}));
            }).find("found none: the stream is absent"),
            std::string::npos);
}

TEST_F(MlfSerializerTest, UnsupportedKeysAreRefused) {
  using std::string_literals::operator""s;
  for (const std::string& key : {""s, "a\"b"s, "*/a"s, "a?"s, "a*"s, "a\nb"s, "a\rb"s, "a\0b"s}) {
    // The text of an error ends at a zero byte, but the diagnostic has all of it.
    try {
      static_cast<void>(written<std::int32_t>({{key, {1}}}));
      ADD_FAILURE() << key;
    } catch (const DataError& error) {
      EXPECT_EQ(error.diagnostics().front().expected,
                "a key that is not empty, without quotes, *, ?, line ends and bytes of value 0");
    }
  }
  const std::string repeated = refused<std::int32_t>({{"a", {1}}, {"b", {1}}, {"a", {1}}});
  EXPECT_NE(repeated.find("mlf-repeated-key"), std::string::npos) << repeated;
}

TEST_F(MlfSerializerTest, UnsupportedStreamsAreRefused) {
  EXPECT_EQ(refused_stream(kIds), "");
  EXPECT_EQ(refused_stream(kOneHots), "");
  Stream stream = kIds;
  stream.sample_shape = Shape{2};
  EXPECT_EQ(refused_stream(stream),
            "stream \"l\": labels are one-hot sparse samples, or dense ids of shape [1], not l: "
            "dense i32 [2]");
  stream.sample_shape = Shape{Shape::kVariable};
  EXPECT_NE(refused_stream(stream), "");
  stream.element_type = ElementType::bytes;
  EXPECT_NE(refused_stream(stream), "");
  EXPECT_EQ(error_of<ConfigError>([&] {
              Stream other = kIds;
              other.name = "m";
              const MlfSerializer serializer(
                  {.sink = files_->create("out.mlf"), .streams = {kIds, other}});
            }),
            "streams: mlf holds one stream, not 2; choose one");
}

}  // namespace
}  // namespace sheaf::mlf
