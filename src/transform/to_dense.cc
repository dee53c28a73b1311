// Turns sparse samples into dense ones, with all their zeros.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kDenseSampleBytesMax = std::int64_t{1} << 30;

// Adds a value. Returns false if the sum overflows.
template <typename T>
bool add_checked(T& sum, T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    sum += value;
    return true;
  } else {
    return !__builtin_add_overflow(sum, value, &sum);
  }
}

class ToDense final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_dense_transform().name;
  }
  [[nodiscard]] std::string options() const override { return ""; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    Stream stream = inputs[0];
    if (stream.storage != Storage::sparse || !is_number_type(stream.element_type)) {
      refuse_stream(stream, "be sparse u8, u16, i32, i64, f32 or f64");
    }
    const std::int64_t dim = stream.sample_shape.size();
    const std::int64_t value_size = element_size(stream.element_type);
    if (dim > kDenseSampleBytesMax / value_size) {
      throw ConfigError(formatted(
          "stream {}: a dense sample may have at most {} bytes (1 GiB): got {} values of {} bytes",
          quoted(std::string_view(stream.name)), kDenseSampleBytesMax, dim, value_size));
    }
    stream.storage = Storage::dense;
    stream.index_type = Stream().index_type;  // dense streams have none
    return {stream};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const Stream& stream = input.streams[0];
    visit_number_type(stream.element_type, [&](auto zero) {
      if (stream.index_type == ElementType::i64) {
        apply_to<decltype(zero), std::int64_t>(input, output);
      } else {
        apply_to<decltype(zero), std::int32_t>(input, output);
      }
    });
  }

 private:
  template <typename T, typename IndexT>
  static void apply_to(const TransformInput& input, TransformOutput& output) {
    const SequenceView& view = input.views[0];
    const SampleRange& range = input.range;
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const std::int64_t* const offsets = view.sample_offsets + (range.first - input.firsts[0]);
    T* values = output.dense<T>(0, range.count);
    std::fill_n(values, range.count * dim, T{0});
    for (std::int64_t i = 0; i < range.count; ++i, values += dim) {
      for (std::int64_t v = offsets[i]; v < offsets[i + 1]; ++v) {
        const std::int64_t offset = v - view.sample_offsets[0];
        const std::int64_t index = load<IndexT>(view.indices, offset);
        if (index < 0 || index >= dim) {
          refuse_sample(input, i,
                        formatted("an index must be from 0 to {}: got {}", dim - 1, index));
        }
        if (!add_checked(values[index], load<T>(view.values, offset))) {
          refuse_sample(input, i,
                        formatted("the sum of the values of index {} is beyond the range of {}",
                                  index, to_string(input.streams[0].element_type)));
        }
      }
    }
  }

  [[noreturn]] static void refuse_sample(const TransformInput& input, std::int64_t i,
                                         const std::string& why) {
    throw ConfigError(formatted("stream {}: sample {}: {}",
                                quoted(std::string_view(input.streams[0].name)),
                                input.range.first + i, why));
  }
};

}  // namespace

const TransformType& to_dense_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "to_dense",
      .description = "the samples of a sparse stream with all their zeros",
      .use = TransformUse::each,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(to_dense_transform(), request));
        return std::make_shared<const ToDense>();
      }};
  return kType;
}

}  // namespace sheaf::internal
