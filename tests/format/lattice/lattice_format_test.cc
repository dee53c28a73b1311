// Tests how lattices are recognized, and the names that CNTK used.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/reader.h"

#include "format/lattice/lattice_test_block.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf {
namespace {

using sheaf::testing::error_of;

const Format& lattice_row() { return find_format("a.toc", FormatOptions{}); }

TEST(LatticeFormat, IsRecognizedByTheFirstLine) {
  const auto is_possible = [](std::string_view bytes) {
    return lattice_row().recognize(bytes) == Recognition::possible;
  };
  EXPECT_EQ(lattice_row().name, "lattice");
  EXPECT_TRUE(is_possible(""));
  EXPECT_TRUE(is_possible("\n \r\nu=a.bin[0]\r\nanything"));
  EXPECT_TRUE(is_possible("\xEF\xBB\xBFu=a.bin[0]"));
  EXPECT_TRUE(is_possible("d/a.toc  \nd/b.toc\n"));
  EXPECT_FALSE(is_possible("u=a.bin[0,4]\n"));
  EXPECT_FALSE(is_possible("u=a.bin\n"));
  EXPECT_FALSE(is_possible("1 |x 1\n"));
  EXPECT_FALSE(is_possible(std::string_view("u=a.bin[0]\n\0", 12)));
}

ConfiguredReader reader_of(const std::string& lattices, const std::string& settings = "") {
  return configured_reader(
      Config::from_text("r=[" + settings +
                            ";deserializers=([type=CNTKTextFormatDeserializer;file=x.ctf;"
                            "input=[x=[dim=1;format=dense]]]:[type=LatticeDeserializer;" +
                            lattices + "])]",
                        "a.cntk")
          .section_at("r"));
}

TEST(LatticeFormat, CntkNamesAListAndReadsFloats) {
  const ConfiguredReader reader = reader_of(
      "chunkSizeInBytes=1000;cacheIndex=true;verbosity=2;module=HTKDeserializers;"
      "input=[l=[latticeIndexFile=\"d/lat.index\"]]");
  const auto& members = std::get<JoinSpec>(reader.spec.data.content).members;
  ASSERT_EQ(members.size(), 2U);
  const auto& files = std::get<FilesSpec>(members[1].content);
  EXPECT_EQ(files.files, std::vector<std::string>{"d/lat.index"});
  EXPECT_EQ(files.format.format, "lattice");
  EXPECT_EQ(files.format.extra, (std::map<std::string, std::string>{{"lattice.as", "f32"}}));
  EXPECT_EQ(files.format.chunk_size_bytes, 1000);
  EXPECT_EQ(files.format.keys, KeyType::text);
  EXPECT_EQ(files.format.compatibility, Compatibility::cntk) << "CNTK delivered any bytes";
  ASSERT_EQ(files.format.streams.size(), 1U);
  EXPECT_EQ(files.format.streams[0].name, "l");
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
}

TEST(LatticeFormat, LatticesNeedWholeSequencesAndComeAfterOtherData) {
  const std::string input = "input=[l=[latticeIndexFile=a]]";
  const auto refusal = [](const auto& call) { return error_of<ConfigError>(call); };
  EXPECT_NE(refusal([&] {
              static_cast<void>(reader_of(input, "frameMode=true"));
            }).find("the stream \"l\" has whole sequences only"),
            std::string::npos);
  const std::string first = refusal([&] {
    static_cast<void>(configured_reader(
        Config::from_text("r=[deserializers=([type=LatticeDeserializer;" + input + "])]", "a.cntk")
            .section_at("r")));
  });
  EXPECT_NE(first.find("\"LatticeDeserializer\""), std::string::npos) << first;
  EXPECT_NE(first.find("a deserializer that gives the order"), std::string::npos) << first;
}

/// Returns the delivered sequences of a run: the text of each key, and the bits of the first and
/// the last sample.
std::vector<std::string> delivered(Spec spec, int threads) {
  std::vector<std::string> all;
  spec.read.packing = Layout::padded;  // the samples of a sequence lie together
  Reader reader(spec, {.threads = threads});
  while (const auto minibatch = reader.next()) {
    for (std::int64_t i = 0; i < std::ssize(minibatch->keys()); ++i) {
      const SequenceView view = minibatch->view(1, i);
      const std::string bits(reinterpret_cast<const char*>(view.values),
                             static_cast<std::size_t>(4 * view.value_count));
      all.push_back(std::string(minibatch->key_texts()[static_cast<std::size_t>(i)]) + ' ' +
                    bits.substr(0, 4) + std::to_string(bits.size()) + bits.substr(bits.size() - 4));
    }
  }
  return all;
}

TEST(LatticeFormat, CntkConfigurationsJoinLatticesByKey) {
  TestFolder folder;
  const std::string first = lattice::testing::block();
  const std::string second = lattice::testing::block({.nodes = 4});
  folder.write("x.ctf", "u2 |x 2\nu1 |x 1\nu0 |x 0\n");
  folder.write("lat.index", "1.toc  \n2.toc\n");
  folder.write("1.toc", "u0=a.bin[0]\nu1=[" + std::to_string(first.size()) + "]\n");
  folder.write("a.bin", first + second);
  folder.write("2.toc", "u3=b.bin[0]\nu2=[" + std::to_string(second.size()) + "]\n");
  folder.write("b.bin", second + first);
  const auto spec = [&](const std::string& order) {
    const std::string words[] = {
        "currentDirectory=" + folder.path(""),
        "r=[" + order +
            ";useNumericSequenceKeys=false;deserializers=([type=CNTKTextFormatDeserializer;"
            "file=x.ctf;input=[x=[dim=1;format=dense;definesMBSize=true]]]:"
            "[type=LatticeDeserializer;input=[l=[latticeIndexFile=lat.index]]])]"};
    return configured_reader(Config::from_words(words).section_at("r")).spec;
  };
  using std::string_literals::operator""s;
  EXPECT_EQ(delivered(spec("randomize=false"), 1),
            (std::vector<std::string>{"u2 LAT 108D \0\0"s, "u1 LAT 108END ", "u0 LAT 108D \0\0"s}));
  const std::vector<std::string> shuffled = delivered(spec("randomize=true"), 1);
  EXPECT_EQ(shuffled.size(), 3U);
  for (const int threads : {2, 8}) {
    EXPECT_EQ(delivered(spec("randomize=true"), threads), shuffled) << threads;
  }
}

}  // namespace
}  // namespace sheaf
