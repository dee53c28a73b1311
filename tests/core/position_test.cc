#include "sheaf/position.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

RunIdentity some_run() {
  return {.algorithm = "file",
          .data = "xxh3:0123",
          .options = {{"minibatch_size", "256"}, {"unit", "samples"}}};
}

Position some_position() {
  return {.run = std::make_shared<RunIdentity>(some_run()),
          .place = {.sweep = 1, .sequence = 20, .sample = 300, .carry = {}}};
}

std::string error_of(const std::string& json) {
  try {
    static_cast<void>(position_from_json(json));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string difference(const Position& position, const RunIdentity& run) {
  try {
    check_same_run(position, run);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no difference";
}

TEST(PositionJson, IsOneLineWithTheFieldsInAFixedOrder) {
  EXPECT_EQ(to_json(some_position()),
            R"({"format_version":1,"algorithm":"file","data":"xxh3:0123",)"
            R"("options":{"minibatch_size":"256","unit":"samples"},)"
            R"("epoch":0,"sweep":1,"sequence":20,"sample":300})");
}

TEST(PositionJson, AnEmptyCarryIsNotWritten) {
  Position position = some_position();
  position.place.carry = {5, -1};
  EXPECT_NE(to_json(position).find(R"("sample":300,"carry":[5,-1]})"), std::string::npos);
  EXPECT_EQ(position_from_json(to_json(position)), position);
}

TEST(PositionJson, BlanksAroundTheObjectAreIgnored) {
  EXPECT_EQ(position_from_json(" \n" + to_json(some_position()) + "\r\n"), some_position());
}

TEST(PositionJson, QuotesAndUnicodeRoundTrip) {
  Position position = some_position();
  auto run = std::make_shared<RunIdentity>(some_run());
  run->data = "a \"b\"\\ \n\t\x01 \xC3\xA4\xE2\x82\xAC";
  position.run = run;
  EXPECT_EQ(to_json(position).find('\n'), std::string::npos);
  EXPECT_EQ(position_from_json(to_json(position)), position);
}

RC_GTEST_PROP(PositionJson, PositionsRoundTrip, ()) {
  const auto count = rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  const auto text = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  auto run = std::make_shared<RunIdentity>();
  run->algorithm = *text;
  run->data = *text;
  run->options = *rc::gen::container<std::map<std::string, std::string>>(text, text);
  const Position position = {.run = run,
                             .place = {.sweep = *count,
                                       .sequence = *count,
                                       .sample = *count,
                                       .carry = *rc::gen::arbitrary<std::vector<std::int64_t>>()}};
  const std::string json = to_json(position);
  RC_ASSERT(json.find('\n') == std::string::npos);
  RC_ASSERT(position_from_json(json) == position);
  RC_ASSERT(to_json(position_from_json(json)) == json);
}

TEST(PositionJson, APositionWithoutARunIsRefused) {
  EXPECT_THROW(static_cast<void>(to_json(Position{})), ConfigError);
}

TEST(PositionJson, InvalidUtf8IsWrittenAsLatin1) {
  Position position = some_position();
  auto run = std::make_shared<RunIdentity>(some_run());
  run->options["streams"] = "caf\xE9";
  position.run = run;
  const std::string json = to_json(position);
  EXPECT_NE(json.find("\"streams\":{\"latin-1\":\"caf\xC3\xA9\"}"), std::string::npos) << json;
  EXPECT_EQ(position_from_json(json), position);
}

TEST(PositionJson, ATextThatLooksLikeBytesStaysAText) {
  Position position = some_position();
  auto run = std::make_shared<RunIdentity>(some_run());
  run->options["streams"] = R"({"latin-1":"a"})";
  position.run = run;
  EXPECT_EQ(position_from_json(to_json(position)), position);
}

RC_GTEST_PROP(PositionJson, AnyBytesRoundTrip, ()) {
  const auto bytes = rc::gen::arbitrary<std::string>();
  auto run = std::make_shared<RunIdentity>();
  run->algorithm = *bytes;
  run->data = *bytes;
  run->options = {{"streams", *bytes}, {"files", std::string("\0\x80\xFF", 3)}};
  const Position position = {.run = run, .place = {}};
  RC_ASSERT(position_from_json(to_json(position)) == position);
}

TEST(PositionJson, OptionNamesAreUtf8) {
  auto run = std::make_shared<RunIdentity>();
  run->options = {{"\x80", "b"}};
  try {
    static_cast<void>(to_json({.run = run, .place = {}}));
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "position: an option's name is not UTF-8 text");
  }
}

TEST(PositionJson, DrawsAreVersion2) {
  Position position = some_position();
  EXPECT_TRUE(to_json(position).starts_with(R"({"format_version":1,)"));
  const Position before = position;
  position.draws = {3, 0, -7};
  const std::string json = to_json(position);
  EXPECT_TRUE(json.starts_with(R"({"format_version":2,)")) << json;
  EXPECT_TRUE(json.ends_with(R"(,"draws":[3,0,-7]})")) << json;
  EXPECT_EQ(position_from_json(json), position);
  EXPECT_FALSE(before == position);
}

TEST(PositionJson, EveryWrongFieldIsNamed) {
  const std::string good = to_json(some_position());
  const struct {
    std::string find;
    std::string replacement;
    std::string error;
  } cases[] = {
      // the version
      {R"("format_version":1,)", "", R"(position: field "format_version" is missing)"},
      {R"(version":1)", R"(version":3)",
       R"(position: field "format_version" is 3; this version of sheaf reads 1 to 2)"},
      {R"(version":1)", R"(version":0)",
       R"(position: field "format_version" is 0; this version of sheaf reads 1 to 2)"},
      {R"("format_version":1)", R"("draws":[1],"format_version":1)",
       R"(position: field "draws" is not one of format_version 1)"},
      {R"(version":1)", R"(version":2,"draws":[1.5])",
       R"(position: field "draws" must be a list of whole numbers of 64 bits: it has 1.5)"},
      {R"(version":1)", R"(version":2,"draws":7)",
       R"(position: field "draws" must be a list of whole numbers: got 7)"},
      {R"(version":1)", R"(version":"1")",
       R"(position: field "format_version" must be a whole number from 0 to 9223372036854775807: )"
       R"(got "1")"},
      // texts
      {R"("algorithm":"file",)", "", R"(position: field "algorithm" is missing)"},
      {R"("algorithm":"file")", R"("algorithm":null)",
       R"(position: field "algorithm" must be a text: got null)"},
      {R"("data":"xxh3:0123",)", "", R"(position: field "data" is missing)"},
      {R"("xxh3:0123")", "[\"0123456789012345678901234567890123456789\"]",
       R"(position: field "data" must be a text: got ["01234567890123456789012345678901234567...)"},
      // options
      {R"({"minibatch_size":"256","unit":"samples"})", "[]",
       R"(position: field "options" must be an object: got [])"},
      {R"("256")", R"({"latin-1":"\u0100"})",
       R"(position: field "options": "minibatch_size" must be a text: got {"latin-1":")"
       "\xC4\x80\"}"},
      {R"("256")", R"({"latin-1":1})",
       R"(position: field "options": "minibatch_size" must be a text: got {"latin-1":1})"},
      {R"("256")", R"({"latin-1":"a","b":"c"})",
       R"(position: field "options": "minibatch_size" must be a text: )"
       R"(got {"latin-1":"a","b":"c"})"},
      {R"("256")", "256", R"(position: field "options": "minibatch_size" must be a text: got 256)"},
      // numbers
      {R"("epoch":0,)", "", R"(position: field "epoch" is missing)"},
      {R"("sweep":1,)", "", R"(position: field "sweep" is missing)"},
      {R"("sweep":1)", R"("sweep":-1)",
       R"(position: field "sweep" must be a whole number from 0 to 9223372036854775807: got -1)"},
      {R"("sequence":20)", R"("sequence":20.0)",
       R"(position: field "sequence" must be a whole number from 0 to 9223372036854775807: )"
       R"(got 20.0)"},
      {R"("sample":300)", R"("sample":true)",
       R"(position: field "sample" must be a whole number from 0 to 9223372036854775807: )"
       R"(got true)"},
      {R"("sample":300)", R"("sample":9223372036854775808)",
       R"(position: field "sample" must be a whole number from 0 to 9223372036854775807: )"
       R"(got 9223372036854775808)"},
      {R"("sample":300)", R"("sample":18446744073709551616)",
       R"(position: field "sample" must be a whole number from 0 to 9223372036854775807: )"
       R"(got 1.8446744073709552e+19)"},
      {R"("sample":300)", R"("sample":1e999)", "position: a number in it does not fit any type"},
      // carry
      {R"("sample":300)", R"("sample":300,"carry":5)",
       R"(position: field "carry" must be a list of whole numbers: got 5)"},
      {R"("sample":300)", R"("sample":300,"carry":[1,"2"])",
       R"(position: field "carry" must be a list of whole numbers of 64 bits: it has "2")"},
      {R"("sample":300)", R"("sample":300,"carry":[9223372036854775808])",
       R"(position: field "carry" must be a list of whole numbers of 64 bits: )"
       R"(it has 9223372036854775808)"},
      // fields that version 1 does not have
      {R"("sample":300)", R"("sample":300,"seed":7)",
       R"(position: field "seed" is not one of format_version 1)"},
  };
  for (const auto& row : cases) {
    SCOPED_TRACE(row.replacement);
    std::string json = good;
    const std::size_t at = json.find(row.find);
    ASSERT_NE(at, std::string::npos) << row.find;
    json.replace(at, row.find.size(), row.replacement);
    EXPECT_EQ(error_of(json), row.error);
  }
}

TEST(PositionJson, OtherJsonIsRefused) {
  const struct {
    std::string json;
    std::string error;
  } cases[] = {
      {"", "position: not JSON, at byte 1"},                          //
      {"{", "position: not JSON, at byte 2"},                         // cut short
      {"{} x", "position: not JSON, at byte 4"},                      // text after the end
      {"[1]", "position: must be a JSON object: got [1]"},            //
      {"null", "position: must be a JSON object: got null"},          //
      {"\"text\"", "position: must be a JSON object: got \"text\""},  //
      {"{}", "position: field \"format_version\" is missing"},        //
  };
  for (const auto& row : cases) EXPECT_EQ(error_of(row.json), row.error) << row.json;
}

TEST(PositionJson, EveryPrefixIsRefused) {
  const std::string json = to_json(some_position());
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_THROW(static_cast<void>(position_from_json(json.substr(0, size))), ConfigError) << size;
  }
}

TEST(PositionCheck, EqualRunsAreAccepted) {
  EXPECT_EQ(difference(some_position(), some_run()), "no difference");
}

TEST(PositionCheck, EveryDifferenceIsListed) {
  RunIdentity other = some_run();
  other.options["minibatch_size"] = "128";
  EXPECT_EQ(difference(some_position(), other),
            "position: it belongs to another run: minibatch_size was 256, is 128");

  other.algorithm = "keyed/1";
  other.data = "";
  other.options.erase("unit");
  other.options["seed"] = "7";
  EXPECT_EQ(difference(some_position(), other),
            "position: it belongs to another run: algorithm was file, is keyed/1; "
            "data was xxh3:0123, is \"\"; minibatch_size was 256, is 128; "
            "unit was samples, is not set; seed was not set, is 7");
}

TEST(PositionCheck, APositionWithoutARunIsRefused) {
  EXPECT_EQ(difference(Position{}, some_run()),
            "position: it says nothing of its run; only a reader's positions can be resumed");
}

}  // namespace
}  // namespace sheaf
