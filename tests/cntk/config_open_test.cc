#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "support/test_folder.h"

namespace sheaf {
namespace {

/// The files of a configuration, in a folder that its paths begin with.
class ConfigOpen : public ::testing::Test {
 protected:
  [[nodiscard]] Spec spec_of(const std::string& section) const {
    const std::string words[] = {"currentDirectory=" + folder_.path(""), "r=[" + section + "]"};
    return configured_reader(Config::from_words(words).section_at("r")).spec;
  }

  TestFolder folder_;
};

std::string keys_of(Reader& reader) {
  std::string keys;
  while (const auto minibatch = reader.next()) {
    for (const SequenceKey& key : minibatch->keys()) keys += to_string(key) + ' ';
  }
  return keys;
}

TEST_F(ConfigOpen, AReaderFollowsTheSection) {
  folder_.write("a.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  const Spec section = spec_of(
      "file=a.ctf;randomize=false;input=[x=[dim=1;"
      "format=dense]]");
  Reader reader(section);
  ASSERT_EQ(reader.streams().size(), 1);
  EXPECT_EQ(keys_of(reader), "1 2 3 ");
}

TEST_F(ConfigOpen, FilesOfAListFollowEachOther) {
  folder_.write("a1.ctf", "1 |x 1\n");
  folder_.write("a2.ctf", "2 |x 2\n");
  const std::string rest = "randomize=false;input=[x=[dim=1;format=dense]]";
  Reader list(spec_of("file=(a2.ctf:a1.ctf);" + rest));
  EXPECT_EQ(keys_of(list), "2 1 ");
  Reader pattern(spec_of("file=\"a*.ctf\";" + rest));
  EXPECT_EQ(keys_of(pattern), "1 2 ");
}

TEST_F(ConfigOpen, DeserializersAreJoinedByKey) {
  folder_.write("a.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  folder_.write("b.ctf", "3 |y 30\n1 |y 10\n");
  const std::string both =
      "randomize=false;deserializers=("
      "[type=CNTKTextFormatDeserializer;file=a.ctf;input=[x=[dim=1;format=dense]]]:"
      "[type=CNTKTextFormatDeserializer;file=b.ctf;input=[y=[dim=1;format=dense]]])";
  Reader reader(spec_of(both));
  EXPECT_EQ(reader.streams().size(), 2);
  EXPECT_EQ(keys_of(reader), "1 3 ");
  EXPECT_FALSE(reader.warnings().empty());
  Reader strict(spec_of("maxErrors=0;" + both), {.memory_limit_bytes = 1 << 26});
  EXPECT_EQ(keys_of(strict), "1 3 ");
  EXPECT_THROW(Reader(spec_of("missingSequences=error;" + both)), DataError);
}

constexpr std::string_view kFramesAndLabels =
    "deserializers=([type=CNTKTextFormatDeserializer;file=x.ctf;input=[x=[dim=1;format=dense]]]:"
    "[type=HTKMLFDeserializer;input=[y=[mlfFileList=a.mlf:b.mlf;labelMappingFile=states.list;"
    "labelDim=3;phoneBoundaries=true]]])";

TEST_F(ConfigOpen, MasterLabelFilesAreJoinedByTheirTextKeys) {
  folder_.write("x.ctf", "u1 |x 1\nu1 |x 2\nd/u2 |x 3\nu3 |x 4\n");
  folder_.write("a.mlf", "#!MLF!#\n\"u1.lab\"\n0 100000 a\n100000 200000 b\n.\n");
  folder_.write("b.mlf", "#!MLF!#\n\"d/u2.lab\"\n0 1 c x\n.\n\"u1.lab\"\n0 1 c\n.\nu3.lab\n.\n");
  folder_.write("states.list", "a\nb\nc\n");
  Reader reader(spec_of("randomize=false;" + std::string(kFramesAndLabels)));
  const auto minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(std::vector<std::string>(minibatch->key_texts().begin(), minibatch->key_texts().end()),
            (std::vector<std::string>{"u1", "d/u2"}));
  ASSERT_EQ(reader.streams()[1].sample_shape, Shape{3});
  const StreamBatch& labels = minibatch->batch(1);
  const auto indices = labels.indices.as<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(indices.begin(), indices.end()),
            (std::vector<std::int32_t>{0, 2, 1}))
      << "the first frame of both, and the second";
  const auto values = labels.values.as<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{2, 2, 2}));
}

TEST_F(ConfigOpen, MaxErrorsOfTheSectionAreTolerated) {
  folder_.write("a.ctf", "1 |x 1\n2 |x ?\n3 |x 3\n");
  const std::string rest = "file=a.ctf;randomize=false;input=[x=[dim=1;format=dense]]";
  Reader strict(spec_of(rest));
  EXPECT_THROW(keys_of(strict), DataError);
  Reader more(spec_of(rest), {.max_errors = 1});
  EXPECT_EQ(keys_of(more), "1 3 ");
  Reader any(spec_of("maxErrors=-1;" + rest), {.max_errors = 1});
  EXPECT_EQ(keys_of(any), "1 3 ");
}

}  // namespace
}  // namespace sheaf
