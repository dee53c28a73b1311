#include <cstddef>
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

TEST_F(SharedOptions, AnOptionAppliesToFilesWhoseFormatHasIt) {
  const std::map<std::string, std::string> base = {{"libsvm.base", "0"}};
  EXPECT_EQ(shared({"c.svm", "a1.ctf"}, base), "libsvm.base=0 ||");
  EXPECT_EQ(shared({"a1.ctf", "c.svm"}, base), "|libsvm.base=0 |");
  EXPECT_EQ(shared({"a1.ctf", "c.svm", "c.svm.gz"}, base), "|libsvm.base=0 |libsvm.base=0 |");
  EXPECT_EQ(shared({"c.svm", "d.bin"}, {{"cbf.lengths", "x"}, {"libsvm.base", "0"}}),
            "libsvm.base=0 |cbf.lengths=x |");
  EXPECT_EQ(shared({"a1.ctf", "b.ctf"}, {}), "||");
}

TEST_F(SharedOptions, FilesKnowThatTheirOptionsAreShared) {
  const auto shared = [this](std::initializer_list<const char*> names,
                             std::vector<std::string> of_objects) {
    JoinSpec join;
    for (const char* const name : names) {
      FilesSpec files{.files = {folder_.path(name)}};
      files.format.extra = {{"libsvm.base", "0"}};
      join.members.push_back({std::move(files)});
    }
    DataSpec data{std::move(join)};
    share_format_options(data, {}, of_objects);
    std::vector<bool> found;
    for (const FilesSpec* const files : files_of(data)) {
      found.push_back(files->format.shares_extra);
    }
    return found;
  };
  EXPECT_EQ(shared({"c.svm", "a1.ctf"}, {}), (std::vector<bool>{false, false}));
  EXPECT_EQ(shared({"c.svm", "a1.ctf"}, {"libsvm.base"}), (std::vector<bool>{true, false}));
  EXPECT_EQ(shared({"c.svm", "a1.ctf", "c.svm.gz"}, {}), (std::vector<bool>{true, false, true}));
}

TEST_F(SharedOptions, OptionsOfOneFileEachAreNotShared) {
  JoinSpec join;
  for (const char* const name : {"c.svm", "t.arrow"}) {
    FilesSpec files{.files = {folder_.path(name)}};
    files.format.extra = {{"libsvm.base", "0"}, {"arrow.key", "id"}};
    join.members.push_back({std::move(files)});
  }
  DataSpec data{std::move(join)};
  share_format_options(data);
  for (const FilesSpec* const files : files_of(data)) {
    EXPECT_EQ(files->format.extra.size(), 1U);
    EXPECT_FALSE(files->format.shares_extra);
  }
}

TEST_F(SharedOptions, APatternWithoutAnExtensionIsExpanded) {
  EXPECT_EQ(shared({"a1.ctf", "c*"}, {{"libsvm.base", "0"}}), "|libsvm.base=0 |");
}

TEST_F(SharedOptions, AnOptionOfNoFormatIsRefused) {
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

TEST_F(SharedOptions, AFileOfUnknownFormatIsIgnored) {
  folder_.write("e.unknown", "");
  EXPECT_EQ(shared({"a1.ctf", "e.unknown"}, {{"x", "0"}}), "x=0 |x=0 |");
}

TEST_F(SharedOptions, OtherDataAreUnchanged) {
  FilesSpec files{.files = {folder_.path("a1.ctf")}};
  files.format.extra = {{"x", "0"}};
  DataSpec data{files};
  share_format_options(data);
  EXPECT_EQ(std::get<FilesSpec>(data.content).format.extra.size(), 1U);
  DataSpec with_object{JoinSpec{.members = {{ObjectSpec{"mine"}}, {files}}}};
  EXPECT_EQ(error_of([&] { share_format_options(with_object); }),
            "extra: no file has a format with the option \"x\"; ctf has none");
}

TEST_F(SharedOptions, AnOptionOfAnObjectIsKnown) {
  const std::vector<std::string> of_objects = {"arrow.key"};
  JoinSpec join;
  join.members.push_back({ObjectSpec{"mine"}});
  for (const char* const name : {"a1.ctf", "t.arrow"}) {
    FilesSpec files{.files = {folder_.path(name)}};
    files.format.extra = {{"arrow.key", "id"}};
    join.members.push_back({std::move(files)});
  }
  DataSpec data{std::move(join)};
  share_format_options(data, {}, of_objects);
  const auto extra = [&](std::size_t i) { return files_of(data)[i]->format.extra; };
  const std::map<std::string, std::string> key = {{"arrow.key", "id"}};
  EXPECT_TRUE(extra(0).empty());
  EXPECT_EQ(extra(1), key);

  FilesSpec ctf{.files = {folder_.path("a1.ctf")}};
  ctf.format.extra = {{"arrow.key", "id"}, {"arrow.kez", "id"}};
  DataSpec misspelled{JoinSpec{.members = {{ObjectSpec{"mine"}}, {ctf}}}};
  EXPECT_EQ(
      error_of([&] { share_format_options(misspelled, {}, of_objects); }),
      "extra: no file has a format with the option \"arrow.kez\"; ctf has none; other data have "
      "arrow.key; did you mean arrow.key?");
  const std::vector<std::string> several = {"a", "b"};
  EXPECT_EQ(
      error_of([&] { share_format_options(misspelled, {}, several); }),
      "extra: no file has a format with the option \"arrow.key\"; ctf has none; other data have "
      "a, b");
}

}  // namespace
}  // namespace sheaf
