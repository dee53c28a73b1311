// The memory that a reader reports, compared with the memory that is measured.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/extend/transform.h"
#include "sheaf/reader.h"

#include "reader/fetch/chunk_memory.h"
#include "reader/plan/planner.h"
#include "reader/run_all.h"
#include "support/error_of.h"
#include "support/test_memory.h"

namespace sheaf {
namespace {

/// Returns sequences of one sample. Every eighth has 64 samples, so padding makes minibatches much
/// larger.
std::string uneven_text() {
  std::string text;
  for (int key = 0; key < 3000; ++key) {
    for (int sample = 0; sample < (key % 8 == 0 ? 64 : 1); ++sample) {
      text += std::to_string(key) + " |x";
      for (int value = 0; value < 8; ++value) text += ' ' + std::to_string(value);
      text += '\n';
    }
  }
  return text;
}

std::int64_t decoded_bytes(const Deserializer& data) {
  std::int64_t bytes = 0;
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    Diagnostics diagnostics;
    bytes += internal::held_bytes(data.read({chunk}, diagnostics));
  }
  return bytes;
}

std::shared_ptr<const Deserializer> open_uneven() {
  const FormatOptions options{.format = "ctf"};
  return find_format("", options).open({memory_source(uneven_text(), "memory"), options});
}

// The measured sum adds up peaks that may occur at different times. Everything else, such as tables
// and views, is far smaller than the data.
TEST(MemoryAccount, IsCloseToTheAllocatedMemory) {
  for (const std::optional<std::int64_t> limit :
       {std::optional<std::int64_t>(), std::optional(std::int64_t{64} << 20)}) {
    const std::shared_ptr<const Deserializer> data = open_uneven();
    testing::TestMemory memory;
    OrderOptions order;
    order.algorithm = OrderAlgorithm::keyed;
    order.window_chunks = 64;
    order.minibatch_size = 16;
    order.unit = MinibatchUnit::sequences;
    const std::shared_ptr<const Counts> counts(data, &data->index());
    Reader reader(data, make_sequencer(counts, order), make_packer(Layout::padded, order),
                  {.threads = 2, .memory_limit_bytes = limit, .minibatch_memory = &memory});
    while (std::optional<Minibatch> minibatch = reader.next()) minibatch.reset();
    const std::int64_t allocated = decoded_bytes(*data) + memory.held_bytes_max();
    const std::int64_t buffers = 2 * internal::Planner::kReadBufferBytes;
    const std::int64_t said = reader.stats().memory_bytes_max;
    EXPECT_GE(said, decoded_bytes(*data) + memory.held_bytes_max() / 2)
        << "limit " << limit.value_or(0);
    EXPECT_LE(said, allocated + allocated / 2 + buffers + data->index().memory_bytes());
  }
}

/// Stands for a decoder of images. A sample has two numbers; it becomes an image with about as many
/// rows and columns of 64 bytes.
class Decodes final : public Transform {
 public:
  explicit Decodes(std::optional<Shape> most) : most_(most) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "decode"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> /*inputs*/) const override {
    return {{.name = "image",
             .element_type = ElementType::u8,
             .sample_shape = {Shape::kVariable, Shape::kVariable, 64}}};
  }
  [[nodiscard]] std::optional<Shape> shape_max(std::size_t /*i*/) const override { return most_; }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> offsets = {0};
    for (std::int64_t i = 0; i < input.range.count; ++i) {
      std::array<float, 2> size{};
      std::memcpy(size.data(), input.views[0].values + i * 8, sizeof(size));
      extents.insert(extents.end(),
                     {static_cast<std::int64_t>(size[0]), static_cast<std::int64_t>(size[1]), 64});
      offsets.push_back(offsets.back() + extents[extents.size() - 3] * extents.end()[-2] * 64);
    }
    const TransformOutput::Variable room = output.variable(0, input.range.count, offsets.back());
    std::ranges::copy(offsets, room.sample_offsets);
    std::ranges::copy(extents, room.extents);
    std::memset(room.values, static_cast<int>(input.sequence.name.key.low % 251),
                static_cast<std::size_t>(offsets.back()));
  }

 private:
  std::optional<Shape> most_;
};

/// Runs over 60 sequences, whose images have up to half a MiB.
class DecodedImages : public ::testing::TestWithParam<Layout> {
 protected:
  DecodedImages() {
    std::string text;
    for (int key = 0; key < 60; ++key) {
      text += std::to_string(key) + " |x " + std::to_string(70 + key % 31) + " " +
              std::to_string(20 + key * 7 % 61) + "\n";
    }
    const std::unique_ptr<ByteSink> sink = files_->create("train.ctf");
    sink->write(std::as_bytes(std::span(text)));
    sink->finish();
  }

  [[nodiscard]] Reader open_run(std::optional<Shape> most, const RunOptions& run) const {
    OrderOptions order;
    order.algorithm = OrderAlgorithm::keyed;
    order.window_chunks = 100;
    order.minibatch_size = 3;
    order.unit = MinibatchUnit::sequences;
    Spec spec{
        .data = {FilesSpec{.files = {"train.ctf"},
                           .format = {.chunk_size_bytes = 100, .index = {.mode = IndexMode::off}}}},
        .read = {.order = order, .packing = GetParam()}};
    spec.data.transforms.push_back(parse_transform("function:x:name=decode"));
    spec.data.transforms.push_back(parse_transform("select:image"));
    const std::map<std::string, std::shared_ptr<const Transform>> functions = {
        {"decode", std::make_shared<const Decodes>(most)}};
    return Reader(spec, run, {.files = files_.get(), .functions = functions});
  }

  [[nodiscard]] static std::vector<std::string> read_all(Reader reader) {
    std::vector<std::string> all;
    while (const std::optional<Minibatch> minibatch = reader.next()) {
      all.push_back(testing::to_text(*minibatch));
    }
    return all;
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_P(DecodedImages, FitTheLimitThatTheErrorNames) {
  const Shape most{100, 80, 64};
  const std::vector<std::string> expected = read_all(open_run({}, {.threads = 3}));
  EXPECT_EQ(expected, read_all(open_run(most, {.threads = 1})));
  constexpr std::int64_t kTooLittle = std::int64_t{3} << 20;
  Reader refused = open_run(most, {.threads = 3, .memory_limit_bytes = kTooLittle});
  const std::string message =
      testing::error_of<ConfigError>([&] { static_cast<void>(refused.next()); });
  const std::size_t at = message.find("needs ");
  ASSERT_NE(at, std::string::npos) << message;
  const std::int64_t limit = std::stoll(message.substr(at + 6));
  EXPECT_GT(limit, 2 * 3 * most.size());  // three images, decoded and packed
  // The error tells what the first step needs. The windows of other steps take a few bytes more.
  constexpr std::int64_t kLittleMore = std::int64_t{16} << 10;
  EXPECT_EQ(expected,
            read_all(open_run(most, {.threads = 3, .memory_limit_bytes = limit + kLittleMore})));
}

TEST_P(DecodedImages, StayWithinTheLimit) {
  constexpr std::int64_t kLimit = std::int64_t{16} << 20;
  testing::TestMemory memory;
  Reader reader =
      open_run(Shape{100, 80, 64},
               {.threads = 3, .memory_limit_bytes = kLimit, .minibatch_memory = &memory});
  while (std::optional<Minibatch> minibatch = reader.next()) minibatch.reset();
  EXPECT_LE(reader.stats().memory_bytes_max, kLimit);
  EXPECT_LE(memory.held_bytes_max(), kLimit);  // without the memory of the transform, which counts
                                               // too
}

TEST_P(DecodedImages, NeedALargestShapeUnderALimit) {
  EXPECT_EQ(testing::error_of<ConfigError>([&] {
              static_cast<void>(open_run({}, {.memory_limit_bytes = std::int64_t{64} << 20}));
            }),
            "memory_limit_bytes: how much memory the transform \"function:x:name=decode\" takes is "
            "not known: its stream \"image\" has samples of variable shape; set the size of "
            "images (resize:image:size=HEIGHTxWIDTH), let a function of your own say the largest "
            "(shape_max), or leave the limit out");
  EXPECT_EQ(
      testing::error_of<ConfigError>([&] {
        static_cast<void>(open_run(Shape{100, 80}, {}));
      }),
      "transform \"function:x:name=decode\": shape_max: expected the largest extents of image: "
      "dense u8 [*, *, 64], got [100, 80]");
  const std::string message = testing::error_of<ConfigError>([&] {
    static_cast<void>(read_all(open_run(Shape{100, 79, 64}, {})));
  });
  EXPECT_NE(
      message.find("stream \"image\": expected samples of at most [100, 79, 64], as shape_max "
                   "says, got ["),
      std::string::npos)
      << message;
}

INSTANTIATE_TEST_SUITE_P(InLayouts, DecodedImages,
                         ::testing::Values(Layout::ragged, Layout::padded),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace sheaf
