#include "format/webdataset/webdataset_names.h"

#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::webdataset {
namespace {

TEST(WebdatasetNames, TheFirstDotOfTheLastPartEndsTheKey) {
  struct Row {
    std::string_view name;
    EntryKind kind;
    std::string_view key;
    std::string_view suffix;
  };
  const Row rows[] = {
      {"0001.jpg", EntryKind::data, "0001", "jpg"},                  // the usual case
      {"a/0001.jpg", EntryKind::data, "a/0001", "jpg"},              // folders belong to the key
      {"a.b/0001.seg.png", EntryKind::data, "a.b/0001", "seg.png"},  // dots in folder names do not
                                                                     // count
      {"0001..jpg", EntryKind::data, "0001", ".jpg"},                // the first dot
      {"0001", EntryKind::no_suffix, "", ""},                        // no dot
      {"0001.", EntryKind::no_suffix, "", ""},                       // nothing after the dot
      {"a.b/0001", EntryKind::no_suffix, "", ""},                    // only a folder has a dot
      {".DS_Store", EntryKind::metadata, "", ""},                    // hidden files
      {"a/._0001.jpg", EntryKind::metadata, "", ""},                 // added by macOS
      {"__MACOSX/0001.jpg", EntryKind::metadata, "", ""},            // the folder of macOS
      {"a/__MACOSX/0001.jpg", EntryKind::metadata, "", ""},          // in another folder
      {"a/__MACOSX.jpg", EntryKind::data, "a/__MACOSX", "jpg"},      // a file, not a folder
      {"__index__", EntryKind::metadata, "", ""},                    // WebDataset's own
      {"__index__/x.jpg", EntryKind::metadata, "", ""},              // also WebDataset's own
      {"____.jpg", EntryKind::data, "____", "jpg"},                  // a key
      {"", EntryKind::metadata, "", ""},                             // an empty name
      {"/0001.jpg", EntryKind::data, "/0001", "jpg"},                // an absolute path
  };
  for (const Row& row : rows) {
    const EntryName name = split_entry_name(row.name);
    EXPECT_EQ(name.kind, row.kind) << row.name;
    EXPECT_EQ(name.key, row.key) << row.name;
    EXPECT_EQ(name.suffix, row.suffix) << row.name;
  }
}

TEST(WebdatasetNames, ANumberBeforeTheSuffixOfAnImageIsAFrame) {
  const auto frame = split_frame_suffix("0017.jpg");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->number, 17);
  EXPECT_EQ(frame->suffix, "jpg");
  EXPECT_EQ(split_frame_suffix("000000000000000001.webp")->number, 1);  // 18 digits
  EXPECT_FALSE(split_frame_suffix("0000000000000000001.webp"));         // 19 digits
  EXPECT_EQ(split_frame_suffix("99999999999999999.png")->number, 99999999999999999);
  for (const std::string_view other :
       {"jpg", ".jpg", "1.txt", "x1.jpg", "1x.jpg", "-1.jpg", "1.", "1.2.jpg", ""}) {
    EXPECT_FALSE(split_frame_suffix(other)) << other;
  }
}

TEST(WebdatasetNames, StreamsAreNamedAfterTheSuffix) {
  EXPECT_EQ(stream_name_of("seg.png"), "seg_png");
  EXPECT_EQ(stream_name_of("cls"), "cls");
  EXPECT_EQ(lower_case("JPG.Z1"), "jpg.z1");
}

}  // namespace
}  // namespace sheaf::webdataset
