// The row of the table: which files are lattices, and what CNTK called them.

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "support/error_of.h"

namespace sheaf {
namespace {

using sheaf::testing::error_of;

const Format& lattice_row() { return find_format("a.toc", FormatOptions{}); }

TEST(LatticeFormat, TheFirstLineTells) {
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
  ASSERT_EQ(files.format.streams.size(), 1U);
  EXPECT_EQ(files.format.streams[0].name, "l");
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
}

TEST(LatticeFormat, LatticesAreWholeSequencesBehindOtherData) {
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

}  // namespace
}  // namespace sheaf
