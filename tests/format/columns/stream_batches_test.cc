#include "format/columns/stream_batches.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"
#include "support/error_of.h"

namespace sheaf::columns {
namespace {

using testing::error_of;

/// A stream of batches that fails after the last batch, or ends.
struct Source {
  std::vector<ArrowNode> batches;
  std::size_t next = 0;
  bool fails = false;
};

Taken<ArrowArrayStream> stream_of(Source batches, int schema_code = 0) {
  Taken<ArrowArrayStream> stream = nothing_taken<ArrowArrayStream>();
  stream->private_data = new std::pair<Source, int>(std::move(batches), schema_code);
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    const auto& [source, code] = *static_cast<std::pair<Source, int>*>(self->private_data);
    if (code == 0) export_schema(source.batches.front(), *out);
    return code;
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    Source& source = static_cast<std::pair<Source, int>*>(self->private_data)->first;
    *out = {};
    if (source.next == source.batches.size()) return source.fails ? 5 : 0;
    export_array(source.batches[source.next++], nullptr, *out);
    return 0;
  };
  stream->get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
  stream->release = [](ArrowArrayStream* self) {
    delete static_cast<std::pair<Source, int>*>(self->private_data);
    self->release = nullptr;
  };
  return stream;
}

ArrowNode rows_of_numbers(std::vector<std::int32_t> values) {
  return struct_of({named("x", numbers_of<std::int32_t>("i", values)),
                    named("y", numbers_of<std::int32_t>("i", std::move(values)))});
}

std::shared_ptr<const ArrowBatches> taken(std::vector<ArrowNode> batches) {
  return batches_of_stream(stream_of({.batches = std::move(batches)}), "table", "fp");
}

TEST(StreamBatches, SkipEmptyBatches) {
  const auto batches =
      taken({rows_of_numbers({1, 2}), rows_of_numbers({}), rows_of_numbers({3, 4, 5})});
  EXPECT_EQ(batches->batch_count(), 2);
  EXPECT_EQ(batches->row_count(1), 3);
  EXPECT_EQ(batches->name(), "table");
  EXPECT_EQ(batches->fingerprint(), "fp");
  EXPECT_EQ(batches->location(1).offset_bytes, 16);
  EXPECT_EQ(batches->location(1).size_bytes, 24);
  EXPECT_EQ(shown(*open_table(batches, {{.name = "x"}})),
            "0 x=[1]; 1 x=[2]; 2 x=[3]; 3 x=[4]; 4 x=[5]");
}

TEST(StreamBatches, PartsBeginAtTheirRows) {
  ArrowNode batch = rows_of_numbers({1, 2, 3, 4});
  batch.offset = 1;
  batch.length = 3;
  std::vector<ArrowNode> one;
  one.push_back(std::move(batch));
  const auto batches = taken(std::move(one));
  EXPECT_EQ(shown(*open_table(batches, {{.name = "y"}}, {.chunk_size_bytes = 8})),
            "0 y=[2]; 1 y=[3]; 2 y=[4]");
  const std::int64_t column = 1;
  std::shared_ptr<const ArrowArray> part =
      batches->read({.batch = 0, .first = 2, .count = 1, .columns = {&column, 1}});
  EXPECT_EQ(part->n_children, 1);
  EXPECT_EQ(part->offset, 3);
  EXPECT_EQ(part->length, 1);
}

TEST(StreamBatches, OtherDataIsRefused) {
  const auto refused = [](std::vector<ArrowNode> batches) {
    return error_of([&] { static_cast<void>(taken(std::move(batches))); });
  };
  std::vector<ArrowNode> numbers;
  numbers.push_back(numbers_of<float>("f", {1}));
  EXPECT_EQ(refused(std::move(numbers)),
            "table: expected a table, or structs, found the Arrow format \"f\"");
  std::vector<ArrowNode> nulls;
  nulls.push_back(with_validity(rows_of_numbers({1, 2}), {true, false}));
  EXPECT_EQ(refused(std::move(nulls)),
            "table: batch 0: expected rows, found a row that is null as a whole; drop these rows");
  std::vector<ArrowNode> valid;
  valid.push_back(with_validity(rows_of_numbers({1, 2}), {true, true}));
  valid.back().null_count = -1;
  EXPECT_EQ(refused(std::move(valid)), "none");
  std::vector<ArrowNode> fewer;
  fewer.push_back(rows_of_numbers({1}));
  fewer.push_back(struct_of({named("x", numbers_of<std::int32_t>("i", {1}))}));
  EXPECT_EQ(refused(std::move(fewer)),
            "table: batch 1: expected 2 columns as in the schema, found 1");
}

TEST(StreamBatches, AFailingStreamIsAnIoError) {
  std::vector<ArrowNode> batches;
  batches.push_back(rows_of_numbers({1}));
  EXPECT_THROW(static_cast<void>(
                   batches_of_stream(stream_of({.batches = batches, .fails = true}), "table", "")),
               IoError);
  EXPECT_EQ(
      error_of([&] {
        static_cast<void>(batches_of_stream(stream_of({.batches = batches}, 22), "table", ""));
      }),
      "the Arrow stream failed: the disk is gone");
}

}  // namespace
}  // namespace sheaf::columns
