#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/open.h"
#include "sheaf/reader.h"
#include "sheaf/writer.h"

#include "support/text_data.h"
#include "support/tree_of.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using testing::text_of;
using testing::write_file;
using Names = std::vector<std::string>;

TEST(MemoryFiles, AFileExistsOnceItIsFinished) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::unique_ptr<ByteSink> sink = files->create("d/a");
  sink->write(std::as_bytes(std::span("text", 4)));
  EXPECT_FALSE(files->exists("d/a"));
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)files->open("d/a"); }),
            "d/a: cannot open: No such file or directory");
  sink->finish();
  EXPECT_TRUE(files->exists("d/a"));
  EXPECT_TRUE(files->exists("d"));
  EXPECT_TRUE(files->is_same_file("d/a", "d/../d/./a"));
  const std::shared_ptr<const ByteSource> source = files->open("./d/a");
  EXPECT_EQ(source->path(), "./d/a");
  EXPECT_EQ(text_of(*source), "text");
}

TEST(MemoryFiles, ASourceKeepsItsBytesAfterReplacement) {
  std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", "first");
  const std::shared_ptr<const ByteSource> source = files->open("a");
  write_file(*files, "a", "second");
  EXPECT_EQ(text_of(*source), "first");
  EXPECT_EQ(text_of(*files->open("a")), "second");
  files->remove("a");
  files->remove("a");
  EXPECT_FALSE(files->exists("a"));
  files.reset();
  EXPECT_EQ(text_of(*source), "first");
}

TEST(MemoryFiles, ReplaceOnlyReplaceableFiles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const FileOptions refuse = {.existing = Existing::refuse};
  const std::unique_ptr<ByteSink> late = files->create("d/a", refuse);
  write_file(*files, "d/a", "text");
  EXPECT_THROW(late->finish(), IoError);
  EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)files->create("d/a", refuse); }),
            "d/a: exists already, and is not to be replaced");
  EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)files->create("d"); }),
            "d: cannot be written: not a regular file but a directory");
  EXPECT_EQ(text_of(*files->open("d/a")), "text");
  EXPECT_TRUE(check_output_path(*files, "d/a"));
  EXPECT_FALSE(check_output_path(*files, "d/b", Names{"d/a"}));
  EXPECT_EQ(
      testing::error_of<ConfigError>([&] { check_output_path(*files, "d/a", Names{"./d/a"}); }),
      "d/a: is the file that is read; write another one");
}

TEST(MemoryFiles, PatternsMatchAsOnTheSystem) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* path : {"d/a10", "d/a1", "d/a2", "d/.a1", "d/e/a1", "b1"}) {
    write_file(*files, path, "");
  }
  EXPECT_EQ(files->list("d/a*"), (Names{"d/a1", "d/a10", "d/a2"}));
  EXPECT_EQ(files->list("./d/a?"), (Names{"d/a1", "d/a2"}));
  EXPECT_EQ(files->list("d/*"), (Names{"d/a1", "d/a10", "d/a2"}));
  EXPECT_EQ(files->list("*/[!.]?"), (Names{"d/a1", "d/a2"}));
  EXPECT_EQ(files->list("d/\\*"), Names{});
  EXPECT_EQ(find_files(Names{"d/a?", "b1"}, *files), (Names{"d/a1", "d/a2", "b1"}));
  EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)find_files(Names{"c*"}, *files); }),
            "c*: no file has such a name");
}

TEST(MemoryFiles, ATreeIsWalkedInPathOrder) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* path : {"d/b/1", "d/a/x/2", "d/a.1", "d/a/1", "d/.h/1", "d/a/.h", "e", "d-1"}) {
    write_file(*files, path, std::string(path) == "e" ? "" : std::string(path).substr(2));
  }
  const Names expected = {"a.1 3", "a/", "a/1 3", "a/x/", "a/x/2 5", "b/", "b/1 3"};
  EXPECT_EQ(testing::tree_of(*files, "d"), expected);
  EXPECT_EQ(testing::tree_of(*files, "./e/../d/"), expected);
  EXPECT_EQ(testing::tree_of(*files, "d/a/x"), Names{"2 5"});
  EXPECT_EQ(testing::tree_of(*files, ".").size(), 10U);
  EXPECT_TRUE(files->is_folder("d/"));
  EXPECT_TRUE(files->is_folder("."));
  EXPECT_FALSE(files->is_folder("e"));
  EXPECT_FALSE(files->is_folder("f"));
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)testing::tree_of(*files, "e"); }),
            "e: cannot list: Not a directory");
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)testing::tree_of(*files, "f"); }),
            "f: cannot list: No such file or directory");
}

/// Returns the keys of all sequences in order, and the path of the index file, if any.
std::string keys_of(const std::string& path, FileSystem& files, IndexMode mode) {
  ReaderOptions options;
  options.format.index.mode = mode;
  Reader reader(path, options, {.files = &files});
  std::string keys;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) keys += std::to_string(key.low) + ' ';
  }
  return keys;
}

TEST(MemoryFiles, DataAreReadAndTheirIndexFileLiesBesideThem) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/a.ctf", "1 |x 1 2\n2 |x 3 4\n3 |x 5 6\n");
  EXPECT_EQ(keys_of("d/a.ctf", *files, IndexMode::automatic), "1 2 3 ");
  EXPECT_FALSE(files->exists("d/a.ctf.sheaf-index"));
  EXPECT_THROW(keys_of("d/a.ctf", *files, IndexMode::require), ConfigError);
  EXPECT_EQ(keys_of("d/a.ctf", *files, IndexMode::rebuild), "1 2 3 ");
  EXPECT_TRUE(files->exists("d/a.ctf.sheaf-index"));
  EXPECT_EQ(keys_of("d/a.ctf", *files, IndexMode::require), "1 2 3 ");

  write_file(*files, "d/a.ctf.sheaf-index", "other people's text");
  EXPECT_EQ(keys_of("d/a.ctf", *files, IndexMode::rebuild), "1 2 3 ");
  EXPECT_EQ(text_of(*files->open("d/a.ctf.sheaf-index")), "other people's text");
}

TEST(MemoryFiles, DataAreConvertedWithoutADisk) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "part-1.ctf", "1 |x 1 2\n2 |x 3 4\n");
  write_file(*files, "part-2.ctf", "3 |x 5 6\n");
  const std::shared_ptr<const Deserializer> data =
      open_path("part-*.ctf", {}, {.files = files.get()}).data;
  WriterOptions options;
  options.files = files.get();
  Writer writer("all.cbf", data->streams(), options);
  for (ChunkIndex i{}; const auto info = data->index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const auto table = data->index().sequences(i);
    std::vector<SequenceKey> keys;
    for (std::int64_t k = 0; k < table->size(); ++k) keys.push_back(table->key(k));
    writer.write(keys, data->read({i, 0, info->sequence_count}, diagnostics));
  }
  EXPECT_FALSE(files->exists("all.cbf"));
  writer.finish();
  EXPECT_EQ(data->index().chunk(ChunkIndex{1})->sequence_count, 1);
  EXPECT_EQ(files->list("*.cbf"), Names{"all.cbf"});
  EXPECT_EQ(open_path("all.cbf", {}, {.files = files.get()}).data->streams().size(), 1U);
}

}  // namespace
}  // namespace sheaf
