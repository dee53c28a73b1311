#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/open.h"

#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf {
namespace {

using testing::error_of;

/// Applies one set of options to a join of several files.
class SharedOptions : public ::testing::Test {
 protected:
  SharedOptions() {
    folder_.write("a1.ctf", "1 |x 1\n");
    folder_.write("c.svm", "5 0:1\n6 1:1\n");
    folder_.write("d.bin", "");
  }

  // Returns the options of each member as "a=1 b=2 ", separated by bars.
  [[nodiscard]] std::string shared(const std::vector<std::string>& files,
                                   const std::map<std::string, std::string>& options) const {
    JoinSpec join;
    for (const std::string& file : files) {
      FilesSpec member{.files = {folder_.path(file)}};
      member.format.extra = options;
      join.members.push_back({std::move(member)});
    }
    DataSpec data{std::move(join)};
    share_format_options(data);
    std::string text;
    for (const FilesSpec* const member : files_of(data)) {
      for (const auto& [name, value] : member->format.extra) text += name + '=' + value + ' ';
      text += '|';
    }
    return text;
  }

  TestFolder folder_;
};

TEST_F(SharedOptions, AnOptionGoesToTheFilesWhoseFormatHasTheOption) {
  const std::map<std::string, std::string> base = {{"libsvm.base", "0"}};
  EXPECT_EQ(shared({"c.svm", "a1.ctf"}, base), "libsvm.base=0 ||");
  EXPECT_EQ(shared({"a1.ctf", "c.svm"}, base), "|libsvm.base=0 |");
  EXPECT_EQ(shared({"a1.ctf", "c.svm", "c.svm.gz"}, base), "|libsvm.base=0 |libsvm.base=0 |");
  EXPECT_EQ(shared({"c.svm", "d.bin"}, {{"cbf.lengths", "x"}, {"libsvm.base", "0"}}),
            "libsvm.base=0 |cbf.lengths=x |");
  EXPECT_EQ(shared({"a1.ctf", "b.ctf"}, {}), "||");
}

TEST_F(SharedOptions, APatternWithoutAnExtensionIsLookedUp) {
  EXPECT_EQ(shared({"a1.ctf", "c*"}, {{"libsvm.base", "0"}}), "|libsvm.base=0 |");
}

TEST_F(SharedOptions, AnOptionThatNoFileKnowsIsRefused) {
  EXPECT_EQ(error_of([&] {
              static_cast<void>(shared({"a1.ctf", "c.svm"}, {{"svm.base", "0"}}));
            }),
            "extra: no file has a format with the option \"svm.base\"; ctf has none; libsvm has "
            "libsvm.base; did you mean libsvm.base?");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(shared({"a1.ctf", "b.ctf"}, {{"x", "0"}}));
            }),
            "extra: no file has a format with the option \"x\"; ctf has none");
}

TEST_F(SharedOptions, AFileOfNoKnownFormatIsLeftToOpening) {
  folder_.write("e.unknown", "");
  EXPECT_EQ(shared({"a1.ctf", "e.unknown"}, {{"x", "0"}}), "x=0 |x=0 |");
}

TEST_F(SharedOptions, DataThatAreNotAJoinStayAsTheyAre) {
  FilesSpec files{.files = {folder_.path("a1.ctf")}};
  files.format.extra = {{"x", "0"}};
  DataSpec data{files};
  share_format_options(data);
  EXPECT_EQ(std::get<FilesSpec>(data.content).format.extra.size(), 1U);
  DataSpec with_object{JoinSpec{.members = {{ObjectSpec{"mine"}}, {files}}}};
  EXPECT_EQ(error_of([&] { share_format_options(with_object); }),
            "extra: no file has a format with the option \"x\"; ctf has none");
}

}  // namespace
}  // namespace sheaf
