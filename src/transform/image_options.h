/// \file
/// Options that several transforms of images have.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

#include "transform/image_operation.h"
#include "transform/option_values.h"

namespace sheaf::internal {

/// Extents of an image.
struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// The largest height and width that an option takes.
inline constexpr std::int64_t kImageExtentMax = 65535;

/// Reads "224x160": height and width. A number alone stands for both.
///
/// Throws: ConfigError that names the option, here and below.
[[nodiscard]] ImageSize image_size(const OptionValues& values, std::string_view name);

/// Returns "224x160".
[[nodiscard]] std::string to_string(const ImageSize& size);

/// Two numbers, the first not above the second.
struct ImageRange {
  double low = 0;
  double high = 0;
};

/// Reads "0.08:1". A number alone stands for both.
[[nodiscard]] ImageRange image_range(const OptionValues& values, std::string_view name, double min,
                                     double max);

/// Reads the same, as numbers of 32 bits.
[[nodiscard]] ImageRange float_range(const OptionValues& values, std::string_view name, double min,
                                     double max);

/// Returns "0.08:1".
[[nodiscard]] std::string to_string(const ImageRange& range);

/// Returns the shortest text of a number.
[[nodiscard]] std::string number_text_of(double number);

/// Reads numbers with `;` or spaces between: at least one.
[[nodiscard]] std::vector<double> image_numbers(const OptionValues& values, std::string_view name);

/// Reads `draws` and `seed`: the seed of draws in the order of the plan. Nothing where the draws
/// are keyed.
[[nodiscard]] std::optional<std::uint32_t> draws_seed(const OptionValues& values);

/// Returns the texts of the two options, as options() has them: "draws=ordered,seed=3".
[[nodiscard]] std::string draws_text(const std::optional<std::uint32_t>& seed);

/// Reads `dtype`. Nothing where it is not given.
[[nodiscard]] std::optional<ElementType> image_dtype(const OptionValues& values);

/// Returns the type of values with a fraction: what `dtype` says; else f64 of f64, and f32.
[[nodiscard]] ElementType floating_type(const std::optional<ElementType>& dtype,
                                        ElementType from) noexcept;

/// Returns the text of the option, as options() has it, with a comma in front; else nothing.
[[nodiscard]] std::string dtype_text(const std::optional<ElementType>& dtype);

/// Throws: ConfigError for a stream whose values are not u8, f32 or f64.
void require_pixel_type(const ImageForm& form, const Stream& stream);

/// The options `draws` and `seed`, as the tables of types have them.
inline constexpr TransformOption kDrawsOption = {
    .name = "draws",
    .default_text = "keyed",
    .help = "keyed: by the key of the sequence; ordered: by the order of the run, as CNTK did"};
inline constexpr TransformOption kSeedOption = {
    .name = "seed", .help = "with draws=ordered, the seed: 0 to 4294967295; default 0"};
inline constexpr TransformOption kDtypeOption = {
    .name = "dtype", .help = "float32 or float64; default float64 for float64, else float32"};

}  // namespace sheaf::internal
