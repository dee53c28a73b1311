#include "format/image_base64/image_base64_lines.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/image_base64/image_base64_test_files.h"

namespace sheaf::image_base64 {
namespace {

using Keys = LineForm::Keys;

Keys keys_of(const std::string& text, const FormatOptions& options = {}) {
  return form_of(*memory_source(text, "t.b64"), options).keys;
}

/// Splits a line without its end.
Line split(std::string_view text, Keys keys, bool is_cntk = false) {
  const Row row{.begin = text.data(), .end = text.data() + text.size(), .offset = 0, .line = 8};
  return split_line(row, {.begin = 0, .first_line = -1, .keys = keys, .is_cntk = is_cntk});
}

TEST(ImageBase64Lines, TheFirstLineDecidesWhetherLinesHaveKeys) {
  EXPECT_EQ(keys_of("1\tQUJD\nk\t1\tQUJD\n"), Keys::lines);
  EXPECT_EQ(keys_of("k\t1\tQUJD\n1\tQUJD\n"), Keys::texts);
  EXPECT_EQ(keys_of("k\t1\tQUJD\tmore"), Keys::texts);
  EXPECT_EQ(keys_of("\xEF\xBB\xBF \n\t\t\t\r\n\n1\tQUJD"), Keys::lines) << "blank lines count not";
  EXPECT_EQ(keys_of("QUJD\n"), Keys::lines);
}

TEST(ImageBase64Lines, KeysAreTextsUnlessNumbersAreRequested) {
  const std::string keyed = "k\t1\tQUJD\n";
  EXPECT_EQ(keys_of(keyed, as_cntk()), Keys::numbers);
  EXPECT_EQ(keys_of(keyed, with_keys(KeyType::numeric)), Keys::numbers);
  EXPECT_EQ(keys_of(keyed, as_cntk(with_keys(KeyType::text))), Keys::texts);
  EXPECT_EQ(keys_of("1\tQUJD\n", with_keys(KeyType::numeric)), Keys::lines);
}

TEST(ImageBase64Lines, TextKeysNeedAKeyColumn) {
  for (const FormatOptions& options :
       {with_keys(KeyType::text), as_cntk(with_keys(KeyType::text))}) {
    EXPECT_EQ(
        error_of<ConfigError>([&] { keys_of("1\tQUJD\n", options); }),
        "keys: the lines of t.b64 have no keys, by its first line, which has fewer than three "
        "columns; so keys are the numbers of the lines (keys=numeric, --keys numeric)");
  }
}

TEST(ImageBase64Lines, Utf16IsRefused) {
  EXPECT_NE(error_of<DataError>([] {
              keys_of(
                  "\xFF\xFE"
                  "1\t");
            }).find("[image_base64-utf16]"),
            std::string::npos);
}

TEST(ImageBase64Lines, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(form_of(*memory_source("\xEF\xBB\xBF"
                                   "1\tQUJD",
                                   "t"),
                    {})
                .begin,
            3);
  EXPECT_EQ(form_of(*memory_source("1\tQUJD", "t"), {}).begin, 0);
}

TEST(ImageBase64Lines, TabsSeparateColumns) {
  const Line line = split("a b\t 7\tQUJD \t", Keys::texts);
  EXPECT_TRUE(line.has_columns);
  EXPECT_EQ(line.key_text, "a b");
  EXPECT_EQ(line.key, key_of_text("a b"));
  EXPECT_EQ(line.label, " 7");
  EXPECT_EQ(line.image, "QUJD");
  EXPECT_EQ(line.wrong_key, nullptr);
}

TEST(ImageBase64Lines, LineNumbersAreTheDefaultKeys) {
  const Line line = split("7\tQUJD", Keys::lines);
  EXPECT_EQ(line.key.low, 7U);
  EXPECT_EQ(line.key_text, "");
  EXPECT_EQ(line.label, "7");
  EXPECT_EQ(line.image, "QUJD");
}

TEST(ImageBase64Lines, MissingColumnsAreDetected) {
  EXPECT_FALSE(split("QUJD", Keys::lines).has_columns);
  EXPECT_FALSE(split("k", Keys::texts).has_columns);
  EXPECT_FALSE(split("k\t1", Keys::texts).has_columns);
  EXPECT_TRUE(split("k\t1\t", Keys::texts).has_columns);
  EXPECT_EQ(split("k\t1\t", Keys::texts).image, "");
  EXPECT_TRUE(split("1\t", Keys::lines).has_columns);
}

TEST(ImageBase64Lines, ALineOfBlanksIsNoSequence) {
  for (const char* text : {"", " ", "\t\t\t", " \r", "\r"}) {
    EXPECT_TRUE(split(text, Keys::texts).is_blank) << text;
  }
  EXPECT_FALSE(split("\tx", Keys::texts).is_blank);
}

TEST(ImageBase64Lines, CntkIgnoresTextAfterTheImage) {
  EXPECT_EQ(split("1\tQQ==!\x80.\t", Keys::lines, true).image, "QQ==");
  EXPECT_EQ(split("1\tQQ==!", Keys::lines, false).image, "QQ==!");
  EXPECT_EQ(split("1\t!QQ==", Keys::lines, true).image, "!QQ==");
  EXPECT_EQ(split("1\t!", Keys::lines, true).image, "");
}

TEST(ImageBase64Lines, NumericKeysAreParsed) {
  struct Row {
    std::string_view text;
    bool is_cntk;
    std::uint64_t key;
    bool is_wrong;
  };
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  const Row rows[] = {
      {"12\t1\tQUJD", false, 12, false},
      {"0012\t1\tQUJD", false, 12, false},
      {"12x\t1\tQUJD", false, kMax, true},
      {"12x\t1\tQUJD", true, 12, false},
      {"x\t1\tQUJD", true, kMax, true},
      {"\t1\tQUJD", false, kMax, true},
      {"-1\t1\tQUJD", false, kMax, true},
      {"18446744073709551614\t1\tQUJD", false, kMax - 1, false},
      {"18446744073709551615\t1\tQUJD", false, kMax, false},
      {"18446744073709551616\t1\tQUJD", false, kMax, true},
      {"18446744073709551616\t1\tQUJD", true, kMax, true},
  };
  for (const Row& row : rows) {
    const Line line = split(row.text, Keys::numbers, row.is_cntk);
    EXPECT_EQ(line.key.low, row.key) << row.text;
    EXPECT_EQ(line.wrong_key != nullptr, row.is_wrong) << row.text;
  }
}

// The first nonblank line begins at byte 2 of the file.
TEST(ImageBase64Lines, BlanksBeforeTheFirstKeyOfTheFileAreSkipped) {
  struct Case {
    std::string_view text;
    Keys keys;
    bool is_cntk;
    std::string_view first_key;  // the key of the first line
    std::string_view later_key;  // the key of a later line
  };
  const Case cases[] = {
      {" 12\t1\tQUJD", Keys::numbers, false, "12", " 12"},
      {"   12x\t1\tQUJD", Keys::numbers, true, "12x", "   12x"},
      {"12 \t1\tQUJD", Keys::numbers, false, "12 ", "12 "},
      {"  \t1\tQUJD", Keys::numbers, false, "", "  "},
      {" a b\t1\tQUJD", Keys::texts, true, "a", ""},
      {" a b\t1\tQUJD", Keys::texts, false, " a b", " a b"},  // with text keys, the whole column is
                                                              // the key
  };
  for (const Case& each : cases) {
    const LineForm form{.begin = 0, .first_line = 2, .keys = each.keys, .is_cntk = each.is_cntk};
    Row row{.begin = each.text.data(), .end = each.text.data() + each.text.size(), .line = 2};
    for (const std::int64_t offset : {1, 2, 3}) {
      row.offset = offset;
      EXPECT_EQ(split_line(row, form).key_text, offset == 2 ? each.first_key : each.later_key)
          << each.text << " at " << offset;
    }
  }
  EXPECT_EQ(form_of(*memory_source(" \n\t\n 7\t1\tQUJD", "t"), {}).first_line, 4);
}

TEST(ImageBase64Lines, TextKeysOfCntkEndAtABlank) {
  EXPECT_EQ(split("a b\t1\tQUJD", Keys::texts, true).key_text, "a");
  EXPECT_EQ(split("a\t1\tQUJD", Keys::texts, true).key_text, "a");
  EXPECT_NE(split(" b\t1\tQUJD", Keys::texts, true).wrong_key, nullptr);
  EXPECT_NE(split("\t1\tQUJD", Keys::texts, false).wrong_key, nullptr);
}

}  // namespace
}  // namespace sheaf::image_base64
