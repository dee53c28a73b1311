// Samples that overlap or lie apart are packed like samples that lie back to back.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::to_vector;

constexpr std::int64_t kValues = 9;  // values of a sample in the first stream

using Streams = std::shared_ptr<const std::vector<Stream>>;

Streams streams() {
  return std::make_shared<const std::vector<Stream>>(
      std::vector<Stream>{{.name = "wide", .sample_shape = {kValues}},
                          {.name = "small", .element_type = ElementType::u8, .sample_shape = {3}}});
}

std::vector<float> floats() {
  std::vector<float> all;
  all.reserve(200);
  for (int i = 0; i < 200; ++i) all.push_back(static_cast<float>(i) / 4);
  return all;
}

std::vector<std::uint8_t> bytes() {
  std::vector<std::uint8_t> all;
  all.reserve(200);
  for (int i = 0; i < 200; ++i) all.push_back(static_cast<std::uint8_t>(i));
  return all;
}

/// Sequences of two streams. Samples begin `stride` values after each other, or are copied back to
/// back.
class Sequences {
 public:
  Sequences(const std::vector<std::int64_t>& lengths, std::int64_t stride, bool is_copied) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::int64_t first = 2 + 5 * static_cast<std::int64_t>(i);
      wide_.push_back(copied(floats_, lengths[i], kValues, first, stride));
      small_.push_back(copied(bytes_, lengths[i], 3, first, stride));
      const auto* const wide = is_copied ? wide_.back().data() : floats_.data() + first;
      const auto* const small = is_copied ? small_.back().data() : bytes_.data() + first;
      views_.push_back({view(wide, lengths[i], kValues, is_copied ? 0 : stride),
                        view(small, lengths[i], 3, is_copied ? 0 : stride)});
    }
  }

  /// Lifetime: as long as this object.
  [[nodiscard]] SequenceList list(bool has_slots) const {
    SequenceList all(streams());
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const std::int64_t count = views_[i][0].sample_count;
      std::optional<SequenceSlice> slice;
      std::optional<std::int64_t> slot;
      if (has_slots) {
        slice = {.first = 0, .count = count, .sequence_sample_count = count};
        slot = static_cast<std::int64_t>(i);
      }
      all.add({i, 0}, {}, views_[i], slice, slot);
    }
    return all;
  }

 private:
  template <typename T>
  static std::vector<T> copied(const std::vector<T>& from, std::int64_t count, std::int64_t size,
                               std::int64_t first, std::int64_t stride) {
    std::vector<T> all;
    for (std::int64_t t = 0; t < count; ++t) {
      const auto begin = from.begin() + first + t * stride;
      all.insert(all.end(), begin, begin + size);
    }
    return all;
  }

  template <typename T>
  static SequenceView view(const T* values, std::int64_t count, std::int64_t size,
                           std::int64_t stride) {
    return {.values = reinterpret_cast<const std::byte*>(values),
            .sample_count = count,
            .value_count = count * size,
            .sample_stride = static_cast<std::int32_t>(stride * std::int64_t{sizeof(T)})};
  }

  std::vector<float> floats_ = floats();
  std::vector<std::uint8_t> bytes_ = bytes();
  std::vector<std::vector<float>> wide_;
  std::vector<std::vector<std::uint8_t>> small_;
  std::vector<std::vector<SequenceView>> views_;
};

void expect_equal(const Minibatch& a, const Minibatch& b) {
  ASSERT_EQ(a.sequence_count(), b.sequence_count());
  for (std::int64_t s = 0; s < 2; ++s) {
    const StreamBatch& from = a.batch(s);
    const StreamBatch& to = b.batch(s);
    EXPECT_FALSE(from.values.empty());
    EXPECT_EQ(to_vector<std::byte>(from.values), to_vector<std::byte>(to.values)) << s;
    EXPECT_EQ(to_vector<std::uint8_t>(from.mask), to_vector<std::uint8_t>(to.mask)) << s;
    EXPECT_EQ(to_vector<std::int64_t>(from.lengths), to_vector<std::int64_t>(to.lengths)) << s;
  }
}

void expect_packed_alike(const Packer& packer, const std::vector<std::int64_t>& lengths,
                         bool has_slots = false) {
  EXPECT_TRUE(packer.takes_strides());
  for (const std::int64_t stride : {1, 3, 8, 9, 14}) {
    SCOPED_TRACE(std::string(packer.name()) + ", " + std::to_string(stride));
    const Sequences strided(lengths, stride, false);
    const Sequences copied(lengths, stride, true);
    expect_equal(packer.pack(copied.list(has_slots)), packer.pack(strided.list(has_slots)));
  }
}

TEST(Strides, ArePackedByAllPackers) {
  Padding left;
  left.pad_side = PadSide::left;
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>{4, 1, 0, 3}, {2, 2, 2}, {5}, {1, 1, 1}}) {
    expect_packed_alike(*padded_packer(), lengths);
    expect_packed_alike(*padded_packer(left), lengths);
    expect_packed_alike(*ragged_packer(), lengths);
    expect_packed_alike(*packed_packer(), lengths);
    expect_packed_alike(*packed_packer(7), lengths);
    expect_packed_alike(*truncated_packer(4, 5), lengths, true);
  }
  expect_packed_alike(*frames_packer(), {1, 1, 1});
}

TEST(Strides, APartBeginsAtItsSample) {
  const Stream stream{.name = "wide", .sample_shape = {kValues}};
  const std::vector<float> values = floats();
  const SequenceView view{.values = reinterpret_cast<const std::byte*>(values.data()),
                          .sample_count = 5,
                          .value_count = 5 * kValues,
                          .sample_stride = 4 * std::int32_t{sizeof(float)}};
  const SequenceView part = part_of_view(view, stream, {2, 9});
  EXPECT_EQ(part.values, view.values + 2 * std::int64_t{view.sample_stride});
  EXPECT_EQ(part.sample_count, 3);
  EXPECT_EQ(part.value_count, 3 * kValues);
  EXPECT_EQ(part.sample_stride, view.sample_stride);
  EXPECT_EQ(part_of_view(view, stream, {5, 1}).sample_count, 0);
}

}  // namespace
}  // namespace sheaf
