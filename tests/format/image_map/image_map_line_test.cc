#include "format/image_map/image_map_line.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/image_map/image_map_errors.h"

namespace sheaf::image_map {
namespace {

LineRules numeric_rules(bool is_cntk = false) {
  return {.folder = "maps", .has_text_keys = false, .is_cntk = is_cntk};
}

std::string fault_of(std::string_view line, const LineRules& rules = {}) {
  const MapLine parsed = parse_line(line, 0, rules);
  if (parsed.fault == nullptr) return {};
  return std::string(parsed.fault->code) + ' ' +
         std::string(line.substr(parsed.fault_begin, parsed.fault_size)) + ' ' + parsed.found;
}

TEST(ImageMapLine, TwoColumnsAreAPathAndAClass) {
  const MapLine line = parse_line("a/b c.jpg\t7", 12, {});
  EXPECT_EQ(line.fault, nullptr);
  EXPECT_EQ(line.path, "a/b c.jpg");
  EXPECT_EQ(line.class_id, 7);
  EXPECT_EQ(line.key_text, "12");
  EXPECT_EQ(line.key, key_of_text("12"));
  EXPECT_EQ(line.path_begin, 0U);
  EXPECT_EQ(line.path_size, 9U);
}

TEST(ImageMapLine, ThreeColumnsBeginWithTheKey) {
  const MapLine line = parse_line("cat 1\ta.jpg\t 7 \tmore\tcolumns", 12, {});
  EXPECT_EQ(line.fault, nullptr);
  EXPECT_EQ(line.key_text, "cat 1");
  EXPECT_EQ(line.path, "a.jpg");
  EXPECT_EQ(line.path_begin, 6U);
  EXPECT_EQ(line.class_id, 7);
}

TEST(ImageMapLine, NumericKeysAreNumbers) {
  EXPECT_EQ(parse_line("a.jpg\t0", 12, numeric_rules()).key, SequenceKey{.low = 12});
  EXPECT_EQ(parse_line("34\ta.jpg\t0", 12, numeric_rules()).key, SequenceKey{.low = 34});
  EXPECT_EQ(fault_of("34x\ta.jpg\t0", numeric_rules()), "image_map-numeric-key 34x \"34x\"");
  EXPECT_EQ(parse_line("34x\ta.jpg\t0", 12, numeric_rules(true)).key, SequenceKey{.low = 34});
  EXPECT_EQ(fault_of("x34\ta.jpg\t0", numeric_rules(true)), "image_map-numeric-key x34 \"x34\"");
  EXPECT_EQ(fault_of(" 34\ta.jpg\t0", numeric_rules()), "image_map-numeric-key  34 \" 34\"");
  EXPECT_EQ(parse_line(" 34\ta.jpg\t0", 12, numeric_rules(true)).key, SequenceKey{.low = 34});
  EXPECT_EQ(fault_of("  \ta.jpg\t0", numeric_rules(true)), "image_map-numeric-key    \"  \"");
}

TEST(ImageMapLine, ALastTabBeginsNoColumnUnderTheRulesOfCntk) {
  const MapLine line = parse_line("a.jpg\t7\t", 12, numeric_rules(true));
  EXPECT_EQ(line.fault, nullptr);
  EXPECT_EQ(line.path, "a.jpg");
  EXPECT_EQ(line.class_id, 7);
  EXPECT_EQ(line.key, SequenceKey{.low = 12});
  EXPECT_EQ(fault_of("a.jpg\t", numeric_rules(true)), "image_map-columns a.jpg\t \"a.jpg\\t\"");
  EXPECT_EQ(fault_of("a.jpg\t7\t"), "image_map-label  \"\"");
}

TEST(ImageMapLine, WrongColumnsAreNamed) {
  EXPECT_EQ(fault_of(""), "image_map-columns  \"\"");
  EXPECT_EQ(fault_of("a.jpg 3"), "image_map-columns a.jpg 3 \"a.jpg 3\"");
  EXPECT_EQ(fault_of("\t3"), "image_map-path  \"\"");
  EXPECT_EQ(fault_of("a.jpg\t"), "image_map-label  \"\"");
  EXPECT_EQ(fault_of("\ta.jpg\t3"), "image_map-key  \"\"");
  EXPECT_EQ(fault_of("k\t\t3"), "image_map-path  \"\"");
  EXPECT_EQ(fault_of("k\ta.jpg\t"), "image_map-label  \"\"");
  EXPECT_EQ(fault_of("a.jpg\t3abc"), "image_map-label 3abc \"3abc\"");
  EXPECT_EQ(fault_of("a.jpg\t-1"), "image_map-label -1 \"-1\"");
  EXPECT_EQ(fault_of("a.jpg\t3\r"), "");
}

TEST(ImageMapLine, ClassIdsHaveALimit) {
  EXPECT_EQ(fault_of("a.jpg\t3", {.class_count = 4}), "");
  EXPECT_EQ(fault_of("a.jpg\t4", {.class_count = 4}),
            "image_map-class 4 4, where there are 4 classes");
  EXPECT_EQ(fault_of("a.jpg\t2147483647"), "");
  EXPECT_EQ(fault_of("a.jpg\t2147483648"),
            "image_map-class 2147483648 2147483648, more than 2^31-1");
}

TEST(ImageMapLine, DotsStandForTheFolderOfTheMap) {
  const LineRules rules{.prefix = "images/", .folder = "maps"};
  EXPECT_EQ(parse_line(".../a.jpg\t0", 0, rules).path, "maps/a.jpg");
  EXPECT_EQ(parse_line("a/.../b.jpg\t0", 0, rules).path, "images/a/.../b.jpg");
  EXPECT_EQ(parse_line("..\t0", 0, rules).path, "images/..");
}

TEST(ImageMapLine, PathsMayNameArchiveEntries) {
  const auto parts_of = [](std::string_view path) {
    const std::optional<EntryPath> parts = split_entry_path(path);
    return parts ? parts->archive + '|' + parts->entry : "none";
  };
  EXPECT_EQ(parts_of("a/b.zip@/c/d.jpg"), "a/b.zip|c/d.jpg");
  EXPECT_EQ(parts_of("b.zip@\\c\\d.jpg"), "b.zip|c/d.jpg");
  EXPECT_EQ(parts_of("b.zip@xd@e.jpg"), "b.zip|d@e.jpg");
  EXPECT_EQ(parts_of("b.zip@/"), "b.zip|");
  EXPECT_EQ(parts_of("b.zip@"), "b.zip|");
  EXPECT_EQ(parts_of("b.tar/c/d.jpg"), "b.tar|c/d.jpg");
  EXPECT_EQ(parts_of("@b.jpg"), "none");
  EXPECT_EQ(parts_of("b.jpg"), "none");
}

TEST(ImageMapLine, ALineOfBlanksIsBlank) {
  EXPECT_TRUE(is_blank_line(""));
  EXPECT_TRUE(is_blank_line(" \t\r"));
  EXPECT_FALSE(is_blank_line(" \tx"));
}

}  // namespace
}  // namespace sheaf::image_map
