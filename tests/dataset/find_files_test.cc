#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"

#include "support/test_folder.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::error_of;
using Names = std::vector<std::string>;

TEST(FindFiles, APatternGivesItsFilesSortedByName) {
  const TestFolder folder;
  for (const char* name : {"part-2.ctf", "part-10.ctf", "part-1.ctf", "other.ctf", "part-1.cbf"}) {
    std::ofstream(folder.path(name));
  }
  const Names found = find_files(Names{folder.path("part-*.ctf"), folder.path("other.ctf")});
  EXPECT_EQ(found, (Names{folder.path("part-1.ctf"), folder.path("part-10.ctf"),
                          folder.path("part-2.ctf"), folder.path("other.ctf")}));
  EXPECT_EQ(
      find_files(Names{folder.path("part-?.c[tb]f")}),
      (Names{folder.path("part-1.cbf"), folder.path("part-1.ctf"), folder.path("part-2.ctf")}));
}

TEST(FindFiles, APatternLeavesOutIndexFiles) {
  const TestFolder folder;
  for (const char* name : {"part-1", "part-1.sheaf-index", "part-2"}) {
    std::ofstream(folder.path(name));
  }
  EXPECT_EQ(find_files(Names{folder.path("part-*")}),
            (Names{folder.path("part-1"), folder.path("part-2")}));
  const std::string named = folder.path("part-1.sheaf-index");
  EXPECT_EQ(find_files(Names{named}), Names{named}) << "which a name names";
}

TEST(FindFiles, PathsStayInTheirOrderEvenIfMissing) {
  EXPECT_EQ(find_files(Names{"no/b", "no/a"}), (Names{"no/b", "no/a"}));
}

TEST(FindFiles, AFileNamedLikeAPatternIsThatFile) {
  const TestFolder folder;
  std::ofstream(folder.path("a[1].ctf"));
  std::ofstream(folder.path("a1.ctf"));
  EXPECT_EQ(find_files(Names{folder.path("a[1].ctf")}), (Names{folder.path("a[1].ctf")}));
}

TEST(FindFiles, RefusesUnmatchedPatternsAndRepeatedFiles) {
  const TestFolder folder;
  std::ofstream(folder.path("a.ctf"));
  const std::string none = folder.path("part-*.ctf");
  EXPECT_EQ(error_of<ConfigError>([&] { (void)find_files(Names{none}); }),
            none + ": no file has such a name");
  EXPECT_EQ(error_of<ConfigError>([&] { (void)find_files({}); }), "no file is named");
  const Names twice = {folder.path("a.ctf"), folder.path("*.ctf")};
  EXPECT_EQ(error_of<ConfigError>([&] { (void)find_files(twice); }),
            twice[0] + ": named twice; a data set has each file once");
}

}  // namespace
}  // namespace sheaf
