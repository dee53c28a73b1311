#include "core/json_text.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, EveryTextOfBytesComesBack) {
  for (int first = 0; first < 256; ++first) {
    for (const std::string& bytes : {std::string(1, static_cast<char>(first)),
                                     std::string("a") + static_cast<char>(first) + "z"}) {
      const Json json = Json::parse(json_of_bytes(bytes).dump());
      EXPECT_EQ(bytes_of_json(json), bytes) << first;
      EXPECT_EQ(json.is_string(), first < 128) << first;
    }
  }
}

TEST(JsonText, WhatIsNoTextIsNone) {
  EXPECT_EQ(bytes_of_json(1), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", 1}}), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", "a"}, {"b", "c"}}), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", "\u0100"}}), std::nullopt);
}

TEST(JsonText, LongValuesAreCutBetweenCharacters) {
  EXPECT_EQ(shown_json("short"), "\"short\"");
  EXPECT_EQ(shown_json(std::string(100, 'a')), '"' + std::string(39, 'a') + "...");
  EXPECT_EQ(shown_json(std::string(38, 'a') + "\u00e9\u00e9"), '"' + std::string(38, 'a') + "...");
}

}  // namespace
}  // namespace sheaf::internal
