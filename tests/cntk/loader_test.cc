#include "cntk/loader.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::as_cntk;
using testing::error_of;
using testing::raw_settings;
using testing::warnings_of;
using testing::with_files;
using Words = std::vector<std::string>;

std::string settings_of_words(const Words& words, const ConfigOptions& options = {}) {
  return raw_settings(Config::from_words(words, options).root());
}

TEST(Loader, WordsAreReadFromLeftToRight) {
  const ConfigOptions options = with_files({{"a.cntk", "x=file\ny=file\n"}});
  EXPECT_EQ(settings_of_words({"x=before", "configFile=a.cntk"}, options), "x=file | y=file");
  EXPECT_EQ(settings_of_words({"configFile=a.cntk", "x=behind"}, options), "x=behind | y=file");
  EXPECT_EQ(settings_of_words({"CONFIGFILE=a.cntk", "word"}, options),
            "word=true | x=file | y=file");
  EXPECT_EQ(settings_of_words({"Train=[reader=[file=x]]"}, options), "Train=[reader=[file=x]]");
}

TEST(Loader, LaterOverridesAddToEarlierOnes) {
  const ConfigOptions options = with_files(
      {{"a.cntk", "T=[action=train;reader=[readerType=X;readMethod=a;features=[dim=3;f=$D$/s]]]"}});
  const Words words = {"configFile=a.cntk", "D=/d", "T=[reader=[readerType=Y]]",
                       "T=[reader=[readMethod=b]]", "T=[reader=[features=[f=$D$/t]]]"};
  const Config config = Config::from_words(words, options);
  EXPECT_EQ(raw_settings(config.section_at("T/reader/features")), "dim=3 | f=$D$/t");
  EXPECT_EQ(config.section_at("T/reader").get<std::string>("readerType"), "Y");
  EXPECT_EQ(config.section_at("T/reader/features").get<std::string>("f"), "/d/t");
  EXPECT_EQ(warnings_of(config), Words{});
}

TEST(Loader, FilesAreReadInOrderEachOnce) {
  const ConfigOptions options = with_files({{"a", "x=1\ny=1"}, {"b", "y=2\n"}});
  EXPECT_EQ(settings_of_words({"configFile=a+b"}, options), "x=1 | y=2");
  EXPECT_EQ(settings_of_words({"configFile=b + a"}, options), "x=1 | y=1");
  EXPECT_EQ(raw_settings(Config::from_file("a+b", {}, options).root()), "x=1 | y=2");
  EXPECT_EQ(error_of([&] { static_cast<void>(settings_of_words({"configFile=a+a"}, options)); }),
            "<words>:1:14: error: expected each file once, found \"a\" [config-file]");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(settings_of_words({"configFile=a", "configFile=a"}, options));
            }),
            "<words>:2:12: error: expected each file once, found \"a\" [config-file]");
  EXPECT_EQ(error_of([&] { static_cast<void>(settings_of_words({"configFile=c"}, options)); }),
            "c: cannot open: No such file or directory");
}

TEST(Loader, LinesThatBeginWithIncludeLoadFiles) {
  const ConfigOptions options = with_files({{"a", "x=1\ninclude=b+c\nz=1"},
                                            {"b", "x=2\ninclude=d"},
                                            {"c", "z=3"},
                                            {"d", "y=4"},
                                            {"quoted", "include=\"c\""},
                                            {"blanks", " include = c\ninclude =c"},
                                            {"twice", "include=c\ninclude=c\ninclude=twice"},
                                            {"name", "D=x\ninclude=$D$/c"},
                                            {"missing", "\ninclude=nowhere"}});
  EXPECT_EQ(settings_of_words({"configFile=a"}, options), "x=2 | y=4 | z=1");
  EXPECT_EQ(settings_of_words({"include=c"}, options), "z=3");
  EXPECT_EQ(settings_of_words({"configFile=quoted"}, options), "z=3");
  const Config blanks = Config::from_file("blanks", {}, options);
  EXPECT_EQ(raw_settings(blanks.root()), "include=c");
  EXPECT_EQ(warnings_of(blanks),
            (Words{"1:2 config-include", "2:1 config-include", "2:1 config-duplicate"}));
  const Config twice = Config::from_file("twice", {}, options);
  EXPECT_EQ(raw_settings(twice.root()), "z=3");
  EXPECT_EQ(warnings_of(twice), (Words{"2:9 config-include", "3:9 config-include"}));
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("name", {}, options)); }),
            "name:2:9: error: expected a path without names, found \"$D$/c\" [config-include]");
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("missing", {}, options)); }),
            "nowhere: cannot open: No such file or directory: included at missing:2:9");
}

TEST(Loader, ACommentMovesAnIncludeToTheBeginningForCntk) {
  const std::map<std::string, std::string> files = {{"a", " include=b # c"}, {"b", "x=1"}};
  EXPECT_EQ(raw_settings(Config::from_file("a", {}, with_files(files, as_cntk())).root()), "x=1");
  EXPECT_EQ(raw_settings(Config::from_file("a", {}, with_files(files)).root()), "include=b");
}

TEST(Loader, FilesThatIncludeFilesAreLimited) {
  std::map<std::string, std::string> files;
  for (int i = 0; i < 1000; ++i) files[std::to_string(i)] = "include=" + std::to_string(i + 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("0", {}, with_files(files))); }),
            "100:1:9: error: expected at most 100 files that include files, found one more "
            "[config-depth]");
}

/// Returns blank lines of 1024 bytes.
std::string blank_lines(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += std::string(1023, ' ') + '\n';
  return lines;
}

TEST(Loader, FilesTogetherAreLimited) {
  const std::string half = blank_lines(8 << 10);
  const ConfigOptions options = with_files({{"half", half},
                                            {"other", half},
                                            {"one", "x=1"},
                                            {"more", "include=one\ninclude=half\ninclude=other"},
                                            {"huge", half + half + '\n'}});
  EXPECT_EQ(settings_of_words({"configFile=half+other"}, options), "");
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("half+other+one", {}, options)); }),
            "<words>:1:23: error: expected files of at most 16777216 bytes together, found more, "
            "with \"one\" [config-size]");
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("more", {}, options)); }),
            "more:3:9: error: expected files of at most 16777216 bytes together, found more, with "
            "\"other\" [config-size]");
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file("huge", {}, options)); }),
            "<words>:1:12: error: expected files of at most 16777216 bytes together, found more, "
            "with \"huge\" [config-size]");
}

// A file includes itself many times, each time with another spelling. The file is read until the
// size limit.
TEST(Loader, AFileThatIncludesItselfByManyNamesEnds) {
  std::string text = blank_lines(1000);
  for (int i = 0; i < 60; ++i)
    text += "include=" + std::string(static_cast<std::size_t>(i), '/') + "a\n";
  const ConfigOptions options = with_files({{"a", text}, {"/a", text}});
  EXPECT_EQ(
      error_of([&] { static_cast<void>(Config::from_file("a", {}, options)); }).substr(0, 87),
      "///////////////a:1017:9: error: expected files of at most 16777216 bytes together, foun");
}

TEST(Loader, PathsStartAtTheCurrentDirectory) {
  const ConfigOptions options =
      with_files({{"a", "f=here"}, {"/d/a", "f=there;g=/abs;include=b"}, {"/d/e/a", "f=deep"}});
  const Config config = Config::from_words(Words{"CurrentDirectory=/d", "configFile=a"}, options);
  EXPECT_EQ(config.directory(), "/d");
  EXPECT_EQ(config.root().at("f").as_path(), "/d/there");
  EXPECT_EQ(config.root().at("g").as_path(), "/abs");
  EXPECT_EQ(config.root().get<std::string>("currentdirectory"), "/d");  // also a setting
  // The order matters: a file before the word is relative to the working directory of the process.
  EXPECT_EQ(settings_of_words({"configFile=a", "currentDirectory=/d"}, options),
            "currentDirectory=/d | f=here");
  const Config deep = Config::from_words(
      Words{"currentDirectory=/d", "currentDirectory=e", "configFile=a"}, options);
  EXPECT_EQ(deep.directory(), "/d/e");
  EXPECT_EQ(Config::from_text("f=x", "a").root().at("f").as_path(), "x");
}

TEST(Loader, FilesAreReadFromTheDisk) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "sheaf_config_loader";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.cntk") << "x=1\ninclude=" << (folder / "b.cntk").string() << "\n";
  std::ofstream(folder / "b.cntk") << "y=2\n";
  EXPECT_EQ(raw_settings(Config::from_file((folder / "a.cntk").string()).root()), "x=1 | y=2");
  const std::string missing = (folder / "c.cntk").string();
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file(missing)); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { static_cast<void>(Config::from_file(folder.string())); }),
            folder.string() + ": cannot be read: it is a folder");
  std::filesystem::remove_all(folder);
}

TEST(Loader, FilesThatMayHaveNoEndAreNotRead) {
  const auto error_of_file = [](const std::string& path) {
    return error_of([&] { static_cast<void>(Config::from_file(path)); });
  };
  EXPECT_EQ(error_of_file("/dev/zero"),
            "/dev/zero: cannot be read: it is no regular file, and no pipe");
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "sheaf_config_endless";
  std::filesystem::create_directories(folder);
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string includes = (folder / "includes").string();
  for (const std::string& included : {std::string("/dev/zero"), pipe}) {
    std::ofstream(includes) << "include=" << included << "\n";
    EXPECT_EQ(
        error_of_file(includes),
        included + ": cannot be read: it is no regular file: included at " + includes + ":1:9");
  }
  const std::string large = (folder / "large").string();
  std::ofstream(large) << "x=1\n";
  std::filesystem::resize_file(large, std::uintmax_t{5} << 30U);  // a sparse file, which takes no
                                                                  // disk space
  EXPECT_EQ(error_of_file(large),
            "<words>:1:12: error: expected files of at most 16777216 bytes together, found more, "
            "with \"" +
                large + "\" [config-size]");
  std::filesystem::remove_all(folder);
}

TEST(Loader, WordsHaveLineNumbersOfTheirOwn) {
  const Config config = Config::from_words(Words{"a=1", "b=[x=1]"});
  EXPECT_EQ(config.root().at("b").section().at("x").location(),
            (ConfigLocation{.path = "<words>", .line = 2, .column = 6, .byte_offset = 5}));
}

}  // namespace
}  // namespace sheaf
