#include "dataset/mixture_json.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/spec.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;

Spec parsed(const std::string& data) { return parse_spec("{\"data\": " + data + "}", "s.json"); }

std::string refusal_of(const std::string& data) {
  return error_of([&] { static_cast<void>(parsed(data)); });
}

TEST(MixtureJson, MixturesRoundTrip) {
  const Spec spec = parsed(R"({"mix": [{"files": "a.ctf", "weight": 0.7},
                                       {"files": ["b.ctf"], "weight": "0.3"}],
                               "exhausted": "repeat",
                               "schedule": [{"from": 1000, "weights": [0, 0.5]}]})");
  const auto& mixture = std::get<MixtureSpec>(spec.data.content);
  EXPECT_EQ(mixture.options, (MixtureOptions{.weights = {7, 3},
                                             .exhausted = Exhausted::repeat,
                                             .schedule = {{.from = 1000, .weights = {0, 1}}}}));
  EXPECT_EQ(files_of(spec.data)[1]->files, (std::vector<std::string>{"b.ctf"}));
  EXPECT_EQ(members_of(spec.data).size(), 2U);
  const Spec again = parse_spec(to_json(spec), "again.json");
  EXPECT_EQ(std::get<MixtureSpec>(again.data.content).options, mixture.options);
  EXPECT_EQ(to_json(again), to_json(spec));
}

TEST(MixtureJson, InvalidMixturesAreRefusedWithTheirPath) {
  EXPECT_EQ(refusal_of(R"({"mix": [{"files": "a.ctf"}], "exhausted": "stop"})"),
            "s.json: data.mix[0].weight: expected a weight, found none");
  EXPECT_EQ(refusal_of(R"({"mix": [{"files": "a.ctf", "weight": true}]})"),
            "s.json: data.mix[0].weight: expected a number, or a decimal text, found true");
  EXPECT_EQ(
      refusal_of(R"({"mix": [{"files": "a.ctf", "weight": "x"}]})"),
      "s.json: data.mix: mixture: the weight \"x\" is no number; a weight is a decimal number "
      "such as 2, 0.35 or 1e-3");
  EXPECT_EQ(refusal_of(R"({"mix": []})"), "s.json: data.mix: expected a list of data, found []");
  EXPECT_EQ(refusal_of(R"({"mix": [{"files": "a", "weight": 1}], "exhausted": "never"})"),
            "s.json: data.exhausted: expected \"repeat\", \"stop\", \"drop\" or \"error\", found "
            "\"never\"");
  const std::string begin = R"({"mix": [{"files": "a", "weight": 1}], "schedule": )";
  EXPECT_EQ(refusal_of(begin + "3}"), "s.json: data.schedule: expected a list of stages, found 3");
  EXPECT_EQ(refusal_of(begin + R"([{"weights": [1]}]})"),
            "s.json: data.schedule[0].from: expected the number of a draw, found none");
  EXPECT_EQ(refusal_of(begin + R"([{"from": 1}]})"),
            "s.json: data.schedule[0].weights: expected a list of weights");
  EXPECT_EQ(refusal_of(begin + R"([{"from": 1, "weights": [null]}]})"),
            "s.json: data.schedule[0].weights[0]: expected a number, or a decimal text, found "
            "null");
  EXPECT_EQ(refusal_of(R"({"files": "a", "weight": 1})"), "s.json: data: unknown name \"weight\"");
}

}  // namespace
}  // namespace sheaf::internal
