#include "packer/variable_rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::to_buffer;
using testing::to_vector;

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kAny = Shape::kVariable;

/// Sequences of one stream "image" of floats, given by the shapes of the samples. Values count up
/// from 1.
struct Images {
  explicit Images(std::vector<std::vector<Ints>> shapes)
      : streams(std::make_shared<std::vector<Stream>>(
            std::vector<Stream>{{.name = "image", .sample_shape = {kAny, 2, kAny}}})),
        chunk(chunk_of(*streams, shapes)),
        list(streams) {
    for (std::int64_t i = 0; i < std::ssize(shapes); ++i) {
      list.add({static_cast<std::uint64_t>(10 + i), 0}, chunk, i);
    }
  }

  static Chunk chunk_of(const std::vector<Stream>& streams,
                        const std::vector<std::vector<Ints>>& shapes) {
    std::vector<Column> columns(1);
    columns[0].sample_offsets.push_back(std::int64_t{0});
    columns[0].sequence_offsets.push_back(std::int64_t{0});
    std::int64_t values = 0;
    std::int64_t samples = 0;
    for (const std::vector<Ints>& of_sequence : shapes) {
      for (const Ints& shape : of_sequence) {
        std::int64_t size = 1;
        for (const std::int64_t extent : shape) {
          columns[0].extents.push_back(extent);
          size *= extent;
        }
        for (std::int64_t i = 0; i < size; ++i) {
          columns[0].values.push_back(static_cast<float>(++values));
        }
        columns[0].sample_offsets.push_back(values);
      }
      columns[0].sequence_offsets.push_back(samples += std::ssize(of_sequence));
    }
    return {streams, std::ssize(shapes), std::move(columns)};
  }

  std::shared_ptr<const std::vector<Stream>> streams;
  Chunk chunk;
  SequenceList list;
};

TEST(VariableRows, DetectsVariableStreams) {
  struct Case {
    Stream stream;
    bool is_opaque;
    bool is_variable;
    bool has_row_offsets;
  };
  const Case cases[] = {
      {{.name = "fixed", .sample_shape = {2}}, false, false, false},
      {{.name = "image", .sample_shape = {kAny, 2}}, false, true, false},
      {{.name = "sparse", .sample_shape = {9}, .storage = Storage::sparse}, false, false, true},
      {{.name = "blob", .element_type = ElementType::bytes, .sample_shape = {kAny}},
       true,
       false,
       true},
      {{.name = "hash", .element_type = ElementType::bytes, .sample_shape = {8}},
       false,
       false,
       false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.stream.name);
    EXPECT_EQ(is_opaque(c.stream), c.is_opaque);
    EXPECT_EQ(is_variable(c.stream), c.is_variable);
    EXPECT_EQ(has_row_offsets(c.stream), c.has_row_offsets);
  }
}

TEST(VariableRows, PaddedSamplesStartAtTheCornerOfTheirRows) {
  const Images images({{{1, 2, 1}, {2, 2, 1}}, {}, {{1, 2, 2}}});
  const Minibatch minibatch = padded_packer()->pack(images.list);
  const StreamBatch& batch = minibatch.batch(0);
  EXPECT_EQ(batch.row_shape, (Shape{2, 2, 2}));
  EXPECT_EQ(to_vector<float>(batch.values), (std::vector<float>{
                                                1, 0, 2, 0,  0, 0, 0, 0,  // [1, 2, 1]
                                                3, 0, 4, 0,  5, 0, 6, 0,  // [2, 2, 1]
                                                0, 0, 0, 0,  0, 0, 0, 0,  //
                                                0, 0, 0, 0,  0, 0, 0, 0,  //
                                                7, 8, 9, 10, 0, 0, 0, 0,  // [1, 2, 2]
                                                0, 0, 0, 0,  0, 0, 0, 0,  //
                                            }));
  EXPECT_EQ(to_vector<std::int64_t>(batch.extents),
            (Ints{1, 2, 1, 2, 2, 1, 0, 0, 0, 0, 0, 0, 1, 2, 2, 0, 0, 0}));
  EXPECT_TRUE(batch.row_offsets.empty());
  const SampleView sample = minibatch.sample(0, 2, 0);
  EXPECT_EQ(sample.value_count, 8);
  EXPECT_EQ(Ints(sample.extents, sample.extents + 3), (Ints{1, 2, 2}));
  EXPECT_EQ(reinterpret_cast<const float*>(sample.values)[3], 10);
}

TEST(VariableRows, EmptyExtentsAreThoseOfTheStreamOrZero) {
  const Images images({{}, {}});
  const Minibatch minibatch = padded_packer()->pack(images.list);
  EXPECT_EQ(to_string(minibatch.batch(0).row_shape), "[0, 2, 0]");
  EXPECT_TRUE(minibatch.batch(0).values.empty());
  EXPECT_TRUE(minibatch.batch(0).extents.empty());
}

TEST(VariableRows, OtherLayoutsNeedSamplesOfOneShape) {
  const Images images({{{1, 2, 2}}, {{1, 2, 2}}});
  for (const Layout layout : {Layout::packed, Layout::frames}) {
    SCOPED_TRACE(to_string(layout));
    const Minibatch minibatch = make_packer(layout)->pack(images.list);
    const StreamBatch& batch = minibatch.batch(0);
    EXPECT_EQ(batch.row_shape, (Shape{1, 2, 2}));
    EXPECT_EQ(to_vector<float>(batch.values), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(to_vector<std::int64_t>(batch.extents), (Ints{1, 2, 2, 1, 2, 2}));
    SequenceList again(images.streams);
    EXPECT_THROW(again.add(minibatch, 0), ConfigError);
  }
}

TEST(VariableRows, OtherLayoutsRefuseUnequalShapesAndNameTwoSequences) {
  struct Case {
    std::vector<std::vector<Ints>> shapes;
    const char* text;
  };
  const Case cases[] = {
      {{{{1, 2, 2}}, {{1, 2, 3}}}, "[1, 2, 2] in sequence 10 and [1, 2, 3] in sequence 11"},
      {{{}, {{1, 2, 0}, {1, 2, 0}, {1, 2, 1}}},
       "[1, 2, 0] in sequence 11 and [1, 2, 1] in sequence 11"},  // in one sequence
  };
  for (const Case& c : cases) {
    const Images images(c.shapes);
    EXPECT_EQ(testing::error_of<ConfigError>(
                  [&] { static_cast<void>(packed_packer()->pack(images.list)); }),
              std::string("packing: stream \"image\" has samples of shape ") + c.text +
                  ": `packed` takes samples of one shape; pack them as `padded` or `ragged`");
  }
}

TEST(VariableRows, ExtentsThatContradictTheValuesAreRefused) {
  const float values[6] = {};
  const std::int64_t offsets[] = {0, 6};
  const auto streams = std::make_shared<std::vector<Stream>>(
      std::vector<Stream>{{.name = "image", .sample_shape = {kAny, 2}}});
  for (const Ints& extents :
       {Ints{4, 2}, Ints{-3, -2}, Ints{2, 3}, Ints{std::int64_t{1} << 62, 2}}) {
    const SequenceView view = {.values = reinterpret_cast<const std::byte*>(values),
                               .sample_offsets = offsets,
                               .extents = extents.data(),
                               .sample_count = 1,
                               .value_count = 6};
    SequenceList list(streams);
    list.add({7, 0}, {}, std::vector<SequenceView>{view});
    EXPECT_THROW(static_cast<void>(padded_packer()->pack(list)), InternalError);
  }
}

}  // namespace
}  // namespace sheaf::internal
