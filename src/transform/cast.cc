// Casts values to another type. Values that the type cannot hold exactly are refused.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/dtype.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

// An option takes the names of the library, and the words of options in general.
constexpr std::array<std::string_view, kDtypeNames.size()> kTypeNames = {
    "f32", "f64", "f16", "bf16", "i32", "i64", "u8", "u16"};
constexpr auto kTypeWords = [] {
  std::array<std::string_view, 2 * kDtypeNames.size()> words{};
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    words[i] = kDtypeNames[i].word;
    words[i + kTypeNames.size()] = kTypeNames[i];
  }
  return words;
}();

class Cast final : public Transform {
 public:
  explicit Cast(ElementType type) noexcept : type_(type) {}

  [[nodiscard]] std::string_view name() const noexcept override { return cast_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("dtype={}", dtype_word(type_));
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    if (!can_cast(inputs[0].element_type, type_)) refuse_stream(inputs[0], "have numbers");
    Stream made = inputs[0];
    made.element_type = type_;
    return {made};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const Stream& stream = input.streams[0];
    SequenceView view = part_of_view(input.views[0], stream,
                                     {input.range.first - input.firsts[0], input.range.count});
    if (stream.element_type != type_) {
      constexpr std::size_t kAlignment = 64;
      const auto bytes = static_cast<std::size_t>(view.value_count * element_size(type_));
      auto* const values = static_cast<std::byte*>(
          output.memory().allocate(std::max<std::size_t>(1, bytes), kAlignment));
      const ElementType from = stream.element_type;
      if (cast_elements(from, view.values, type_, values, view.value_count) > 0) {
        const std::int64_t first = first_lost(from, view.values, type_, view.value_count);
        refuse_value(stream, view, input.range.first, first, with_zero_of(from, [&](auto zero) {
                       return formatted("{}", arithmetic(load<decltype(zero)>(view.values, first)));
                     }));
      }
      view.values = values;
    }
    output.set(0, view);
  }

 private:
  [[noreturn]] void refuse_value(const Stream& stream, const SequenceView& view,
                                 std::int64_t first_sample, std::int64_t at,
                                 const std::string& found) const {
    std::int64_t sample = 0;
    std::int64_t index = 0;
    if (view.sample_offsets == nullptr) {
      sample = at / stream.sample_shape.size();
      index = at % stream.sample_shape.size();
    } else {
      const std::int64_t* const offsets = view.sample_offsets;
      while (offsets[sample + 1] - offsets[0] <= at) ++sample;
      index = at - (offsets[sample] - offsets[0]);
    }
    throw ConfigError(
        formatted("stream \"{}\": value {} of sample {} is {}, which {} does not hold", stream.name,
                  index, first_sample + sample, found, dtype_word(type_)));
  }

  ElementType type_;
};

constexpr TransformOption kCastOptions[] = {
    {.name = "dtype", .help = "float32, float64, float16, bfloat16, int32, int64, uint8 or uint16"},
};

}  // namespace

const TransformType& cast_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "cast",
      .description = "values of another type, exact or refused",
      .use = TransformUse::each,
      .takes_all = true,
      .options = kCastOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        const OptionValues options(cast_transform(), request);
        return std::make_shared<const Cast>(
            kDtypeNames[options.choice("dtype", kTypeWords) % kDtypeNames.size()].type);
      }};
  return kType;
}

}  // namespace sheaf::internal
