#include "format/libsvm/libsvm_rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::libsvm {
namespace {

/// A row of a text as RowReader returns it.
class RowOf {
 public:
  explicit RowOf(std::string_view text) : text_(text) {
    text_.append(internal::kRowPadding, '\n');
    row_.begin = text_.data();
    row_.end = row_.begin + text.size();
  }

  const Row& operator*() const { return row_; }

 private:
  std::string text_;
  Row row_;
};

TEST(LibsvmHead, FindsLabelAndQid) {
  using Qid = Head::Qid;
  struct Case {
    std::string_view text;
    bool is_data;
    std::string_view label;
    std::string_view qid_token;
    Qid code;
    std::uint64_t qid;
    std::string_view pairs;
  };
  constexpr std::uint64_t kMax = 18446744073709551615U;
  const Case cases[] = {
      {"", false, "", "", Qid::none, 0, ""},
      {" \t ", false, "", "", Qid::none, 0, ""},
      {"  # 1 1:1", false, "", "", Qid::none, 0, ""},  // only a comment
      {"1", true, "1", "", Qid::none, 0, ""},
      {"1#2", true, "1", "", Qid::none, 0, "#2"},  // a comment needs no blank
      {" +1 3:1 4:2", true, "+1", "", Qid::none, 0, "3:1 4:2"},
      {"1,3 3:1", true, "1,3", "", Qid::none, 0, "3:1"},
      {"3:1 4:2", true, "", "", Qid::none, 0, "3:1 4:2"},  // a colon: no label
      {":", true, "", "", Qid::none, 0, ":"},
      {"-1 qid:7 3:1", true, "-1", "qid:7", Qid::good, 7, " 3:1"},
      {"qid:007", true, "", "qid:007", Qid::good, 7, ""},
      {"1 qid:18446744073709551615", true, "1", "qid:18446744073709551615", Qid::good, kMax, ""},
      {"1 qid:18446744073709551616", true, "1", "qid:18446744073709551616", Qid::out_of_range, 0,
       ""},
      {"1 qid: 3:1", true, "1", "qid:", Qid::bad, 0, " 3:1"},
      {"1 qid:3:1", true, "1", "qid:3:1", Qid::bad, 0, ""},
      {"1 qid:-3", true, "1", "qid:-3", Qid::bad, 0, ""},
      {"1 3:1 qid:3", true, "1", "", Qid::none, 0, "3:1 qid:3"},  // only directly after the label
      {"1 QID:3", true, "1", "", Qid::none, 0, "QID:3"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const RowOf row(c.text);
    const Head head = lex_head(*row);
    EXPECT_EQ(head.is_data, c.is_data);
    if (!c.is_data) continue;
    EXPECT_EQ(head.label.text(), c.label);
    EXPECT_EQ(head.qid_token.text(), c.qid_token);
    EXPECT_EQ(head.qid_code, c.code);
    EXPECT_EQ(head.qid, c.qid);
    EXPECT_EQ((Token{head.pairs, (*row).end}.text()), c.pairs);
  }
}

std::vector<std::uint64_t> keys_of(KeyMode mode, const std::vector<std::string_view>& rows) {
  SequenceGrouper grouper(mode, 100);
  std::vector<std::uint64_t> keys;
  for (const std::string_view text : rows) {
    const RowOf row(text);
    if (grouper.next(*row).begins) keys.push_back(grouper.key().low);
  }
  return keys;
}

TEST(LibsvmGrouper, RowsAreCounted) {
  EXPECT_EQ(keys_of(KeyMode::rows, {"1 qid:7", "", "1 qid:7", "# c", "2"}),
            (std::vector<std::uint64_t>{100, 101, 102}));
}

TEST(LibsvmGrouper, ARowWithoutAValidQidContinuesTheSequence) {
  EXPECT_EQ(keys_of(KeyMode::qids, {"1 qid:7", "1 qid:07", "1", "1 qid:x", "1 qid:8", "1 qid:7"}),
            (std::vector<std::uint64_t>{7, 8, 7}));
  EXPECT_EQ(keys_of(KeyMode::qids, {"1 qid:x", "1 qid:0", "1 qid:1"}),
            (std::vector<std::uint64_t>{0, 1}));
}

}  // namespace
}  // namespace sheaf::libsvm
