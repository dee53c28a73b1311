#include "format/lattice/lattice_toc.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::lattice {
namespace {

/// Returns the parts of a line, separated by '|', or what was expected and at which offset.
std::string parsed(std::string_view line) {
  const TocLine parts = parse_toc_line(line);
  if (parts.fault != nullptr) {
    return std::string(parts.fault->expected) + " at " + std::to_string(parts.fault_part.begin) +
           '+' + std::to_string(parts.fault_part.size);
  }
  return std::string(parts.key.of(line)) + '|' + std::string(parts.archive.of(line)) + '|' +
         std::string(parts.offset.of(line)) + '|' + std::to_string(parts.offset_bytes);
}

TEST(LatticeToc, ALineHasAKeyAnArchiveAndAnOffset) {
  EXPECT_EQ(parsed("u=a.bin[0]"), "u|a.bin|0|0");
  EXPECT_EQ(parsed("u=[17]"), "u||17|17") << "the archive of the line before";
  EXPECT_EQ(parsed("d.ir/u v=a b/c[007] \t\r"), "d.ir/u v|a b/c|007|7");
  EXPECT_EQ(parsed("u=x=1/a[2].bin[3]"), "u|x=1/a[2].bin|3|3") << "paths may have the signs";
  EXPECT_EQ(parsed("u=[9223372036854775807]"), "u||9223372036854775807|9223372036854775807");
}

TEST(LatticeToc, ErrorsHaveAnOffset) {
  EXPECT_EQ(parsed("u a.bin[0]"), "a line KEY=ARCHIVE[OFFSET] at 0+10");
  EXPECT_EQ(parsed("=a.bin[0]"), "a key in front of the equals sign at 0+1");
  EXPECT_EQ(parsed("u=a.bin"), "[OFFSET] behind the archive at 7+0");
  EXPECT_EQ(parsed("u[1]=a.bin"), "[OFFSET] behind the archive at 10+0");
  EXPECT_EQ(parsed("u=a.bin[0"), "] behind the offset at 9+0");
  EXPECT_EQ(parsed("u=a.bin[0]x y "), "the end of the line behind ] at 10+3");
  EXPECT_EQ(parsed("u=a.bin[]"), "a byte offset, a whole number from 0 on at 8+0");
  EXPECT_EQ(parsed("u=a.bin[-1]"), "a byte offset, a whole number from 0 on at 8+2");
  EXPECT_EQ(parsed("u=a.bin[ 1]"), "a byte offset, a whole number from 0 on at 8+2");
  EXPECT_EQ(parsed("u=[9223372036854775808]"), "a byte offset, a whole number from 0 on at 3+19");
  EXPECT_EQ(parsed(std::string_view("u=a\0b[0]", 8)), "text at 3+1");
}

TEST(LatticeToc, TrailingBlanksAreIgnored) {
  EXPECT_EQ(without_trailing_blanks(" a b \t\r\v\f"), " a b");
  EXPECT_EQ(without_trailing_blanks(" \r"), "");
  EXPECT_EQ(without_trailing_blanks(""), "");
}

}  // namespace
}  // namespace sheaf::lattice
