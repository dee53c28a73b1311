#include "output/format_minibatch.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"

#include "support/buffer_of.h"

namespace sheaf::cli {
namespace {

using sheaf::testing::buffer_of;

// Three sequences of opaque blobs, the second one without them, and of images of two extents.
struct Data {
  std::vector<Stream> streams = {
      {.name = "blob", .element_type = ElementType::bytes, .sample_shape = {Shape::kVariable}},
      {.name = "image", .element_type = ElementType::i32, .sample_shape = {Shape::kVariable, 2}}};
  Chunk chunk = [this] {
    std::vector<Column> columns(2);
    columns[0].values = buffer_of<char>({'a', 'b', 'c', 'd', '\xff'});
    columns[0].sample_offsets = buffer_of<std::int64_t>({0, 4, 4, 5});
    columns[0].extents = buffer_of<std::int64_t>({4, 0, 1});
    columns[0].sequence_offsets = buffer_of<std::int64_t>({0, 2, 2, 3});
    columns[0].presence = buffer_of<std::uint8_t>({1, 0, 1});
    std::vector<std::int32_t> values(10);
    std::iota(values.begin(), values.end(), 1);
    columns[1].values = buffer_of(values);
    columns[1].sample_offsets = buffer_of<std::int64_t>({0, 4, 6, 10});
    columns[1].extents = buffer_of<std::int64_t>({2, 2, 1, 2, 2, 2});
    return Chunk(streams, 3, std::move(columns));
  }();

  [[nodiscard]] Minibatch pack(Layout layout) const {
    SequenceList list(std::make_shared<const std::vector<Stream>>(streams));
    for (std::int64_t i = 0; i < 3; ++i) {
      list.add({.low = static_cast<std::uint64_t>(i)}, chunk, i);
    }
    return make_packer(layout)->pack(list);
  }
};

// What people see of one sample of bytes.
std::string opaque(std::string_view bytes) {
  const std::vector<std::int64_t> offsets = {0, std::ssize(bytes)};
  const SequenceView view{.values = reinterpret_cast<const std::byte*>(bytes.data()),
                          .sample_offsets = offsets.data(),
                          .sample_count = 1,
                          .value_count = std::ssize(bytes)};
  std::string out;
  append_samples_readable(out, Data().streams[0], view, 2);
  return out;
}

std::string samples(std::int64_t stream, std::int64_t sequence, bool readable) {
  const Data data;
  std::string out;
  const Stream& its = data.streams[static_cast<std::size_t>(stream)];
  const SequenceView view = data.chunk.view(stream, sequence);
  readable ? append_samples_readable(out, its, view, 2) : append_samples(out, its, view);
  return out;
}

TEST(FormatMinibatch, OpaqueBytesAreBase64InJsonAndANumberForPeople) {
  EXPECT_EQ(samples(0, 0, false), R"(["YWJjZA==",""])");
  EXPECT_EQ(samples(0, 1, false), "null");
  EXPECT_EQ(samples(0, 2, false), R"(["/w=="])");
  EXPECT_EQ(samples(0, 0, true), "<4 bytes>\n  <0 bytes>");
  EXPECT_EQ(opaque("\xff\xd8\xff\xe0"), "<4 bytes, JPEG>");
  EXPECT_EQ(opaque("RIFF....WEBPVP8 "), "<16 bytes, WebP>");
  EXPECT_EQ(opaque("RIFF....WAVEfmt "), "<16 bytes, WAV>");
  EXPECT_EQ(opaque("RIFF"), "<4 bytes, RIFF>");
  EXPECT_EQ(opaque("....ftypisom"), "<12 bytes, MP4>");
  EXPECT_EQ(opaque("text"), "<4 bytes>");
  EXPECT_EQ(samples(0, 1, true), "(absent)");
  EXPECT_EQ(samples(0, 2, true), "<1 byte>");
}

TEST(FormatMinibatch, ValuesThatAreNotFiniteAreWords) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {2}}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({std::nanf(""), -std::nanf(""), kInfinity, -kInfinity});
  columns[0].sequence_offsets = buffer_of<std::int64_t>({0, 2});
  SequenceList list(std::make_shared<const std::vector<Stream>>(streams));
  const Chunk chunk(streams, 1, std::move(columns));
  list.add(SequenceKey{}, chunk, 0);
  const Minibatch minibatch = make_packer(Layout::packed)->pack(list);
  const std::vector<std::int64_t> numbers = {0};
  std::string out;
  append_matrix(out, minibatch, numbers);
  EXPECT_EQ(out, "NaN NaN\nInfinity -Infinity");
  out.clear();
  append_minibatch(out, minibatch, numbers, true);
  EXPECT_NE(out.find("[NaN,NaN,Infinity,-Infinity]"), std::string::npos) << out;
}

TEST(FormatMinibatch, SamplesOfSeveralExtentsAreNestedLists) {
  EXPECT_EQ(samples(1, 0, false), "[[[1,2],[3,4]]]");
  EXPECT_EQ(samples(1, 1, false), "[[[5,6]]]");
  EXPECT_EQ(samples(1, 0, true), "[2, 2] 1 2 3 4");
}

TEST(FormatMinibatch, ArraysOfStreamsThatVaryHaveTheirShapes) {
  const Data data;
  const std::vector<std::int64_t> numbers = {0, 1};
  std::string out;
  append_minibatch(out, data.pack(Layout::ragged), numbers, true);
  EXPECT_NE(out.find(R"("shape":[3,null],"values":["YWJjZA==","","/w=="],"row_offsets":[0,4,4,5])"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("shape":[3,null,2],"values":[1,2,3,4,5,6,7,8,9,10])"), std::string::npos)
      << out;
  out.clear();
  append_summary(out, data.pack(Layout::ragged), 0, numbers);
  EXPECT_EQ(out,
            "minibatch 0: sequences 3, samples 3; blob dense [3, *] of 5 bytes; "
            "image dense [3, *, 2] of 10 values");
  out.clear();
  append_minibatch(out, data.pack(Layout::padded), numbers, true);
  EXPECT_NE(out.find(R"("shape":[3,2,null],"values":["YWJjZA==","","","","/w==",""])"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("shape":[3,1,2,2],"values":[1,2,3,4,5,6,0,0,7,8,9,10])"), std::string::npos)
      << out;
}

}  // namespace
}  // namespace sheaf::cli
