#include "format/recognition.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

/// Returns the formats that the bytes may have, such as "ctf?", and the formats that they certainly
/// have, such as "cbf!".
std::string recognized(std::string_view bytes) {
  std::string all;
  for (const Format& format : builtin_formats()) {
    const Recognition recognition = format.recognize(bytes);
    if (recognition == Recognition::no) continue;
    all += all.empty() ? "" : " ";
    all += format.name;
    all += recognition == Recognition::possible ? '?' : '!';
  }
  return all;
}

TEST(Recognition, MatchesTheBuiltInFormats) {
  const std::string cbf = "nib_ktnc";
  const std::string tar = "a.jpg" + std::string(252, '\0') + "ustar";
  struct Row {
    std::string_view bytes;
    std::string_view expected;
  };
  const Row rows[] = {
      {"", "ctf? libsvm? htk? lattice? image_base64? jsonl?"},  // an empty text
      {"1 |x 1 2\n", "ctf?"},                                   // an id
      {"|x 1 2", "ctf?"},                                       // no id
      {"\xEF\xBB\xBF|x 1", "ctf?"},                             // a byte order mark
      {"|# comment\n|x 1", "ctf?"},                             // a comment
      {"1 3:1 4:0.5\n", "libsvm?"},                             // a label and pairs
      {"# all\n-1.5 qid:3 1:1\n", "libsvm?"},                   // a comment and a qid
      {"+1\n", "libsvm?"},                                      // a label alone
      {"1,3 2:1\n", "libsvm?"},                                 // several labels
      {"x,y\n1,2\n", "csv?"},                                   // a table
      {"1 2 3\n", ""},                                          // numbers
      {cbf, "cbf!"},                                            // the magic number alone
      {"nib_ktn", ""},                                          // a part of the magic number
      {std::string_view("\0\0\0\0", 4), ""},                    // bytes
      {"# not the end of the first row that has", "libsvm?"},   // a truncated comment
      {"u.mfc=a.htk[0,9]\n", "htk?"},                           // an utterance
      {"\na/u.mfc\r\n", "htk?"},                                // only a path
      {"u C:/a.ark:17\n", ""},                                  // two colons
      {"u feats:17\n", "kaldi?"},                               // no dot
      {"1 3:1\n", "libsvm?"},                                   // a label and a pair
      {"u a.ark:17\n", "kaldi?"},                               // a line of Kaldi
      {"u=a.bin[0]\nv=[9]\n", "htk? lattice?"},                 // a table of contents
      {"d/a.toc\n", "htk? lattice?"},                           // a list of tables
      {"#!MLF!#\n\"a.lab\"\n", "mlf!"},                         // the mark of an MLF
      {" \r\n\n#!MLF!#", "libsvm? mlf!"},                       // blank lines before it
      {"#!MLF!", "libsvm?"},                                    // a part of the mark
      {std::string_view("RIFF$\0\0\0WAVEfmt ", 16), "wav!"},    // a recording
      {std::string_view("RIFX\0\0\0$WAVE", 12), "wav!"},        // big-endian
      {"{\"audio_filepath\": \"a.wav\"}\n", "kaldi? manifest! jsonl?"},  // an utterance of NeMo
      {"{\"text\": 1}\n", "jsonl?"},                                     // other JSON
      {"[1]\n", ""},                                                     // a list
      {std::string_view("ARROW1\0\0", 8), "arrow!"},                     // an Arrow file
      {"\x89SHEAF\r\n", "sheaf!"},                                       // a container
      {std::string_view("RIFF$\0\0\0AVI ", 12), ""},                     // a film
      {tar, "webdataset!"},                                              // a header of tar
      {"a.jpg\t3\n", "image_map!"},                                      // a path and a class
      {"k\tz.zip@/a.PNG\t3", "kaldi? image_map!"},                       // a key before both
      {"a.jpg 3\n", ""},                                                 // a blank, not a tab
      {"7\t/9j/4AAQ\n", "kaldi? image_base64!"},                         // a JPEG in base64
      {"a\t7\tQUJD\n", "image_base64?"},                                 // base64
      {std::string_view("RIFF$\0\0\0WAV", 11), ""},                      // a part of the mark
  };
  for (const Row& row : rows) EXPECT_EQ(recognized(row.bytes), row.expected) << row.bytes;
}

constexpr std::array<std::string_view, 1> kText = {"txt"};

Recognition begins_with_a(std::string_view bytes) {
  return bytes.starts_with('a') ? Recognition::possible : Recognition::no;
}
Recognition begins_with_b(std::string_view bytes) {
  return bytes.starts_with('b') ? Recognition::certain : Recognition::no;
}
std::unique_ptr<Deserializer> open_nothing(const OpenRequest& /*request*/) { return nullptr; }

const std::array<Format, 3> kTexts = {
    Format{.name = "a",
           .description = "first",
           .extensions = kText,
           .recognize = begins_with_a,
           .open = open_nothing},
    Format{.name = "b",
           .description = "second",
           .extensions = kText,
           .recognize = begins_with_b,
           .open = open_nothing},
    Format{.name = "c", .description = "third", .extensions = {}, .open = open_nothing}};

std::string chosen(const std::string& path, std::string bytes, const FormatOptions& options = {}) {
  try {
    const auto source = memory_source(std::move(bytes), "other.name");
    return std::string(find_format(path, *source, options, kTexts).name);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(FindFormat, TheFirstBytesDecideBetweenFormatsOfOneExtension) {
  EXPECT_EQ(chosen("x.txt", "a"), "a");
  EXPECT_EQ(chosen("x.txt", "b"), "b");
  EXPECT_EQ(chosen("x.txt", "neither"), "a") << "the first format reports the error";
  EXPECT_EQ(chosen("x.txt", "b", {.format = "a"}), "a") << "the option of the user has priority";
  EXPECT_EQ(chosen("x.txt.gz", "b"), "b") << "the bytes are decompressed";
}

TEST(FindFormat, TheFirstBytesDecideWithoutAnExtension) {
  for (const char* const path : {"x", "d.txt/x", ".x"}) {
    EXPECT_EQ(chosen(path, "b"), "b") << path;
    EXPECT_EQ(chosen(path, "b", {.format = "a"}), "a") << path;
    const std::string begin = std::string(path) +
                              ": the name does not tell the format, and the first bytes do not "
                              "tell it for certain; give it by the option `format` ";
    EXPECT_TRUE(chosen(path, "a").starts_with(begin)) << chosen(path, "a");
    EXPECT_TRUE(chosen(path, "a").ends_with("; its first bytes look like a (first)"));
    EXPECT_TRUE(chosen(path, "c").starts_with(begin)) << chosen(path, "c");
    EXPECT_TRUE(chosen(path, "").starts_with(begin)) << chosen(path, "");
  }
  for (const char* const path : {"x.", "x.gz", ".x.y"}) {
    EXPECT_TRUE(chosen(path, "b").starts_with(
        std::string(path) + ": the name does not tell the format; give it by the option"))
        << chosen(path, "b");
  }
}

TEST(FindFormat, AMarkOfTwoFormatsSelectsNeither) {
  std::array<Format, 3> formats = kTexts;
  formats[2].recognize = begins_with_b;
  const std::string text = testing::error_of(
      [&] { static_cast<void>(find_format("x", *memory_source("b", "x"), {}, formats)); });
  EXPECT_TRUE(text.ends_with("; its first bytes are those of b (second) or c (third)")) << text;
  EXPECT_EQ(internal::certain_format("b", formats), nullptr);
  EXPECT_EQ(internal::certain_format("b", kTexts), &kTexts[1]);
  EXPECT_EQ(internal::certain_format("a", kTexts), nullptr);
}

TEST(FormatsOfPath, TheFirstBytesOfAnExistingFileDecide) {
  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "marked", "b");
  testing::write_file(*files, "other", "a");
  testing::write_file(*files, "marked.dat", "b");
  const auto name_of = [&](const std::string& path) -> std::string {
    const auto rows = internal::formats_of_path(path, {}, kTexts, *files);
    return rows.empty() ? "" : std::string(rows.front()->name);
  };
  EXPECT_EQ(name_of("marked"), "b");
  EXPECT_EQ(find_format("marked", *files, {}, kTexts).name, "b");
  EXPECT_EQ(name_of("other"), "");
  EXPECT_EQ(name_of("marked.dat"), "");
  EXPECT_EQ(name_of("absent"), "");
  EXPECT_THROW(static_cast<void>(find_format("absent", *files, {}, kTexts)), ConfigError);
}

TEST(FindFormat, AFileWithTheExtensionOfAnotherFormatIsRefused) {
  const std::span<const Format> formats = builtin_formats();
  const auto source = memory_source("nib_ktnc and more", "x");
  try {
    static_cast<void>(find_format("x.ctf", *source, {}, formats));
    FAIL() << "found";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(),
              std::string("x.ctf: the name says ctf, and the first bytes are those of cbf (CNTK "
                          "binary format): rename the file, or give the option `format` "
                          "(--data-format of the command; of convert, --from or --to)"));
  }
  EXPECT_EQ(find_format("x.ctf", *source, {.format = "ctf"}, formats).name, "ctf");
}

TEST(FindFormat, CompressedBytesUnderAnUnknownNameAreNamed) {
  const auto refusal = [](const std::string& bytes) -> std::string {
    try {
      static_cast<void>(find_format("x.dat", *memory_source(bytes, "x"), {}));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(refusal(std::string("\xFD"
                                  "7zXZ\0",
                                  6))
                  .ends_with("; it is compressed with xz: xzcat FILE | sheaf check -"));
  EXPECT_TRUE(
      refusal("BZh91AY").ends_with("; it is compressed with bzip2: bzcat FILE | sheaf check -"));
  EXPECT_TRUE(
      refusal("\x1F\x8B\x08").ends_with("; it is compressed with gzip: zcat FILE | sheaf check -"));
}

TEST(FindFormat, Mp3IsRecognizedOnlyByItsExtension) {
  for (const std::string& bytes : std::vector<std::string>{"ID3...", "\xFF\xFB", "\xFF\xF3"}) {
    const auto source = memory_source(bytes, "a.audio");
    const std::string text = testing::error_of(
        [&] { static_cast<void>(find_format("a.audio", *source, FormatOptions{})); });
    EXPECT_TRUE(
        text.ends_with("; it looks like a recording in MP3, whose name has to end with .mp3"))
        << text;
  }
}

TEST(FindFormat, AnUnknownNameIsRefusedWithMatchingFormats) {
  const std::string begin =
      "x.dat: the name does not tell the format; give it by the option `format` "
      "(--data-format of the command; of convert, --from or --to): a (.txt), b (.txt), c ()";
  EXPECT_EQ(chosen("x.dat", "a"), begin + "; its first bytes look like a (first)");
  EXPECT_EQ(chosen("x.dat", "b"), begin + "; its first bytes are those of b (second)");
  EXPECT_EQ(chosen("x.dat", "x"), begin);
}

}  // namespace
}  // namespace sheaf
