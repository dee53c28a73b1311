#include "format/sheaf/container_file.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/sheaf/container_builder.h"
#include "format/sheaf/container_test_file.h"
#include "format/sheaf/open_built.h"
#include "support/error_of.h"

namespace sheaf::container {
namespace {

using testing::array_of;

std::string sound_file() {
  return testing::build_container(
      {.streams = {{.name = "a"}},
       .chunks = {{.sample_counts = {1},
                   .blocks = {{.columns = {{array_of<std::uint8_t>({}), array_of<std::int64_t>({1}),
                                            array_of<float>({0.5F})}}}}}}});
}

// Returns the error of opening: code, byte offset and text found. Returns an empty text if the file
// opens.
std::string open_error(const std::string& bytes) {
  try {
    static_cast<void>(testing::open_bytes(bytes));
  } catch (const DataError& error) {
    const Diagnostic& diagnostic = error.diagnostics().front();
    EXPECT_EQ(diagnostic.path, "x.sheaf");
    return diagnostic.code + " at " + std::to_string(diagnostic.byte_offset) + ": " +
           diagnostic.found;
  }
  return "";
}

std::int64_t begin_of(const std::string& bytes, const std::string& what) {
  for (const testing::ContainerPart& part : testing::parts_of(bytes)) {
    if (part.what == what) return part.offset;
  }
  ADD_FAILURE() << "no " << what;
  return 0;
}

TEST(ContainerFile, AValidFileOpens) {
  const ContainerFile file = testing::open_bytes(sound_file());
  EXPECT_EQ(file.directory.chunk_count(), 1);
  EXPECT_EQ(read_table(file, 0).sequences.size(), 1);
}

TEST(ContainerFile, AFileTooShortForHeaderAndFooterIsRefused) {
  EXPECT_EQ(open_error(""), "sheaf-magic at 0: a file of 0 bytes");
  EXPECT_EQ(open_error(sound_file().substr(0, 103)), "sheaf-magic at 0: a file of 103 bytes");
  EXPECT_EQ(open_error(sound_file().substr(0, 104)),
            "sheaf-magic at 96: other bytes at the end: was the file cut?");
  EXPECT_EQ(open_error(std::string(104, 'x')), "sheaf-magic at 0: other bytes");
}

TEST(ContainerFile, EachWrongHeaderByteIsDetected) {
  const std::string sound = sound_file();
  for (std::size_t i = 0; i < 64; ++i) {
    std::string bytes = sound;
    bytes[i] ^= '\x02';
    const std::string expected = i < 8    ? "sheaf-magic at 0: other bytes"
                                 : i < 16 ? "sheaf-version at 8: version "
                                          : "sheaf-magic at 0: other bytes after the version";
    EXPECT_EQ(open_error(bytes).substr(0, expected.size()), expected) << i;
  }
  std::string bytes = sound;
  bytes[8] = '\3';
  EXPECT_EQ(open_error(bytes), "sheaf-version at 8: version 3");
  bytes[60] = '\1';  // a later version may use these bytes
  EXPECT_EQ(open_error(bytes), "sheaf-version at 8: version 3");
}

TEST(ContainerFile, EachWrongFooterByteIsDetected) {
  const std::string sound = sound_file();
  const std::size_t foot = sound.size() - 40;
  for (std::size_t i = foot; i < sound.size(); ++i) {
    std::string bytes = sound;
    bytes[i] ^= '\x01';
    const bool is_mark = i >= sound.size() - 8;
    EXPECT_EQ(open_error(bytes), is_mark
                                     ? "sheaf-magic at " + std::to_string(sound.size() - 8) +
                                           ": other bytes at the end: was the file cut?"
                                     : "sheaf-foot at " + std::to_string(foot) + ": another hash");
  }
}

TEST(ContainerFile, ATruncatedFileIsRefused) {
  const std::string sound = sound_file();
  for (std::size_t size = 0; size < sound.size(); ++size) {
    ASSERT_TRUE(open_error(sound.substr(0, size)).starts_with("sheaf-magic")) << size;
  }
}

TEST(ContainerFile, TheFooterMustPointToTheDirectory) {
  const std::string sound = sound_file();
  const auto foot_at = std::ssize(sound) - 40;
  const std::int64_t begin = begin_of(sound, "directory");
  const auto error_with = [&](std::int64_t offset, std::int64_t size) {
    std::string bytes = sound;
    Foot foot = foot_of(std::as_bytes(std::span(sound)).last(40)).value();
    foot.directory_offset = static_cast<std::uint64_t>(offset);
    foot.directory_size = static_cast<std::uint64_t>(size);
    bytes.replace(bytes.size() - 40, 40, to_bytes(foot));
    const std::string error = open_error(bytes);
    return error.substr(0, error.find(':'));
  };
  const std::string wrong = "sheaf-foot at " + std::to_string(foot_at);
  EXPECT_EQ(error_with(begin, foot_at - begin), "");
  EXPECT_EQ(error_with(begin, foot_at - begin + 1), wrong);
  EXPECT_EQ(error_with(begin, foot_at - begin - 1), wrong);
  EXPECT_EQ(error_with(begin + 1, foot_at - begin - 1), wrong) << "between cache lines";
  EXPECT_EQ(error_with(0, foot_at), wrong) << "in the head";
  EXPECT_EQ(error_with(64, foot_at - 64), "sheaf-directory at 64");
  EXPECT_EQ(error_with(-64, foot_at + 64), wrong);
  EXPECT_EQ(error_with(foot_at + 64, -64), wrong);
}

TEST(ContainerFile, EachWrongDirectoryByteIsDetected) {
  const std::string sound = sound_file();
  const std::int64_t begin = begin_of(sound, "directory");
  for (std::int64_t i = begin; i < std::ssize(sound) - 40; ++i) {
    std::string bytes = sound;
    bytes[static_cast<std::size_t>(i)] ^= '\x01';
    EXPECT_EQ(open_error(bytes), "sheaf-directory at " + std::to_string(begin) + ": another hash");
  }
  std::string forged = sound;
  forged[static_cast<std::size_t>(begin + 8)] = '[';  // in the note
  EXPECT_EQ(open_error(testing::resealed(forged)),
            "sheaf-directory at " + std::to_string(begin) + ": bytes that are no directory");
}

TEST(ContainerFile, TheVersionSaysWhetherThereAreCosts) {
  for (const bool has_costs : {false, true}) {
    testing::BuiltContainer built{.streams = {{.name = "a", .shape = {1}}}};
    if (has_costs) built.cost_name = "pixels";
    std::string bytes = testing::build_container(built);
    EXPECT_EQ(testing::open_bytes(bytes).directory.note().cost_name, has_costs ? "pixels" : "");
    bytes[8] ^= '\3';  // version 2 for 1, and 1 for 2
    EXPECT_EQ(open_error(bytes), has_costs
                                     ? "sheaf-directory at 64: costs in a file of version 1"
                                     : "sheaf-directory at 64: no costs in a file of version 2");
  }
}

TEST(ContainerFile, EachWrongTableByteIsDetected) {
  const std::string sound = sound_file();
  const std::int64_t begin = begin_of(sound, "table of chunk 0");
  const std::int64_t end = begin_of(sound, "directory");
  for (std::int64_t i = begin; i < end; ++i) {
    std::string bytes = sound;
    bytes[static_cast<std::size_t>(i)] ^= '\x01';
    const ContainerFile file = testing::open_bytes(bytes);
    EXPECT_EQ(testing::error_of([&] { static_cast<void>(read_table(file, 0)); }),
              "x.sheaf: byte " + std::to_string(begin) +
                  ": error: expected the table that was written, found another hash [sheaf-table]");
  }
}

/// A chunk of three sequences in one block of one column, with its entries in the table and in the
/// directory.
struct ForgedChunk {
  std::vector<SequenceInfo> sequences = {
      {.key = {.low = 5}, .offset_bytes = 0, .sample_count = 1},
      {.key = {.low = 6}, .offset_bytes = 40, .sample_count = 0},
      {.key = {.low = 7}, .offset_bytes = 40, .sample_count = 5}};
  std::uint64_t column_size = 128;
  ChunkEntry entry = {.blocks_size = 128,
                      .sequence_count = 3,
                      .block_count = 1,
                      .sample_count = 6,
                      .contents = {100},
                      .samples = {6}};
  bool has_text_keys = false;
};

// Returns whether the table of the chunk can be read. All hashes are right.
bool has_sound_table(ForgedChunk chunk) {
  ContainerNote note{.has_text_keys = chunk.has_text_keys, .streams = {{.name = "a"}}};
  ChunkTable table{.block_count = 1, .columns = {{chunk.column_size, 1, 2}}};
  if (chunk.has_text_keys) {
    table.columns.insert(table.columns.begin(), StoredColumn{0, 1, 2});
    chunk.entry.contents.insert(chunk.entry.contents.begin(), 24);
    chunk.entry.samples.insert(chunk.entry.samples.begin(), 3);
  }
  SequenceTable::Builder sequences;
  for (const SequenceInfo& each : chunk.sequences) sequences.push_back(each);
  table.sequences = sequences.finish();
  const TableBytes bytes = to_bytes(table);
  chunk.entry.table_size = std::ssize(bytes.bytes);
  chunk.entry.table_hash = hash_of(std::as_bytes(std::span(bytes.bytes)));
  chunk.entry.content_hash = bytes.content_hash;
  std::string file = file_head(note.has_costs() ? kVersionWithCosts : kVersion) +
                     std::string(static_cast<std::size_t>(chunk.entry.blocks_size), '\0') +
                     bytes.bytes;
  const std::string directory = directory_bytes(note, {&chunk.entry, 1});
  const Foot foot{.directory_offset = file.size(),
                  .directory_size = directory.size(),
                  .directory_hash = hash_of(std::as_bytes(std::span(directory)))};
  const ContainerFile opened = testing::open_bytes(file + directory + to_bytes(foot));
  try {
    static_cast<void>(read_table(opened, 0));
    return true;
  } catch (const DataError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "sheaf-table");
    EXPECT_EQ(error.diagnostics().front().byte_offset, 64 + chunk.entry.blocks_size);
    EXPECT_EQ(error.diagnostics().front().found, "numbers that do not fit the chunk");
    return false;
  }
}

TEST(ContainerFile, TheNumbersOfATableMustMatchTheDirectory) {
  struct Case {
    const char* what;
    std::function<void(ForgedChunk&)> change;
    bool is_sound = false;
  };
  const auto make_texts = [](ForgedChunk& chunk) {
    chunk.has_text_keys = true;
    for (SequenceInfo& each : chunk.sequences) each.key.high = 1;
  };
  const Case cases[] = {
      {"no change", [](ForgedChunk&) {}, true},
      {"the column is shorter than the blocks", [](auto& chunk) { chunk.column_size = 64; }},
      {"the column is longer than the blocks", [](auto& chunk) { chunk.column_size = 192; }},
      {"the column is far too long",
       [](auto& chunk) { chunk.column_size = std::uint64_t{1} << 63; }},
      {"the first sequence begins later", [](auto& chunk) { chunk.sequences[0].offset_bytes = 1; }},
      {"a sequence begins before the one before",
       [](auto& chunk) { chunk.sequences[2].offset_bytes = 39; }},
      {"the last sequence begins at the end",
       [](auto& chunk) { chunk.sequences[2].offset_bytes = 100; }, true},
      {"the last sequence begins behind the end",
       [](auto& chunk) { chunk.sequences[2].offset_bytes = 101; }},
      {"a negative offset", [](auto& chunk) { chunk.sequences[1].offset_bytes = -1; }},
      {"a negative number of samples",
       [](auto& chunk) {
         chunk.sequences[1].sample_count = -1;
         chunk.sequences[2].sample_count = 6;
       }},
      {"a sample too few", [](auto& chunk) { chunk.sequences[2].sample_count = 4; }},
      {"a sample too many", [](auto& chunk) { chunk.sequences[2].sample_count = 6; }},
      {"too many samples for a number",
       [](auto& chunk) {
         for (SequenceInfo& each : chunk.sequences) each.sample_count = std::int64_t{1} << 62;
       }},
      {"a line", [](auto& chunk) { chunk.sequences[2].first_line = 1; }},
      {"the key of a text among numbers", [](auto& chunk) { chunk.sequences[2].key.high = 1; }},
      {"keys of texts", make_texts, true},
      {"a number among keys of texts",
       [make_texts](auto& chunk) {
         make_texts(chunk);
         chunk.sequences[1].key.high = 0;
       }},
  };
  for (const Case& each : cases) {
    ForgedChunk chunk;
    each.change(chunk);
    EXPECT_EQ(has_sound_table(chunk), each.is_sound) << each.what;
  }
}

}  // namespace
}  // namespace sheaf::container
