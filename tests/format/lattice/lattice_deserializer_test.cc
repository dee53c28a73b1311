#include "format/lattice/lattice_deserializer.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/checked.h"
#include "sheaf/extend/file_system.h"

#include "format/lattice/lattice_test_block.h"
#include "support/error_of.h"
#include "support/test_folder.h"
#include "support/write_file.h"

namespace sheaf::lattice {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::append_number;
using testing::block;
using testing::with;
using testing::word;

/// The content of a range of a chunk.
struct Told {
  std::vector<std::string> keys;
  std::vector<std::string> lattices;  // bytes of the lattice, or "hole"
  std::vector<std::string> wrong;     // the first line of each diagnostic
};

/// A table `l.toc` and its archive `a.bin`, in memory.
class LatticeDeserializerTest : public ::testing::Test {
 protected:
  LatticeDeserializerTest() { options_.keys = KeyType::text; }

  /// Writes an archive of blocks, and a table with the keys u0, u1, ...
  void write_blocks(const std::vector<std::string>& blocks) {
    std::string archive;
    std::string table;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      table += 'u' + std::to_string(i) + '=' + (i == 0 ? "a.bin" : "") + '[' +
               std::to_string(archive.size()) + "]\n";
      archive += blocks[i];
    }
    write_file(*files_, "a.bin", archive);
    write_file(*files_, "l.toc", table);
  }

  [[nodiscard]] std::shared_ptr<const Deserializer> open() const {
    return checked(std::make_shared<LatticeDeserializer>(files_->open("l.toc"), options_,
                                                         Context{.files = files_.get()}));
  }

  /// Returns the first line of the error that opening throws.
  [[nodiscard]] std::string refusal() const {
    const std::string text = error_of<DataError>([&] { static_cast<void>(open()); });
    return text.substr(0, text.find('\n'));
  }

  static Told read(const Deserializer& data, const ChunkRange& range) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read(range, diagnostics);
    // Each of the five buffers may be rounded up to a whole cache line.
    EXPECT_LE(chunk.memory_bytes(),
              data.index().chunk(range.chunk)->decoded_size_bytes + 5 * std::int64_t{64});
    Told told;
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      told.keys.emplace_back(chunk.key_text(i));
      const SequenceView view = chunk.view(0, i);
      const std::int64_t size =
          view.value_count * element_size(data.streams().front().element_type);
      told.lattices.push_back(chunk.is_hole(i)
                                  ? "hole"
                                  : std::string(reinterpret_cast<const char*>(view.values),
                                                static_cast<std::size_t>(size)));
      if (view.extents != nullptr && view.sample_count == 1) {
        EXPECT_EQ(view.extents[0], size);
      }
    }
    for (const Diagnostic& each : diagnostics.described()) {
      const std::string text = to_string(each);
      EXPECT_EQ(each.sequence_key.substr(0, 1), "u");
      told.wrong.push_back(text.substr(0, text.find('\n')));
    }
    return told;
  }

  [[nodiscard]] Told read_all() const {
    const auto data = open();
    Told all;
    for (ChunkIndex number{}; data->index().chunk(number); number = next(number)) {
      const std::int64_t count = data->index().chunk(number)->sequence_count;
      Told told = read(*data, {.chunk = number, .first = 0, .count = count});
      for (auto part : {&Told::keys, &Told::lattices, &Told::wrong}) {
        (all.*part).insert((all.*part).end(), (told.*part).begin(), (told.*part).end());
      }
    }
    return all;
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
  FormatOptions options_;
};

const std::vector<std::string> kBlocks = {block(), block({.frames = 9, .nodes = 4}),
                                          block({.tokens = 0}), block({.nodes = 5})};

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

TEST_F(LatticeDeserializerTest, ALatticeIsOneSampleOfBytes) {
  write_blocks(kBlocks);
  const Told told = read_all();
  EXPECT_EQ(told.keys, (std::vector<std::string>{"u0", "u1", "u2", "u3"}));
  EXPECT_EQ(told.lattices, kBlocks);
  EXPECT_TRUE(told.wrong.empty());
  EXPECT_EQ(to_string(open()->streams().front()), "lattice: dense bytes [*]");
}

TEST_F(LatticeDeserializerTest, FloatLatticesArePaddedWithZeros) {
  write_blocks(kBlocks);
  options_.extra["lattice.as"] = "f32";
  const Told told = read_all();
  ASSERT_EQ(told.lattices.size(), kBlocks.size());
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    EXPECT_EQ(told.lattices[i], padded(kBlocks[i])) << i;
  }
  EXPECT_EQ(kBlocks[0].size() % 4, 2U) << "there is something to pad";
  EXPECT_EQ(open()->index().chunk(ChunkIndex{})->sample_count,
            static_cast<std::int64_t>(
                (padded(kBlocks[0]) + padded(kBlocks[1]) + padded(kBlocks[2]) + padded(kBlocks[3]))
                    .size() /
                4));
}

TEST_F(LatticeDeserializerTest, SequencesHaveAFrameCount) {
  write_blocks({block(), block({.frames = 9}), "no lattice at all"});
  for (const char* const as : {"bytes", "f32"}) {
    for (const Compatibility compatibility : {Compatibility::strict, Compatibility::cntk}) {
      options_.extra["lattice.as"] = as;
      options_.compatibility = compatibility;
      const auto data = open();
      EXPECT_TRUE(data->streams().front().describes_others);
      EXPECT_EQ(data->streams().front().keeps_together, as == std::string("f32"));
      Diagnostics diagnostics;
      const Chunk chunk = data->read({.chunk = ChunkIndex{}, .first = 0, .count = 3}, diagnostics);
      EXPECT_EQ(chunk.described_count(0), 5);
      EXPECT_EQ(chunk.described_count(1), 9);
      EXPECT_EQ(chunk.described_count(2), std::nullopt);
    }
  }
}

TEST_F(LatticeDeserializerTest, ReadSizesChunksAndRangesChangeNothing) {
  std::vector<std::string> blocks = kBlocks;
  blocks[2][5] = 'x';  // becomes a hole
  write_blocks(blocks);
  for (const char* const as : {"bytes", "f32"}) {
    options_ = {.keys = KeyType::text, .extra = {{"lattice.as", as}}};
    const Told whole = read_all();
    ASSERT_EQ(whole.lattices[2], "hole");
    for (const std::int64_t size : {1, 3, 50, 300}) {
      options_.read_size_bytes = size;
      options_.chunk_size_bytes = size;
      EXPECT_EQ(read_all().lattices, whole.lattices) << as << ' ' << size;
      EXPECT_EQ(read_all().wrong, whole.wrong) << as << ' ' << size;
    }
    options_.chunk_size_bytes = 1000;
    const auto data = open();
    for (std::int64_t first = 0; first < 4; ++first) {
      for (std::int64_t count = 1; first + count <= 4; ++count) {
        const Told part = read(*data, {.first = first, .count = count});
        const auto begin = whole.lattices.begin() + first;
        EXPECT_EQ(part.lattices, (std::vector<std::string>(begin, begin + count)));
        EXPECT_EQ(part.wrong.size(), first <= 2 && 2 < first + count ? 1U : 0U);
      }
    }
  }
}

TEST_F(LatticeDeserializerTest, SkippedLatticesAreNotRead) {
  write_blocks(kBlocks);
  const std::string second = std::to_string(kBlocks[0].size());
  const std::string third = std::to_string(kBlocks[0].size() + kBlocks[1].size());
  write_file(*files_, "l.toc", "u=a.bin[0]\nu=[" + second + "]\nux=[" + third + "]\nuy=b.bin[0]\n");
  write_file(*files_, "b.bin", kBlocks[3]);
  write_file(*files_, "a.bin", kBlocks[0] + kBlocks[1] + kBlocks[2]);
  for (const char* const as : {"bytes", "f32"}) {
    options_.extra["lattice.as"] = as;
    const Told told = read_all();
    EXPECT_EQ(told.keys, (std::vector<std::string>{"u", "ux", "uy"}));
    ASSERT_EQ(told.lattices.size(), 3U);
    EXPECT_EQ(told.lattices[1].substr(0, kBlocks[2].size()), kBlocks[2]) << as;
    EXPECT_EQ(told.lattices[2].substr(0, kBlocks[3].size()), kBlocks[3]) << as;
  }
}

TEST_F(LatticeDeserializerTest, NumericKeysHaveNoTexts) {
  write_file(*files_, "l.toc", "7=a.bin[0]\n");
  write_file(*files_, "a.bin", block());
  options_.keys = KeyType::numeric;
  EXPECT_EQ(read_all().keys, std::vector<std::string>{""});
}

TEST_F(LatticeDeserializerTest, CntkModeChecksNoBlock) {
  write_blocks({"LAT j", "x"});
  EXPECT_EQ(read_all().lattices, (std::vector<std::string>{"hole", "hole"}));
  options_.compatibility = Compatibility::cntk;
  options_.extra["lattice.as"] = "f32";
  const Told told = read_all();
  EXPECT_EQ(told.lattices, (std::vector<std::string>{padded("LAT j"), padded("x")}));
  EXPECT_TRUE(told.wrong.empty());
}

TEST_F(LatticeDeserializerTest, WrongBlocksAreHolesWithADiagnostic) {
  struct Row {
    std::string bytes;
    std::string_view expected;  // the text after "a.bin: byte "
  };
  const std::string good = block();
  const Row rows[] = {
      {"LA",
       "106: error: stream \"lattice\": expected the tag \"LAT \" at the start of a lattice, "
       "found \"LA\" [lattice-tag]"},
      {with(good, 0, "lat "),
       "106: error: stream \"lattice\": expected the tag \"LAT \" at the start of a lattice, found "
       "\"lat \" [lattice-tag]"},
      {"LAT \2",
       "110: error: stream \"lattice\": expected version 1 or 2, found a lattice of 5 "
       "bytes [lattice-version]"},
      {with(good, 4, word(3)),
       "110: error: stream \"lattice\": expected version 1 or 2, found version 3 "
       "[lattice-version]"},
      {good.substr(0, 39),
       "145: error: stream \"lattice\": expected a header of 32 bytes, found a "
       "lattice of 39 bytes [lattice-cut]"},
      {good.substr(0, 40),
       "146: error: stream \"lattice\": expected the tag \"NODS\" and a count, "
       "found the end of the lattice [lattice-nodes]"},
      {good.substr(0, 47),
       "146: error: stream \"lattice\": expected the tag \"NODS\" and a count, "
       "found the end of the lattice behind the tag [lattice-nodes]"},
      {with(good, 40, "NODE"),
       "146: error: stream \"lattice\": expected the tag \"NODS\" and a count, found \"NODE\" "
       "[lattice-nodes]"},
      {with(good, 8, word(4)),
       "150: error: stream \"lattice\": expected as many nodes as the header says, found 3, where "
       "the header has 4 [lattice-nodes]"},
      {block({.frames = 0, .nodes = 0}),
       "114: error: stream \"lattice\": expected at least one node, found none [lattice-nodes]"},
      {with(good, 32, word(6)),
       "158: error: stream \"lattice\": expected a last node at the end of the last frame, found "
       "time 5, where the lattice has 6 frames [lattice-frames]"},
      {with(good, 54, "edgs"),
       "160: error: stream \"lattice\": expected the tag \"EDGS\" and a count, found \"edgs\" "
       "[lattice-edges]"},
      {with(good, 12, word(1)),
       "164: error: stream \"lattice\": expected as many edges as the header says, found 2, where "
       "the header has 1 [lattice-edges]"},
      {good.substr(0, 77),
       "183: error: stream \"lattice\": expected the bytes of all nodes, edges and tokens, found a "
       "lattice of 77 bytes, where 2 of 8 bytes each begin at 62 [lattice-cut]"},
      {with(good, 78, "ALIG"),
       "184: error: stream \"lattice\": expected the tag \"ALNS\" and a count, found \"ALIG\" "
       "[lattice-tokens]"},
      {with(good, 82, word(0x8000'0000)),
       "188: error: stream \"lattice\": expected a count of tokens that is not negative, found "
       "-2147483648 [lattice-tokens]"},
      {with(good, 82, word(3)),
       "204: error: stream \"lattice\": expected the tag \"END \", found \"\\x03\\x00\\x00\\x00\" "
       "[lattice-end]"},
      {good.substr(0, 105),
       "208: error: stream \"lattice\": expected the tag \"END \", found "
       "\"END\" [lattice-end]"},
      {good + "\n",
       "212: error: stream \"lattice\": expected the end of the lattice behind the "
       "tag \"END \", found 1 more bytes [lattice-end]"},
  };
  for (const Row& row : rows) {
    write_blocks({good, row.bytes, good});
    const Told told = read_all();
    EXPECT_EQ(told.lattices, (std::vector<std::string>{good, "hole", good})) << row.expected;
    ASSERT_EQ(told.wrong.size(), 1U) << row.expected;
    EXPECT_EQ(told.wrong[0], "a.bin: byte " + std::string(row.expected));
  }
}

TEST_F(LatticeDeserializerTest, WrongTablesAreRefusedWithTheLocation) {
  struct Row {
    std::string_view table;
    std::string_view expected;
  };
  const Row rows[] = {
      {"",
       "l.toc:1: error: expected at least one lattice, found an empty file "
       "[lattice-empty]"},
      {"\n \r\n", "l.toc:1: error: expected at least one lattice, found none [lattice-empty]"},
      {"u=a.bin[0]\nv a.bin\n",
       "l.toc:2:1: error: expected a line KEY=ARCHIVE[OFFSET], found \"v a.bin\" "
       "[lattice-toc]"},
      {"u=a.bin[0]\n=[5]\n",
       "l.toc:2:1: error: expected a key in front of the equals sign, found \"=\" "
       "[lattice-toc]"},
      {"u=a.bin\n",
       "l.toc:1:8: error: expected [OFFSET] behind the archive, found the end of the "
       "line [lattice-toc]"},
      {"u=a.bin[0\n",
       "l.toc:1:10: error: expected ] behind the offset, found the end of the line "
       "[lattice-toc]"},
      {"u=a.bin[0]]\n",
       "l.toc:1:11: error: expected the end of the line behind ], found \"]\" "
       "[lattice-toc]"},
      {"u=a.bin[0]\nv=[+5]\n",
       "l.toc:2:4: error: expected a byte offset, a whole number from 0 on, found "
       "\"+5\" [lattice-toc]"},
      {"u=a.bin[]\n",
       "l.toc:1:9: error: expected a byte offset, a whole number from 0 on, found the "
       "end of the line [lattice-toc]"},
      {"u=a.bin[99999999999999999999]\n",
       "l.toc:1:9: error: expected a byte offset, a whole number from 0 on, found "
       "\"99999999999999999999\" [lattice-toc]"},
      {"u=[0]\n",
       "l.toc:1:3: error: expected an archive in the first line of a table, found none "
       "[lattice-archive]"},
      {"u=none.bin[0]\n",
       "l.toc:1:3: error: expected an archive that is there, found \"none.bin\" "
       "[lattice-missing-archive]"},
      {"u=a.bin[1]\n",
       "l.toc:1:9: error: expected offset 0 for the first lattice of an archive, found "
       "1 [lattice-first-offset]"},
      {"u=a.bin[0]\nv=b.bin[3]\n",
       "l.toc:2:9: error: expected offset 0 for the first lattice of an archive, found "
       "3 [lattice-first-offset]"},
      {"u=a.bin[0]\nv=[5]\nw=[4]\n",
       "l.toc:3:4: error: expected an offset above the one of the line before, found 4, "
       "where the line before has 5 [lattice-order]"},
      {"u=a.bin[0]\nv=[5]\nw=a.bin[5]\n",
       "l.toc:3:9: error: expected an offset above the one of the line before, found 5, "
       "where the line before has 5 [lattice-order]"},
      {"u=a.bin[0]\nv=[0]\n",
       "l.toc:2:4: error: expected an offset above the one of the line before, found 0, "
       "where the line before has 0 [lattice-order]"},
      {"u=a.bin[0]\nv=[106]\n",
       "l.toc:2:4: error: expected an offset within the archive, found 106, where a.bin "
       "has 106 bytes [lattice-beyond]"},
      {"u=empty.bin[0]\n",
       "l.toc:1:13: error: expected an offset within the archive, found 0, where "
       "empty.bin has 0 bytes [lattice-beyond]"},
      {"none.toc\n",
       "l.toc:1:1: error: expected a table of contents that is there, found "
       "\"none.toc\" [lattice-missing-toc]"},
      {"\xFF\xFEu",
       "l.toc:1:1: error: expected text in UTF-8, found a UTF-16 byte order mark "
       "[lattice-encoding]"},
      {{"\xFF\xFEu\0=\0", 6},
       "l.toc:1:1: error: expected text in UTF-8, found a UTF-16 byte order mark "
       "[lattice-encoding]"},
  };
  for (const Row& row : rows) {
    write_blocks({block()});
    write_file(*files_, "b.bin", "bbbbbb");
    write_file(*files_, "empty.bin", "");
    write_file(*files_, "l.toc", row.table);
    EXPECT_EQ(refusal(), row.expected) << row.table;
  }
}

TEST_F(LatticeDeserializerTest, ArchivesAndOtherKeysAreRefusedWithAHint) {
  write_blocks({block()});
  options_.keys = KeyType::numeric;
  EXPECT_EQ(refusal(),
            "l.toc:1:1: error: expected a key that is a number from 0 to 2^64-1, found "
            "\"u0\" [lattice-key]");
  write_file(*files_, "l.toc", block());
  EXPECT_EQ(refusal(),
            "l.toc: byte 5: error: expected a table of contents of lattices, or a list of "
            "such tables, found a byte of value 0 [lattice-toc]");
}

TEST_F(LatticeDeserializerTest, TheFingerprintDependsOnTheOptions) {
  write_blocks(kBlocks);
  const std::string plain = open()->fingerprint();
  EXPECT_EQ(open()->fingerprint(), plain);
  options_.compatibility = Compatibility::cntk;
  EXPECT_EQ(open()->fingerprint(), plain + ":cntk");
  options_ = {.keys = KeyType::text, .extra = {{"lattice.as", "f32"}}};
  EXPECT_NE(open()->fingerprint(), plain);
  options_ = {.keys = KeyType::text};
  options_.chunk_size_bytes = 100;
  EXPECT_NE(open()->fingerprint(), plain);
}

TEST_F(LatticeDeserializerTest, ATruncatedArchiveIsAnIoError) {
  TestFolder folder;
  folder.write("a.bin", kBlocks[0] + kBlocks[1]);
  folder.write("l.toc", "u0=a.bin[0]\nu1=[" + std::to_string(kBlocks[0].size()) + "]\n");
  const LatticeDeserializer data(open_file(folder.path("l.toc")), options_);
  std::filesystem::resize_file(folder.path("a.bin"), kBlocks[0].size() + kBlocks[1].size() - 1);
  EXPECT_EQ(read(data, {.first = 0, .count = 1}).lattices.front(), kBlocks[0]);
  EXPECT_THROW(read(data, {.first = 0, .count = 2}), IoError);
  EXPECT_THROW(read(data, {.first = 1, .count = 1}), IoError);
}

TEST_F(LatticeDeserializerTest, FastAccessFollowsTheArchives) {
  write_blocks(kBlocks);
  EXPECT_EQ(open()->has_fast_random_access(), files_->open("a.bin")->has_fast_random_access());
}

}  // namespace
}  // namespace sheaf::lattice
