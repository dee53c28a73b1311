#include "dataset/unit_bytes.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;

const Format& format_of_units() { return conformance::format_named("sheaf"); }

constexpr SequenceKey kUnitName{9, 7};

std::vector<SequenceKey> keys_in(const Deserializer& data, std::int64_t first, std::int64_t count) {
  const auto table = data.index().sequences(ChunkIndex{0});
  std::vector<SequenceKey> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(table->key(first + i));
  return keys;
}

NamedData two_streams(std::string text, std::optional<KeyType> keys = {}) {
  FormatOptions options =
      testing::with_streams({testing::dense("a \xff", 2), testing::sparse("y", 9)});
  options.streams[0].alias = "x";
  options.keys = keys;
  options.missing_streams = MissingStreams::allow;
  return testing::ctf("data", std::move(text), options);
}

// Compares a chunk with `count` sequences of another one.
void expect_equal(std::span<const Stream> streams, const Chunk& read, const Chunk& whole,
                  std::int64_t first, std::int64_t count) {
  ASSERT_EQ(read.sequence_count(), count);
  for (std::int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(read.key_text(i), whole.key_text(first + i));
    for (std::int64_t s = 0; s < std::ssize(streams); ++s) {
      const Stream& stream = streams[static_cast<std::size_t>(s)];
      EXPECT_EQ(conformance::to_reference(stream, read.view(s, i)),
                conformance::to_reference(stream, whole.view(s, first + i)));
    }
  }
}

UnitBytes::Wanted whole(const SequenceKey& name, std::int64_t count) {
  return {.name = name, .sequence_count = count, .first = 0, .count = count};
}

TEST(UnitBytes, RoundTripEverySequence) {
  for (const KeyType keys : {KeyType::numeric, KeyType::text}) {
    const NamedData data = two_streams("1 |x 1 2 |y 3:4 5:1\n1 |x 3 4\n2 |y 8:1\n3 |x 5 6\n", keys);
    Diagnostics diagnostics;
    const Chunk chunk = data.data->read({ChunkIndex{0}, 0, 3}, diagnostics);
    const UnitBytes unit(format_of_units(), data.data->streams());
    for (std::int64_t first = 0; first < 3; ++first) {
      for (std::int64_t count = 1; first + count <= 3; ++count) {
        const std::string bytes =
            unit.write(kUnitName, chunk, first, keys_in(*data.data, first, count));
        for (std::int64_t from = 0; from < count; ++from) {
          for (std::int64_t wanted = 1; from + wanted <= count; ++wanted) {
            const Chunk read = unit.read(
                {.name = kUnitName, .sequence_count = count, .first = from, .count = wanted},
                memory_source(bytes, "unit"));
            expect_equal(data.data->streams(), read, chunk, first + from, wanted);
          }
        }
      }
    }
  }
}

TEST(UnitBytes, RefuseOtherSequences) {
  const NamedData data = two_streams("1 |x 1 2\n2 |x 3 4\n");
  Diagnostics diagnostics;
  const Chunk chunk = data.data->read({ChunkIndex{0}, 0, 2}, diagnostics);
  const UnitBytes unit(format_of_units(), data.data->streams());
  const std::string bytes = unit.write(kUnitName, chunk, 0, keys_in(*data.data, 0, 2));
  const auto refusal = [&](const UnitBytes& reading, std::int64_t count,
                           const SequenceKey& name = kUnitName) {
    return error_of<DataError>(
        [&] { static_cast<void>(reading.read(whole(name, count), memory_source(bytes, "unit"))); });
  };
  EXPECT_EQ(refusal(unit, 3),
            "unit: error: expected one chunk of the sequences of the unit, found 2 sequences where "
            "3 are expected [cache-unit]");
  // Another unit with as many sequences of the same streams, in a file with the wrong name.
  EXPECT_EQ(refusal(unit, 2, {8, 7}),
            "unit: error: expected the streams of the unit, found other streams [cache-unit]");
  const NamedData other =
      testing::ctf("b", "1 |x 1\n", testing::with_streams({testing::dense("x")}));
  EXPECT_EQ(refusal(UnitBytes(format_of_units(), other.data->streams()), 2),
            "unit: error: expected the streams of the unit, found other streams [cache-unit]");
}

TEST(UnitBytes, RefuseUnsupportedStreams) {
  const std::vector<Stream> streams = {
      {.name = "x", .sample_shape = Shape{2}},
      {.name = "y \xff", .sample_shape = Shape{2, 2}, .storage = Storage::sparse}};
  EXPECT_EQ(error_of<ConfigError>([&] { UnitBytes(format_of_units(), streams); }),
            "stream \"y \\xff\": sparse samples of the shape [2, 2]; sheaf has those of one fixed "
            "extent");
}

/// Returns the stream that the first diagnostic of an exception names.
template <typename Body>
std::string stream_of_error(const Body& body) {
  try {
    body();
  } catch (const DataError& error) {
    return error.diagnostics().front().stream;
  }
  return "no error";
}

TEST(UnitBytes, ErrorsNameTheStreamOfTheData) {
  const NamedData data =
      testing::ctf("data", "1 |a 8:1 |b 8:1\n",
                   testing::with_streams({testing::sparse("a", 9), testing::sparse("b", 9)}));
  Diagnostics diagnostics;
  const Chunk chunk = data.data->read({ChunkIndex{0}, 0, 1}, diagnostics);
  const std::vector<SequenceKey> keys = keys_in(*data.data, 0, 1);
  const std::vector<Stream> right(data.data->streams().begin(), data.data->streams().end());
  for (std::size_t s = 0; s < right.size(); ++s) {
    std::vector<Stream> narrow = right;
    narrow[s].sample_shape = Shape{3};
    const UnitBytes unit(format_of_units(), narrow);
    EXPECT_EQ(stream_of_error([&] { static_cast<void>(unit.write(kUnitName, chunk, 0, keys)); }),
              right[s].name);
  }
  // Byte 64 is the first byte of the column of the first stream.
  const UnitBytes unit(format_of_units(), right);
  std::string bytes = unit.write(kUnitName, chunk, 0, keys);
  bytes[64] = static_cast<char>(bytes[64] ^ 1);
  EXPECT_EQ(stream_of_error([&] {
              static_cast<void>(unit.read(whole(kUnitName, 1), memory_source(bytes, "unit")));
            }),
            "a");
}

TEST(UnitBytes, ErrorsOfOpeningNameTheStreamOfTheData) {
  Format format = format_of_units();
  format.open = [](const OpenRequest& /*request*/) -> std::unique_ptr<Deserializer> {
    throw DataError({Diagnostic{.stream = "1", .code = "test"}});
  };
  const std::vector<Stream> streams = {{.name = "a", .sample_shape = Shape{1}},
                                       {.name = "b", .sample_shape = Shape{1}}};
  const UnitBytes unit(format, streams);
  EXPECT_EQ(stream_of_error([&] {
              static_cast<void>(unit.read(whole(kUnitName, 1), memory_source("", "unit")));
            }),
            "b");
}

TEST(UnitBytes, TheSizeOfColumnsCountsBorrowedBytes) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = Shape{2}}};
  const auto owner = std::make_shared<const std::vector<float>>(8, 1.0F);
  Column column;
  column.values = Buffer::borrow(std::as_bytes(std::span(*owner)), owner);
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  EXPECT_EQ(size_of_columns(Chunk(streams, 4, std::move(columns))), 32);
}

}  // namespace
}  // namespace sheaf::internal
