#include "format/arrow/arrow_serializer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"

#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_test_files.h"
#include "format/columns/arrow_tables.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using ::sheaf::testing::error_of;
using testing::table_of;

const Stream kX{.name = "x", .sample_shape = Shape{2}};
const Stream kS{.name = "s",
                .sample_shape = Shape{9},
                .storage = Storage::sparse,
                .defines_minibatch_size = true};
const Stream kT{
    .name = "t", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};

/// A sequence of the three streams: samples of x, a sparse sample, and a text.
struct Row {
  std::vector<float> x;
  std::vector<std::int32_t> indices;
  std::string text;
  bool is_present = true;
};

// Returns the file of the rows, in blocks of `block_size` rows.
std::string file_of(const std::vector<Row>& rows, const std::vector<std::string>& keys,
                    std::size_t block_size, SerializerOptions options = {}) {
  std::string bytes;
  ArrowSerializer serializer({.sink = memory_sink(bytes, "t.arrow"),
                              .streams = {kX, kS, kT},
                              .options = std::move(options)});
  for (std::size_t first = 0; first < rows.size(); first += block_size) {
    std::vector<SequenceKey> numbers;
    std::vector<std::string_view> texts;
    std::vector<std::vector<SequenceView>> views(3);
    std::vector<std::vector<std::int64_t>> ends;
    ends.reserve(3 * block_size);
    const std::vector<float> ones(100, 1.0F);
    for (std::size_t i = first; i < std::min(rows.size(), first + block_size); ++i) {
      const Row& row = rows[i];
      numbers.push_back(keys.empty() ? SequenceKey{.low = 10 * i} : key_of_text(keys[i]));
      if (!keys.empty()) texts.emplace_back(keys[i]);
      views[0].push_back({.values = reinterpret_cast<const std::byte*>(row.x.data()),
                          .sample_count = std::ssize(row.x) / 2,
                          .value_count = std::ssize(row.x),
                          .is_present = row.is_present});
      ends.push_back({0, std::ssize(row.indices)});
      views[1].push_back({.values = reinterpret_cast<const std::byte*>(ones.data()),
                          .indices = reinterpret_cast<const std::byte*>(row.indices.data()),
                          .sample_offsets = ends.back().data(),
                          .sample_count = 1,
                          .value_count = std::ssize(row.indices)});
      ends.push_back({0, std::ssize(row.text)});
      views[2].push_back({.values = reinterpret_cast<const std::byte*>(row.text.data()),
                          .sample_offsets = ends.back().data(),
                          .sample_count = 1,
                          .value_count = std::ssize(row.text)});
    }
    const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
    serializer.append(serializer.encode({.keys = numbers, .key_texts = texts, .views = spans}));
  }
  serializer.finish();
  return bytes;
}

const std::vector<Row> kRows = {{{1, 2, 3, 4}, {0, 8}, "one"},
                                {{}, {}, ""},
                                {{}, {7}, "three", /*is_present=*/false},
                                {{5, 6}, {1}, "a longer text than the others"}};

std::string shown_file(std::string bytes, FormatOptions options = {}) {
  return columns::shown(*columns::open_table(table_of(std::move(bytes)), options.streams, options));
}

TEST(ArrowSerializer, WrittenDataRoundTripWithKeys) {
  EXPECT_EQ(shown_file(file_of(kRows, {}, 2)),
            "0 x=[1 2][3 4] s=[0:1 8:1] t=[one]; 10 x= s=[] t=[]; 20 x=- s=[7:1] t=[three]; "
            "30 x=[5 6] s=[1:1] t=[a longer text than the others]");
  const std::string texts = shown_file(file_of({kRows[0], kRows[1]}, {"a", "\xC3\xA9"}, 2));
  EXPECT_EQ(texts, "a x=[1 2][3 4] s=[0:1 8:1] t=[one]; \xC3\xA9 x= s=[] t=[]");
}

TEST(ArrowSerializer, KeysMayBeOmittedOrIgnored) {
  const std::string dropped = file_of({kRows[0]}, {}, 1, {.extra = {{"arrow.keys", "drop"}}});
  EXPECT_EQ(shown_file(dropped), "0 x=[1 2][3 4] s=[0:1 8:1] t=[one]");
  FormatOptions rows;
  rows.extra = {{"arrow.key", "rows"}};
  rows.streams = {{.name = "x"}};
  EXPECT_EQ(shown_file(file_of({kRows[3], kRows[0]}, {}, 1), rows), "0 x=[5 6]; 1 x=[1 2][3 4]");
}

TEST(ArrowSerializer, StreamsRoundTrip) {
  const auto data = columns::open_table(table_of(file_of(kRows, {}, 4)));
  ASSERT_EQ(data->streams().size(), 3U);
  EXPECT_EQ(data->streams()[0], kX);
  EXPECT_EQ(data->streams()[1], kS);
  EXPECT_EQ(data->streams()[2], kT);
}

TEST(ArrowSerializer, TheBlockSizeDoesNotChangeTheBytes) {
  for (const std::int64_t chunk_size : {1, 40, 100, 1 << 20}) {
    const std::string whole = file_of(kRows, {}, 4, {.chunk_size_bytes = chunk_size});
    for (const std::size_t block_size : {1U, 2U, 3U}) {
      EXPECT_EQ(file_of(kRows, {}, block_size, {.chunk_size_bytes = chunk_size}), whole);
    }
  }
}

TEST(ArrowSerializer, ABatchEndsWithTheRowThatFillsIt) {
  // A sequence takes the bytes of its values, and 8 bytes for each list and for the end of each
  // sample.
  const std::vector<Row> rows(4, Row{{1, 2}, {0}, "abcd"});
  constexpr std::int64_t kRowBytes = (8 + 8) + (4 + 4 + 8 + 8) + (4 + 8 + 8);
  for (const auto& [chunk_size, batches] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{kRowBytes - 1, 4},
                                                          {kRowBytes, 4},
                                                          {kRowBytes + 1, 2},
                                                          {2 * kRowBytes, 2},
                                                          {2 * kRowBytes + 1, 2},
                                                          {4 * kRowBytes, 1}}) {
    const auto table = table_of(file_of(rows, {}, 3, {.chunk_size_bytes = chunk_size}));
    EXPECT_EQ(table->batch_count(), batches) << chunk_size;
  }
}

TEST(ArrowSerializer, NoSequencesGiveAnEmptyTable) {
  const auto table = table_of(file_of({}, {}, 1));
  EXPECT_EQ(table->batch_count(), 0);
  EXPECT_EQ(table->schema().n_children, 4);
}

std::string refusal(std::vector<Stream> streams, SerializerOptions options = {}) {
  return error_of([&] {
    std::string bytes;
    const ArrowSerializer serializer(
        {.sink = memory_sink(bytes, "t.arrow"), .streams = streams, .options = options});
  });
}

TEST(ArrowSerializer, UnsupportedStreamsAreRefused) {
  Stream stream = kX;
  EXPECT_EQ(refusal({stream}), "none");
  stream.element_type = ElementType::bf16;
  EXPECT_TRUE(refusal({stream}).starts_with("stream \"x\": Arrow has no type for bfloat16"));
  stream = kX;
  stream.sample_shape = Shape{Shape::kVariable, 3};
  EXPECT_TRUE(refusal({stream}).find("one extent may vary") != std::string::npos);
  for (const std::int64_t extent : {(std::int64_t{1} << 31) - 2, (std::int64_t{1} << 31) - 1}) {
    stream.sample_shape = Shape{extent};
    EXPECT_EQ(refusal({stream}), "none");
  }
  stream.sample_shape = Shape{std::int64_t{1} << 31};
  EXPECT_EQ(refusal({stream}), "stream \"x\": lists of Arrow have at most 2147483647 items");
  stream = kX;
  stream.name = "sequence_key";
  EXPECT_TRUE(refusal({stream}).find("arrow.keys=drop") != std::string::npos);
  EXPECT_EQ(refusal({stream}, {.extra = {{"arrow.keys", "drop"}}}), "none");
  stream.name = std::string("a\0b", 3);
  EXPECT_TRUE(refusal({stream}).find("without a NUL character") != std::string::npos);
  EXPECT_TRUE(refusal({kX}, {.extra = {{"arrow.keys", "some"}}}).find("arrow.keys") !=
              std::string::npos);
  EXPECT_EQ(refusal({kX}, {.chunk_size_bytes = 0}), "chunk_size_bytes must be positive");
}

TEST(ArrowSerializer, UnreadableSequencesAreRefused) {
  const auto written = [](const Row& row, const std::vector<std::string>& keys = {}) {
    return error_of([&] { static_cast<void>(file_of({row}, keys, 1)); });
  };
  EXPECT_EQ(written({{}, {0, 8}, ""}), "none");
  for (const std::vector<std::int32_t>& indices :
       {std::vector<std::int32_t>{9}, {-1}, {3, 2}, {3, 3}}) {
    EXPECT_TRUE(written({{}, indices, ""}).find("arrow-written-index") != std::string::npos);
  }
  EXPECT_TRUE(written(kRows[0], {"\xFF"}).find("arrow-written-key") != std::string::npos);
}

}  // namespace
}  // namespace sheaf::arrow
