#include "sheaf/extend/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/open.h"

#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

constexpr std::array<std::string_view, 2> kTextExtensions = {"text", "txt"};
constexpr std::array<std::string_view, 1> kBinaryExtensions = {"bin"};

std::unique_ptr<Deserializer> refuse(const OpenRequest& request) {
  throw ConfigError("opened " + std::string(request.source->name()));
}

const std::array<Format, 2> kFormats = {
    Format{.name = "rows", .description = "", .extensions = kTextExtensions, .open = refuse},
    Format{.name = "blocks", .description = "", .extensions = kBinaryExtensions, .open = refuse},
};

std::string found(std::string_view path, std::string_view name) {
  FormatOptions options;
  options.format = name;
  return std::string(find_format(path, options, kFormats).name);
}

TEST(FindFormat, TheFormatOptionOverridesTheExtension) {
  EXPECT_EQ(found("a.bin", "rows"), "rows");
  EXPECT_EQ(found("a", "blocks"), "blocks");
}

TEST(FindFormat, TheExtensionSelectsTheFormat) {
  EXPECT_EQ(found("a.txt", ""), "rows");
  EXPECT_EQ(found("a.b/c.TEXT", ""), "rows");
  EXPECT_EQ(found("a.txt.bin", ""), "blocks");
}

TEST(FindFormat, TheExtensionBeforeACompressionSelectsTheFormat) {
  EXPECT_EQ(found("a.txt.gz", ""), "rows");
  EXPECT_EQ(found("a.bin.ZST", ""), "blocks");
  EXPECT_EQ(found("a.b/c.text.lz4", ""), "rows");
  EXPECT_EQ(found("a.gz", "rows"), "rows");
  EXPECT_THROW(static_cast<void>(found("a.gz", "")), ConfigError);
  EXPECT_THROW(static_cast<void>(found("a.txt.gz.gz", "")), ConfigError);
}

TEST(FindFormat, ParquetFilesAreReadInPython) {
  for (const char* const path : {"a.parquet", "a/B.Parquet"}) {
    try {
      static_cast<void>(found(path, ""));
      FAIL() << path;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("sheaf.Reader(\"" + std::string(path) + "\")"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(found("a.parquet", "rows"), "rows");
}

TEST(FindWritableFormat, CompressedFilesAreNotWritten) {
  try {
    static_cast<void>(find_writable_format("a.txt.gz", {.format = "rows"}, kFormats));
    FAIL() << "found";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(),
              std::string("a.txt.gz: compressed files are not written; write a.txt, and compress "
                          "that"));
  }
}

TEST(FindFormat, UnknownFormatsAreAnErrorThatListsAllFormats) {
  for (const std::string_view path : {"a", "a.b/c", "a.", "", "a.zip"}) {
    try {
      static_cast<void>(found(path, ""));
      FAIL() << path;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("rows (.text, .txt), blocks (.bin)"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(static_cast<void>(found("a.txt", "columns")), ConfigError);
}

std::unique_ptr<Serializer> refuse_to_create(CreateRequest request) {
  throw ConfigError("created " + std::string(request.sink->name()));
}

TEST(FindWritableFormat, AFormatThatIsReadOnlyIsAnErrorThatListsTheOthers) {
  std::array<Format, 2> formats = kFormats;
  formats[1].create = refuse_to_create;
  EXPECT_EQ(&find_writable_format("a.bin", {}, formats), &formats[1]);
  EXPECT_EQ(&find_writable_format("a", {.format = "blocks"}, formats), &formats[1]);
  Format same = formats[1];  // of two formats with this extension, the one that can be written
  same.extensions = formats[0].extensions;
  const std::array<Format, 2> both = {formats[0], same};
  EXPECT_EQ(&find_writable_format("a.txt", {}, both), &both[1]);
  try {
    static_cast<void>(find_writable_format("a.txt", {}, formats));
    FAIL() << "found";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), std::string("a.txt: rows is read only; what can be written: blocks"));
  }
}

TEST(FindWritableFormat, ANameWithoutAnExtensionGetsTheDefault) {
  std::array<Format, 2> formats = kFormats;
  formats[0].create = refuse_to_create;
  formats[1].create = refuse_to_create;
  formats[1].is_default = true;
  for (const std::string_view path : {"a", "a.b/c", "/a", "../a", ".a", "a.txt/.b", "a b"}) {
    EXPECT_EQ(&find_writable_format(path, {}, formats), &formats[1]) << path;
    EXPECT_EQ(&find_writable_format(path, {.format = "rows"}, formats), &formats[0]) << path;
  }
  EXPECT_EQ(&find_writable_format("a.txt", {}, formats), &formats[0]);
  EXPECT_EQ(&find_writable_format(".txt", {}, formats), &formats[0]) << "a known extension";
  EXPECT_EQ(&find_writable_format("-", {.format = "rows"}, formats), &formats[0]);
  const std::string_view refused[] = {"-", "", "a/", ".", "..", "a.", "a.cft", ".a.cft", "b/a.cft"};
  for (const std::string_view path : refused) {
    EXPECT_EQ(testing::error_of([&] {
                static_cast<void>(find_writable_format(path, {}, formats));
              }).substr(0, path.size() + 35),
              std::string(path) + ": the name does not tell the format")
        << path;
  }
  EXPECT_THROW(static_cast<void>(find_writable_format("a.gz", {}, formats)), ConfigError);
  formats[1].create = nullptr;  // the default format cannot be written
  EXPECT_THROW(static_cast<void>(find_writable_format("a", {}, formats)), ConfigError);
}

TEST(FormatOpen, OpensTheGivenPath) {
  const std::string path = ::testing::TempDir() + "opened.txt";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                             std::fclose);
  ASSERT_TRUE(file);
  try {
    static_cast<void>(open_path(path, {}, {.formats = kFormats}));
    FAIL() << "no format opened the file";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), "opened " + path);
  }
  EXPECT_THROW(static_cast<void>(open_path(path + ".txt", {}, {.formats = kFormats})), IoError);
}

// Opens a CTF file, as a format opens the files that its own file lists.
std::unique_ptr<Deserializer> open_ctf(const std::string& path, const OpenRequest& request) {
  return find_format("", {.format = "ctf"})
      .open({.source = request.context.file_system().open(path),
             .options = {.streams = request.options.streams},
             .context = request.context});
}

// Opens a format whose file lists other files, one in each line, and delivers the data of the last.
std::unique_ptr<Deserializer> open_last(const OpenRequest& request) {
  std::string names(static_cast<std::size_t>(request.source->size()), '\0');
  request.source->read_at(0, std::as_writable_bytes(std::span(names)));
  const std::string last = names.substr(names.rfind('\n') + 1);
  return open_ctf(last, request);
}

TEST(FormatOpen, AFormatCanOpenListedFiles) {
  static constexpr std::array<std::string_view, 1> kListExtensions = {"list"};
  const std::array formats = {
      Format{.name = "last", .description = "", .extensions = kListExtensions, .open = open_last}};
  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "a.ctf", "1 |x 1\n");
  testing::write_file(*files, "b.ctf", "1 |x 1\n2 |x 2\n");
  testing::write_file(*files, "all.list", "a.ctf\nb.ctf");
  const OpenedData opened = open_path("all.list", {}, {.files = files.get(), .formats = formats});
  EXPECT_EQ(opened.data->index().chunk(ChunkIndex{})->sequence_count, 2);
  EXPECT_THROW(static_cast<void>(open_path("all.list", {}, {.formats = formats})), IoError);
}

TEST(FormatOpen, AFormatCanOpenAllFilesTogether) {
  static constexpr std::array<std::string_view, 1> kListExtensions = {"one"};
  const auto open_third = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
    EXPECT_EQ(request.source, nullptr);
    return open_ctf(request.paths.at(2), request);
  };
  std::array formats = {
      Format{.name = "one", .description = "", .extensions = kListExtensions, .open = open_third}};
  formats[0].opens_paths = true;
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const std::string path : {"b.one", "c.one", "a.one"}) {
    testing::write_file(*files, path, path == "a.one" ? "1 |x 1\n2 |x 2\n" : "no rows");
  }
  const DataSpec data{FilesSpec{.files = {"b.one", "c.one", "a*"}}};
  const OpenedData opened = open(data, {.files = files.get(), .formats = formats});
  EXPECT_EQ(opened.data->index().chunk(ChunkIndex{})->sequence_count, 2);
}

TEST(FormatOpen, AFormatCanOpenFolders) {
  static constexpr std::array<std::string_view, 1> kListExtensions = {"one"};
  const auto open_first = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
    EXPECT_EQ(request.source, nullptr);
    EXPECT_EQ(request.paths.size(), 2U);
    return open_ctf(request.paths.front() + "/x", request);
  };
  std::array formats = {
      Format{.name = "one", .description = "", .extensions = kListExtensions, .open = refuse},
      Format{.name = "tree", .description = "", .extensions = {}, .open = open_first},
      Format{.name = "wood", .description = "", .extensions = {}, .open = refuse}};
  formats[1].opens_folders = true;
  formats[2].opens_folders = true;
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* path : {"d1/x", "d2/x", "d1.one/x"}) {
    testing::write_file(*files, path, "1 |x 1\n");
  }
  const OpenContext context{.files = files.get(), .formats = formats};
  const auto count_of = [&](const FilesSpec& spec) {
    return open(DataSpec{spec}, context).data->index().chunk(ChunkIndex{})->sequence_count;
  };
  EXPECT_EQ(count_of({.files = {"d1", "d2"}}), 1);
  EXPECT_EQ(count_of({.files = {"d1.one", "d2"}}), 1) << "a folder's name tells nothing";
  EXPECT_EQ(count_of({.files = {"d1", "none"}, .format = {.format = "tree"}}), 1);
  EXPECT_EQ(find_format("d1", *files, {}, formats).name, "tree");
  EXPECT_EQ(find_format("d1", *files, {.format = "wood"}, formats).name, "wood");
  EXPECT_EQ(find_format("x.one", *files, {}, formats).name, "one");
  EXPECT_EQ(find_format("d1.one", *files, {}, std::span(formats).first(1)).name, "one");
  EXPECT_EQ(
      testing::error_of([&] { static_cast<void>(find_format("x", *files, {}, formats)); }),
      "x: the name does not tell the format; give it by the option `format` (--data-format of "
      "the command; of convert, --from or --to): one (.one), tree (folders), wood "
      "(folders)");
  EXPECT_EQ(testing::error_of([&] { count_of({.files = {"d1"}, .format = {.format = "one"}}); }),
            "d1: cannot open: No such file or directory");
}

TEST(FormatOpen, AMarkerFileSelectsTheFormatOfAFolder) {
  static constexpr std::array<std::string_view, 1> kOneExtensions = {"one"};
  static constexpr std::array<std::string_view, 2> kMarks = {"one.mark", "two.mark"};
  const auto open_first = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
    EXPECT_EQ(request.source, nullptr);
    EXPECT_EQ(request.paths.size(), 1U);
    return open_ctf(request.paths.front() + "/x", request);
  };
  std::array formats = {
      Format{.name = "tree", .description = "", .extensions = {}, .open = refuse},
      Format{.name = "one", .description = "", .extensions = kOneExtensions, .open = open_first}};
  formats[0].opens_folders = true;
  formats[1].opens_paths = true;
  formats[1].folder_marks = kMarks;
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* path : {"d1/x", "d2/x", "d3/x", "d1/one.mark", "d2/two.mark"}) {
    testing::write_file(*files, path, "1 |x 1\n");
  }
  EXPECT_EQ(find_format("d1", *files, {}, formats).name, "one");
  EXPECT_EQ(find_format("d2", *files, {}, formats).name, "one");
  EXPECT_EQ(find_format("d3", *files, {}, formats).name, "tree");
  const OpenContext context{.files = files.get(), .formats = formats};
  const auto count_of = [&](const FilesSpec& spec) {
    return open(DataSpec{spec}, context).data->index().chunk(ChunkIndex{})->sequence_count;
  };
  EXPECT_EQ(count_of({.files = {"d1"}}), 1);
  EXPECT_EQ(count_of({.files = {"d3"}, .format = {.format = "one"}}), 1);
}

TEST(BuiltinFormats, TheDefaultIsRecognizedByItsFirstBytes) {
  EXPECT_EQ(std::ranges::count(builtin_formats(), true, &Format::is_default), 1);
  const Format& format = find_writable_format("a", {});
  EXPECT_TRUE(format.is_default);
  EXPECT_EQ(format.name, "sheaf");
}

TEST(BuiltinFormats, EachIsCompleteAndHasAUniqueName) {
  for (const Format& format : builtin_formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.description.empty()) << format.name;
    EXPECT_EQ(format.extensions.empty(), format.opens_folders) << format.name;
    EXPECT_NE(format.open, nullptr) << format.name;
    EXPECT_EQ(&find_format("", {.format = std::string(format.name)}), &format);
    // The name of a file selects the first of the formats that share an extension.
    for (const std::string_view extension : format.extensions) {
      const auto first = std::ranges::find_if(builtin_formats(), [&](const Format& other) {
        return std::ranges::find(other.extensions, extension) != other.extensions.end();
      });
      EXPECT_EQ(&find_format("a." + std::string(extension), {}), &*first);
    }
  }
}

}  // namespace
}  // namespace sheaf
