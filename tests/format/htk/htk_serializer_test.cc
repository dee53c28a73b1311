#include "format/htk/htk_serializer.h"

#include <cstdint>
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

#include "format/htk/htk_test_file.h"
#include "support/error_of.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::error_of;
using testing::file;

using Extra = std::map<std::string, std::string>;

struct Utterance {
  std::string key;
  std::vector<float> values;
};

const Stream kStream = {.name = "x", .element_type = ElementType::f32, .sample_shape = Shape{2}};

/// Serializers write to files in memory. Nothing is staged, so each file is visible in its final
/// state.
class HtkSerializerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<HtkSerializer> begin(
      const Extra& extra = {}, const std::vector<Stream>& streams = {kStream},
      std::int64_t frames_max = HtkSerializer::kFramesMax, const std::string& path = "d/out.scp") {
    return std::make_unique<HtkSerializer>(
        CreateRequest{
            .sink = files_->create(path),
            .streams = streams,
            .options = {.extra = extra},
            .create_file = [this](const std::string& name) { return files_->create(name); },
            .files = files_.get()},
        frames_max);
  }

  static void append(HtkSerializer& serializer, const std::vector<Utterance>& utterances) {
    std::vector<SequenceKey> keys;
    std::vector<std::string_view> texts;
    std::vector<SequenceView> views;
    for (const Utterance& utterance : utterances) {
      keys.push_back(key_of_text(utterance.key));
      texts.push_back(utterance.key);
      views.push_back({.values = std::as_bytes(std::span(utterance.values)).data(),
                       .sample_count = std::ssize(utterance.values) / 2,
                       .value_count = std::ssize(utterance.values),
                       .is_present = true});
    }
    const std::vector<std::span<const SequenceView>> spans = {views};
    serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
  }

  void write(const std::vector<Utterance>& utterances, const Extra& extra = {},
             std::int64_t frames_max = HtkSerializer::kFramesMax) {
    const auto serializer = begin(extra, {kStream}, frames_max);
    if (!utterances.empty()) append(*serializer, utterances);
    serializer->finish();
  }

  [[nodiscard]] std::string refused(const std::vector<Utterance>& utterances,
                                    const Extra& extra = {},
                                    std::int64_t frames_max = HtkSerializer::kFramesMax) {
    return error_of<DataError>([&] { write(utterances, extra, frames_max); });
  }

  [[nodiscard]] std::string refused_stream(const Stream& stream) {
    return error_of<ConfigError>([&] { static_cast<void>(begin({}, {stream})); });
  }

  [[nodiscard]] std::string refused_option(const std::string& name, const std::string& value) {
    return error_of<ConfigError>([&] { static_cast<void>(begin({{name, value}})); });
  }

  [[nodiscard]] std::string text(const std::string& path) {
    const auto source = files_->open(path);
    std::string bytes(static_cast<std::size_t>(source->size()), '\0');
    source->read_at(0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(HtkSerializerTest, AnArchiveHasTheFramesOfAllUtterances) {
  write({{"a", {1, 2}}, {"b/c.d", {3, 4, 5, 6}}});
  EXPECT_EQ(text("d/out.scp"), "a.htk=.../out.htk[0,0]\nb/c.d.htk=.../out.htk[1,2]\n");
  EXPECT_EQ(text("d/out.htk"), file({1, 2, 3, 4, 5, 6}, 2));
}

TEST_F(HtkSerializerTest, TheBlockSizeDoesNotChangeTheBytes) {
  const auto serializer = begin();
  append(*serializer, {{"a", {1, 2}}});
  append(*serializer, {{"b", {3, 4, 5, 6}}});
  serializer->finish();
  EXPECT_EQ(text("d/out.scp"), "a.htk=.../out.htk[0,0]\nb.htk=.../out.htk[1,2]\n");
  EXPECT_EQ(text("d/out.htk"), file({1, 2, 3, 4, 5, 6}, 2));
}

TEST_F(HtkSerializerTest, FilesHaveOneUtteranceEach) {
  write({{"a", {1, 2}}, {"../b c", {3, 4, 5, 6}}, {".d", {7, 8}}}, {{"htk.layout", "files"}});
  EXPECT_EQ(text("d/out.scp"),
            "a.htk=.../a.htk[0,0]\n../b c.htk=.../%2E.%2Fb%20c.htk[0,1]\n"
            ".d.htk=.../%2Ed.htk[0,0]\n");
  EXPECT_EQ(text("d/a.htk"), file({1, 2}, 2));
  EXPECT_EQ(text("d/%2E.%2Fb%20c.htk"), file({3, 4, 5, 6}, 2));
  EXPECT_EQ(text("d/%2Ed.htk"), file({7, 8}, 2));
  EXPECT_FALSE(files_->exists("d/out.htk"));
}

TEST_F(HtkSerializerTest, HeadersHaveTheKindAndThePeriod) {
  write({{"a", {1, 2}}}, {{"htk.kind", "MFCC_E_D_A"}, {"htk.period", "50000"}});
  EXPECT_EQ(text("d/out.htk"),
            file({1, 2}, 2, {.period = 50'000, .kind = 6 | 0100 | 0400 | 01000}));
}

TEST_F(HtkSerializerTest, NumericKeysAreWrittenAsDigits) {
  const auto serializer = begin();
  const std::vector<float> values = {1, 2};
  const std::vector<SequenceView> views = {{.values = std::as_bytes(std::span(values)).data(),
                                            .sample_count = 1,
                                            .value_count = 2,
                                            .is_present = true}};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::vector<SequenceKey> number = {{.low = 17}};
  serializer->append(serializer->encode({.keys = number, .views = spans}));
  const std::vector<SequenceKey> hash = {key_of_text("text")};
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(serializer->encode({.keys = hash, .views = spans}));
            }).find("expected the text of the key, found its hash alone"),
            std::string::npos);
  serializer->finish();
  EXPECT_EQ(text("d/out.scp"), "17.htk=.../out.htk[0,0]\n");
}

TEST_F(HtkSerializerTest, UnsupportedKeysAreRefused) {
  using std::string_literals::operator""s;
  for (const std::string& key : {""s, "a=b"s, "a...b"s, "a.."s + "."s, "a\nb"s, "a\rb"s, "a\0b"s}) {
    const std::string told = refused({{key, {1, 2}}});
    EXPECT_NE(told.find("htk-key"), std::string::npos) << told;
    EXPECT_NE(told.find("a key that is not empty, without =, ..., line ends and bytes of value 0"),
              std::string::npos)
        << told;
  }
  EXPECT_EQ(refused({{"a..b", {1, 2}}}), "");
  const std::string repeated = refused({{"a", {1, 2}}, {"b", {1, 2}}, {"a", {1, 2}}});
  EXPECT_NE(repeated.find("htk-repeated-key"), std::string::npos) << repeated;
}

TEST_F(HtkSerializerTest, FileNamesHaveALengthLimit) {
  const Extra files = {{"htk.layout", "files"}};
  EXPECT_EQ(refused({{std::string(196, 'a'), {1, 2}}}, files), "");
  const std::string told = refused({{std::string(197, 'a'), {1, 2}}}, files);
  EXPECT_NE(
      told.find("expected a key that gives a file name of at most 200 bytes, found 201 bytes"),
      std::string::npos)
      << told;
  EXPECT_EQ(refused({{std::string(197, 'a'), {1, 2}}}), "") << "an archive has one name";
}

TEST_F(HtkSerializerTest, FramesHaveALimit) {
  EXPECT_EQ(refused({{"a", {1, 2}}, {"b", {3, 4}}}, {}, 2), "");
  const std::string many = refused({{"a", {1, 2}}, {"b", {3, 4}}}, {}, 1);
  EXPECT_NE(many.find("found 2 so far"), std::string::npos) << many;
  const std::string one = refused({{"a", {1, 2, 3, 4}}}, {}, 1);
  EXPECT_NE(one.find("found 2 of one utterance"), std::string::npos) << one;
  EXPECT_EQ(refused({{"a", {1, 2}}, {"b", {3, 4}}}, {{"htk.layout", "files"}}, 1), "");
  const std::string none = refused({{"a", {}}});
  EXPECT_NE(none.find("expected at least one frame, found none"), std::string::npos) << none;
  const std::string empty = refused({});
  EXPECT_NE(empty.find("htk-empty"), std::string::npos) << empty;
}

TEST_F(HtkSerializerTest, UnsupportedStreamsAreRefused) {
  Stream stream = kStream;
  stream.sample_shape = Shape{16383};
  EXPECT_EQ(refused_stream(stream), "");
  stream.sample_shape = Shape{16384};
  EXPECT_EQ(refused_stream(stream),
            "stream \"x\": frames of HTK files have 1 to 16383 values, not 16384");
  stream = kStream;
  stream.element_type = ElementType::f64;
  EXPECT_EQ(refused_stream(stream),
            "stream \"x\": HTK files hold f32, not f64; give the stream the dtype float32");
  stream = kStream;
  stream.storage = Storage::sparse;
  EXPECT_EQ(refused_stream(stream), "stream \"x\": HTK files hold dense frames, not sparse ones");
  Stream other = kStream;
  other.name = "y";
  EXPECT_EQ(error_of<ConfigError>([&] {
              static_cast<void>(begin({}, {kStream, other}));
            }),
            "streams: htk holds one stream, not 2; choose one");
}

TEST_F(HtkSerializerTest, UnsupportedListNamesAreRefused) {
  for (const char* const path : {"a[b.scp", "a[b/c.scp", "a\\b.scp", "a\nb.scp"}) {
    EXPECT_EQ(error_of<ConfigError>([&] {
                static_cast<void>(begin({}, {kStream}, HtkSerializer::kFramesMax, path));
              }),
              std::string(path) +
                  ": a list of this name cannot name its files: leave out [, \\ and line ends");
  }
}

TEST_F(HtkSerializerTest, AnOutputWithoutAPathIsRefused) {
  std::string bytes;
  EXPECT_EQ(error_of<ConfigError>([&] {
              const HtkSerializer serializer(
                  {.sink = memory_sink(bytes, "out.scp"), .streams = {kStream}});
            }),
            "out.scp: cannot be written as htk, which is a list and the files that it names: give "
            "the list a path");
}

TEST_F(HtkSerializerTest, OptionsAreChecked) {
  for (const char* const good : {"1", "100000", "50000"}) {
    EXPECT_EQ(refused_option("htk.period", good), "") << good;
  }
  for (const char* const wrong : {"", "-1", "1x", "4294967296"}) {
    EXPECT_EQ(refused_option("htk.period", wrong),
              "htk.period: expected a number of 100 ns, found \"" + std::string(wrong) + "\"");
  }
  // With the other byte order, 16777216 is 1, and 2147483648 is 128.
  for (const char* const wrong : {"0", "16777216", "2147483648"}) {
    EXPECT_EQ(refused_option("htk.period", wrong),
              "htk.period: " + std::string(wrong) +
                  " cannot be written: readers tell the byte order of a file from the period, and "
                  "would get the order wrong");
  }
  for (const char* const good : {"USER", "FBANK", "MFCC_0_D_A_T_Z_N_E"}) {
    EXPECT_EQ(refused_option("htk.kind", good), "") << good;
  }
  for (const char* const wrong :
       {"", "_E", "user", "WAVEFORM", "MFCC_", "MFCC_C", "MFCC_K", "MFCC_V", "MFCC_E_E", "MFCCE"}) {
    EXPECT_NE(refused_option("htk.kind", wrong).find("htk.kind: expected a kind of float vectors"),
              std::string::npos)
        << wrong;
  }
  EXPECT_NE(refused_option("htk.layout", "both"), "");
  EXPECT_NE(refused_option("htk.as", "ids"), "") << "an option for reading";
}

}  // namespace
}  // namespace sheaf::htk
