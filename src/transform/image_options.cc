#include "transform/image_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "sheaf/diagnostic.h"
#include "sheaf/dtype.h"
#include "sheaf/error.h"

#include "base/number_text.h"
#include "base/text.h"
#include "transform/stream_checks.h"

namespace sheaf::internal {
namespace {

// Returns the number that makes up the whole text, if any.
template <typename T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns both numbers of "a:b", or the number of "a" twice.
template <typename T>
std::optional<std::array<T, 2>> pair_of(std::string_view text, char separator) {
  const std::size_t end = text.find(separator);
  const std::optional<T> first = parsed<T>(text.substr(0, end));
  const std::optional<T> second =
      end == std::string_view::npos ? first : parsed<T>(text.substr(end + 1));
  if (!first || !second) return std::nullopt;
  return std::array{*first, *second};
}

}  // namespace

ImageSize image_size(const OptionValues& values, std::string_view name) {
  const std::string_view text = values.text(name);
  if (text.empty() && !values.has(name)) throw ConfigError(formatted("{} is needed", name));
  const auto pair = pair_of<std::int64_t>(text, 'x');
  const auto fits = [](std::int64_t extent) { return extent >= 1 && extent <= kImageExtentMax; };
  if (pair && std::ranges::all_of(*pair, fits)) return {.height = (*pair)[0], .width = (*pair)[1]};
  throw ConfigError(formatted(
      "{} must be a number of pixels from 1 to {}, or two as HEIGHTxWIDTH, such as 224x160: got {}",
      name, kImageExtentMax, quoted(text)));
}

std::string to_string(const ImageSize& size) { return formatted("{}x{}", size.height, size.width); }

ImageRange image_range(const OptionValues& values, std::string_view name, double min, double max) {
  const std::string_view text = values.text(name);
  const auto pair = pair_of<double>(text, ':');
  if (pair && (*pair)[0] >= min && (*pair)[0] <= (*pair)[1] && (*pair)[1] <= max) {
    return {.low = (*pair)[0], .high = (*pair)[1]};
  }
  throw ConfigError(
      formatted("{} must be a number from {} to {}, or two as MIN:MAX, such as 0.5:0.75: got {}",
                name, min, max, quoted(text)));
}

// Parses the text as floats, since GCC 12 drops the conversion of two doubles to float and back.
ImageRange float_range(const OptionValues& values, std::string_view name, double min, double max) {
  static_cast<void>(image_range(values, name, min, max));
  const auto pair = pair_of<float>(values.text(name), ':');
  return {.low = static_cast<double>((*pair)[0]), .high = static_cast<double>((*pair)[1])};
}

std::string to_string(const ImageRange& range) {
  return formatted("{}:{}", number_text_of(range.low), number_text_of(range.high));
}

std::string number_text_of(double number) {
  std::array<char, kNumberTextRoom> digits{};
  return {digits.data(), write_number(digits.data(), number)};
}

std::vector<double> image_numbers(const OptionValues& values, std::string_view name) {
  std::string_view left = values.text(name);
  std::vector<double> numbers;
  for (;;) {
    left.remove_prefix(std::min(left.find_first_not_of("; "), left.size()));
    if (left.empty()) break;
    const std::string_view word = left.substr(0, left.find_first_of("; "));
    const std::optional<double> number = parsed<double>(word);
    if (!number || !(*number >= -std::numeric_limits<float>::max()) ||
        *number > std::numeric_limits<float>::max()) {
      throw ConfigError(formatted("{} must be numbers with ; between, such as 0.5;0.25;1: got {}",
                                  name, quoted(word)));
    }
    numbers.push_back(*number);
    left.remove_prefix(word.size());
  }
  if (numbers.empty()) throw ConfigError(formatted("{} is needed: one number a channel", name));
  return numbers;
}

std::optional<std::uint32_t> draws_seed(const OptionValues& values) {
  constexpr std::string_view kDraws[] = {"keyed", "ordered"};
  const bool is_ordered = values.choice("draws", kDraws) == 1;
  if (!is_ordered) {
    if (values.has("seed")) {
      throw ConfigError("seed goes with draws=ordered alone; keyed draws have the run's seed");
    }
    return std::nullopt;
  }
  if (!values.has("seed")) return 0;
  return static_cast<std::uint32_t>(
      values.integer("seed", 0, std::numeric_limits<std::uint32_t>::max()));
}

std::string draws_text(const std::optional<std::uint32_t>& seed) {
  return seed ? formatted("draws=ordered,seed={}", *seed) : "draws=keyed";
}

std::optional<ElementType> image_dtype(const OptionValues& values) {
  constexpr std::string_view kWords[] = {"float32", "float64", "f32", "f64"};
  if (!values.has("dtype")) return std::nullopt;
  return values.choice("dtype", kWords) % 2 == 0 ? ElementType::f32 : ElementType::f64;
}

ElementType floating_type(const std::optional<ElementType>& dtype, ElementType from) noexcept {
  if (dtype) return *dtype;
  return from == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

std::string dtype_text(const std::optional<ElementType>& dtype) {
  return dtype ? formatted(",dtype={}", dtype_word(*dtype)) : "";
}

void require_pixel_type(const ImageForm& form, const Stream& stream) {
  if (form.type == ElementType::u8 || form.type == ElementType::f32 ||
      form.type == ElementType::f64) {
    return;
  }
  refuse_stream(stream, "have values of type u8, f32 or f64");
}

}  // namespace sheaf::internal
