#include "format/sheaf/block_maker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/unaligned.h"
#include "format/sheaf/container_builder.h"
#include "format/sheaf/open_built.h"
#include "reference/sheaf_columns.h"

namespace sheaf::container {
namespace {

using testing::BuiltStream;

/// One sequence of one stream, or the text of a key.
struct MadeSequence {
  bool is_present = true;
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;
  std::vector<std::byte> values = {};
  std::vector<std::byte> indices = {};
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> extents = {};
};

MadeSequence sequence_of(const Stream& stream, std::mt19937_64& random) {
  MadeSequence sequence;
  sequence.is_present = random() % 4 != 0;
  if (!sequence.is_present) return sequence;
  sequence.sample_count = static_cast<std::int64_t>(random() % 4);
  for (std::int64_t i = 0; i < sequence.sample_count; ++i) {
    std::int64_t size = 1;
    for (const std::int64_t extent : stream.sample_shape.extents()) {
      const bool is_open = extent == Shape::kVariable || stream.storage == Storage::sparse;
      sequence.extents.push_back(is_open ? static_cast<std::int64_t>(random() % 3) : extent);
      size *= sequence.extents.back();
    }
    sequence.value_count += size;
    sequence.offsets.push_back(sequence.value_count);
  }
  for (std::int64_t i = 0; i < sequence.value_count * element_size(stream.element_type); ++i) {
    sequence.values.push_back(static_cast<std::byte>(random() % 3));
  }
  for (std::int64_t i = 0; i < sequence.value_count; ++i) {
    const auto index = static_cast<std::uint64_t>(random() % 1000);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&index);
    sequence.indices.insert(sequence.indices.end(), bytes, bytes + element_size(stream.index_type));
  }
  return sequence;
}

// Returns the sequences [first, end) as a batch of one stream.
BatchPiece batch_of(const Stream& stream, std::span<const MadeSequence> sequences,
                    std::int64_t skipped) {
  const bool is_sparse = stream.storage == Storage::sparse;
  std::vector<SequenceView> views;
  for (const MadeSequence& sequence : sequences) {
    const bool has_extents = !is_sparse && !stream.sample_shape.is_fixed();
    views.push_back({.values = sequence.values.data(),
                     .indices = is_sparse ? sequence.indices.data() : nullptr,
                     .sample_offsets = is_sparse ? sequence.offsets.data() : nullptr,
                     .extents = has_extents ? sequence.extents.data() : nullptr,
                     .sample_count = sequence.sample_count,
                     .value_count = sequence.value_count,
                     .is_present = sequence.is_present});
  }
  auto batch = std::make_shared<EncodedBatch>();
  std::vector<std::int64_t> contents(views.size());
  batch->columns.push_back(gather_stream(stream, views, contents));
  return {.batch = batch, .first = skipped, .end = std::ssize(views)};
}

std::string_view bytes_of_made(const MadeColumn& column) {
  return {reinterpret_cast<const char*>(column.bytes.data()),
          static_cast<std::size_t>(column.bytes.size_bytes())};
}

std::vector<BuiltStream> made_streams() {
  return {
      {.name = "scalars", .type = ElementType::i64},
      {.name = "rows", .type = ElementType::f32, .shape = {3}},
      {.name = "variable", .type = ElementType::u16, .shape = {-1, 2}},
      {.name = "bytes", .type = ElementType::bytes, .shape = {-1}},
      {.name = "sparse", .storage = Storage::sparse, .type = ElementType::f64, .shape = {1000}},
      {.name = "wide",
       .storage = Storage::sparse,
       .type = ElementType::f32,
       .index_type = ElementType::i64,
       .shape = {1000}},
  };
}

constexpr std::array kCompressions = {Compression::none, Compression::fast, Compression::small};

// Checks the hashes against the stored bytes and against the content that the reference parser
// finds.
void check_column(const MadeColumn& column, const conformance::container::FileColumn& file_column,
                  std::int64_t sequence_count) {
  const std::string_view bytes = bytes_of_made(column);
  EXPECT_EQ(column.stored.size, bytes.size());
  EXPECT_EQ(bytes.size() % std::size_t{kAlignment}, 0U);
  EXPECT_EQ(column.stored.hash, hash_of(std::as_bytes(std::span(bytes))));
  const conformance::container::ColumnArrays arrays =
      conformance::container::read_arrays(bytes, file_column, sequence_count);
  EXPECT_EQ(column.stored.content_hash, conformance::container::content_hash(arrays, file_column));
  std::int64_t content = 0;
  for (const auto& [name, array] : arrays) {
    if (name != "presence") content += std::ssize(array.bits) * element_size(array.type);
  }
  EXPECT_EQ(column.content, content);
  std::int64_t array_count = 0;
  for (const auto& [location, sizes] : column.sizes) array_count += sizes.array_count;
  // Arrays without values are left out.
  const auto has_values = [](const auto& each) { return !each.second.bits.empty(); };
  EXPECT_EQ(array_count, std::ranges::count_if(arrays, has_values));
}

TEST(BlockMaker, SeveralBatchesGiveTheSameColumn) {
  std::mt19937_64 random(5);
  for (const BuiltStream& built : made_streams()) {
    const Stream stream = testing::stream_of(built);
    for (const std::int64_t count : {1, 2, 7, 40}) {
      std::vector<MadeSequence> sequences;
      for (std::int64_t i = 0; i < count; ++i) sequences.push_back(sequence_of(stream, random));
      const BatchPiece whole = batch_of(stream, sequences, 0);
      std::vector<BatchPiece> pieces;
      for (std::int64_t first = 0; first < count;) {
        const std::int64_t size =
            std::min(count - first, 1 + static_cast<std::int64_t>(random() % 5));
        // The piece ends a batch whose first sequences belong to another block.
        const std::int64_t skipped = std::min(first, static_cast<std::int64_t>(random() % 3));
        const auto begin = static_cast<std::size_t>(first - skipped);
        pieces.push_back(batch_of(
            stream, std::span(sequences).subspan(begin, static_cast<std::size_t>(skipped + size)),
            skipped));
        first += size;
      }
      for (const Compression compression : kCompressions) {
        SCOPED_TRACE(built.name + " of " + std::to_string(count));
        const MadeColumn one = make_column(0, &stream, {&whole, 1}, compression);
        const MadeColumn other = make_column(0, &stream, pieces, compression);
        EXPECT_EQ(bytes_of_made(one), bytes_of_made(other));
        EXPECT_EQ(one.stored.content_hash, other.stored.content_hash);
        EXPECT_EQ(one.content, other.content);
        EXPECT_EQ(one.sample_count, other.sample_count);
        check_column(one, testing::column_of(built), count);
      }
    }
  }
}

TEST(BlockMaker, PresenceIsLeftOutOfCompleteBlocks) {
  const Stream stream{.name = "a"};
  auto batch = std::make_shared<EncodedBatch>();
  BatchColumn& column = batch->columns.emplace_back();
  column.presence = {0, 1, 1};
  column.lengths = {0, 0, 0};
  column.samples_before = column.values_before = {0, 0, 0, 0};
  const auto presence_count = [&](std::int64_t first, std::int64_t end) {
    const BatchPiece piece{batch, first, end};
    return internal::load<std::uint64_t>(
        make_column(0, &stream, {&piece, 1}, Compression::fast).bytes.data());
  };
  EXPECT_EQ(presence_count(0, 3), 3U);
  EXPECT_EQ(presence_count(0, 1), 1U);
  EXPECT_EQ(presence_count(1, 3), 0U);
}

TEST(BlockMaker, PaddingIsZeros) {
  const Stream stream{.name = "a", .element_type = ElementType::u8};
  const std::vector<MadeSequence> sequences = {
      {.sample_count = 3,
       .value_count = 3,
       .values = {std::byte{255}, std::byte{7}, std::byte{255}}}};
  const BatchPiece piece = batch_of(stream, sequences, 0);
  const MadeColumn column = make_column(0, &stream, {&piece, 1}, Compression::none);
  const std::string_view bytes = bytes_of_made(column);
  // Three heads of arrays take 72 bytes, so arrays begin at byte 128. The lengths are one number.
  ASSERT_EQ(bytes.size(), 256U);
  EXPECT_EQ(bytes.substr(72, 56), std::string(56, '\0'));
  EXPECT_EQ(bytes.substr(128, 64), "\3" + std::string(63, '\0'));
  EXPECT_EQ(bytes.substr(192, 64), "\xFF\7\xFF" + std::string(61, '\0'));
}

TEST(BlockMaker, KeysFormAColumn) {
  const std::vector<std::string> texts = {"one", "", "three"};
  std::vector<std::int64_t> contents(3);
  auto batch = std::make_shared<EncodedBatch>();
  batch->columns.push_back(gather_keys(texts, contents));
  const BatchPiece all{batch, 0, 3};
  const MadeColumn column = make_column(0, nullptr, {&all, 1}, Compression::fast);
  EXPECT_EQ(column.sample_count, 3);
  EXPECT_EQ(column.content, contents[0] + contents[1] + contents[2]);
  check_column(column, {.has_keys = true, .stream = {}}, 3);
  const BatchPiece pieces[] = {{batch, 0, 1}, {batch, 1, 3}};
  EXPECT_EQ(bytes_of_made(make_column(0, nullptr, pieces, Compression::fast)),
            bytes_of_made(column));
}

TEST(BlockMaker, WithoutCompressionOnlyValuesAreRaw) {
  const Stream stream{.name = "a", .element_type = ElementType::i64};
  std::vector<MadeSequence> sequences;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto size = static_cast<std::int64_t>(i % 2 + 1);
    std::vector<std::byte> values(8 * (i % 2 + 1), std::byte{0});
    values[0] = static_cast<std::byte>(i);
    sequences.push_back({.sample_count = size, .value_count = size, .values = values});
  }
  const BatchPiece piece = batch_of(stream, sequences, 0);
  const auto codecs_of = [&](Compression compression) {
    std::string codecs;
    for (const auto& [location, sizes] : make_column(0, &stream, {&piece, 1}, compression).sizes) {
      const auto& [number, kind, codec] = location;
      EXPECT_EQ(number, 0);
      codecs += std::string(to_string(kind)) + ":" + std::string(to_string(codec)) + " ";
    }
    return codecs;
  };
  EXPECT_EQ(codecs_of(Compression::none), "lengths:packed values:raw ");
  EXPECT_EQ(codecs_of(Compression::fast), "lengths:packed values:packed ");
}

}  // namespace
}  // namespace sheaf::container
