// Options that formats of recordings share, each with its own name in a format.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/audio/pcm.h"

namespace sheaf::internal {

/// The values of an option for the sample rate of all recordings.
inline constexpr std::array<std::string_view, 2> kSampleRateValues = {"first", "RATE"};

/// The values of an option for the range of the delivered values.
inline constexpr std::array<std::string_view, 2> kSampleScaleValues = {"unit", "int16"};

/// Returns the samples per second that an option with kSampleRateValues sets, or nothing for
/// "first".
///
/// Throws: ConfigError that names the option, for any value other than a number from 1 to 2^32-1.
[[nodiscard]] std::optional<std::int64_t> sample_rate_of(
    const FormatOption& option, const std::map<std::string, std::string>& given);

/// Returns the scale that an option with kSampleScaleValues sets.
///
/// Throws: ConfigError as value_of().
[[nodiscard]] SampleScale sample_scale_of(const FormatOption& option,
                                          const std::map<std::string, std::string>& given);

}  // namespace sheaf::internal
