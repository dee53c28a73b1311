#include "format/kaldi/kaldi_symbols.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using std::string_literals::operator""s;

Symbols symbols_of(std::string text) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "words.txt", std::move(text));
  return Symbols(*files->open("words.txt"));
}

TEST(KaldiSymbols, MapWordsToIds) {
  const Symbols symbols = symbols_of("<eps> 0\na\t2\r\n\n  caf\xC3\xA9   2147483647  \nb 2");
  EXPECT_EQ(symbols.size(), 4);
  EXPECT_EQ(symbols.find("<eps>"), 0);
  EXPECT_EQ(symbols.find("a"), 2);
  EXPECT_EQ(symbols.find("b"), 2);
  EXPECT_EQ(symbols.find("caf\xC3\xA9"), 2147483647);
  EXPECT_EQ(symbols.find("A"), std::nullopt);
  EXPECT_EQ(symbols.find(""), std::nullopt);
}

TEST(KaldiSymbols, HoldAnyNumberOfWords) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "w" + std::to_string(i) + " " + std::to_string(i) + "\n";
  const Symbols symbols = symbols_of(text);
  EXPECT_EQ(symbols.size(), 20'000);
  EXPECT_EQ(symbols.find("w19999"), 19'999);
}

TEST(KaldiSymbols, OtherFilesAreRefused) {
  const struct {
    std::string text;
    std::string_view error;
  } cases[] = {
      {"", "words.txt:1:1: "},                // an empty table
      {" \n\n", "found only blank lines"},    // no words
      {"a 1\nb\n", "words.txt:2:1: "},        // no id
      {"a 1 2\n", "found \"a 1 2\""},         // two ids
      {"a x\n", "kaldi-symbols"},             // not a number
      {"a -1\n", "kaldi-symbols"},            // below 0
      {"a 2147483648\n", "kaldi-symbols"},    // more than an i32
      {"a 1\n b 2\n a 1\n", "words.txt:3:"},  // a repeated word
  };
  for (const auto& each : cases) {
    const std::string error =
        error_of<DataError>([&] { static_cast<void>(symbols_of(each.text)); });
    EXPECT_NE(error.find(each.error), std::string::npos) << each.text << error;
  }
}

TEST(KaldiSymbols, HaveAFingerprintOfTheirBytes) {
  EXPECT_EQ(symbols_of("a 1\n").fingerprint(), symbols_of("a 1\n").fingerprint());
  EXPECT_NE(symbols_of("a 1\n").fingerprint(), symbols_of("a 2\n").fingerprint());
}

}  // namespace
}  // namespace sheaf::kaldi
