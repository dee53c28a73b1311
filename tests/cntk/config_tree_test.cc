#include "cntk/config_tree.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ConfigTree, KeysAreOrderedIgnoringCase) {
  const std::set<std::string, LessIgnoringCase> keys = {"b", "A", "a", "_", "\xC3\xA4", "B1", "0"};
  EXPECT_EQ(std::string(keys.begin()->c_str()), "0");
  EXPECT_EQ(*std::prev(keys.end()), "\xC3\xA4");
  EXPECT_EQ(keys.size(), 6U);
  EXPECT_TRUE(keys.contains("b1"));
}

TEST(ConfigTree, ComparisonsIgnoreCase) {
  EXPECT_TRUE(is_same_ignoring_case("Reader", "rEADER"));
  EXPECT_FALSE(is_same_ignoring_case("Reader", "Readers"));
  EXPECT_TRUE(begins_ignoring_case("CONFIGFILE=x", "configFile="));
  EXPECT_FALSE(begins_ignoring_case("config", "configFile="));
}

TEST(ConfigTree, PathsInMessagesAreShort) {
  ConfigSectionNode root;
  ConfigValueNode value;
  value.key = "a\tb" + std::string(500, 'x');
  value.section = &root;
  EXPECT_EQ(path_of(value), "/" + value.key);
  EXPECT_EQ(shown_path(value), "/a?b" + std::string(116, 'x') + "...");
  EXPECT_EQ(shown_path(root), "/");
}

TEST(ConfigTree, DataCanBePrinted) {
  const ConfigData data = ConfigData::Members{
      {"a", true}, {"b", 3}, {"c", 0.5}, {"d", "x"}, {"e", ConfigData::List{1, 2}}};
  EXPECT_EQ(text_of(data), "[a=true; b=3; c=0.5; d=x; e=(1:2)]");
}

}  // namespace
}  // namespace sheaf::internal
