#include "format/mlf/mlf_states.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf::mlf {
namespace {

TEST(MlfStates, RefusesRepeatedNamesAndEmptyLists) {
  EXPECT_THROW(States(*memory_source("a\nb\na\n", "list")), DataError);
  EXPECT_THROW(States(*memory_source("\n\n", "list")), DataError);
  const States states(*memory_source("a\r\n\nb c\nsil[2]", "list"));
  EXPECT_EQ(states.size(), 3);
  EXPECT_EQ(states.find("a"), 0);
  EXPECT_EQ(states.find("sil[2]"), 2);
  EXPECT_EQ(states.find("sil"), -1);
  EXPECT_EQ(states.find(""), -1);
}

TEST(MlfStates, FindsEachOfManyStates) {
  std::string text;
  for (int i = 0; i < 65'536; ++i) text += "state" + std::to_string(i) + "\n";
  const States states(*memory_source(text, "list"));
  for (int i = 0; i < 65'536; ++i) {
    ASSERT_EQ(states.find("state" + std::to_string(i)), i);
  }
  EXPECT_THROW(States(*memory_source(text + "more\n", "list")), DataError);
}

TEST(MlfStates, TheFingerprintDependsOnTheList) {
  const std::string fingerprint = States(*memory_source("a\nb\n", "list")).fingerprint();
  EXPECT_EQ(States(*memory_source("a\nb\n", "other")).fingerprint(), fingerprint);
  EXPECT_NE(States(*memory_source("b\na\n", "list")).fingerprint(), fingerprint);
}

}  // namespace
}  // namespace sheaf::mlf
