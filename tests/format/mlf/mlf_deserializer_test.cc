#include "format/mlf/mlf_deserializer.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"

#include "base/text.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::mlf {
namespace {

std::string error_of(const FormatOptions& options, const std::string& text) {
  try {
    const MlfDeserializer data(memory_source(text, "a.mlf"), options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(MlfDeserializer, DefaultsToTheFileNameAndTheLargestId) {
  const MlfDeserializer data(
      memory_source("#!MLF!#\n\"a.lab\"\n0 2 x 3\n2 3 x 11\n.\n", "dir/train.mlf"), {});
  ASSERT_EQ(data.streams().size(), 1U);
  EXPECT_EQ(data.streams()[0].name, "train");
  EXPECT_EQ(data.streams()[0].sample_shape, Shape{12});
  EXPECT_EQ(data.streams()[0].storage, Storage::sparse);
}

TEST(MlfDeserializer, WarnsAboutRepeatedKeys) {
  const MlfDeserializer data(
      memory_source("#!MLF!#\n\"a.lab\"\n0 2 x 3\n.\n\"a.rec\"\n0 1 x 0\n.\n\"*/a\"\n.\n", "a.mlf"),
      {});
  ASSERT_TRUE(data.index().chunk(ChunkIndex{}).has_value());
  EXPECT_EQ(data.index().chunk(ChunkIndex{})->sequence_count, 1);
  EXPECT_FALSE(data.index().chunk(ChunkIndex{1}).has_value());
  ASSERT_EQ(data.warnings().size(), 1U);
  EXPECT_EQ(data.warnings()[0].code, "mlf-repeated-key");
  EXPECT_EQ(data.warnings()[0].line, 5);
  EXPECT_EQ(data.warnings()[0].found, "2 that are left out, this one the first");
}

std::vector<SequenceKey> index_keys_of(const Deserializer& data) {
  std::vector<SequenceKey> keys;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    const auto table = data.index().sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) keys.push_back(table->key(k));
  }
  return keys;
}

TEST(MlfDeserializer, KeysMayBeNumbers) {
  const std::string text =
      "#!MLF!#\n\"7.lab\"\n0 2 x 3\n.\n\"*/18446744073709551615.lab\"\n0 1 x 0\n.\n"
      "\"007\"\n0 1 x 1\n.\n\"0.lab\"\n0 1 x oops\n.\n";
  const MlfDeserializer data(memory_source(text, "a.mlf"), {.keys = KeyType::numeric});
  const std::vector<SequenceKey> expected = {
      SequenceKey{7}, SequenceKey{18'446'744'073'709'551'615U}, SequenceKey{0}};
  EXPECT_EQ(index_keys_of(data), expected);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = ChunkIndex{}}, diagnostics);
  EXPECT_EQ(chunk.key_text(0), "");
  EXPECT_TRUE(chunk.is_hole(2));
  ASSERT_EQ(diagnostics.described().size(), 1U);
  EXPECT_EQ(diagnostics.described()[0].sequence_key, "0");
  ASSERT_EQ(data.warnings().size(), 1U);  // key 7 is repeated
  EXPECT_EQ(data.warnings()[0].line, 8);
  const MlfDeserializer texts(memory_source(text, "a.mlf"), {.keys = KeyType::text});
  EXPECT_EQ(index_keys_of(texts).at(0), key_of_text("7"));
  EXPECT_NE(data.fingerprint(), texts.fingerprint());
}

TEST(MlfDeserializer, NumericKeysMustBeNumbers) {
  const auto refused = [](const std::string& name, Compatibility compatibility) {
    const MlfDeserializer data(
        memory_source("#!MLF!#\n\"7.lab\"\n0 2 x 3\n.\n" + name + "\n0 1 x 3\n.\n", "a.mlf"),
        {.compatibility = compatibility, .keys = KeyType::numeric});
    const auto ask = [&] { static_cast<void>(data.index().chunk(ChunkIndex{1})); };
    const std::string error = testing::error_of(ask);
    EXPECT_EQ(testing::error_of(ask), error);  // a repeated call throws the same error
    return error;
  };
  EXPECT_EQ(refused("\"u.lab\"", Compatibility::strict),
            "a.mlf:5:1: error: expected a key that is a number from 0 to 2^64-1, found \"u\" "
            "[mlf-key]\n  \"u.lab\"\n  ^\n  keys=text (--keys text) takes any key");
  for (const char* const name :
       {"\"18446744073709551616\"", "\"-1\"", "\"1 \"", "\"1/2.lab\"", "no name"}) {
    EXPECT_NE(refused(name, Compatibility::strict).find("a.mlf:5:1: error: expected a key"),
              std::string::npos)
        << name;
  }
  EXPECT_NE(refused("\"u.lab\"", Compatibility::cntk).find("[mlf-key]"), std::string::npos);
  EXPECT_EQ(refused("no name", Compatibility::cntk), "none");
}

TEST(MlfDeserializer, AnIndexFileBelongsToOneKeyType) {
  const TestFolder folder;
  folder.write("a.mlf", "#!MLF!#\n\"7.lab\"\n0 2 x 3\n.\n");
  FilesSpec files{.files = {folder.path("a.mlf")}};
  const auto key = [&](std::optional<KeyType> keys, IndexMode mode) {
    files.format.keys = keys;
    files.format.index.mode = mode;
    return index_keys_of(*open(DataSpec{files}).data).at(0);
  };
  EXPECT_EQ(key(KeyType::numeric, IndexMode::rebuild), SequenceKey{7});
  EXPECT_EQ(key(KeyType::numeric, IndexMode::require), SequenceKey{7});
  EXPECT_NE(testing::error_of([&] { key({}, IndexMode::require); }), "none");
  EXPECT_EQ(key({}, IndexMode::automatic), key_of_text("7"));
}

/// Returns all keys, file after file, with their numbers of samples.
std::string keys_of(const Deserializer& data) {
  std::string text;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    for (std::int64_t k = 0; k < chunk.sequence_count(); ++k) {
      text += formatted("{}:{} ", chunk.key_text(k), chunk.view(0, k).sample_count);
    }
  }
  return text;
}

std::string utterance(std::string_view key, std::int64_t frames, std::int64_t id) {
  return formatted("\"{}.lab\"\n0 {} x {}\n.\n", key, frames, id);
}

TEST(MlfFiles, TheFirstFileWithAKeyWins) {
  const TestFolder folder;
  folder.write("b.mlf", "#!MLF!#\n" + utterance("u", 1, 2) + utterance("v", 2, 0));
  folder.write("a.mlf", "#!MLF!#\n" + utterance("v", 3, 1) + utterance("w", 4, 7));
  folder.write("c.mlf",
               "#!MLF!#\n" + utterance("w", 5, 1) + utterance("u", 6, 1) + utterance("x", 7, 1));
  DataSpec files{
      FilesSpec{.files = {folder.path("b.mlf"), folder.path("a.mlf"), folder.path("c.mlf")}}};
  const std::string expected = "u:1 v:2 w:4 x:7 ";
  for (const IndexMode mode : {IndexMode::rebuild, IndexMode::require}) {
    std::get<FilesSpec>(files.content).format.index.mode = mode;
    const OpenedData opened = open(files);
    EXPECT_EQ(opened.data->streams()[0].name, "b") << static_cast<int>(mode);
    EXPECT_EQ(opened.data->streams()[0].sample_shape, Shape{8}) << static_cast<int>(mode);
    EXPECT_EQ(keys_of(*opened.data), expected) << static_cast<int>(mode);
    const std::vector<Diagnostic> warnings = opened.data->warnings();
    ASSERT_EQ(warnings.size(), 2U) << static_cast<int>(mode);
    EXPECT_EQ(warnings[0].path, folder.path("a.mlf"));
    EXPECT_EQ(warnings[0].line, 2);
    EXPECT_EQ(warnings[0].found, "one that is left out");
    EXPECT_EQ(warnings[1].path, folder.path("c.mlf"));
    EXPECT_EQ(warnings[1].found, "2 that are left out, this one the first");
  }
  std::get<FilesSpec>(files.content).format.index.mode = IndexMode::automatic;
  // Only some files have an index file, so keys come from both kinds.
  std::filesystem::remove(folder.path("c.mlf.sheaf-index"));
  EXPECT_EQ(keys_of(*open(files).data), expected);
  // A changed earlier file changes which later utterances are left out.
  folder.write("b.mlf", "#!MLF!#\n" + utterance("y", 1, 0));
  EXPECT_EQ(keys_of(*open(files).data), "y:1 v:3 w:4 u:6 x:7 ");
}

TEST(MlfFiles, TheFirstIndexCountsTheKeysOfAllFiles) {
  constexpr int kUtterances = 5000;
  std::string texts[2] = {"#!MLF!#\n", "#!MLF!#\n"};
  for (int i = 0; i < kUtterances; ++i) texts[i % 2] += utterance("u" + std::to_string(i), 1, 0);
  FormatOptions options;
  options.index.mode = IndexMode::off;
  const auto first =
      std::make_shared<const MlfDeserializer>(memory_source(texts[0], "a.mlf"), options);
  EXPECT_GT(std::ssize(keys_of(*first)), kUtterances);
  const std::int64_t one = first->index().memory_bytes();
  const MlfDeserializer second(memory_source(texts[1], "b.mlf"), options, {}, {}, first);
  const std::int64_t none = second.index().memory_bytes();
  static_cast<void>(keys_of(second));
  EXPECT_GE(first->index().memory_bytes() - one, kUtterances / 2 * 32);
  EXPECT_LT(second.index().memory_bytes() - none, one);
  EXPECT_GE(one, kUtterances / 2 * 36);
}

TEST(MlfFiles, FilesMayBeReadInAnyOrder) {
  const auto file = [](const std::string& text, std::shared_ptr<const MlfDeserializer> before) {
    FormatOptions options;
    options.index.mode = IndexMode::off;
    return std::make_shared<const MlfDeserializer>(memory_source("#!MLF!#\n" + text, "m.mlf"),
                                                   options, Context{}, std::nullopt,
                                                   std::move(before));
  };
  constexpr int kFiles = 20'000;  // a recursive call for each file would overflow the stack
  std::shared_ptr<const MlfDeserializer> last = file(utterance("first", 1, 0), nullptr);
  for (int i = 1; i < kFiles; ++i) last = file(utterance("first", 2, 0), std::move(last));
  last = file(utterance("first", 3, 0) + utterance("last", 4, 0), std::move(last));
  EXPECT_EQ(keys_of(*last), "last:4 ");
}

TEST(MlfDeserializer, TheDimComesFromTheIndexFileOfAnEarlierRun) {
  const TestFolder folder;
  const std::string path = folder.path("a.mlf");
  folder.write("a.mlf", "#!MLF!#\n" + utterance("u", 1, 9));
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  EXPECT_EQ(keys_of(*open_path(path, options).data), "u:1 ");
  options.index.mode = IndexMode::require;
  EXPECT_EQ(open_path(path, options).data->streams()[0].sample_shape, Shape{10});
  options.extra["mlf.time_unit"] = "htk";
  EXPECT_THROW(static_cast<void>(open_path(path, options)), ConfigError);
}

TEST(MlfDeserializer, AnIndexFileMayHaveMoreFramesThanTheTextHasBytes) {
  const TestFolder folder;
  const std::string path = folder.path("a.mlf");
  folder.write("a.mlf", "#!MLF!#\n" + utterance("u", 90'000, 0) + utterance("v", 2, 1));
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  EXPECT_EQ(keys_of(*open_path(path, options).data), "u:90000 v:2 ");
  options.index.mode = IndexMode::require;
  EXPECT_EQ(keys_of(*open_path(path, options).data), "u:90000 v:2 ");
}

TEST(MlfDeserializer, InferenceOfTheDimIsLimitedByTheOptions) {
  const std::string text = "#!MLF!#\n" + utterance("u", 1, 3) + utterance("v", 1, 9);
  FormatOptions options;
  options.inference_size_bytes = static_cast<std::int64_t>(text.find("\"v"));
  const MlfDeserializer data(memory_source(text, "a.mlf"), options);
  EXPECT_EQ(data.streams()[0].sample_shape, Shape{4});
  Diagnostics diagnostics;
  EXPECT_TRUE(data.read({.chunk = ChunkIndex{}}, diagnostics).is_hole(1));
  ASSERT_EQ(diagnostics.entries().size(), 1U);
}

TEST(MlfDeserializer, RefusesInvalidOptions) {
  const std::string text = "#!MLF!#\n\"a.lab\"\n0 2 x 3\n.\n";
  FormatOptions options;
  options.extra["mlf.gap"] = "sil";
  EXPECT_NE(error_of(options, text).find("mlf.gap"), std::string::npos);
  options.extra = {{"mlf.frame_period", "0"}};
  EXPECT_NE(error_of(options, text).find("mlf.frame_period"), std::string::npos);
  options.extra = {{"mlf.as", "ids"}, {"mlf.phone_boundaries", "true"}};
  EXPECT_NE(error_of(options, text).find("mlf.phone_boundaries"), std::string::npos);
  options.extra = {};
  options.streams = {{.name = "x", .sample_shape = Shape{4}}};
  EXPECT_NE(error_of(options, text).find("one-hot"), std::string::npos);
  options.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{65'537}}};
  EXPECT_NE(error_of(options, text).find("65536"), std::string::npos);
  options.streams[0].sample_shape = Shape{65'536};
  EXPECT_EQ(error_of(options, text), "no error");
  options.compatibility = Compatibility::cntk;
  EXPECT_NE(error_of(options, text).find("at most 65535"), std::string::npos);
  options.streams[0].sample_shape = Shape{65'535};
  EXPECT_EQ(error_of(options, text), "no error");
}

// The numbers of the AN4 labels were found by other programs.
TEST(MlfSharedData, An4HasTheExpectedFramesAndIds) {
  const char* const shared = std::getenv("SHEAF_SHARED_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(shared == nullptr ? SHEAF_SHARED_DIR : shared) /
      "conformance/speech/data/an4";
  if (!std::filesystem::exists(folder / "glob_0000.mlf")) {
    GTEST_SKIP() << "no labels of AN4 at " << folder;
  }
  FormatOptions options;
  options.index.mode = IndexMode::off;
  options.extra = {{"mlf.states", (folder / "state.list").string()}};
  const MlfDeserializer data(open_file((folder / "glob_0000.mlf").string()), options);
  EXPECT_EQ(data.streams()[0].sample_shape, Shape{132});
  std::int64_t keys = 0;
  std::int64_t frames = 0;
  std::int64_t ids = 0;
  std::int64_t shortest = 1'000'000;
  std::int64_t longest = 0;
  for (ChunkIndex i{};; i = next(i)) {
    const auto info = data.index().chunk(i);
    if (!info) break;
    Diagnostics diagnostics;
    const Chunk chunk =
        data.read({.chunk = i, .first = 0, .count = info->sequence_count}, diagnostics);
    EXPECT_TRUE(diagnostics.entries().empty());
    keys += chunk.sequence_count();
    for (std::int64_t k = 0; k < chunk.sequence_count(); ++k) {
      const std::int64_t count = chunk.view(0, k).sample_count;
      frames += count;
      shortest = std::min(shortest, count);
      longest = std::max(longest, count);
    }
    for (const std::int32_t id : chunk.columns()[0].indices.as<std::int32_t>()) ids += id;
  }
  EXPECT_EQ(keys, 948);
  EXPECT_EQ(frames, 252'734);
  EXPECT_EQ(ids, 19'956'813);
  EXPECT_EQ(shortest, 68);
  EXPECT_EQ(longest, 638);
}

}  // namespace
}  // namespace sheaf::mlf
