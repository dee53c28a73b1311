#include "format/libsvm/libsvm_scanner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::libsvm {
namespace {

Schema schema_of(Storage label) {
  return make_schema(
      {.streams = {{.name = "label", .storage = label, .sample_shape = Shape{1}},
                   {.name = "features", .storage = Storage::sparse, .sample_shape = Shape{9}}}});
}

/// Returns a line for each sequence, chunk by chunk.
std::vector<std::string> scan(const std::string& text, const Schema& schema, KeyMode mode,
                              std::int64_t chunk_size) {
  const auto source = memory_source(text, "t");
  const auto scanner = make_scanner(
      *source, schema, mode,
      {.begin = 0, .end = source->size(), .first_sequence = 50, .chunk_size_bytes = chunk_size});
  std::vector<std::string> lines;
  while (const std::optional<internal::ScannedChunk> chunk = scanner->next()) {
    for (std::int64_t i = 0; i < chunk->sequences.size(); ++i) {
      lines.push_back(std::to_string(chunk->info.offset_bytes) + "+" +
                      std::to_string(chunk->sequences.offset_bytes(i)) + " key " +
                      std::to_string(chunk->sequences.key(i).low) + " rows " +
                      std::to_string(chunk->sequences.sample_count(i)));
    }
  }
  EXPECT_TRUE(scanner->warnings().empty());
  return lines;
}

TEST(LibsvmScanner, EachRowIsASequence) {
  const Schema schema = schema_of(Storage::dense);
  EXPECT_EQ(
      scan("1 1:1\n\n# c\n2\r\n3 x", schema, KeyMode::rows, 100),
      (std::vector<std::string>{"0+0 key 50 rows 1", "0+11 key 51 rows 1", "0+14 key 52 rows 1"}));
  EXPECT_EQ(
      scan("1\n2\n3", schema, KeyMode::rows, 4),
      (std::vector<std::string>{"0+0 key 50 rows 1", "0+2 key 51 rows 1", "4+0 key 52 rows 1"}));
}

TEST(LibsvmScanner, RowsOfOneQidAreASequence) {
  const Schema schema = schema_of(Storage::dense);
  EXPECT_EQ(
      scan("1 qid:3\n1 qid:3 1:1\n1 qid:x\n2 qid:2\n2 qid:3\n", schema, KeyMode::qids, 1),
      (std::vector<std::string>{"0+0 key 3 rows 3", "28+0 key 2 rows 1", "36+0 key 3 rows 1"}));
}

TEST(LibsvmScanner, CountsSamplesAndPairs) {
  const auto counts = [](Storage label) {
    const Schema schema = schema_of(label);
    const auto source = memory_source("1,2,3 1:1 2:2 # 3:3\n4 x:\n", "t");
    const auto scanner = make_scanner(*source, schema, KeyMode::rows,
                                      {.begin = 0, .end = source->size(), .chunk_size_bytes = 100});
    return scanner->next()->notes.streams;
  };
  EXPECT_EQ(counts(Storage::sparse)[0].sample_count, 2);
  EXPECT_EQ(counts(Storage::sparse)[0].pair_count, 4);
  EXPECT_EQ(counts(Storage::dense)[0].pair_count, 0);
  EXPECT_EQ(counts(Storage::dense)[1].sample_count, 2);
  EXPECT_EQ(counts(Storage::dense)[1].pair_count, 3);
}

}  // namespace
}  // namespace sheaf::libsvm
