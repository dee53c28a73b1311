#include "sheaf/open.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "cntk/config_text.h"
#include "support/fake_deserializer.h"
#include "support/test_folder.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string keys_of(Reader reader) {
  std::string keys;
  while (const auto minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) keys += to_string(key) + ' ';
  }
  return keys;
}

/// Files, and specs that read them.
class Open : public ::testing::Test {
 protected:
  Open() {
    folder_.write("a1.ctf", "1 |x 1\n2 |x 2\n");
    folder_.write("a2.ctf", "3 |x 3\n");
    folder_.write("b.ctf", "3 |y 30\n1 |y 10\n");
  }

  [[nodiscard]] Spec spec(std::string_view json) const {
    return parse_spec(json, "s.json", folder_.path(""));
  }

  TestFolder folder_;
};

TEST_F(Open, APatternConcatenatesItsFiles) {
  EXPECT_EQ(keys_of(Reader(spec(R"({"data": {"files": "a*.ctf"}})"))), "1 2 3 ");
  EXPECT_EQ(keys_of(Reader(spec(R"({"data": {"files": ["a2.ctf", "a1.ctf"]}})"))), "3 1 2 ");
}

TEST_F(Open, MembersOfAConcatenationFollowEachOther) {
  const Spec both =
      spec(R"({"data": {"concatenate": [{"files": "a2.ctf"}, {"files": "a1.ctf"}]}})");
  EXPECT_EQ(keys_of(Reader(both)), "3 1 2 ");
  EXPECT_EQ(open(both).name, folder_.path("a2.ctf") + ", " + folder_.path("a1.ctf"));
}

TEST_F(Open, ThePrimaryOfAJoinGivesTheOrder) {
  const std::string members = R"("join": [{"files": "a*.ctf"}, {"files": "b.ctf"}])";
  EXPECT_EQ(keys_of(Reader(spec(R"({"data": {)" + members + "}}"))), "1 3 ");
  const Spec second = spec(R"({"data": {)" + members + R"(, "primary": 1}})");
  EXPECT_EQ(keys_of(Reader(second)), "3 1 ");
  const OpenedData opened = open(second);
  ASSERT_EQ(opened.members.size(), 2U);
  EXPECT_EQ(opened.members[1].data->streams()[0].name, "y");
}

TEST_F(Open, FilesHaveTheFormatThatOpensThem) {
  const auto opened = [&](const std::string& data) {
    return open(spec("{\"data\": " + data + "}"));
  };
  EXPECT_EQ(opened(R"({"files": "b.ctf"})").format, "ctf");
  EXPECT_EQ(opened(R"({"files": "a*.ctf"})").format, "ctf");
  folder_.write("c.jsonl", "{\"z\": 1.5}\n");  // manifests have this extension, too
  EXPECT_EQ(opened(R"({"files": "c.jsonl"})").format, "jsonl");
  const OpenedData joined = opened(R"({"join": [{"files": "a*.ctf"}, {"files": "b.ctf"}]})");
  EXPECT_EQ(joined.format, "");
  ASSERT_EQ(joined.members.size(), 2U);
  EXPECT_EQ(joined.members[0].format, "ctf");
  EXPECT_EQ(joined.members[1].format, "ctf");
  EXPECT_EQ(opened(R"({"concatenate": [{"files": "a1.ctf"}, {"files": "a2.ctf"}]})").format, "");
}

TEST_F(Open, TheWindowFitsTheChunksThatGiveTheOrder) {
  const OpenedData joined = open(spec(
      R"({"data": {"join": [{"files": "a*.ctf"}, {"files": "b.ctf", "chunk_size": 1048576}],
                   "primary": 1}})"));
  EXPECT_EQ(joined.window_chunks, 4096);
  ASSERT_EQ(joined.members.size(), 2U);
  EXPECT_EQ(joined.members[0].window_chunks, 128);  // 4 GiB in chunks of 32 MiB
  EXPECT_EQ(joined.members[1].window_chunks, 4096);
  EXPECT_EQ(OpenedData{}.window_chunks, 128);
}

TEST_F(Open, TheMemoryLimitChangesNothing) {
  const Spec join = spec(
      R"({"data": {"join": [{"files": "a*.ctf"}, {"files": "b.ctf"}]},
           "read": {"order": "keyed"}})");
  const std::string all = keys_of(Reader(join));
  EXPECT_EQ(keys_of(Reader(join, {.memory_limit_bytes = 1 << 26})), all);
  EXPECT_EQ(keys_of(Reader(join, {.threads = 3})), all);
}

TEST_F(Open, EveryReaderDividesTheMemoryEqually) {
  folder_.write("row.ctf", "1 |x 1" + std::string(3'000'000, ' ') + "\n2 |x 1\n");
  const RunOptions run{.memory_limit_bytes = 8 << 20};
  const std::string path = folder_.path("row.ctf");
  // The same error for options and for specs.
  const std::string refusal =
      "memory limit: the index may take 1048576 bytes, too few for the row at byte 0 of " + path +
      ", which has 3000006: raise memory_limit (--memory-limit) to 24000048 or more, and further "
      "for several files";
  const StreamOptions x{.name = "x", .sample_shape = Shape{1}};
  for (const OrderAlgorithm order : {OrderAlgorithm::file, OrderAlgorithm::keyed}) {
    ReaderOptions options{.format = {.streams = {x}}, .order = {.algorithm = order}, .run = run};
    EXPECT_EQ(error_of([&] { keys_of(Reader(path, options)); }), refusal);
    const Spec said{.data = {FilesSpec{.files = {path}, .format = options.format}},
                    .read = {.order = options.order}};
    EXPECT_EQ(error_of([&] { keys_of(Reader(said, run)); }), refusal);
    options.format.index.memory_limit_bytes = 1 << 30;  // the smaller limit applies
    EXPECT_EQ(error_of([&] { keys_of(Reader(path, options)); }), refusal);
    options.run.memory_limit_bytes = {};
    options.format.index.memory_limit_bytes = 1 << 20;
    EXPECT_EQ(error_of([&] { keys_of(Reader(path, options)); }), refusal);
  }
}

TEST_F(Open, AReaderOfAPathAcceptsPatternsAndFileSystems) {
  EXPECT_EQ(keys_of(Reader(folder_.path("a*.ctf"), ReaderOptions{})), "1 2 3 ");
  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "m.ctf", "7 |x 1\n");
  EXPECT_EQ(keys_of(Reader("m.ctf", ReaderOptions{}, {.files = files.get()})), "7 ");
  EXPECT_THROW(keys_of(Reader("m.ctf", ReaderOptions{})), IoError);
}

TEST_F(Open, ObjectsAreReadByName) {
  testing::FakeData fake;
  fake.lengths = {{1, 1}, {1}};
  fake.keys = {{{0, 0}, SequenceKey{3}}, {{0, 1}, SequenceKey{2}}};
  OpenContext context;
  context.objects["mine"] = {std::make_shared<testing::FakeDeserializer>(fake), "fake"};
  const Spec alone = spec(R"({"data": {"object": "mine"}})");
  EXPECT_EQ(keys_of(Reader(alone, {}, context)), "3 2 2000 ");
  const Spec joined = spec(
      R"({"data": {"join": [{"object": "mine"},
          {"files": "a*.ctf", "streams": [{"name": "z", "alias": "x"}]}]}})");
  EXPECT_EQ(keys_of(Reader(joined, {}, context)), "3 2 ");
  EXPECT_EQ(error_of([&] { static_cast<void>(open(alone)); }),
            "data: no object is called \"mine\"; the program gives none");
}

TEST_F(Open, MaxErrorsOfSpecAndRunAddUp) {
  folder_.write("wrong.ctf", "1 |x 1\n2 |x ?\n3 |x ?\n4 |x 4\n");
  const Spec one = spec(R"({"data": {"files": "wrong.ctf",
      "streams": [{"name": "x", "shape": 1}]}, "read": {"max_errors": 1}})");
  EXPECT_THROW(keys_of(Reader(one)), DataError);
  EXPECT_EQ(keys_of(Reader(one, {.max_errors = 1})), "1 4 ");
  EXPECT_EQ(error_of([&] { Reader reader(one, {.max_errors = -1}); }),
            "max_errors must be 0 or more: got -1");
}

TEST_F(Open, AReaderCanBeReassignedWhileItsThreadsRun) {
  const Spec both = spec(R"({"data": {"files": "a*.ctf"}, "read": {"sweeps": "endless"}})");
  Reader reader(both, {.threads = 2});
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(reader.next());
    reader = Reader(both, {.threads = 2});
  }
  EXPECT_TRUE(reader.next());
}

TEST_F(Open, AnEmptyListOfMembersIsRefused) {
  EXPECT_EQ(error_of([] { static_cast<void>(open(DataSpec{JoinSpec{}})); }),
            "data: a join, a concatenation or a mixture needs at least one member");
}

}  // namespace
}  // namespace sheaf
