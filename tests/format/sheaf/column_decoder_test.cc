#include "format/sheaf/column_decoder.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/sheaf/container_builder.h"
#include "format/sheaf/open_built.h"

namespace sheaf::container {
namespace {

using testing::array_of;
using testing::BuiltArray;
using testing::BuiltStream;
using BuiltCodec = testing::Codec;
using Arrays = std::vector<BuiltArray>;

constexpr std::int64_t kColumnContent = 1 << 20;

/// A column of three sequences. Without a stream, it is the column of keys.
struct TestColumn {
  std::optional<BuiltStream> built = {};
  Arrays arrays = {};

  [[nodiscard]] testing::BuiltColumn stored() const {
    return testing::built_column(
        built ? testing::column_of(*built)
              : conformance::container::FileColumn{.has_keys = true, .stream = {}},
        arrays);
  }
};

BuiltArray counts_of(const std::vector<std::int64_t>& counts) { return array_of(counts); }

TestColumn scalars_column() {
  return {{{.name = "a", .type = ElementType::i64}},
          {array_of<std::uint8_t>({}), counts_of({2, 0, 1}), array_of<std::int64_t>({50, 60, 7})}};
}

TestColumn rows_column() {
  return {{{.name = "a", .type = ElementType::i32, .shape = {2}}},
          {array_of<std::uint8_t>({}), counts_of({1, 0, 1}), array_of<std::int32_t>({1, 2, 3, 4})}};
}

TestColumn variable_column() {
  return {{{.name = "c", .type = ElementType::u8, .shape = {-1, 2}}},
          {array_of<std::uint8_t>({}), counts_of({1, 0, 2}), counts_of({1, 2, 0, 2, 2, 2}),
           array_of<std::uint8_t>({1, 2, 3, 4, 5, 6})}};
}

TestColumn sparse_column() {
  return {{{.name = "b", .storage = Storage::sparse, .type = ElementType::f32, .shape = {9}}},
          {array_of<std::uint8_t>({}), counts_of({2, 0, 1}), counts_of({1, 0, 2}),
           array_of<std::int32_t>({8, 3, 4}), array_of<float>({1, 2, 3})}};
}

TestColumn keys_column() { return {{}, {counts_of({2, 0, 1}), array_of<char>({'a', 'b', 'c'})}}; }

bool opens_bytes(const TestColumn& column, std::string_view bytes,
                 std::int64_t content_max = kColumnContent) {
  std::optional<Stream> stream;
  if (column.built) stream = testing::stream_of(*column.built);
  return BlockColumn::open(std::as_bytes(std::span(bytes)), stream ? &*stream : nullptr, 3,
                           content_max)
      .has_value();
}

/// An open column with everything that it refers to.
class OpenedColumn {
 public:
  explicit OpenedColumn(const TestColumn& column) : stored_(column.stored()) {
    if (column.built) stream_ = testing::stream_of(*column.built);
    column_ = BlockColumn::open(std::as_bytes(std::span(stored_.bytes)),
                                stream_ ? &*stream_ : nullptr, 3, kColumnContent);
  }
  OpenedColumn(const OpenedColumn&) = delete;
  OpenedColumn& operator=(const OpenedColumn&) = delete;

  const BlockColumn& operator*() const { return column_.value(); }
  const BlockColumn* operator->() const { return &column_.value(); }
  [[nodiscard]] std::uint64_t content_hash() const { return stored_.content_hash; }

  /// Returns the values of an array, or nothing if they cannot be decoded.
  template <typename T>
  [[nodiscard]] std::optional<std::vector<T>> decoded(ArrayKind kind) const {
    std::vector<T> values(static_cast<std::size_t>(column_->value_count()));
    if (!column_->decode(kind, reinterpret_cast<std::byte*>(values.data()))) return std::nullopt;
    return values;
  }

 private:
  testing::BuiltColumn stored_;
  std::optional<Stream> stream_;
  std::optional<BlockColumn> column_;
};

/// A change to a sound column, and whether the column still opens.
struct ColumnCase {
  const char* what;
  std::function<void(Arrays&)> change;
  bool opens = false;
};

void check_columns(const TestColumn& sound, std::span<const ColumnCase> cases) {
  EXPECT_TRUE(opens_bytes(sound, sound.stored().bytes));
  for (const ColumnCase& each : cases) {
    TestColumn column = sound;
    each.change(column.arrays);
    EXPECT_EQ(opens_bytes(column, column.stored().bytes), each.opens) << each.what;
  }
}

constexpr std::int64_t kCountLargest = std::numeric_limits<std::int64_t>::max();

TEST(ColumnDecoder, PresenceAndLengthsMustFitTheSequences) {
  const auto presence = [](const std::vector<std::uint8_t>& values) {
    return [values](Arrays& arrays) { arrays[0] = array_of(values); };
  };
  const auto lengths = [](const std::vector<std::int64_t>& counts) {
    return [counts](Arrays& arrays) { arrays[1] = counts_of(counts); };
  };
  const ColumnCase cases[] = {
      {"all are present", presence({1, 1, 1}), true},
      {"the one without samples is absent", presence({1, 0, 1}), true},
      {"one with samples is absent", presence({0, 1, 1})},
      {"presence of two", presence({1, 1})},
      {"presence of four", presence({1, 1, 1, 1})},
      {"a presence of 2", presence({1, 2, 1})},
      {"other lengths of the same sum", lengths({0, 3, 0}), true},
      {"lengths of two", lengths({2, 1})},
      {"lengths of four", lengths({2, 0, 1, 0})},
      {"one sample too many", lengths({2, 1, 1})},
      {"one sample too few", lengths({1, 0, 1})},
      {"a negative length", lengths({3, -1, 1})},
      {"a length that is too large", lengths({kCountLargest, 0, 1})},
      {"lengths whose sum is too large", lengths({kCountLargest, kCountLargest, 5})},
      {"one value too few", [](Arrays& arrays) { arrays[2].bits.pop_back(); }},
      {"one value too many", [](Arrays& arrays) { arrays[2].bits.push_back(7); }},
      {"presence by a codec",
       [](Arrays& arrays) {
         arrays[0] = array_of<std::uint8_t>({1, 0, 1}, BuiltCodec::zstd);
       },
       true},
      {"lengths by a codec", [](Arrays& arrays) { arrays[1].codec = BuiltCodec::packed; }, true},
      {"differences of lengths", [](Arrays& arrays) { arrays[1].codec = BuiltCodec::delta; }},
      {"lengths that no codec made", [](Arrays& arrays) { arrays[1].stored = "1234567"; }},
  };
  check_columns(scalars_column(), cases);
}

TEST(ColumnDecoder, ExtentsMustFitTheShape) {
  const auto extents = [](const std::vector<std::int64_t>& counts) {
    return [counts](Arrays& arrays) { arrays[2] = counts_of(counts); };
  };
  const ColumnCase cases[] = {
      {"other extents of the same sum", extents({0, 2, 3, 2, 0, 2}), true},
      {"a fixed extent is another one", extents({1, 2, 0, 2, 1, 4})},
      {"a negative extent", extents({1, 2, -1, 2, 3, 2})},
      {"an extent too few", extents({1, 2, 0, 2, 2})},
      {"an extent too many", extents({1, 2, 0, 2, 2, 2, 0})},
      {"one value too many by extents", extents({1, 2, 1, 2, 2, 2})},
      {"one value too few by extents", extents({1, 2, 0, 2, 1, 2})},
      {"an extent that is too large", extents({1, 2, kCountLargest, 2, 2, 2})},
      {"extents that no codec made", [](Arrays& arrays) { arrays[2].stored = "123"; }},
  };
  check_columns(variable_column(), cases);
  // The negative extents cancel out in the product.
  TestColumn column = variable_column();
  column.built->shape = {-1, -1};
  EXPECT_TRUE(opens_bytes(column, column.stored().bytes));
  column.arrays[2] = counts_of({-1, -2, 0, 2, 2, 2});
  EXPECT_FALSE(opens_bytes(column, column.stored().bytes));
}

TEST(ColumnDecoder, EntriesMustFitIndicesAndValues) {
  const auto entries = [](const std::vector<std::int64_t>& counts) {
    return [counts](Arrays& arrays) { arrays[2] = counts_of(counts); };
  };
  const ColumnCase cases[] = {
      {"other entries of the same sum", entries({0, 3, 0}), true},
      {"one entry too few", entries({1, 0, 1})},
      {"one entry too many", entries({1, 1, 2})},
      {"entries of two samples", entries({1, 2})},
      {"entries of four samples", entries({1, 0, 2, 0})},
      {"a negative number of entries", entries({1, -1, 3})},
      {"entries that are too many", entries({kCountLargest, 1, 2})},
      {"an index too few", [](Arrays& arrays) { arrays[3].bits.pop_back(); }},
      {"an index too many", [](Arrays& arrays) { arrays[3].bits.push_back(1); }},
      {"a value too few", [](Arrays& arrays) { arrays[4].bits.pop_back(); }},
      {"a value too many", [](Arrays& arrays) { arrays[4].bits.push_back(1); }},
  };
  check_columns(sparse_column(), cases);
}

TEST(ColumnDecoder, SizesMustFitTheKeyTexts) {
  const auto sizes = [](const std::vector<std::int64_t>& counts) {
    return [counts](Arrays& arrays) { arrays[0] = counts_of(counts); };
  };
  const ColumnCase cases[] = {
      {"other sizes of the same sum", sizes({0, 3, 0}), true},
      {"a size too small", sizes({2, 0, 0})},
      {"a size too large", sizes({2, 0, 2})},
      {"a negative size", sizes({4, -2, 1})},
      {"sizes of two keys", sizes({2, 1})},
      {"sizes of four keys", sizes({2, 0, 1, 0})},
  };
  check_columns(keys_column(), cases);
}

// The content of a column without the lengths of its sequences: values, and the properties of
// samples.
TEST(ColumnDecoder, NoColumnExceedsTheDirectory) {
  struct Case {
    TestColumn column;
    std::int64_t content = 0;
  };
  const Case cases[] = {{scalars_column(), 24},
                        {rows_column(), 16},
                        {variable_column(), 54},
                        {sparse_column(), 48},
                        {keys_column(), 3}};
  for (const Case& each : cases) {
    const std::string bytes = each.column.stored().bytes;
    EXPECT_FALSE(opens_bytes(each.column, bytes, 0));
    EXPECT_FALSE(opens_bytes(each.column, bytes, each.content - 1));
    EXPECT_TRUE(opens_bytes(each.column, bytes, each.content));
    EXPECT_TRUE(opens_bytes(each.column, bytes, kCountLargest));
  }
}

TEST(ColumnDecoder, TheArraysMustCoverAllBytes) {
  for (const TestColumn& column :
       {scalars_column(), rows_column(), variable_column(), sparse_column(), keys_column()}) {
    const std::string bytes = column.stored().bytes;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(opens_bytes(column, std::string(bytes, 0, size))) << size;
    }
    EXPECT_FALSE(opens_bytes(column, bytes + std::string(1, '\0')));
    EXPECT_FALSE(opens_bytes(column, bytes + std::string(64, '\0')));
  }
}

TEST(ColumnDecoder, ArrayHeadersAreChecked) {
  const TestColumn column = scalars_column();
  const std::string sound = column.stored().bytes;
  const auto opens_with = [&](std::size_t word, std::uint64_t number) {
    std::string bytes = sound;
    std::memcpy(bytes.data() + 8 * word, &number, sizeof number);
    return opens_bytes(column, bytes);
  };
  // Words 0, 3 and 6 are counts. Sizes follow, then codecs.
  EXPECT_TRUE(opens_with(6, 3));
  EXPECT_FALSE(opens_with(6, std::uint64_t{1} << 63));
  EXPECT_FALSE(opens_with(6, ~std::uint64_t{0}));
  EXPECT_FALSE(opens_with(3, ~std::uint64_t{0}));
  EXPECT_TRUE(opens_with(7, 64)) << "padding may be bytes of the array as far as heads tell";
  EXPECT_FALSE(opens_with(7, 65));
  EXPECT_FALSE(opens_with(7, ~std::uint64_t{0}));
  EXPECT_FALSE(opens_with(7, 0)) << "the column is longer than its arrays";
  EXPECT_TRUE(opens_with(8, 6));
  EXPECT_FALSE(opens_with(8, 7));
  EXPECT_FALSE(opens_with(8, ~std::uint64_t{0}));
}

using ColumnNumbers = std::vector<std::int64_t>;

TEST(ColumnDecoder, ValuesAreLocatedByLengths) {
  TestColumn with_presence = scalars_column();
  with_presence.arrays[0] = array_of<std::uint8_t>({1, 0, 1});
  const OpenedColumn scalars(with_presence);
  EXPECT_TRUE(scalars->has_absent());
  EXPECT_TRUE(scalars->is_present(0));
  EXPECT_FALSE(scalars->is_present(1));
  const auto values_before = [](const OpenedColumn& column) {
    std::vector<std::int64_t> before;
    for (std::int64_t i = 0; i <= 3; ++i) before.push_back(column->values_before(i));
    return before;
  };
  EXPECT_EQ(values_before(scalars), (ColumnNumbers{0, 2, 2, 3}));
  EXPECT_EQ(values_before(OpenedColumn(rows_column())), (ColumnNumbers{0, 2, 2, 4}));
  EXPECT_EQ(values_before(OpenedColumn(variable_column())), (ColumnNumbers{0, 2, 2, 6}));
  EXPECT_EQ(values_before(OpenedColumn(keys_column())), (ColumnNumbers{0, 2, 2, 3}));
  const OpenedColumn sparse(sparse_column());
  EXPECT_EQ(values_before(sparse), (ColumnNumbers{0, 1, 1, 3}));
  EXPECT_FALSE(sparse->has_absent());
  EXPECT_EQ(ColumnNumbers(sparse->samples_before().begin(), sparse->samples_before().end()),
            (ColumnNumbers{0, 2, 2, 3}));
  const std::span<const std::int64_t> before = sparse->values_before_samples();
  EXPECT_EQ(ColumnNumbers(before.begin(), before.end()), (ColumnNumbers{0, 1, 1, 3}));
}

TEST(ColumnDecoder, ValuesAndIndicesAreDecoded) {
  for (const BuiltCodec codec :
       {BuiltCodec::raw, BuiltCodec::delta, BuiltCodec::packed, BuiltCodec::lz4}) {
    TestColumn column = sparse_column();
    column.arrays[3].codec = codec;
    const OpenedColumn opened(column);
    EXPECT_EQ(opened.decoded<std::int32_t>(ArrayKind::indices),
              (std::vector<std::int32_t>{8, 3, 4}));
    EXPECT_EQ(opened.decoded<float>(ArrayKind::values), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(opened->raw(ArrayKind::indices).has_value(), codec == BuiltCodec::raw);
    EXPECT_EQ(opened->is_plain(), codec == BuiltCodec::raw);
  }
}

TEST(ColumnDecoder, OnlySamplesOfOneValueMayBeDifferences) {
  TestColumn scalars = scalars_column();
  scalars.arrays[2].codec = BuiltCodec::delta;
  EXPECT_EQ(OpenedColumn(scalars).decoded<std::int64_t>(ArrayKind::values),
            (std::vector<std::int64_t>{50, 60, 7}));
  scalars.built->shape = {1, 1};
  EXPECT_TRUE(OpenedColumn(scalars).decoded<std::int64_t>(ArrayKind::values).has_value());
  TestColumn rows = rows_column();
  rows.arrays[2].codec = BuiltCodec::delta;
  EXPECT_FALSE(OpenedColumn(rows).decoded<std::int32_t>(ArrayKind::values).has_value());
  TestColumn variable = variable_column();
  variable.arrays[3].codec = BuiltCodec::delta;
  EXPECT_FALSE(OpenedColumn(variable).decoded<std::uint8_t>(ArrayKind::values).has_value());
}

TEST(ColumnDecoder, RawValuesMustHaveTheirSize) {
  TestColumn column = scalars_column();
  column.arrays[2].stored = std::string(23, 'x');
  const OpenedColumn opened(column);
  EXPECT_FALSE(opened->raw(ArrayKind::values).has_value());
  EXPECT_FALSE(opened.decoded<std::int64_t>(ArrayKind::values).has_value());
}

TEST(ColumnDecoder, AColumnOfRawAndConstantArraysIsPlain) {
  TestColumn column = scalars_column();
  column.arrays[2] = array_of<std::int64_t>({5, 5, 5}, BuiltCodec::constant);
  EXPECT_TRUE(OpenedColumn(column)->is_plain());
  column.arrays[1].codec = BuiltCodec::packed;
  EXPECT_FALSE(OpenedColumn(column)->is_plain());
}

TEST(ColumnDecoder, TheHashOfTheContentDoesNotDependOnCodecs) {
  for (TestColumn column :
       {scalars_column(), rows_column(), variable_column(), sparse_column(), keys_column()}) {
    const std::uint64_t expected = column.stored().content_hash;
    for (BuiltArray& array : column.arrays) {
      if (!array.bits.empty()) array.codec = BuiltCodec::zstd;
    }
    const OpenedColumn opened(column);
    const auto bytes_in = [&](ArrayKind kind, std::int64_t size_each) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(opened->value_count() * size_each));
      EXPECT_TRUE(opened->decode(kind, bytes.data()));
      return bytes;
    };
    std::vector<std::byte> values;
    std::vector<std::byte> indices;
    if (column.built) {
      values = bytes_in(ArrayKind::values, element_size(column.built->type));
    } else {
      values = bytes_in(ArrayKind::key_text, 1);
    }
    if (column.built && column.built->storage == Storage::sparse) {
      indices = bytes_in(ArrayKind::indices, 4);
    }
    EXPECT_EQ(opened->content_hash(values, indices), expected);
    values[0] ^= std::byte{1};
    EXPECT_NE(opened->content_hash(values, indices), expected);
  }
}

}  // namespace
}  // namespace sheaf::container
