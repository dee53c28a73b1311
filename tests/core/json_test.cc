#include "sheaf/extend/json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sheaf {
namespace {

TEST(JsonText, TextsAreQuotedAndInvalidBytesReplaced) {
  EXPECT_EQ(json_text("a\"b\n"), R"("a\"b\n")");
  EXPECT_EQ(json_text("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(JsonText, ADiagnosticHasAllItsFields) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.path = "a.ctf";
  diagnostic.line = 7;
  diagnostic.code = "ctf-number";
  const nlohmann::json json = nlohmann::json::parse(json_text(diagnostic));
  EXPECT_EQ(json["severity"], "warning");
  EXPECT_EQ(json["path"], "a.ctf");
  EXPECT_EQ(json["line"], 7);
  EXPECT_EQ(json["text"], to_string(diagnostic));
  EXPECT_EQ(json.size(), 16U);
}

}  // namespace
}  // namespace sheaf
