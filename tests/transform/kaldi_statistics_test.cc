#include "transform/kaldi_statistics.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using std::string_literals::operator""s;
using testing::error_of;

template <typename T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <typename T>
std::string binary(const std::vector<T>& values, std::int32_t rows = 2) {
  const auto cols = static_cast<std::int32_t>(values.size()) / rows;
  std::string bytes = "\0B"s + (sizeof(T) == 8 ? "DM " : "FM ");
  bytes += '\4' + bytes_of(rows) + '\4' + bytes_of(cols);
  for (const T value : values) bytes += bytes_of(value);
  return bytes;
}

using Files = std::map<std::string, std::string>;

Statistics parse(const std::string& bytes, const Files& files = {},
                 const std::string& path = "d/c") {
  return parse_kaldi_statistics(bytes, "statistics=c", path, [&](const std::string& name) {
    const auto found = files.find(name);
    if (found == files.end()) throw IoError(name + ": no such file");
    return found->second;
  });
}

// Four frames. The first value is always 1, and the second is 0, 2, 4 and 6.
const std::vector<double> kSums = {4, 12, 4, 4, 56, 0};

void expect_four_frames(const ValueStatistics& statistics) {
  EXPECT_EQ(statistics.means, (std::vector<double>{1, 3}));
  ASSERT_EQ(statistics.deviations.size(), 2U);
  EXPECT_EQ(statistics.deviations[0], 0);
  EXPECT_DOUBLE_EQ(statistics.deviations[1] * statistics.deviations[1], 5);
}

TEST(KaldiStatistics, AnArchiveHasStatisticsOfEachSpeaker) {
  const std::string text = "bob  [\n  4 12 4 \n  4 56 0 ]\n";
  const Statistics found = parse("ann " + binary(kSums) + text + "eve " +
                                 binary(std::vector<float>{4, 12, 4, 4, 56, 9}));
  ASSERT_EQ(found.speakers.size(), 3U);
  for (const auto& [speaker, statistics] : found.speakers) expect_four_frames(statistics);
  EXPECT_TRUE(found.all.means.empty());
  expect_four_frames(parse("bob [ 4 12 4; 4 56 0]").speakers.at("bob"));
}

TEST(KaldiStatistics, AMatrixWithoutAKeyHasGlobalStatistics) {
  expect_four_frames(parse(binary(kSums)).all);
  expect_four_frames(parse(" [\n 4 12 4\n 4 56 0 ]\n").all);
}

TEST(KaldiStatistics, AListNamesFiles) {
  const Files files = {{"d/x.ark", "ann " + binary(kSums)}, {"y", binary(kSums)}};
  const Statistics found = parse("ann x.ark:4\r\n\nbob y\n", files);
  ASSERT_EQ(found.speakers.size(), 2U);
  for (const auto& [speaker, statistics] : found.speakers) expect_four_frames(statistics);
  EXPECT_THROW(static_cast<void>(parse("ann z:4\n", files)), IoError);
}

TEST(KaldiStatistics, RoundingGivesNoNegativeVariance) {
  EXPECT_EQ(parse(binary<double>({3, 3, 2.9999, 0})).all.deviations, std::vector<double>{0});
}

TEST(KaldiStatistics, ErrorsHaveAnOffsetAndAReason) {
  const struct {
    std::string bytes;
    std::string_view error;
  } cases[] = {
      {"ann", "byte 3: expected a matrix, found \"\""},
      {"ann \0BXM "s, "byte 6: expected DM or FM, found \"XM \""},
      {"ann \0BDM \5"s, "byte 9: expected a number of rows or columns, found the end of the file"},
      {"ann \0BDM \5aaaaaaaaa"s, "byte 9: expected the byte 4 before a number, found \"\\x05\""},
      {binary<double>({1, 2, 3}, 1),
       "byte 5: expected two rows, of sums and a count, found 1 rows and 3 columns"},
      {binary<double>({1, 2}),
       "byte 5: expected two rows, of sums and a count, found 2 rows and 1 columns"},
      {binary(kSums).substr(0, 62), "byte 15: expected 6 values, found the end of the file"},
      {"\0BDM \4\2\0\0\0\4\377\377\377\177"s,
       "byte 15: expected 4294967294 values, found the end of the file"},
      {"a [ 1 2 3\n", "byte 10: expected ] at the end of a matrix, found the end of the file"},
      {"a [ 1 x ]", "byte 6: expected a number, found \"x\""},
      {"a [ 1 2 3 ]",
       "byte 2: expected two rows of equal size, of sums and a count, found 1 rows, and 3 values"},
      {"a [ 1 0\n 1 0 ]", "byte 2: expected a count of at least 1, found 0"},
      {"a [ 1 nan\n 1 0 ]", "byte 2: expected a count of at least 1, found nan"},
      {"a [ inf 1\n 1 0 ]", "byte 2: expected finite sums, found inf and 1 as sums of value 0"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(parse(each.bytes)); }),
              "statistics=c: " + std::string(each.error));
  }
  const auto error = [](const std::string& bytes) {
    return error_of<ConfigError>([&] { static_cast<void>(parse(bytes, {{"y", binary(kSums)}})); });
  };
  EXPECT_EQ(error("a [ 1 1\n 1 0 ]\na [ 1 1\n 1 0 ]"),
            "statistics=c: the speaker \"a\" comes twice");
  EXPECT_EQ(error("a y\nb sox |\n"),
            "statistics=c: line 2: expected a speaker and PATH:OFFSET, found \"b sox |\"");
  EXPECT_EQ(error("a y:63\n"),
            "statistics=c: line 1: expected an offset inside the file, found \"a y:63\"");
  EXPECT_EQ(error("a y:62\n").substr(0, 35), "statistics=c: line 1: y: byte 62: e");
}

TEST(KaldiStatistics, JsonBeginsWithABrace) {
  EXPECT_TRUE(is_json_statistics(" \n{}"));
  EXPECT_TRUE(is_json_statistics(""));
  EXPECT_FALSE(is_json_statistics("ann {"));
  EXPECT_FALSE(is_json_statistics("\0BDM "s));
}

}  // namespace
}  // namespace sheaf::internal
