#include "format/mlf/mlf_ranges.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

#include "format/text/row_reader.h"

namespace sheaf::mlf {
namespace {

/// A text followed by the LF padding of a RowReader.
class Padded {
 public:
  explicit Padded(const std::string& text)
      : bytes_(text + std::string(internal::kRowPadding, '\n')), size_(text.size()) {}

  [[nodiscard]] std::string_view text() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  std::string bytes_;
  std::size_t size_;
};

/// Returns "rows, bytes, beginning of the last row".
std::string described(std::string_view text, const TakenLines& taken) {
  std::string answer =
      std::to_string(taken.row_count) + ", " + std::to_string(taken.end - text.data()) + ", ";
  return answer +
         (taken.last_row == nullptr ? "none" : std::to_string(taken.last_row - text.data()));
}

/// Returns the same, row by row.
std::string passed_slowly(std::string_view text) {
  std::size_t at = 0;
  std::size_t last = std::string_view::npos;
  std::int64_t rows = 0;
  for (;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    if (static_cast<unsigned char>(text[at]) <= ' ' || text[at] == '.') break;
    last = at;
    at = end + 1;
    ++rows;
  }
  return std::to_string(rows) + ", " + std::to_string(at) + ", " +
         (rows == 0 ? "none" : std::to_string(last));
}

void expect_passed(const std::string& text) {
  const Padded padded(text);
  ASSERT_EQ(described(padded.text(), pass_over_ranges(padded.text())), passed_slowly(text))
      << '"' << text << '"';
}

// Moves the ends of rows across the borders of one and two blocks of 64 bytes, before each kind of
// row that stops the scan.
TEST(MlfRanges, SkipsRowsUpToTheNextOtherLine) {
  for (std::size_t first = 1; first < 140; ++first) {
    for (const std::size_t second : {1U, 2U, 61U, 62U, 63U, 64U, 65U, 127U, 128U}) {
      for (const std::string_view rest :
           {"", ".", ".\n", " .\n", "\t1 2\n", "\n", "\r\n", "1", "a\n.b\n", "..\n"}) {
        std::string text = std::string(first, '1') + '\n' + std::string(second, '.');
        text[first + 1] = '2';
        expect_passed(text + '\n' + std::string(rest));
      }
    }
  }
  for (std::size_t size = 0; size < 200; ++size) {
    expect_passed(std::string(size, '7'));
    expect_passed(std::string(size, '\n'));
    expect_passed(std::string(size, '.'));
    std::string rows;
    while (rows.size() < size) rows += "1\n";
    expect_passed(rows);
    expect_passed(rows + ".\n");
  }
}

/// Reads rows with or without a state list.
struct Plain {
  /// Returns "first row not taken, frame: count*id ...".
  std::string take(const std::string& text, bool has_states = true, std::int64_t frame = 0,
                   std::int64_t dim = 100) {
    const Padded padded(text);
    std::vector<Run> runs;
    const PlainRanges ranges(options, has_states ? &states : nullptr, dim);
    const TakenLines taken = ranges.take(padded.text(), frame, runs);
    EXPECT_EQ(taken.row_count, std::ssize(runs));
    if (taken.row_count > 0) {
      EXPECT_EQ(taken.end[-1], '\n');
      EXPECT_EQ(std::string_view(taken.last_row, taken.end).find('\n'),
                static_cast<std::size_t>(taken.end - taken.last_row - 1));
    }
    std::string answer = std::to_string(taken.row_count) + ", " + std::to_string(frame) + ":";
    for (const Run& run : runs) {
      answer += " " + std::to_string(run.count) + "*" + std::to_string(run.id);
    }
    return answer;
  }

  Options options = parse_options({});
  States states{
      *memory_source("a\nbb\n1234567\n12345678\n123456789\n123456789012345\n1234567890123456\n"
                     "12345678901234567\na b\n\xC3\xA4\n",
                     "s")};
};

TEST(MlfPlainRanges, RowsOfTheUsualFormAreParsed) {
  Plain plain;
  EXPECT_EQ(plain.take("0 100000 a\n100000 400000 bb -1.5 x\n400000 500000 a\r\n"),
            "3, 5: 1*0 3*1 1*0");
  EXPECT_EQ(plain.take("0 2 a\n2 3 bb\t7\n"), "2, 3: 2*0 1*1");
  EXPECT_EQ(plain.take("5 7 a\n", true, 5), "1, 7: 2*0");
  EXPECT_EQ(plain.take("0 1 x 3\n1 4 y 65\r\n", false), "2, 4: 1*3 3*65");
}

TEST(MlfPlainRanges, NamesOfAllSizesAreFound) {
  Plain plain;
  const struct {
    std::string name;
    int id;
  } names[] = {{"1234567", 2},         {"12345678", 3},         {"123456789", 4},
               {"123456789012345", 5}, {"1234567890123456", 6}, {"12345678901234567", 7},
               {"\xC3\xA4", 9}};
  for (const auto& [name, id] : names) {
    for (const char* const behind : {"\n", "\r\n", " x\n", "\t\n"}) {
      EXPECT_EQ(plain.take("0 1 " + name + behind), "1, 1: 1*" + std::to_string(id)) << name;
    }
    EXPECT_EQ(plain.take("0 1 " + name + "x\n"), "0, 0:");
    EXPECT_EQ(plain.take("0 1 " + name.substr(1) + "\n"), "0, 0:");
  }
}

// Times have 1 to 15 digits. The next row begins with the same digits, with other digits, or with
// more.
TEST(MlfPlainRanges, TimesOfAllSizesAreParsed) {
  Plain plain;
  plain.options.frames_max = std::int64_t{1} << 31;
  std::int64_t time = 0;
  for (int size = 1; size <= 15; ++size) {
    time = time * 10 + size % 10;
    const std::string text = std::to_string(time);
    ASSERT_EQ(text.size(), static_cast<std::size_t>(size));
    const std::int64_t frames = time < 99'999 ? time : (2 * time + 100'000) / 200'000;
    if (frames > plain.options.frames_max) {
      EXPECT_EQ(plain.take("0 " + text + " a\n"), "0, 0:") << text;
      continue;
    }
    const std::string frame = std::to_string(frames);
    const std::string first = "0 " + text + " a\n";
    EXPECT_EQ(plain.take(first), "1, " + frame + ": " + frame + "*0") << text;
    std::string other = text;
    other.back() = '0';
    EXPECT_EQ(plain.take(first + text + "0 99999999999999 a\n").substr(0, 2), "1,") << text;
    if (size > 1 && size < 5) {
      EXPECT_EQ(plain.take(first + other + " 99 a\n").substr(0, 2), "1,");
    }
    if (size > 5) {
      const std::string next = std::to_string(time + 300'000);
      EXPECT_EQ(plain.take(first + text + " " + next + " bb\n"),
                "2, " + std::to_string(frames + 3) + ": " + frame + "*0 3*1");
    }
  }
  EXPECT_EQ(plain.take("0 1234567890123456 a\n"), "0, 0:");
  EXPECT_EQ(plain.take("0000000000000000 1 a\n"), "0, 0:");
  EXPECT_EQ(plain.take("000000000000000 1 a\n"), "1, 1: 1*0");
}

// The unit of time may change from row to row. The same digits are then another frame.
TEST(MlfPlainRanges, TheUnitDeterminesTheFrameOfAStart) {
  Plain plain;
  EXPECT_EQ(plain.take("0 300000 a\n300000 300001 a\n"), "1, 3: 3*0");
  EXPECT_EQ(plain.take("0 300000 a\n3 5 bb\n5 7 a\n500000 700000 a\n"), "3, 7: 3*0 2*1 2*0");
  plain.options.unit = Options::Unit::htk;
  EXPECT_EQ(plain.take("0 300000 a\n300000 310000 a\n"), "2, 3: 3*0 0*0");
  plain.options.unit = Options::Unit::frames;
  EXPECT_EQ(plain.take("0 300000 a\n300000 310000 a\n"), "2, 310000: 300000*0 10000*0");
}

TEST(MlfPlainRanges, OtherRowsAreLeftToTheGeneralParser) {
  Plain plain;
  plain.options.frames_max = 50;
  for (const std::string row :
       {"",         "1",           "1 2",        "1 2 a",     " 1 2 a\n",  "1\t2 a\n",
        "1  2 a\n", "1 2  a\n",    "1 2\ta\n",   "1 2 \n",    "1 2\n",     "1 2 b\n",
        "1 2 a\r",  "1 2 a\r\r\n", "1 2 a\rx\n", "1 2 a\v\n", "1.0 2 a\n", "1 2.0 a\n",
        "+1 2 a\n", "-1 2 a\n",    "1 0 a\n",    "2 3 a\n",   "0 2 a\n",   "1 51 a\n",
        ".\n",      "\n",          "\"a\"\n",    "x 2 a\n",   "1 x a\n",   "1 2 a b"}) {
    EXPECT_EQ(plain.take("0 1 a\n" + row), "1, 1: 1*0") << row;
    if (!row.empty() && row.back() == '\n') {
      EXPECT_EQ(plain.take("0 1 a\n" + row + "1 2 a\n"), "1, 1: 1*0") << row;
    }
  }
  EXPECT_EQ(plain.take("0 1 12345678901234567", true), "0, 0:");
  EXPECT_EQ(plain.take("0 1 bb\n", true, 0, 1), "0, 0:") << "beyond the dim";
  for (const std::string_view row :
       {"0 1 x\n", "0 1 x 3 \n", "0 1 x 3 4\n", "0 1 x y\n", "0 1 x 100\n", "0 1 x 12345678\n",
        "0 1 x\t3\n", "0 1 x 3\r\r\n", "0 1  3\n", "0 1 x 3"}) {
    EXPECT_EQ(plain.take(std::string(row), false), "0, 0:") << row;
  }
}

}  // namespace
}  // namespace sheaf::mlf
