#include "packer/padding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::Bytes;
using testing::PlainData;
using testing::PlainSequence;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

Stream stream_of(ElementType type) {
  return {.name = "x", .element_type = type, .sample_shape = {2}};
}

/// Returns the bits of three filled-in values, which must be equal. Returns -1 if the type has no
/// such value.
std::int64_t bits_of(ElementType type, const PadValue& value) {
  const std::int64_t size = element_size(type);
  std::vector<std::byte> out(static_cast<std::size_t>(3 * size), std::byte{0x5a});
  try {
    PadFill(stream_of(type), value).fill(out.data(), std::ssize(out));
  } catch (const ConfigError&) {
    return -1;
  }
  std::int64_t bits[3] = {};
  for (std::int64_t i = 0; i < 3; ++i) {
    std::memcpy(&bits[i], out.data() + i * size, static_cast<std::size_t>(size));
  }
  EXPECT_EQ(bits[0], bits[1]);
  EXPECT_EQ(bits[0], bits[2]);
  return bits[0];
}

TEST(PadFill, ValuesMustFitTheElementType) {
  struct Case {
    ElementType type;
    PadValue value;
    std::int64_t bits;  // -1 means refused
  };
  using enum ElementType;
  const std::int64_t two53 = std::int64_t{1} << 53;
  const Case cases[] = {
      {u8, std::int64_t{255}, 255},
      {u8, std::int64_t{256}, -1},
      {u8, std::int64_t{-1}, -1},
      {u8, 7.0, 7},
      {u8, 7.5, -1},
      {i32, std::int64_t{-100}, 0xffffff9c},
      {i32, std::int64_t{2147483647}, 2147483647},
      {i32, std::int64_t{2147483648}, -1},
      {i64, two53 + 1, two53 + 1},  // more than a double can hold
      {i64, kInt64Max, kInt64Max},
      {i64, kInt64Min, kInt64Min},
      {i64, 0x1p63, -1},
      {i64, -0.0, -1},
      {u16, std::int64_t{65535}, 0xffff},
      {u16, std::int64_t{65536}, -1},
      {u16, std::int64_t{-1}, -1},
      {bf16, std::int64_t{-100}, 0xc2c8},
      {bf16, std::int64_t{256}, 0x4380},
      {bf16, std::int64_t{257}, -1},
      {bf16, 0.1, 0x3dcd},
      {bf16, 3.4e38, -1},
      {f16, std::int64_t{1}, 0x3c00},
      {f16, std::int64_t{-65504}, 0xfbff},
      {f16, std::int64_t{65536}, -1},
      {f16, std::int64_t{2048}, 0x6800},
      {f16, std::int64_t{2049}, -1},
      {f16, 0.1, 0x2e66},
      {f16, 65519.9, 0x7bff},
      {f16, 65520.5, -1},
      {f16, 0x1p-24, 1},
      {f16, 0x1.8p-25, 1},
      {f16, 0x1p-25, 0},           // a tie, to even
      {f16, 0x1.ffcp-15, 0x0400},  // the largest denormal plus half a step
      {f16, -0.0, 0x8000},
      {f32, std::int64_t{-100}, 0xc2c80000},
      {f32, std::int64_t{16777216}, 0x4b800000},
      {f32, std::int64_t{16777217}, -1},
      {f32, kInt64Min, 0xdf000000},
      {f32, 0.1, 0x3dcccccd},
      {f32, 1e39, -1},
      {f64, two53, 0x4340000000000000},
      {f64, two53 + 1, -1},
      {f64, 0.1, 0x3fb999999999999a},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.type));
    SCOPED_TRACE(c.bits);
    EXPECT_EQ(bits_of(c.type, c.value), c.bits);
  }
}

TEST(Padding, RefusesUnsupportedOptionsOfALayout) {
  struct Case {
    Layout layout;
    Padding padding;
    const char* text;  // the beginning of the error, or empty if accepted
  };
  const Padding values = {.pad_values = {{"x", std::int64_t{1}}}};
  const Case cases[] = {
      {Layout::padded, {}, ""},
      {Layout::ragged, {}, ""},
      {Layout::packed, values, ""},
      {Layout::frames, values, ""},
      {Layout::truncated, values, ""},
      {Layout::ragged, values,
       "pad_values: `ragged` has no place without a sample; got the packing `ragged`"},
      {Layout::packed,
       {.pad_side = PadSide::left},
       "pad_side: it is `padded` that pads sequences; got the packing `packed`: leave pad_side "
       "out"},
      {Layout::frames, {.pad_multiple = 8}, "pad_multiple: it is `padded`"},
      {Layout::truncated, {.pad_length = 8}, "pad_length: it is `padded`"},
      {Layout::padded, {.pad_multiple = 0}, "pad_multiple must be 1 to 1000000000: got 0"},
      {Layout::padded, {.pad_multiple = 1'000'000'001}, "pad_multiple must be 1 to"},
      {Layout::padded, {.pad_length = -1}, "pad_length must be 1 to 1000000000: got -1"},
      {Layout::padded,
       {.pad_multiple = 8, .pad_length = 8},
       "pad_multiple and pad_length: the one"},
      {Layout::padded,
       {.pad_values = {{"x", std::numeric_limits<double>::infinity()}}},
       "pad_values: the value of \"x\" must be finite: got inf"},
  };
  for (const Case& c : cases) {
    const std::string text =
        testing::error_of<ConfigError>([&] { check_padding(c.layout, c.padding); });
    EXPECT_TRUE(text.starts_with(c.text)) << text;
    EXPECT_EQ(text.empty(), std::string(c.text).empty()) << text;
  }
}

TEST(Padding, ValuesNeedMatchingStreams) {
  const std::vector<Stream> streams = {
      {.name = "tokens", .element_type = ElementType::i32, .sample_shape = {}},
      {.name = "words", .sample_shape = {9}, .storage = Storage::sparse},
      {.name = "blob", .element_type = ElementType::bytes, .sample_shape = {Shape::kVariable}},
  };
  const auto refusal = [&](const char* name, PadValue value) {
    return testing::error_of<ConfigError>([&] {
      padded_packer({.pad_values = {{name, value}}})->check(streams);
    });
  };
  EXPECT_EQ(refusal("tokens", std::int64_t{50256}), "");
  EXPECT_EQ(refusal("tokns", std::int64_t{50256}),
            "pad_values: no stream is named \"tokns\"; did you mean \"tokens\"?");
  EXPECT_EQ(
      refusal("words", std::int64_t{1}),
      "pad_values: stream \"words\" is sparse, and has no values where no sample is: leave it "
      "out");
  EXPECT_EQ(
      refusal("blob", std::int64_t{1}),
      "pad_values: stream \"blob\" is of bytes, and has no values where no sample is: leave it "
      "out");
  EXPECT_EQ(refusal("tokens", 0.5),
            "pad_values: stream \"tokens\" has values of type i32, and 0.5 is none");
}

TEST(Padding, TheNameOfAPackerListsOtherThanDefaultOptions) {
  EXPECT_EQ(padded_packer({.pad_values = {{"x", std::int64_t{0}}, {"y", 0.0}}, .pad_multiple = 1})
                ->name(),
            "padded");
  EXPECT_EQ(padded_packer({.pad_values = {{"b", -0.5}, {"a", 5.0}, {"c", -0.0}},
                           .pad_side = PadSide::left,
                           .pad_multiple = 8})
                ->name(),
            "padded/left/multiple=8/a=5/b=-0.5/c=-0");
  EXPECT_EQ(padded_packer({.pad_length = 512})->name(), "padded/length=512");
  EXPECT_EQ(packed_packer(512, {.pad_values = {{"x", std::int64_t{-100}}}})->name(),
            "packed/512/x=-100");
}

TEST(Padding, ASequenceLongerThanPadLengthIsNamed) {
  const auto streams =
      std::make_shared<std::vector<Stream>>(std::vector<Stream>{{.name = "x", .sample_shape = {}}});
  std::vector<Column> columns(1);
  columns[0].values = testing::to_buffer<float>({1, 2, 3});
  columns[0].sequence_offsets = testing::to_buffer<std::int64_t>({0, 3});
  const Chunk chunk(*streams, 1, std::move(columns));
  SequenceList list(streams);
  list.add({7, 0}, chunk, 0);
  EXPECT_EQ(padded_packer({.pad_length = 3})->pack(list).batch(0).sample_count_max, 3);
  EXPECT_EQ(
      testing::error_of<ConfigError>(
          [&] { static_cast<void>(padded_packer({.pad_length = 2})->pack(list)); }),
      "packing: sequence 7 has 3 samples in stream \"x\", more than the 2 of pad_length: make "
      "pad_length as large as the longest sequence, say with `long` what becomes of longer ones, "
      "or pack without pad_length");
}

TEST(Padding, AHugePadLengthIsAllowedForAnEmptyMinibatch) {
  const auto streams = std::make_shared<std::vector<Stream>>(
      std::vector<Stream>{{.name = "x", .sample_shape = {std::int64_t{1} << 40}}});
  const Minibatch minibatch =
      padded_packer({.pad_length = 1'000'000'000})->pack(SequenceList(streams));
  EXPECT_EQ(minibatch.batch(0).sample_count_max, 1'000'000'000);
  EXPECT_EQ(minibatch.batch(0).row_count(), 0);
  EXPECT_TRUE(minibatch.batch(0).values.empty());
}

/// Computes where a sample of `padded` begins, directly from the description of the options.
struct Oracle {
  const Stream& stream;
  const Padding& padding;
  const std::vector<PlainSequence>& sequences;

  [[nodiscard]] std::int64_t step_count() const {
    std::int64_t longest = 0;
    for (const PlainSequence& sequence : sequences) {
      longest = std::max(longest, sequence ? std::ssize(*sequence) : 0);
    }
    if (padding.pad_length) return *padding.pad_length;
    while (longest % padding.pad_multiple.value_or(1) != 0) ++longest;
    return longest;
  }

  /// Returns the bytes of [N, T, row_shape], value by value.
  [[nodiscard]] Bytes values(const Shape& row_shape, const Bytes& pad) const {
    const std::int64_t steps = step_count();
    const std::int64_t size = element_size(stream.element_type);
    Bytes all;
    for (const PlainSequence& sequence : sequences) {
      const std::int64_t length = sequence ? std::ssize(*sequence) : 0;
      const std::int64_t begin = padding.pad_side == PadSide::left ? steps - length : 0;
      for (std::int64_t step = 0; step < steps; ++step) {
        const bool is_there = step >= begin && step < begin + length;
        for (std::int64_t index = 0; index < row_shape.size(); ++index) {
          const std::int64_t from =
              is_there ? number_in_sample((*sequence)[static_cast<std::size_t>(step - begin)],
                                          row_shape, index)
                       : -1;
          if (from < 0) {
            testing::append(all, pad);
            continue;
          }
          const Bytes& values = (*sequence)[static_cast<std::size_t>(step - begin)].values;
          all.insert(all.end(), values.begin() + from * size, values.begin() + (from + 1) * size);
        }
      }
    }
    return all;
  }

  /// Returns the number of the value at `index` of the array row, or -1 for padding.
  [[nodiscard]] std::int64_t number_in_sample(const testing::PlainSample& sample,
                                              const Shape& row_shape, std::int64_t index) const {
    if (stream.sample_shape.is_fixed()) return index;
    std::int64_t number = 0;
    std::int64_t step = 1;
    for (auto axis = static_cast<std::size_t>(row_shape.rank()); axis-- > 0;) {
      const std::int64_t row_extent = row_shape.extents()[axis];
      if (index % row_extent >= sample.extents[axis]) return -1;
      number += index % row_extent * step;
      step *= sample.extents[axis];
      index /= row_extent;
    }
    return number;
  }
};

bool has_pad_value(const Stream& stream) {
  return stream.storage == Storage::dense && stream.element_type != ElementType::bytes;
}

RC_GTEST_PROP(PaddingLaws, PaddedArraysFollowTheOptions, ()) {
  const PlainData data = testing::random_data(testing::random_streams(), Layout::padded);
  Padding padding;
  if (*rc::gen::arbitrary<bool>()) padding.pad_side = PadSide::left;
  const int length = *testing::any_of(0, 3);
  if (length == 1) padding.pad_multiple = *testing::any_of<std::int64_t>(1, 6);
  if (length == 2) padding.pad_length = *testing::any_of<std::int64_t>(3, 9);
  for (const Stream& stream : *data.streams) {
    if (!has_pad_value(stream) || *rc::gen::arbitrary<bool>()) continue;
    padding.pad_values[stream.name] = *testing::any_of<std::int64_t>(0, 200);
  }
  const Chunk chunk = testing::to_chunk(data);
  const std::unique_ptr<Packer> packer = padded_packer(padding);
  const Minibatch minibatch = packer->pack(testing::to_list(data, chunk));
  RC_ASSERT(testing::to_plain_by_sample(minibatch, data.streams) == data);
  for (std::size_t s = 0; s < data.streams->size(); ++s) {
    const Stream& stream = (*data.streams)[s];
    const StreamBatch& batch = minibatch.batch(static_cast<std::int64_t>(s));
    const Oracle oracle{stream, padding, data.sequences[s]};
    RC_ASSERT(batch.pad_side == padding.pad_side);
    RC_ASSERT(batch.sample_count_max == oracle.step_count());
    RC_ASSERT(packer->row_count(batch.lengths.as<std::int64_t>()) == batch.row_count());
    const Stream ones = {.name = "one", .element_type = ElementType::u8, .sample_shape = {}};
    std::vector<PlainSequence> filled;
    for (const PlainSequence& sequence : data.sequences[s]) {
      filled.emplace_back().emplace(sequence ? sequence->size() : 0,
                                    testing::PlainSample{{std::byte{1}}, {}, {}});
    }
    RC_ASSERT(Bytes(batch.mask.data(), batch.mask.data() + batch.mask.size_bytes()) ==
              (Oracle{ones, padding, filled}.values({}, {std::byte{0}})));
    if (!batch.row_offsets.empty()) {
      RC_ASSERT(std::ssize(batch.row_offsets.as<std::int64_t>()) == batch.row_count() + 1);
      continue;
    }
    Bytes pad(static_cast<std::size_t>(element_size(stream.element_type)));
    fill_of(padding, stream).fill(pad.data(), std::ssize(pad));
    RC_ASSERT(Bytes(batch.values.data(), batch.values.data() + batch.values.size_bytes()) ==
              oracle.values(batch.row_shape, pad));
  }
}

RC_GTEST_PROP(PaddingLaws, OtherLayoutsFillEmptyRowsWithTheValue, ()) {
  const Layout layout = *rc::gen::element(Layout::packed, Layout::frames);
  const PlainData data = testing::random_data(testing::random_streams(), layout);
  Padding padding;
  for (const Stream& stream : *data.streams) {
    if (!has_pad_value(stream)) continue;
    padding.pad_values[stream.name] = *testing::any_of<std::int64_t>(1, 200);
  }
  const Chunk chunk = testing::to_chunk(data);
  const std::unique_ptr<Packer> packer =
      layout == Layout::packed ? packed_packer({}, padding) : frames_packer(padding);
  const Minibatch minibatch = packer->pack(testing::to_list(data, chunk));
  RC_ASSERT(testing::to_plain_by_sample(minibatch, data.streams) == data);
  for (std::size_t s = 0; s < data.streams->size(); ++s) {
    const Stream& stream = (*data.streams)[s];
    if (!has_pad_value(stream)) continue;
    const StreamBatch& batch = minibatch.batch(static_cast<std::int64_t>(s));
    std::vector<bool> taken(static_cast<std::size_t>(batch.row_count()));
    for (std::int64_t n = 0; n < batch.sequence_count; ++n) {
      const std::int64_t length = batch.lengths.as<std::int64_t>()[static_cast<std::size_t>(n)];
      for (std::int64_t t = 0; t < length; ++t) {
        taken[static_cast<std::size_t>(batch.row(n, t))] = true;
      }
    }
    const std::int64_t size = batch.row_shape.size() * element_size(stream.element_type);
    Bytes row(static_cast<std::size_t>(size));
    fill_of(padding, stream).fill(row.data(), size);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) continue;
      const std::byte* const begin = batch.values.data() + static_cast<std::int64_t>(i) * size;
      RC_ASSERT(Bytes(begin, begin + size) == row);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
