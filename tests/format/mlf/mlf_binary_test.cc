#include "format/mlf/mlf_binary.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"

#include "format/mlf/mlf_deserializer.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::mlf {
namespace {

using namespace std::string_literals;
using testing::error_of;

std::string number(std::int64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

using Ranges = std::vector<std::pair<int, int>>;  // label and frames

/// Returns the bytes after the key.
std::string body(std::int64_t frames, const Ranges& ranges) {
  std::string bytes = number(frames, 4) + number(std::ssize(ranges), 2);
  for (const auto& [label, count] : ranges) bytes += number(label, 2) + number(count, 2);
  return bytes;
}

std::string utterance(std::string_view key, std::int64_t frames, const Ranges& ranges) {
  return number(std::ssize(key), 2) + std::string(key) + body(frames, ranges);
}

constexpr std::string_view kHead("MLF\2\0", 5);

/// Returns "key: ids; ", then the codes of errors with their byte offsets.
std::string read_all(const Deserializer& data) {
  std::string text;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const std::int64_t count = data.index().chunk(i)->sequence_count;
    const Chunk chunk = data.read({.chunk = i, .first = 0, .count = count}, diagnostics);
    for (std::int64_t k = 0; k < count; ++k) {
      text += std::string(chunk.key_text(k)) + ":";
      const SequenceView view = chunk.view(0, k);
      const auto ids = chunk.columns()[0].values.as<std::int32_t>();
      const auto offsets = chunk.columns()[0].sequence_offsets.as<std::int64_t>();
      for (std::int64_t n = 0; n < view.sample_count; ++n) {
        text += " " + std::to_string(
                          ids[static_cast<std::size_t>(offsets[static_cast<std::size_t>(k)] + n)]);
      }
      text += chunk.is_hole(k) ? " hole; " : "; ";
    }
    for (const Diagnostic& each : diagnostics.described()) {
      text += each.code + "@" + std::to_string(each.byte_offset) +
              (each.severity == Severity::fatal ? "! " : " ");
    }
  }
  return text;
}

FormatOptions ids() {
  FormatOptions options;
  options.extra["mlf.as"] = "ids";
  options.index.mode = IndexMode::off;
  return options;
}

std::string read_text(std::string bytes, const FormatOptions& options = ids()) {
  return read_all(MlfDeserializer(memory_source(std::move(bytes), "a.mlf"), options));
}

TEST(MlfBinary, KeysAreTextsOrNumbers) {
  EXPECT_EQ(read_text(std::string(kHead) + utterance("a/b.c", 5, {{7, 2}, {0, 3}}) +
                      utterance("d", 1, {{65'535, 1}})),
            "a/b.c: 7 7 0 0 0; d: 65535; ");
  EXPECT_EQ(read_text("MLF\1\0"s + number(4'294'967'295, 4) + body(1, {{2, 1}}) + number(0, 4) +
                      body(2, {{1, 0}, {3, 2}})),
            "4294967295: 2; 0: 3 3; ");
}

TEST(MlfBinary, KeysOfBothVersionsMayBeReadAsNumbers) {
  FormatOptions numeric = ids();
  numeric.keys = KeyType::numeric;
  const std::string numbers = "MLF\1\0"s + number(4'294'967'295, 4) + body(1, {{2, 1}});
  const std::string texts = std::string(kHead) + utterance("4294967295", 1, {{2, 1}});
  for (const std::string& bytes : {numbers, texts}) {
    const MlfDeserializer data(memory_source(bytes, "a.mlf"), numeric);
    EXPECT_EQ(data.index().sequences(ChunkIndex{})->key(0), SequenceKey{4'294'967'295});
    EXPECT_EQ(read_all(data), ": 2; ");
  }
  const auto refused = [&](std::string bytes) {
    return error_of<DataError>([&] { read_text(std::move(bytes), numeric); });
  };
  EXPECT_EQ(refused(texts + utterance("u", 1, {{2, 1}})),
            "a.mlf: byte 27: error: expected a key that is a number from 0 to 2^64-1, found \"u\" "
            "[mlf-key]\n  keys=text (--keys text) takes any key");
  EXPECT_NE(refused(texts + std::string("\5\0"
                                        "12",
                                        4))
                .find("[mlf-cut]"),
            std::string::npos);
}

// The example of docs/formats/mlf.md, with ids instead of states.
TEST(MlfBinary, EqualsTheSameLabelsInText) {
  const std::string text = read_text(
      "#!MLF!#\n\"An4/71/cen5-fjam-b.lab\"\n0 100000 x 3\n100000 500000 x 4\n.\n"
      "\"An4/72/cen7-fjam-b.lab\"\n0 300000 x 3\n.\n");
  EXPECT_EQ(read_text(std::string(kHead) + utterance("An4/71/cen5-fjam-b", 5, {{3, 1}, {4, 4}}) +
                      utterance("An4/72/cen7-fjam-b", 3, {{3, 3}})),
            text);
}

TEST(MlfBinary, TruncatedFilesAreErrors) {
  const std::string first = std::string(kHead) + utterance("u", 2, {{1, 2}});
  const std::string all = first + utterance("key", 4, {{1, 1}, {2, 3}});
  FormatOptions cntk = ids();
  cntk.compatibility = Compatibility::cntk;
  for (std::size_t size = first.size() + 1; size < all.size(); ++size) {
    const bool has_key = size >= first.size() + 5;
    const std::string hole =
        std::string(has_key ? "key" : "") + ": hole; mlf-cut@" + std::to_string(first.size()) + " ";
    EXPECT_EQ(read_text(all.substr(0, size)), "u: 1 1; " + hole) << size;
    const MlfDeserializer data(memory_source(all.substr(0, size), "a.mlf"), cntk);
    EXPECT_EQ(read_all(data), "u: 1 1; ") << size;
    ASSERT_EQ(data.warnings().size(), 1U);
    EXPECT_EQ(data.warnings()[0].code, "mlf-cut");
    EXPECT_EQ(data.warnings()[0].byte_offset, static_cast<std::int64_t>(first.size()));
  }
  EXPECT_EQ(read_text(all), "u: 1 1; key: 1 2 2 2; ");
  EXPECT_EQ(read_text(first), "u: 1 1; ");
}

// Reads one byte at a time, and reads of about the size of an utterance.
TEST(MlfBinary, TheReadSizeChangesNothing) {
  std::string bytes(kHead);
  for (int i = 0; i < 20; ++i) {
    bytes += utterance("key" + std::to_string(i), i + 1,
                       Ranges(static_cast<std::size_t>(i) + 1, {i, 1}));
  }
  const std::string expected = read_text(bytes);
  for (std::int64_t size = 1; size < 200; ++size) {
    FormatOptions options = ids();
    options.read_size_bytes = size;
    options.chunk_size_bytes = 100 + size;
    EXPECT_EQ(read_text(bytes, options), expected) << size;
  }
}

TEST(MlfBinary, KeysHaveUpTo256Bytes) {
  for (const std::size_t size : {1U, 255U, 256U, 257U, 65'535U, 0U}) {
    const std::string key(size, 'k');
    const bool is_good = size > 0 && size <= 256;
    EXPECT_EQ(
        read_text(std::string(kHead) + utterance(key, 1, {{1, 1}}) + utterance("u", 1, {{2, 1}})),
        key + (is_good ? ": 1; u: 2; " : ": hole; u: 2; mlf-name@5 "))
        << size;
  }
}

TEST(MlfBinary, EachErrorSpoilsItsUtterance) {
  const auto read = [](const std::string& wrong, Compatibility compatibility) {
    FormatOptions options;
    options.streams = {{.name = "y", .dtype = ElementType::i32}};
    options.extra = {{"mlf.as", "ids"}, {"mlf.frames_max", "70000"}};
    options.compatibility = compatibility;
    return read_text(std::string(kHead) + wrong + utterance("v", 1, {{1, 1}}), options);
  };
  const struct {
    std::string bytes;
    std::string strict;
    std::string cntk;
  } cases[] = {
      {utterance("u", 0, {}), "u: hole; v: 1; mlf-empty@5 ", "v: 1; "},
      {utterance("u", 3, {{1, 2}}), "u: hole; v: 1; mlf-frames@5 ",
       "u: hole; v: 1; mlf-frames@5! "},
      {utterance("u", 1, {{1, 1}, {1, 1}}), "u: hole; v: 1; mlf-frames@5 ",
       "u: hole; v: 1; mlf-frames@5! "},
      {utterance("u", 1, {}), "u: hole; v: 1; mlf-frames@5 ", "u: hole; v: 1; mlf-frames@5! "},
      {utterance("u", 70'001, {{1, 65'535}, {2, 4466}}), "u: hole; v: 1; mlf-long@5 ",
       "u: hole; v: 1; mlf-long@5 "},
      {utterance("v", 1, {{9, 1}}), "v: 9; ", "v: 9; "},
  };
  for (const auto& [bytes, strict, cntk] : cases) {
    EXPECT_EQ(read(bytes, Compatibility::strict), strict);
    EXPECT_EQ(read(bytes, Compatibility::cntk), cntk);
  }
}

TEST(MlfBinary, LabelsMustBeBelowTheDim) {
  const std::string bytes = std::string(kHead) + utterance("u", 4, {{2, 1}, {5, 3}});
  FormatOptions options;
  options.index.mode = IndexMode::off;
  EXPECT_EQ(MlfDeserializer(memory_source(bytes, "a.mlf"), options).streams()[0].sample_shape,
            Shape{6});
  options.streams = {{.name = "y", .storage = Storage::sparse, .sample_shape = Shape{5}}};
  const MlfDeserializer data(memory_source(bytes, "a.mlf"), options);
  Diagnostics diagnostics;
  EXPECT_TRUE(data.read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics).is_hole(0));
  ASSERT_EQ(diagnostics.described().size(), 1U);
  EXPECT_EQ(to_string(diagnostics.described()[0]),
            "a.mlf: byte 18: error: stream \"y\": expected an id below 5, found 5 [mlf-id-range]");
}

TEST(MlfBinary, HasVersion1Or2) {
  for (const char version : {'\0', '\3', '\x7F', '\xFF'}) {
    const std::string message = error_of<DataError>([&] {
      static_cast<void>(read_text("MLF"s + version + '\0' + utterance("u", 1, {{1, 1}})));
    });
    EXPECT_NE(message.find("a.mlf: byte 3: error: expected version 1 or 2"), std::string::npos)
        << message;
  }
  for (const std::string& head : {"MLF\1"s, "MLF\1\1"s, "MLf\1\0"s, "MLF"s}) {
    const std::string message = error_of<DataError>([&] { static_cast<void>(read_text(head)); });
    EXPECT_NE(message.find("[mlf-header]"), std::string::npos) << message;
  }
}

// The index file has a hash of each unit. A file that no longer fits the index is refused.
TEST(MlfBinary, AFileChangedSinceIndexingIsRefused) {
  const std::string bytes = std::string(kHead) + utterance("u", 2, {{1, 2}}) +
                            utterance("u", 1, {{3, 1}}) + utterance("v", 2, {{1, 1}, {2, 1}});
  const TestFolder folder;
  FormatOptions options = ids();
  options.index.mode = IndexMode::rebuild;
  folder.write("a.mlf", bytes);
  const OpenedData opened = open_path(folder.path("a.mlf"), options);
  EXPECT_EQ(read_all(*opened.data), "u: 1 1; v: 1 2; ");
  options.index.mode = IndexMode::require;
  // Changes one thing at a time: a label, a length, a key, and the utterance that the index leaves
  // out.
  for (const std::size_t location : {14U, 16U, 7U, 27U}) {
    folder.write("a.mlf", bytes);
    const OpenedData indexed = open_path(folder.path("a.mlf"), options);
    EXPECT_EQ(read_all(*indexed.data), "u: 1 1; v: 1 2; ");
    std::string changed = bytes;
    ++changed[location];
    folder.write("a.mlf", changed);
    EXPECT_THROW(static_cast<void>(read_all(*indexed.data)), IoError) << location;
    folder.write("a.mlf", bytes);
    options.index.mode = IndexMode::rebuild;
    static_cast<void>(open_path(folder.path("a.mlf"), options));
    options.index.mode = IndexMode::require;
  }
}

}  // namespace
}  // namespace sheaf::mlf
