#include "format/htk/htk_deserializer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/htk/htk_test_file.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::append_checksum;
using testing::append_number;
using testing::file;
using testing::header;

/// A list and its files in memory.
class HtkDeserializerTest : public ::testing::Test {
 protected:
  HtkDeserializerTest() {
    write("be.htk", file({1, 2, 3, 4, 5, 6}, 2));
    write("le.htk", file({10, 20, 30, 40}, 2, {.is_big_endian = false}));
  }

  void write(const std::string& path, const std::string& bytes) {
    write_file(*files_, path, bytes);
  }

  [[nodiscard]] std::unique_ptr<HtkDeserializer> open(const std::string& list,
                                                      const FormatOptions& options = {}) {
    write("feats.scp", list);
    return std::make_unique<HtkDeserializer>(files_->open("feats.scp"), options,
                                             Context{.files = files_.get()});
  }

  /// Returns every sequence of a list with its key and values, or the code and the text of the
  /// first error.
  [[nodiscard]] std::string told(const std::string& list, const FormatOptions& options = {}) {
    const auto data = open(list, options);
    std::string text;
    for (ChunkIndex number{}; data->index().chunk(number); number = next(number)) {
      Diagnostics diagnostics;
      const std::int64_t count = data->index().chunk(number)->sequence_count;
      const Chunk chunk = data->read({.chunk = number, .first = 0, .count = count}, diagnostics);
      for (std::int64_t i = 0; i < count; ++i) {
        text += std::string(chunk.key_text(i)) + (chunk.is_hole(i) ? " hole" : ":");
        const SequenceView view = chunk.view(0, i);
        const Stream& stream = data->streams()[0];
        for (std::int64_t k = 0; k < view.value_count; ++k) {
          text += ' ' + value(stream, view, k);
        }
        text += '\n';
      }
      for (const Diagnostic& each : diagnostics.described()) {
        text += each.path + ':' + std::to_string(each.line) + ':' + std::to_string(each.column) +
                '@' + std::to_string(each.byte_offset) + ' ' + each.code + ": " + each.found + '\n';
      }
    }
    for (const Diagnostic& each : data->warnings()) text += message(each) + '\n';
    return text;
  }

  static std::string value(const Stream& stream, const SequenceView& view, std::int64_t k) {
    const std::byte* const at = stream.storage == Storage::sparse ? view.indices : view.values;
    if (stream.storage == Storage::sparse || stream.element_type == ElementType::i32) {
      std::int32_t number = 0;
      std::memcpy(&number, at + 4 * k, sizeof number);
      return std::to_string(number);
    }
    float number = 0;
    std::memcpy(&number, at + 4 * k, sizeof number);
    return std::to_string(static_cast<int>(number));
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(HtkDeserializerTest, UtterancesMayBeRangesOfFiles) {
  EXPECT_EQ(told("b.x=be.htk[1,2]\r\n\n \na.x=le.htk[0,1]\nc.x=be.htk[0,0]"),
            "b: 3 4 5 6\na: 10 20 30 40\nc: 1 2\n");
  const auto data = open("b.x=be.htk[1,2]\na=le.htk[0,0]\n");
  EXPECT_EQ(to_string(data->streams()[0]), "feats: dense f32 [2]");
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->location(1),
            (SourceLocation{.source = 1, .offset_bytes = 12}));
  EXPECT_EQ(data->index().source_name(1), "le.htk");
}

TEST_F(HtkDeserializerTest, LinesWithoutRangesAreWholeFiles) {
  EXPECT_EQ(told("u.x=be.htk\nle.htk\nv=be.htk[1,-1]\n"),
            "u: 1 2 3 4 5 6\nle: 10 20 30 40\nv: 3 4 5 6\n");
}

TEST_F(HtkDeserializerTest, HolesDescribeTheirErrors) {
  write("short.htk", "abc");
  write("kind.htk", file({1, 2}, 2, {.kind = 6}));
  write("period.htk", file({1, 2}, 2, {.period = 50'000}));
  write("dim.htk", file({1, 2, 3}, 3));
  write("cut.htk", file({1, 2, 3, 4}, 2).substr(0, 27));
  const std::string good = "g=be.htk[0,0]\n";
  const auto fault = [&](const std::string& line) {
    const std::string text = told(good + line);
    const std::string before = "g: 1 2\n";
    EXPECT_TRUE(text.starts_with(before)) << text;
    return text.substr(before.size());
  };
  EXPECT_EQ(fault("u=none.htk[0,4]"), "u hole\nfeats.scp:2:3@16 htk-missing-file: \"none.htk\"\n");
  EXPECT_EQ(fault("u=none.htk"), "u hole\nfeats.scp:2:3@16 htk-missing-file: \"none.htk\"\n");
  EXPECT_EQ(fault("u=be.htk[1,3]"),
            "u hole\nfeats.scp:2:9@22 htk-range-end: \"[1,3]\", where be.htk has 3 frames\n");
  EXPECT_EQ(fault("u=be.htk[3,-1]"),
            "u hole\nfeats.scp:2:9@22 htk-range-end: \"[3,-1]\", where be.htk has 3 frames\n");
  EXPECT_EQ(fault("u=be.htk[2,1]"), "u hole\nfeats.scp:2:9@22 htk-range-order: \"[2,1]\"\n");
  EXPECT_EQ(fault("u=be.htk[2,"), "u hole\nfeats.scp:2:9@22 htk-range: \"[2,\"\n");
  EXPECT_EQ(fault("u=[0,0]"), "u hole\nfeats.scp:2:3@16 htk-path: \"\"\n");
  EXPECT_EQ(fault("u=short.htk"), "u hole\nshort.htk:0:0@3 htk-header: a file of 3 bytes\n");
  EXPECT_EQ(fault("u=kind.htk"),
            "u hole\nkind.htk:0:0@10 htk-other-kind: MFCC in kind.htk, where the first file has "
            "USER\n");
  EXPECT_EQ(fault("u=period.htk"),
            "u hole\nperiod.htk:0:0@4 htk-other-period: 50000 in period.htk, where the first file "
            "has 100000\n");
  EXPECT_EQ(fault("u=dim.htk"),
            "u hole\ndim.htk:0:0@8 htk-other-dim: 3 in dim.htk, where the stream has 2\n");
  EXPECT_EQ(fault("u=cut.htk[0,0]"), "u: 1 2\n");
  EXPECT_EQ(fault("u=cut.htk[0,1]"),
            "u hole\ncut.htk:0:0@27 htk-cut: the end of cut.htk where 28 bytes should be\n");
}

TEST_F(HtkDeserializerTest, ChecksumsOfWholeFilesAreCompared) {
  std::string bytes = file({1, 2, 3, 4}, 2, {.kind = 9 | 010000});
  append_checksum(bytes);
  write("crc.htk", bytes);
  EXPECT_EQ(told("u=crc.htk[0,1]\nv=be.htk[0,0]"), "u: 1 2 3 4\nv: 1 2\n");
  bytes[13] ^= 1;
  write("crc.htk", bytes);
  const std::string text = told("u=crc.htk[0,1]\nv=be.htk[0,0]\nw=crc.htk[1,1]");
  EXPECT_TRUE(text.starts_with("u hole\nv: 1 2\nw: 3 4\ncrc.htk:0:0@28 htk-checksum: ")) << text;
}

TEST_F(HtkDeserializerTest, RepeatedKeysAndLongUtterancesAreLeftOut) {
  EXPECT_EQ(told("u=be.htk[0,0]\nv=be.htk[1,1]\nu=be.htk[2,2]\n"),
            "v: 3 4\nexpected keys that differ, found 2 utterances with keys that come more than "
            "once; all are left out, the first is here\n");
  FormatOptions options;
  options.extra["htk.max_frames"] = "1";
  EXPECT_EQ(told("u=be.htk\nv=be.htk[1,1]\n", options),
            "v: 3 4\nexpected utterances of at most htk.max_frames frames, found 1 longer ones, "
            "which are left out; the first is here\n");
}

TEST_F(HtkDeserializerTest, KeysMayBeNumbers) {
  const FormatOptions numeric{.keys = KeyType::numeric};
  const std::string list =
      "7.mfc=be.htk[0,0]\n18446744073709551615.mfc=be.htk[1,1]\n0=le.htk[0,1]\n";
  const auto data = open(list, numeric);
  const auto table = data->index().sequences(ChunkIndex{});
  ASSERT_EQ(table->size(), 3);
  EXPECT_EQ(table->key(0), SequenceKey{7});
  EXPECT_EQ(table->key(1), SequenceKey{18'446'744'073'709'551'615U});
  EXPECT_EQ(table->key(2), SequenceKey{0});
  EXPECT_EQ(told(list, numeric), ": 1 2\n: 3 4\n: 10 20 30 40\n");
  EXPECT_EQ(told(list, {.keys = KeyType::text}), told(list));
  EXPECT_NE(data->fingerprint(), open(list)->fingerprint());

  // Different texts of one number are the same key.
  EXPECT_EQ(
      told("7=be.htk[0,0]\n8=be.htk[1,1]\n007=le.htk\n", numeric),
      ": 3 4\n"
      "expected keys that differ, found 2 utterances with keys that come more than once; all are "
      "left out, the first is here\n");
}

TEST_F(HtkDeserializerTest, NumericKeysMustBeNumbers) {
  const FormatOptions numeric{.keys = KeyType::numeric};
  const auto refused = [&](const std::string& key) {
    return error_of<DataError>(
        [&] { static_cast<void>(open("7.x=be.htk[0,0]\n\n" + key + "=be.htk[1,1]\n", numeric)); });
  };
  EXPECT_EQ(refused("u1.x"),
            "feats.scp:3:1: error: expected a key that is a number from 0 to 2^64-1, found \"u1\" "
            "[htk-numeric-key]\n"
            "  u1.x=be.htk[1,1]\n"
            "  ^~\n"
            "  keys=text (--keys text) takes any key");
  for (const char* const key : {"18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "1/2", ""}) {
    EXPECT_NE(refused(key).find("feats.scp:3:1: error: expected a key"), std::string::npos) << key;
  }
}

TEST_F(HtkDeserializerTest, AnIndexFileBelongsToOneKeyType) {
  FormatOptions options{.keys = KeyType::numeric};
  const std::string list = "7=be.htk\n8=le.htk\n";
  options.index.mode = IndexMode::rebuild;
  static_cast<void>(open(list, options));
  options.index.mode = IndexMode::require;
  EXPECT_EQ(open(list, options)->index().sequences(ChunkIndex{})->key(1), SequenceKey{8});
  options.keys = {};
  EXPECT_NE(error_of<ConfigError>([&] { static_cast<void>(open(list, options)); }), "");
  options.index.mode = IndexMode::automatic;
  EXPECT_EQ(open(list, options)->index().sequences(ChunkIndex{})->key(1), key_of_text("8"));
}

TEST_F(HtkDeserializerTest, LabelsAreWholeNumbersInRange) {
  write("l.htk", file({3, 0, 2}, 1));
  write("w.htk", file({1, 2.5, 4}, 1));
  FormatOptions options;
  options.extra["htk.as"] = "ids";
  EXPECT_EQ(told("u=l.htk\n", options), "u: 3 0 2\n");
  options.extra["htk.as"] = "one_hot";
  options.streams = {{.name = "y", .storage = Storage::sparse, .sample_shape = Shape{4}}};
  EXPECT_EQ(told("u=l.htk\nw=w.htk\nv=l.htk[1,1]\n", options),
            "u: 3 0 2\nw hole\nv: 0\n"
            "w.htk:0:0@16 htk-label: 2.5 in frame 1 of the utterance; labels are 0 to 3\n"
            "w.htk:0:0@20 htk-label: 4 in frame 2 of the utterance; labels are 0 to 3\n");
}

TEST_F(HtkDeserializerTest, ADeclaredDimMustBeThatOfTheFile) {
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{3}}};
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(open("u=be.htk\n", options)); }),
            "stream \"x\": dim 3 was declared, but be.htk has frames of 2 values");
}

TEST_F(HtkDeserializerTest, ListsWithoutUtterancesAreRefused) {
  EXPECT_THROW(static_cast<void>(open("\n \r\n")), DataError);
  EXPECT_THROW(static_cast<void>(open("u=be.htk\nu=be.htk\n")), DataError);
  EXPECT_THROW(static_cast<void>(open(file({1, 2}, 2))), DataError) << "no list, but a file";
}

TEST_F(HtkDeserializerTest, AChunkEndsAfter90000Frames) {
  write("long.htk", file(std::vector<float>(90'001), 1));
  const auto counts = [&](const std::string& list) {
    std::vector<std::int64_t> all;
    const auto data = open(list);
    for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
      all.push_back(data->index().chunk(i)->sequence_count);
    }
    return all;
  };
  const std::string rest = "b=long.htk[0,0]\nc=long.htk[1,1]\n";
  EXPECT_EQ(counts("a=long.htk[0,90000]\n" + rest), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(counts("a=long.htk[0,89999]\n" + rest), (std::vector<std::int64_t>{2, 1}));
}

TEST_F(HtkDeserializerTest, AnIndexFileIsUsedUnlessDamaged) {
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const std::string list = "u=be.htk\nv=le.htk\n";
  const std::string expected = "u: 1 2 3 4 5 6\nv: 10 20 30 40\n";
  EXPECT_EQ(told(list, options), expected);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(told(list, options), expected);
  write("le.htk", file({7, 8}, 2));
  EXPECT_EQ(
      told(list, options),
      "u: 1 2 3 4 5 6\nv hole\nfeats.scp:2:3@11 htk-changed: 1 in le.htk, where the index has "
      "2\n");
  write("feats.scp.sheaf-index", "\x89SHEAFI\n damaged");
  options.index.mode = IndexMode::automatic;
  EXPECT_TRUE(told(list, options).starts_with("u: 1 2 3 4 5 6\nv: 7 8\n"));
}

}  // namespace
}  // namespace sheaf::htk
