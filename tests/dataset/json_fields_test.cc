#include "dataset/json_fields.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::error_of;

TEST(JsonFields, UnreadFieldsAreRefused) {
  const nlohmann::ordered_json object = {{"streams", 1}, {"stream", 2}};
  internal::JsonFields fields(object, "s.json: data");
  EXPECT_NE(fields.find("streams"), nullptr);
  EXPECT_EQ(fields.find("three"), nullptr);
  EXPECT_EQ(error_of([&] { fields.check_all_known(); }),
            R"(s.json: data: unknown name "stream"; did you mean "streams"?)");
  EXPECT_NE(fields.find("stream"), nullptr);
  fields.check_all_known();
}

}  // namespace
}  // namespace sheaf
