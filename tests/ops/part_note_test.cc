#include "ops/part_note.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sheaf::internal {
namespace {

std::string text_with_chunks(const PartNote& note) {
  auto json = nlohmann::ordered_json::parse(to_json(note));
  json["open_chunks"] = note.open_chunks;
  return json.dump();
}

const PartNote kNote{.part = {.number = 3, .count = 8},
                     .source = "ctf:1234",
                     .selected = "all",
                     .file = "train",
                     .format = "cbf",
                     .chunk_size_bytes = 77,
                     .options = {{"cbf.checks", "o\xff"}},
                     .open_chunks = {0, 5}};

TEST(PartNote, RoundTrips) {
  const auto again = part_note_of(text_with_chunks(kNote));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->part, kNote.part);
  EXPECT_EQ(again->source, kNote.source);
  EXPECT_EQ(again->file, kNote.file);
  EXPECT_EQ(again->format, kNote.format);
  EXPECT_EQ(again->chunk_size_bytes, 77);
  EXPECT_EQ(again->options, kNote.options);
  EXPECT_EQ(again->open_chunks, kNote.open_chunks);
  EXPECT_EQ(part_note_of(with_file(text_with_chunks(kNote), "test"))->file, "test");
}

TEST(PartNote, PartsOfOneConversionDifferOnlyInNumber) {
  PartNote other = kNote;
  other.part.number = 4;
  other.open_chunks = {};
  EXPECT_EQ(other.shared(), kNote.shared());
  other.options.clear();
  EXPECT_NE(other.shared(), kNote.shared());
}

TEST(PartNote, OtherTextIsRefused) {
  EXPECT_FALSE(part_note_of(std::string("{")));
  EXPECT_FALSE(part_note_of(std::string("{}")));
  EXPECT_FALSE(part_note_of(to_json(kNote)));  // the chunks are missing
  PartNote wrong = kNote;
  wrong.part.number = 8;
  EXPECT_FALSE(part_note_of(text_with_chunks(wrong)));
  wrong = kNote;
  wrong.chunk_size_bytes = 0;
  EXPECT_FALSE(part_note_of(text_with_chunks(wrong)));
  auto json = nlohmann::ordered_json::parse(text_with_chunks(kNote));
  json["source"] = 3;
  EXPECT_FALSE(part_note_of(json.dump()));
}

}  // namespace
}  // namespace sheaf::internal
