#include "transform/statistics.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;

TEST(Statistics, AreGlobalOrPerSpeaker) {
  const Statistics all =
      parse_statistics(R"({"count": 7, "mean": [1, -2.5], "stddev": [0, 1e3]})", "s.json");
  EXPECT_EQ(all.all.means, (std::vector<double>{1, -2.5}));
  EXPECT_EQ(all.all.deviations, (std::vector<double>{0, 1000}));
  EXPECT_TRUE(all.speakers.empty());
  const Statistics speakers = parse_statistics(
      R"({"speakers": {"bob": {"mean": [1]}, "ann": {"mean": [2], "stddev": [3]}}})", "s.json");
  ASSERT_EQ(speakers.speakers.size(), 2U);
  EXPECT_EQ(speakers.speakers.at("ann").means, std::vector<double>{2});
  EXPECT_EQ(speakers.speakers.at("ann").deviations, std::vector<double>{3});
  EXPECT_TRUE(speakers.speakers.at("bob").deviations.empty());
}

TEST(Statistics, RefuseOtherFiles) {
  const struct {
    std::string_view text;
    std::string_view error;
  } kCases[] = {
      {"", "s.json:1:1: not JSON"},
      {"[1]", "s.json: expected an object, found [1]"},
      {"{}", "s.json: expected the field \"mean\", found {}"},
      {R"({"mean": 1})", "s.json: mean: expected a list of numbers, found 1"},
      {R"({"mean": []})", "s.json: mean: expected a list of numbers, found []"},
      {R"({"mean": [1, "2"]})", "s.json: mean: expected numbers, found \"2\""},
      {R"({"mean": [1, null]})", "s.json: mean: expected numbers, found null"},
      {R"({"mean": [1e999]})", "s.json: a number in it does not fit any type"},
      {R"({"mean": [1], "mean": [2]})", "s.json: an object has the name \"mean\" twice"},
      {R"({"mean": [1], "stddev": [-1]})",
       "s.json: stddev: expected no number below 0, found -1.0"},
      {R"({"mean": [1, 2], "stddev": [1]})",
       "s.json: stddev must have as many numbers as mean: got 1 and 2"},
      {R"({"mean": [1], "speakers": {}})",
       "s.json: speakers and statistics of all do not go together"},
      {R"({"speakers": {}})", "s.json: speakers: expected an object with speakers, found {}"},
      {R"({"speakers": {"ann": 1}})", "s.json: speakers: \"ann\": expected an object, found 1"},
      {R"({"speakers": {"ann": {"mean": [true]}}})",
       "s.json: speakers: \"ann\": mean: expected numbers, found true"},
  };
  for (const auto& each : kCases) {
    EXPECT_EQ(
        error_of<ConfigError>([&] { static_cast<void>(parse_statistics(each.text, "s.json")); }),
        each.error)
        << each.text;
  }
}

TEST(SpeakerMap, FindsKeysThatAreTextsOrNumbers) {
  const SpeakerMap map("utt-b ann\nutt-a\tbob \r\n\n  12 ann\n012 bob\n18446744073709551615 eve",
                       "m");
  const auto speaker = [&](const SequenceKey& key) {
    const std::string* const found = map.find(key);
    return found == nullptr ? "none" : *found;
  };
  EXPECT_EQ(speaker(key_of_text("utt-a")), "bob");
  EXPECT_EQ(speaker(key_of_text("utt-b")), "ann");
  EXPECT_EQ(speaker(key_of_text("utt-")), "none");
  EXPECT_EQ(speaker({.low = 12}), "ann");
  EXPECT_EQ(speaker(key_of_text("12")), "ann");
  EXPECT_EQ(speaker(key_of_text("012")), "bob");
  EXPECT_EQ(speaker({.low = 18446744073709551615U}), "eve");
  EXPECT_EQ(speaker({.low = 0}), "none");
  EXPECT_EQ(SpeakerMap("", "m").find({}), nullptr);
}

TEST(SpeakerMap, RefusesOtherLines) {
  const auto refusal = [](std::string_view text) {
    return error_of<ConfigError>([&] { SpeakerMap(text, "m"); });
  };
  EXPECT_EQ(refusal("a ann\nb\n"), "m:2: expected KEY SPEAKER, found \"b\"");
  EXPECT_EQ(refusal("a ann x"), "m:1: expected KEY SPEAKER, found \"a ann x\"");
  EXPECT_EQ(refusal("a ann\n\nb bob\na ann\n"), "m:4: the key was in line 1 already");
}

}  // namespace
}  // namespace sheaf::internal
