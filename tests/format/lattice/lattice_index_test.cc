#include "format/lattice/lattice_index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::lattice {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;

/// Tables and archives in memory. An index never reads blocks.
class LatticeIndexTest : public ::testing::Test {
 protected:
  LatticeIndexTest() {
    write("a.bin", std::string(10, 'a'));
    write("b.bin", std::string(6, 'b'));
  }

  void write(const std::string& path, const std::string& bytes) {
    write_file(*files_, path, bytes);
  }

  [[nodiscard]] std::unique_ptr<LatticeIndex> open(const std::string& text,
                                                   FormatOptions options = {}) {
    write("l.toc", text);
    options.keys = KeyType::text;
    options_ = read_options_of(options);
    return std::make_unique<LatticeIndex>(files_->open("l.toc"), options_, *files_);
  }

  /// Returns the first line of the error that opening throws.
  [[nodiscard]] std::string refusal(const std::string& text) {
    const std::string error = error_of<DataError>([&] { static_cast<void>(open(text)); });
    return error.substr(0, error.find('\n'));
  }

  /// Returns a line for each chunk, with the key, offset and size of each lattice.
  [[nodiscard]] static std::string told(const LatticeIndex& index) {
    std::string text;
    for (ChunkIndex number{}; index.chunk(number); number = next(number)) {
      const ChunkInfo info = *index.chunk(number);
      const auto table = index.sequences(number);
      text += std::to_string(info.offset_bytes) + '+' + std::to_string(info.size_bytes) + ':';
      for (std::int64_t i = 0; i < table->size(); ++i) {
        const SourceLocation location = *table->location(i);
        const std::int64_t end =
            i + 1 < table->size() ? table->offset_bytes(i + 1) : info.size_bytes;
        EXPECT_EQ(table->key(i), key_of_text(index.key_text(number, i)));
        text += ' ' + std::string(index.key_text(number, i)) + '=' +
                index.source_name(location.source) + '[' + std::to_string(location.offset_bytes) +
                '+' + std::to_string(end - table->offset_bytes(i)) + ']';
      }
      text += '\n';
    }
    return text;
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
  ReadOptions options_;
};

constexpr const char* kText = "u=a.bin[0]\nv=[4]\r\n\nw=a.bin[9] \n \nx=b.bin[0]\ny=[5]";

TEST_F(LatticeIndexTest, ALatticeEndsAtTheNextOneOfItsArchive) {
  EXPECT_EQ(told(*open(kText)),
            "0+16: u=a.bin[0+4] v=a.bin[4+5] w=a.bin[9+1] x=b.bin[0+5] y=b.bin[5+1]\n");
}

TEST_F(LatticeIndexTest, ChunksAreConsecutiveLatticesUpToASize) {
  EXPECT_EQ(told(*open(kText, {.chunk_size_bytes = 9})),
            "0+9: u=a.bin[0+4] v=a.bin[4+5]\n9+7: w=a.bin[9+1] x=b.bin[0+5] y=b.bin[5+1]\n");
  EXPECT_EQ(told(*open(kText, {.chunk_size_bytes = 8})),
            "0+4: u=a.bin[0+4]\n4+6: v=a.bin[4+5] w=a.bin[9+1]\n"
            "10+6: x=b.bin[0+5] y=b.bin[5+1]\n");
  EXPECT_EQ(told(*open("u=a.bin[0]\nv=[9]\n", {.chunk_size_bytes = 1})),
            "0+9: u=a.bin[0+9]\n9+1: v=a.bin[9+1]\n")
      << "a larger lattice has a chunk of its own";
}

TEST_F(LatticeIndexTest, SamplesCountLatticesOrFloats) {
  EXPECT_EQ(open(kText)->chunk(ChunkIndex{})->sample_count, 5);
  FormatOptions options;
  options.extra["lattice.as"] = "f32";
  const auto index = open(kText, options);
  EXPECT_EQ(index->chunk(ChunkIndex{})->sample_count, 1 + 2 + 1 + 2 + 1);
  EXPECT_EQ(index->sequences(ChunkIndex{})->sample_count(1), 2);
}

TEST_F(LatticeIndexTest, AListMayNameTables) {
  write("d/1.toc", "u=a.bin[0]\n");
  write("2.toc", "v=b.bin[0]\nw=a.bin[0]\nx=[3]\n");
  const std::string expected = "0+26: u=a.bin[0+10] v=b.bin[0+6] w=a.bin[0+3] x=a.bin[3+7]\n";
  EXPECT_EQ(told(*open("d/1.toc  \r\n\n2.toc\t\n")), expected);
  EXPECT_EQ(told(*open("\xEF\xBB\xBF"
                       "d/1.toc\n2.toc")),
            expected)
      << "with a byte order mark";
  write("d/n=[1].toc", "u=b.bin[0]");
  EXPECT_EQ(told(*open("2.toc\nd/n=[1].toc\n")).substr(0, 5), "0+22:");
  write("k=1/a.toc", "u=b.bin[0]");
  EXPECT_EQ(told(*open("k=1/a.toc")), "0+6: u=b.bin[0+6]\n") << "a file that is there is a table";
}

TEST_F(LatticeIndexTest, EachTableMustNameAnArchive) {
  write("1.toc", "u=a.bin[0]\n");
  write("2.toc", "v=[4]\n");
  EXPECT_EQ(refusal("1.toc\n2.toc\n"),
            "2.toc:1:3: error: expected an archive in the first line of a table, found none "
            "[lattice-archive]");
}

TEST_F(LatticeIndexTest, PathsMayStartAtTheTable) {
  write("d/1.toc", "u=c.bin[0]\nv=a.bin[0]\n");
  write("d/c.bin", "ccc");
  EXPECT_EQ(told(*open("d/1.toc\n")), "0+13: u=d/c.bin[0+3] v=a.bin[0+10]\n");
}

TEST_F(LatticeIndexTest, OnlyTheFirstOfEqualKeysIsRead) {
  const auto index = open("u=a.bin[0]\nv=[4]\nu=[6]\nu=b.bin[0]\nw=[2]\n");
  EXPECT_EQ(told(*index), "0+10: u=a.bin[0+4] v=a.bin[4+2] w=b.bin[2+4]\n");
  ASSERT_EQ(index->warnings().size(), 1U);
  EXPECT_EQ(to_string(index->warnings()[0]),
            "l.toc:3:1: warning: expected keys that differ, found 2 lattices with the key of an "
            "earlier one; they are left out, the first is here [lattice-repeated-key]\n"
            "  u=[6]\n"
            "  ^");
  EXPECT_EQ(index->warnings()[0].count, 2);
  const auto one = open("u=a.bin[0]\nu=[4]\n");
  ASSERT_EQ(one->warnings().size(), 1U);
  EXPECT_EQ(one->warnings()[0].found,
            "a lattice with the key of an earlier one: the later one is left out");
  EXPECT_TRUE(open(kText)->warnings().empty());
}

TEST_F(LatticeIndexTest, ALatticeHasLessThan50000000Bytes) {
  write("a.bin", std::string(50'000'002, 'a'));
  EXPECT_EQ(told(*open("u=a.bin[0]\nv=[3]\n")),
            "0+3: u=a.bin[0+3]\n3+49999999: v=a.bin[3+49999999]\n");
  EXPECT_EQ(refusal("u=a.bin[0]\nv=[2]\n"),
            "l.toc:2:4: error: expected a lattice of less than 50000000 bytes, found 50000000 "
            "bytes up to "
            "50000002 [lattice-size]");
}

TEST_F(LatticeIndexTest, NumericKeysAreNumbers) {
  write("n.toc", "7=a.bin[0]\n18446744073709551615=[4]\n007=[5]\n");
  const ReadOptions options = read_options_of({});
  const LatticeIndex index(files_->open("n.toc"), options, *files_);
  const auto table = index.sequences(ChunkIndex{});
  ASSERT_EQ(table->size(), 2);
  EXPECT_EQ(table->key(0), SequenceKey{.low = 7});
  EXPECT_EQ(table->key(1), SequenceKey{.low = UINT64_MAX});
  EXPECT_EQ(index.key_text(ChunkIndex{}, 0), "");
  EXPECT_EQ(index.warnings().size(), 1U) << "007 is 7";
}

TEST_F(LatticeIndexTest, TheFingerprintDependsOnTablesAndArchives) {
  const std::string before = open(kText)->fingerprint();
  EXPECT_EQ(open(kText)->fingerprint(), before);
  write("b.bin", "bbbbbc");
  const std::string after = open(kText)->fingerprint();
  EXPECT_NE(after, before);
  EXPECT_NE(open("u=a.bin[0]\nx=b.bin[0]\ny=[5]")->fingerprint(), after);
}

}  // namespace
}  // namespace sheaf::lattice
