#include "format/ctf/ctf_rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::ctf {
namespace {

/// A row of a text as RowReader returns it.
class RowOf {
 public:
  explicit RowOf(std::string_view text, std::int64_t line = 1) : text_(text) {
    text_.append(kRowPadding, '\n');
    row_.begin = text_.data();
    row_.end = row_.begin + text.size();
    row_.line = line;
  }

  const Row& operator*() const { return row_; }

 private:
  std::string text_;
  Row row_;
};

TEST(CtfHead, RecognizesDataRowsAndTheirIds) {
  struct Case {
    std::string_view text;
    bool is_data;
    bool has_id;
    Head::IdCode code;
    std::uint64_t id;
  };
  constexpr std::uint64_t kMax = 18446744073709551615U;
  using enum Head::IdCode;
  const Case cases[] = {
      {"", false, false, ok, 0},               // blank
      {" \t ", false, false, ok, 0},           //
      {"|# comment", false, false, ok, 0},     // comments only
      {" |#|# two |#", false, false, ok, 0},   //
      {"|A 1", true, false, ok, 0},            //
      {"|# c |A 1", true, false, ok, 0},       // a comment, then data
      {"0|A 1", true, true, ok, 0},            //
      {"  007 |A 1", true, true, ok, 7},       // blanks before the id, and leading zeros
      {"12", true, true, ok, 12},              // an id is data
      {"3 |# c", true, true, ok, 3},           //
      {"12ab |A 1", true, true, bad_end, 12},  //
      {"18446744073709551615 |A 1", true, true, ok, kMax},  //
      {"18446744073709551616 |A 1", true, true, out_of_range, kMax},
      {"30000000000000000000 |A 1", true, true, out_of_range, kMax},
      {"x |A 1", true, false, ok, 0},  // stray text
      {"|", true, false, ok, 0},       // a bar without a name
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const RowOf row(c.text);
    const Head head = lex_head(*row, false);
    EXPECT_EQ(head.is_data, c.is_data);
    EXPECT_EQ(head.has_id, c.has_id);
    EXPECT_EQ(head.id_code, c.code);
    EXPECT_EQ(head.id, c.id);
  }
}

/// Records what it is shown.
struct Recorder {
  std::string log;

  const char* sample(const char* /*bar*/, std::int64_t stream, const char* body, const char* end) {
    const char* const next = find_bar(body, end);
    log += "sample" + std::to_string(stream) + "<" + std::string(body, next) + ">";
    return next;
  }
  void unknown(const char* bar, const char* name_end) {
    log += "unknown<" + std::string(bar, name_end) + ">";
  }
  void nameless(const char* /*bar*/) { log += "nameless;"; }
  void stray(const char* location) { log += std::string("stray") + *location + ";"; }
  void control(const char* /*location*/) { log += "control;"; }
};

TEST(CtfItems, AreFoundInOrder) {
  const StreamNames names({"A", "B", "A#b"});
  struct Case {
    std::string_view text;
    std::string_view log;
  };
  const Case cases[] = {
      {"|A 1 2|B 3", "sample0< 1 2>sample1< 3>"},  // a bar needs no blank before it
      {"0 |B\t1 |A", "sample1<\t1 >sample0<>"},    //
      {"|A 1|# |A#b not |B 2", "sample0< 1>sample2< not >sample1< 2>"},  // "|" ends a comment
      {"|A 1 |#|# x|C 5 |AB |B 2", "sample0< 1 >unknown<|C>unknown<|AB>sample1< 2>"},
      {"|A#b 1", "sample2< 1>"},  // "#" inside a name
      {"||A 1| A 2|", "nameless;sample0< 1>nameless;nameless;"},
      {"0 junk |A 1", "strayj;sample0< 1>"},                  //
      {"|A\x01z 1 |B 2", "control;sample1< 2>"},              // control byte in a name
      {"\x7F |A 1", "control;sample0< 1>"},                   //
      {"|\xC3\xA9 1 |A 1", "unknown<|\xC3\xA9>sample0< 1>"},  // bytes from 0x80 are letters
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const RowOf row(c.text);
    Recorder recorder;
    visit_items(*row, lex_head(*row, false), names, recorder);
    EXPECT_EQ(recorder.log, c.log);
  }
}

TEST(CtfGrouper, GroupsIdsByValueNotBySpelling) {
  SequenceGrouper grouper(KeyMode::ids, false);
  const auto begins = [&grouper](std::string_view text) {
    Head head;
    grouper.next(*RowOf(text, 9), head);
    return head.begins;
  };
  EXPECT_TRUE(begins("0 |A 1"));
  EXPECT_FALSE(begins("00 |A 1"));
  EXPECT_FALSE(begins("|A 1"));
  EXPECT_TRUE(begins("1 |A 1"));
  EXPECT_EQ(grouper.key().low, 1U);
  EXPECT_TRUE(begins("0 |A 1"));
}

TEST(CtfGrouper, ComparesTextsByTheirBytes) {
  SequenceGrouper grouper(KeyMode::texts, true);
  const auto begins = [&grouper](std::string_view text) {
    Head head;
    grouper.next(*RowOf(text), head);
    return head.begins;
  };
  EXPECT_TRUE(begins("utterance-1 |A 1"));
  EXPECT_FALSE(begins("utterance-1|A 1"));
  EXPECT_FALSE(begins("  utterance-1 |A 1"));
  EXPECT_FALSE(begins("|A 1"));
  EXPECT_TRUE(begins("utterance-10 |A 1"));
  EXPECT_EQ(grouper.key_text(), "utterance-10");
  EXPECT_EQ(grouper.key(), key_of_text("utterance-10"));
  EXPECT_TRUE(begins("7 |A 1"));
  EXPECT_TRUE(begins("07 |A 1"));
}

TEST(CtfGrouper, EachRowIsASequenceWithoutIds) {
  SequenceGrouper grouper(KeyMode::lines, false);
  const std::string_view text = "5 |A 1";
  for (std::int64_t line = 3; line < 6; ++line) {
    Head head;
    grouper.next(*RowOf(text, line), head);
    EXPECT_TRUE(head.begins);
    EXPECT_EQ(grouper.key().low, static_cast<std::uint64_t>(line - 1));
  }
}

}  // namespace
}  // namespace sheaf::ctf
