#include "format/webdataset/webdataset_index_file.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

constexpr ScanRules kShardRules = {.read_size_bytes = 1 << 20};

/// A shard in memory that always has an index file, regardless of its size.
class IndexedShard {
 public:
  explicit IndexedShard(const std::string& entries) : files_(memory_files()) {
    write_file(*files_, "a.tar", entries + tar_end());
  }

  [[nodiscard]] ShardScan scan(IndexMode mode, const ScanRules& rules = kShardRules) {
    warnings_.clear();
    return kept_scan(files_->open("a.tar"), rules,
                     {.files = files_.get(), .options = {.mode = mode}, .write_min_bytes = 0},
                     warnings_);
  }
  [[nodiscard]] FileSystem& files() { return *files_; }
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  std::unique_ptr<FileSystem> files_;
  std::vector<Diagnostic> warnings_;
};

std::string text_of(const ShardScan& scan) {
  std::string text = notes_of(scan);
  for (const ScannedSequence& each : scan.sequences) {
    text += "\n" + to_string(each.key) + " " + std::to_string(each.begin_bytes) + " " +
            std::to_string(each.end_bytes) + " " + std::to_string(each.image_count) + " " +
            std::to_string(each.pattern) + " " + std::to_string(each.pixel_count);
  }
  return text;
}

const std::string kEntries = tar_entry("a.jpg", "x") + tar_header({.name = "d/", .type = '5'}) +
                             tar_header({.name = "e.jpg", .type = '2'}) +
                             tar_entry("a.seg.png", "") + tar_entry("README", "x") +
                             tar_entry("b.jpg", "xyz") + tar_entry("c.jpg", "");

TEST(WebdatasetIndexFile, TheFileGivesTheResultOfTheScan) {
  IndexedShard shard(kEntries);
  const std::string scanned = text_of(shard.scan(IndexMode::off));
  EXPECT_FALSE(shard.files().exists("a.tar.sheaf-index"));
  EXPECT_EQ(text_of(shard.scan(IndexMode::automatic)), scanned);
  EXPECT_TRUE(shard.files().exists("a.tar.sheaf-index"));
  EXPECT_EQ(text_of(shard.scan(IndexMode::require)), scanned);
  EXPECT_TRUE(shard.warnings().empty());
}

TEST(WebdatasetIndexFile, RecordsMayHoldManySequences) {
  for (const int count : {16'383, 16'384, 16'385}) {
    std::string entries;
    for (int i = 0; i < count; ++i) entries += tar_entry(std::to_string(i) + ".txt", "");
    IndexedShard shard(entries);
    const std::string scanned = text_of(shard.scan(IndexMode::automatic));
    EXPECT_EQ(text_of(shard.scan(IndexMode::require)), scanned) << count;
  }
}

TEST(WebdatasetIndexFile, AShardWithoutSequencesHasAnIndexFile) {
  IndexedShard shard(tar_entry("README", "x"));
  static_cast<void>(shard.scan(IndexMode::automatic));
  EXPECT_EQ(shard.scan(IndexMode::require).no_suffix_count, 1);
}

TEST(WebdatasetIndexFile, OtherRulesNeedAnotherFile) {
  IndexedShard shard(kEntries);
  static_cast<void>(shard.scan(IndexMode::automatic));
  ScanRules frames = kShardRules;
  frames.joins_frames = true;
  EXPECT_NE(error_of([&] {
              static_cast<void>(shard.scan(IndexMode::require, frames));
            }).find("index: required, but"),
            std::string::npos);
  static_cast<void>(shard.scan(IndexMode::automatic, frames));
  ASSERT_EQ(shard.warnings().size(), 1U);
  EXPECT_EQ(shard.warnings()[0].code, "webdataset-index-file");
  EXPECT_EQ(shard.scan(IndexMode::require, frames).sequences.size(), 3U) << "it was written anew";
}

TEST(WebdatasetIndexFile, ADamagedFileIsNeverUsed) {
  IndexedShard shard(kEntries);
  const std::string scanned = text_of(shard.scan(IndexMode::automatic));
  const std::string path = "a.tar.sheaf-index";
  const auto source = shard.files().open(path);
  std::string bytes(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(bytes)));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    shard.files().remove(path);
    write_file(shard.files(), path, damaged);
    std::string found;
    const std::string error = error_of([&] { found = text_of(shard.scan(IndexMode::automatic)); });
    EXPECT_TRUE(found == scanned || !error.empty()) << "byte " << i;
  }
}

TEST(WebdatasetIndexFile, NotesRoundTripAndAreChecked) {
  const std::string good = "2\njpg\ncls\n2\n0\n0 1\n3\n2\n7\nREAD\nMEa.jpg";
  const std::optional<ShardScan> scan = scan_of_notes(good);
  ASSERT_TRUE(scan);
  EXPECT_EQ(notes_of(*scan), good);
  EXPECT_EQ(scan->patterns[1], (Pattern{0, 1}));
  EXPECT_EQ(scan->no_suffix_count, 3);
  EXPECT_EQ(scan->first_without_suffix, "READ\nME");
  EXPECT_EQ(scan->link_count, 2);
  EXPECT_EQ(scan->first_link, "a.jpg");
  for (const std::string& bad :
       {std::string(), std::string("x\n"), std::string("2\njpg\n"),
        std::string("1\n\n1\n0\n0\n0\n0\n"), std::string("1\njpg\n1\n1\n0\n0\n0\n"),
        std::string("2\na\nb\n1\n1 0\n0\n0\n0\n"), std::string("2\na\nb\n1\n0 0\n0\n0\n0\n"),
        std::string("1\na\n1\n\n0\n0\n0\n"), std::string("1\na\n1\n0\n-1\n0\n0\n"),
        std::string("1\na\n9\n0\n0\n0\n0\n"), std::string("1\na\n1\n0\n0\n"),
        std::string("1\na\n1\n0\n0\n-1\n0\n"), std::string("1\na\n1\n0\n1\n0\n"),
        std::string("1\na\n1\n0\n1\n0\n7\nREADME")}) {
    EXPECT_FALSE(scan_of_notes(bad)) << bad;
  }
}

}  // namespace
}  // namespace sheaf::webdataset
