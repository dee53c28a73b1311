#include "format/csv/csv_columns.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/csv/csv_test_files.h"

namespace sheaf::csv {
namespace {

Cell text_cell(std::string_view text) {
  return lex_cell(text.data(), text.data() + text.size(), ',');
}

TEST(CsvColumns, CompleteStreamsShareOffsets) {
  std::vector<StreamValues> streams;
  for (int i = 0; i < 2; ++i) {
    streams.emplace_back(Stream{.name = "x", .sample_shape = Shape{2}});
    streams.back().reserve(3);
    for (int k = 0; k < 3; ++k) streams.back().end_sample();
  }
  const std::vector<std::int64_t> counts = {2, 0, 1};
  const auto columns = finish_columns(streams, counts);
  EXPECT_EQ(columns[0].values.size_bytes(), 24);
  EXPECT_EQ(columns[0].sequence_offsets.data(), columns[1].sequence_offsets.data());
  const auto offsets = columns[0].sequence_offsets.as<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(offsets.begin(), offsets.end()),
            (std::vector<std::int64_t>{0, 2, 2, 3}));
}

TEST(CsvColumns, OffsetsAreLeftOutForSequencesOfOneSample) {
  std::vector<StreamValues> streams;
  streams.emplace_back(Stream{.name = "x", .sample_shape = Shape{1}});
  const std::vector<std::int64_t> counts = {1, 1, 1};
  EXPECT_TRUE(finish_columns(streams, counts)[0].sequence_offsets.empty());
}

TEST(CsvColumns, TextsAreUndoneWithTheirSequence) {
  std::vector<StreamValues> streams;
  streams.emplace_back(Stream{
      .name = "t", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}});
  StreamValues& texts = streams[0];
  texts.begin_sequence();
  texts.add_text(text_cell("\"a\"\"b\""));
  texts.begin_sequence();
  texts.add_text(text_cell("wrong"));
  texts.cut_back();
  texts.begin_sequence();
  texts.set_presence(StreamValues::Presence::absent);
  texts.end_sequence(2, 3);
  const std::vector<std::int64_t> counts = {1, 0, 1};
  const auto columns = finish_columns(streams, counts);
  EXPECT_EQ(columns[0].values.size_bytes(), 3);
  EXPECT_EQ(columns[0].extents.as<std::int64_t>()[0], 3);
  EXPECT_EQ(columns[0].sequence_offsets.as<std::int64_t>()[3], 1);
  EXPECT_EQ(columns[0].presence.as<std::uint8_t>()[1], 1);
  EXPECT_EQ(columns[0].presence.as<std::uint8_t>()[2], 0);
}

TEST(CsvColumns, ARowTakesTheMemoryOfItsNumbersAndTexts) {
  const DecodedSizes numbers(schema_of("a,b\n1,2.5\n"));
  EXPECT_EQ(numbers.of_row(1000), 12);
  const DecodedSizes texts(schema_of("a,b\n1,x\n"));
  EXPECT_EQ(texts.of_row(1000), 8 + 1000 + 16);
}

}  // namespace
}  // namespace sheaf::csv
