#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"

#include "config/config_text.h"
#include "io/test_folder.h"
#include "reader/fake_deserializer.h"

namespace sheaf {
namespace {

using testing::error_of;

/// Files for a configuration, in a folder that its paths begin at.
class ConfigOpen : public ::testing::Test {
 protected:
  [[nodiscard]] ConfiguredReader reader_of(const std::string& section) const {
    const std::string words[] = {"currentDirectory=" + folder_.path(""), "r=[" + section + "]"};
    return configured_reader(Config::from_words(words).section_at("r"));
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

TEST_F(ConfigOpen, AReaderDeliversWhatTheSectionAsksFor) {
  folder_.write("a.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  const ConfiguredReader section = reader_of(
      "file=a.ctf;randomize=false;input=[x=[dim=1;"
      "format=dense]]");
  Reader reader = make_reader(section);
  ASSERT_EQ(reader.streams().size(), 1);
  EXPECT_EQ(keys_of(reader), "1 2 3 ");
}

TEST_F(ConfigOpen, FilesOfAListFollowEachOther) {
  folder_.write("a1.ctf", "1 |x 1\n");
  folder_.write("a2.ctf", "2 |x 2\n");
  const std::string rest = "randomize=false;input=[x=[dim=1;format=dense]]";
  Reader list = make_reader(reader_of("file=(a2.ctf:a1.ctf);" + rest));
  EXPECT_EQ(keys_of(list), "2 1 ");
  Reader pattern = make_reader(reader_of("file=\"a*.ctf\";" + rest));
  EXPECT_EQ(keys_of(pattern), "1 2 ");
}

TEST_F(ConfigOpen, DeserializersAreJoinedByKey) {
  folder_.write("a.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  folder_.write("b.ctf", "3 |y 30\n1 |y 10\n");
  const std::string both =
      "randomize=false;deserializers=("
      "[type=CNTKTextFormatDeserializer;file=a.ctf;input=[x=[dim=1;format=dense]]]:"
      "[type=CNTKTextFormatDeserializer;file=b.ctf;input=[y=[dim=1;format=dense]]])";
  Reader reader = make_reader(reader_of(both));
  EXPECT_EQ(reader.streams().size(), 2);
  EXPECT_EQ(keys_of(reader), "1 3 ");
  EXPECT_FALSE(reader.warnings().empty());
  Reader strict = make_reader(reader_of("maxErrors=0;" + both), {.memory_limit_bytes = 1 << 26});
  EXPECT_EQ(keys_of(strict), "1 3 ");
  EXPECT_THROW(static_cast<void>(make_reader(reader_of("missingSequences=error;" + both))),
               DataError);
}

TEST_F(ConfigOpen, ErrorsThatTheSectionToleratesAreTolerated) {
  folder_.write("a.ctf", "1 |x 1\n2 |x ?\n3 |x 3\n");
  const std::string rest = "file=a.ctf;randomize=false;input=[x=[dim=1;format=dense]]";
  Reader strict = make_reader(reader_of(rest));
  EXPECT_THROW(keys_of(strict), DataError);
  Reader more = make_reader(reader_of(rest), {.max_errors = 1});
  EXPECT_EQ(keys_of(more), "1 3 ");
  Reader any = make_reader(reader_of("maxErrors=-1;" + rest), {.max_errors = 1});
  EXPECT_EQ(keys_of(any), "1 3 ");
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(max_errors_of(reader_of("maxErrors=-1;" + rest), 1), kMax);
  EXPECT_EQ(max_errors_of(reader_of("maxErrors=2;" + rest), kMax), kMax);
  EXPECT_EQ(max_errors_of(reader_of("maxErrors=2;" + rest), 3), 5);
  EXPECT_EQ(
      error_of([&] { (void)make_reader(reader_of("maxErrors=2;" + rest), {.max_errors = -1}); }),
      "max_errors must be 0 or more: got -1");
}

TEST_F(ConfigOpen, DataThatAreOpenAlreadyStandInPlaceOfFiles) {
  folder_.write("a.ctf", "1 |x 1\n2 |x 2\n3 |x 3\n");
  ConfiguredReader plan;
  plan.data.resize(1);
  testing::FakeData fake;
  fake.lengths = {{1, 1}, {1}};
  fake.keys = {{{0, 0}, SequenceKey{3}}, {{0, 1}, SequenceKey{2}}};
  plan.data[0].opened = {std::make_shared<testing::FakeDeserializer>(fake), "fake"};
  Reader alone = make_reader(plan);
  EXPECT_EQ(keys_of(alone), "3 2 2000 ");

  ConfiguredFiles& files = plan.data.emplace_back();
  files.paths = {folder_.path("a.ctf")};
  files.format.streams = {{.name = "features", .alias = "x", .sample_shape = Shape{1}}};
  Reader joined = make_reader(plan);
  EXPECT_EQ(keys_of(joined), "3 2 ");
  EXPECT_EQ(joined.streams().size(), 3U);
}

TEST_F(ConfigOpen, NoDataIsRefused) {
  EXPECT_EQ(error_of([] { static_cast<void>(open_data(ConfiguredReader{})); }),
            "data: a reader needs at least one deserializer");
}

}  // namespace
}  // namespace sheaf
