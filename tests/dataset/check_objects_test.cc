#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/open.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

std::string refusal(std::string_view data, const std::vector<std::string>& given) {
  const Spec spec = parse_spec(std::string(R"({"data": )") + std::string(data) + "}", "s.json");
  return testing::error_of([&] { check_objects(spec.data, given); });
}

constexpr std::string_view kNested = R"({"join": [
    {"concatenate": [{"object": "walks"}, {"files": "a.ctf"}]}, {"object": "names"}]})";

TEST(CheckObjects, AcceptsObjectsThatAreGiven) {
  EXPECT_NO_THROW(check_objects(parse_spec(R"({"data": {"files": "a.ctf"}})", "s").data, {}));
  const std::vector<std::string> given = {"names", "walks"};
  const Spec spec = parse_spec(std::string(R"({"data": )") + std::string(kNested) + "}", "s");
  EXPECT_NO_THROW(check_objects(spec.data, given));
}

TEST(CheckObjects, AnObjectThatIsNotGivenIsRefused) {
  EXPECT_EQ(refusal(kNested, {"walk", "names"}),
            R"(data: no object is called "walks"; did you mean "walk"?)");
  EXPECT_EQ(refusal(kNested, {"1", "2"}),
            R"(data: no object is called "walks"; the program gives "1", "2")");
  EXPECT_EQ(refusal(kNested, {}), R"(data: no object is called "walks"; the program gives none)");
}

TEST(CheckObjects, AnObjectThatIsNotNamedIsRefused) {
  EXPECT_EQ(refusal(kNested, {"walks", "names", "name"}),
            R"(objects: the spec names no object "name"; did you mean "names"?)");
  EXPECT_EQ(refusal(kNested, {"walks", "names", "x"}),
            R"(objects: the spec names no object "x"; the spec names "walks", "names")");
  EXPECT_EQ(refusal(R"({"files": "a.ctf"})", {"x"}),
            R"(objects: the spec names no object "x"; the spec names none)");
}

}  // namespace
}  // namespace sheaf
