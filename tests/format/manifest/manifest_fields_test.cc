#include "format/manifest/manifest_fields.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::manifest {
namespace {

/// An object, and the errors of reading its fields.
class Asked {
 public:
  explicit Asked(std::string_view line) : faults_(line), fields_(line, members_of(line), faults_) {}

  [[nodiscard]] const JsonFields& operator*() const { return fields_; }

  /// Returns "column+size code: found".
  [[nodiscard]] std::string fault() const {
    if (!faults_.has_any()) return "";
    const LineFault& fault = *faults_.first();
    return std::to_string(fault.location.begin) + "+" + std::to_string(fault.location.size) + " " +
           std::string(fault.kind->code) + ": " + fault.found;
  }

 private:
  static std::vector<JsonMember> members_of(std::string_view line) {
    JsonValue value;
    std::vector<JsonMember> members;
    EXPECT_FALSE(parse_json_text(line, value, members)) << line;
    return members;
  }

  LineFaults faults_;
  JsonFields fields_;
};

TEST(ManifestFields, ReturnsTypedValues) {
  const Asked asked(R"({"s":"a\n","n":2.50,"c":7,"o":{"x":"y"},"a":[{"i":1},{"i":2}],"z":null})");
  EXPECT_EQ((*asked).string("s"), "a\n");
  EXPECT_EQ((*asked).text("s"), "a\n");
  EXPECT_EQ((*asked).text("n"), "2.50");
  EXPECT_EQ((*asked).text("none"), std::nullopt);
  EXPECT_EQ((*asked).text("z"), std::nullopt);
  EXPECT_FALSE((*asked).has("z"));
  EXPECT_EQ((*asked).seconds("n"), 2.5);
  EXPECT_EQ((*asked).seconds("none"), std::nullopt);
  EXPECT_EQ((*asked).positive("n"), 2.5);
  EXPECT_EQ((*asked).count("c"), 7);
  EXPECT_EQ((*asked).count("none"), std::nullopt);
  EXPECT_EQ((*asked).object("o").string("x"), "y");
  const std::vector<JsonFields> objects = (*asked).objects("a");
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[1].count("i"), 2);
  EXPECT_EQ((*asked).elements("a").size(), 2U);
  EXPECT_TRUE((*asked).elements("none").empty());
  EXPECT_EQ(asked.fault(), "");
}

TEST(ManifestFields, KeepsTheFirstError) {
  const auto fault = [](std::string_view line, const auto& ask) {
    const Asked asked(line);
    ask(*asked);
    return asked.fault();
  };
  const auto string = [](const JsonFields& f) { static_cast<void>(f.string("x")); };
  const auto text = [](const JsonFields& f) { static_cast<void>(f.text("x")); };
  const auto seconds = [](const JsonFields& f) { static_cast<void>(f.seconds("x")); };
  const auto positive = [](const JsonFields& f) { static_cast<void>(f.positive("x")); };
  const auto count = [](const JsonFields& f) { static_cast<void>(f.count("x")); };
  const auto object = [](const JsonFields& f) { static_cast<void>(f.object("x")); };
  const auto objects = [](const JsonFields& f) { static_cast<void>(f.objects("x")); };
  EXPECT_EQ(fault("{}", string), "0+1 manifest-field: no \"x\"");
  EXPECT_EQ(fault(R"({"x":1,"x":2})", text), "8+1 manifest-repeated-field: \"x\" twice");
  EXPECT_EQ(fault(R"({"x":17})", string), "5+2 manifest-type: \"17\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":[]})", text), "5+2 manifest-type: \"[]\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":-1})", seconds), "5+2 manifest-number: \"-1\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":1e999})", seconds), "5+5 manifest-number: \"1e999\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":true})", seconds), "5+4 manifest-number: \"true\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":0})", positive), "5+1 manifest-number: \"0\" as \"x\"");
  EXPECT_EQ(fault("{}", positive), "0+1 manifest-field: no \"x\"");
  EXPECT_EQ(fault(R"({"x":1.5})", count), "5+3 manifest-number: \"1.5\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":2147483648})", count), "5+10 manifest-number: \"2147483648\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":2147483647})", count), "");
  EXPECT_EQ(fault(R"({"x":[]})", object), "5+2 manifest-type: \"[]\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":{}})", objects), "5+2 manifest-type: \"{}\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":[{},3]})", objects), "9+1 manifest-type: \"3\" as \"x\"");
  EXPECT_EQ(fault(R"({"x":3})",
                  [&](const JsonFields& f) {
                    string(f);
                    static_cast<void>(f.string("y"));
                  }),
            "5+1 manifest-type: \"3\" as \"x\"");
}

}  // namespace
}  // namespace sheaf::manifest
