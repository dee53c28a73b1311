// Values of another type, exact or refused.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

// The words of NumPy, and those of this library. An option may be either.
constexpr std::array<std::string_view, 10> kDtypeWords = {
    "float32", "float64", "int32", "int64", "uint8", "f32", "f64", "i32", "i64", "u8"};
constexpr std::array kDtypes = {ElementType::f32, ElementType::f64, ElementType::i32,
                                ElementType::i64, ElementType::u8};

bool is_castable(ElementType type) noexcept {
  return std::ranges::find(kDtypes, type) != kDtypes.end();
}

std::string_view dtype_word(ElementType type) noexcept {
  return kDtypeWords[static_cast<std::size_t>(std::ranges::find(kDtypes, type) - kDtypes.begin())];
}

/// Whether a floating-point number lies within the range of an integer type.
template <typename Whole, typename Floating>
bool in_range_of(Floating value) noexcept {
  // Both ends are powers of two, or 0, and exact. The largest integer itself may not be.
  constexpr Whole kHalf = std::numeric_limits<Whole>::max() / 2 + 1;
  constexpr auto kBegin = static_cast<Floating>(std::numeric_limits<Whole>::min());
  constexpr auto kEnd = static_cast<Floating>(kHalf) * 2;
  return value >= kBegin && value < kEnd;
}

/// Converts a value; returns whether the result is the same number.
template <typename From, typename To>
bool cast_exactly(From value, To& result) noexcept {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    result = static_cast<To>(value);
    return std::in_range<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    const bool fits = in_range_of<To>(value);
    result = fits ? static_cast<To>(value) : To{0};
    return fits && static_cast<From>(result) == value;
  } else {
    result = static_cast<To>(value);
    return in_range_of<From>(result) && static_cast<From>(result) == value;
  }
}

/// Converts `count` values; returns the first one that the type does not hold, or `count`.
template <typename From, typename To>
std::int64_t cast_values(const std::byte* from, std::byte* to, std::int64_t count) noexcept {
  if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    if (cast_elements(element_type_of<From>, from, element_type_of<To>, to, count) == 0) {
      return count;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (std::isinf(load<To>(to, i)) && std::isfinite(load<From>(from, i))) return i;
    }
    return count;
  } else {
    std::int64_t exact = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      To result{};
      exact += cast_exactly(load<From>(from, i), result) ? 1 : 0;
      std::memcpy(to + i * std::int64_t{sizeof(To)}, &result, sizeof(To));
    }
    if (exact == count) return count;
    To unused{};
    std::int64_t i = 0;
    while (cast_exactly(load<From>(from, i), unused)) ++i;
    return i;
  }
}

/// Calls `action` with a zero of the C++ type of an element type.
///
/// Pre: is_castable(type).
template <typename Action>
decltype(auto) with_zero_of(ElementType type, const Action& action) {
  switch (type) {
    case ElementType::u8:
      return action(std::uint8_t{0});
    case ElementType::i32:
      return action(std::int32_t{0});
    case ElementType::i64:
      return action(std::int64_t{0});
    case ElementType::f64:
      return action(double{0});
    default:
      return action(float{0});
  }
}

class Cast final : public Transform {
 public:
  explicit Cast(ElementType type) noexcept : type_(type) {}

  [[nodiscard]] std::string_view name() const noexcept override { return cast_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("dtype={}", dtype_word(type_));
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    if (!is_castable(inputs[0].element_type)) {
      refuse_stream(inputs[0], "have values of type f32, f64, i32, i64 or u8");
    }
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
      with_zero_of(stream.element_type, [&](auto from) {
        with_zero_of(type_, [&](auto to) {
          const std::int64_t first =
              cast_values<decltype(from), decltype(to)>(view.values, values, view.value_count);
          if (first < view.value_count) {
            refuse_value(stream, view, input.range.first, first,
                         formatted("{}", load<decltype(from)>(view.values, first)));
          }
        });
      });
      view.values = values;
    }
    output.set(0, view);
  }

 private:
  [[noreturn]] void refuse_value(const Stream& stream, const SequenceView& view,
                                 std::int64_t first_sample, std::int64_t at,
                                 const std::string& found) const {
    std::int64_t sample = 0;
    std::int64_t place = 0;
    if (view.sample_offsets == nullptr) {
      sample = at / stream.sample_shape.size();
      place = at % stream.sample_shape.size();
    } else {
      const std::int64_t* const offsets = view.sample_offsets;
      while (offsets[sample + 1] - offsets[0] <= at) ++sample;
      place = at - (offsets[sample] - offsets[0]);
    }
    throw ConfigError(
        formatted("stream \"{}\": value {} of sample {} is {}, which {} does not hold", stream.name,
                  place, first_sample + sample, found, dtype_word(type_)));
  }

  ElementType type_;
};

constexpr TransformOption kCastOptions[] = {
    {.name = "dtype", .help = "float32, float64, int32, int64 or uint8"},
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
            kDtypes[options.choice("dtype", kDtypeWords) % kDtypes.size()]);
      }};
  return kType;
}

}  // namespace sheaf::internal
