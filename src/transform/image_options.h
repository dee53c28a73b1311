/// \file
/// Options that several image transforms share.

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

/// The extents of an image.
struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// The largest height and width that options accept.
inline constexpr std::int64_t kImageExtentMax = 65535;

/// Reads height and width, as in "224x160". A single number stands for both.
///
/// Throws: ConfigError that names the option, as do the functions below.
[[nodiscard]] ImageSize image_size(const OptionValues& values, std::string_view name);

/// Returns a text such as "224x160".
[[nodiscard]] std::string to_string(const ImageSize& size);

/// A range of numbers: `low` is at most `high`.
struct ImageRange {
  double low = 0;
  double high = 0;
};

/// Reads a range, as in "0.08:1". A single number stands for both ends.
[[nodiscard]] ImageRange image_range(const OptionValues& values, std::string_view name, double min,
                                     double max);

/// Reads a range of 32-bit numbers.
[[nodiscard]] ImageRange float_range(const OptionValues& values, std::string_view name, double min,
                                     double max);

/// Returns a text such as "0.08:1".
[[nodiscard]] std::string to_string(const ImageRange& range);

/// Returns the shortest text of a number.
[[nodiscard]] std::string number_text_of(double number);

/// Reads at least one number. Numbers are separated by `;` or spaces.
[[nodiscard]] std::vector<double> image_numbers(const OptionValues& values, std::string_view name);

/// Reads `draws` and `seed`. Returns the seed of draws in the order of the plan, or nothing if the
/// draws are keyed.
[[nodiscard]] std::optional<std::uint32_t> draws_seed(const OptionValues& values);

/// Returns the texts of both options for options(), such as "draws=ordered,seed=3".
[[nodiscard]] std::string draws_text(const std::optional<std::uint32_t>& seed);

/// Reads `dtype`. Returns nothing if the option is not given.
[[nodiscard]] std::optional<ElementType> image_dtype(const OptionValues& values);

/// Returns the type for values with a fraction: `dtype` if it is given, otherwise f64 for f64, and
/// f32 for any other type.
[[nodiscard]] ElementType floating_type(const std::optional<ElementType>& dtype,
                                        ElementType from) noexcept;

/// Returns the text of the option for options(), with a comma before it. Returns an empty text if
/// it is not given.
[[nodiscard]] std::string dtype_text(const std::optional<ElementType>& dtype);

/// Throws: ConfigError for a stream whose values are not u8, f32 or f64.
void require_pixel_type(const ImageForm& form, const Stream& stream);

/// The options `draws` and `seed`, for the tables of transform types.
inline constexpr TransformOption kDrawsOption = {
    .name = "draws",
    .default_text = "keyed",
    .help = "keyed: by the key of the sequence; ordered: by the order of the run, as CNTK did"};
inline constexpr TransformOption kSeedOption = {
    .name = "seed", .help = "with draws=ordered, the seed: 0 to 4294967295; default 0"};
inline constexpr TransformOption kDtypeOption = {
    .name = "dtype", .help = "float32 or float64; default float64 for float64, else float32"};

}  // namespace sheaf::internal
