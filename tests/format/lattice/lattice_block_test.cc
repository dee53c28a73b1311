#include "format/lattice/lattice_block.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/lattice/lattice_test_block.h"

namespace sheaf::lattice {
namespace {

using testing::block;
using testing::with;
using testing::word;

std::string fault_of(std::string_view bytes) {
  const std::optional<BlockFault> fault = fault_of_block(std::as_bytes(std::span(bytes)));
  if (!fault) return "good";
  return std::string(fault->kind->code) + '@' + std::to_string(fault->byte_offset) + ' ' +
         fault->found;
}

TEST(LatticeBlock, SizesAddUp) {
  EXPECT_EQ(block().size(), 68U + 6 + 16 + 16);
  EXPECT_EQ(fault_of(block()), "good");
  EXPECT_EQ(fault_of(block({.frames = 0, .nodes = 1, .edges = 0, .tokens = 0})), "good");
  EXPECT_EQ(fault_of(block({.frames = 65'535, .nodes = 300, .edges = 700, .tokens = 9})), "good");
}

TEST(LatticeBlock, EveryTruncatedBlockIsAnError) {
  const std::string whole = block();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(fault_of(whole.substr(0, size)), "good") << size;
  }
  EXPECT_EQ(fault_of(whole + 'x'), "lattice-end@106 1 more bytes");
}

TEST(LatticeBlock, OnlyTheHeaderOfVersion1IsChecked) {
  EXPECT_EQ(fault_of("LAT " + word(1)), "good");
  EXPECT_EQ(fault_of("LAT " + word(1) + "anything"), "good");
  EXPECT_EQ(fault_of("LAT " + word(0)), "lattice-version@4 version 0");
  EXPECT_EQ(fault_of("LAT " + word(3)), "lattice-version@4 version 3");
  EXPECT_EQ(fault_of("LAT " + word(0xFFFF'FFFF)), "lattice-version@4 version -1");
}

TEST(LatticeBlock, CountsAreLimitedByTheSizeOfTheBlock) {
  // 2^32 - 1 nodes would begin at byte 48 and end far beyond the block.
  const std::string huge = with(with(block(), 8, word(0xFFFF'FFFF)), 44, word(0xFFFF'FFFF));
  EXPECT_EQ(fault_of(huge),
            "lattice-cut@106 a lattice of 106 bytes, where 4294967295 of 2 bytes each begin at 48");
  EXPECT_EQ(fault_of(with(block(), 82, word(0xFFFF'FFFF))), "lattice-tokens@82 -1");
  EXPECT_EQ(fault_of(with(block(), 82, word(0x7FFF'FFFF))),
            "lattice-cut@106 a lattice of 106 bytes, where 2147483647 of 4 bytes each begin at 86");
  EXPECT_EQ(fault_of(with(block(), 82, word(5))), "lattice-end@106 the end of the lattice")
      << "the last token is the tag";
}

TEST(LatticeBlock, HeadersGiveTheNumberOfFrames) {
  const auto frames_of = [](std::string_view bytes) {
    return frame_count_of(std::as_bytes(std::span(bytes)));
  };
  EXPECT_EQ(frames_of(block({.frames = 17})), 17);
  EXPECT_EQ(frames_of(with(block({.frames = 17}), 4, word(1))), 17);
  EXPECT_EQ(frames_of(with(block(), 32, word(0xFFFF'FFFF))), 0xFFFF'FFFF);
  EXPECT_EQ(frames_of(block().substr(0, 40)), 5);
  EXPECT_EQ(frames_of(block().substr(0, 39)), std::nullopt);
  EXPECT_EQ(frames_of(with(block(), 0, "LAX ")), std::nullopt);
  EXPECT_EQ(frames_of(""), std::nullopt);
}

TEST(LatticeBlock, Version2HasParts) {
  const std::string second = block();
  const std::string first = with(block(), 4, word(1));
  EXPECT_TRUE(has_parts(std::as_bytes(std::span(second))));
  EXPECT_FALSE(has_parts(std::as_bytes(std::span(first))));
}

}  // namespace
}  // namespace sheaf::lattice
